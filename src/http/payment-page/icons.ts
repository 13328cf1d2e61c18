import { html } from 'ghtml'

const paths = {
  done: 'M5 12.5l4.5 4.5L19 7.5',
  wait: 'M12 3a9 9 0 110 18 9 9 0 010-18M12 7.5V12l3 2',
  part: 'M12 4a8 8 0 108 8h-8z',
  stop: 'M12 5.5v8M12 18h.01',
  close: 'M7.5 7.5l9 9M16.5 7.5l-9 9',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
} as const

/** An icon next to a heading. It only repeats what the text says, so screen readers skip it. */
export const icon = (name: keyof typeof paths): string =>
  html`<svg class="icon icon-${name}" viewBox="0 0 24 24" aria-hidden="true"><path d="${paths[name]}"/></svg>`
