// Markdown as the tests of documents read it.

/** The words of a text that are set as code. */
export const codeWords = (text = ''): string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word.replaceAll(/\s+/g, ' '))

/** The anchor that GitHub gives a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

/** A heading with what follows it, up to the next one. */
export type Section = {
  readonly level: number
  readonly heading: string
  /** Language and lines of each block of code. */
  readonly blocks: readonly string[]
  /** The rest, without blocks of code. */
  readonly text: string
}

/** The sections of a document, in order; what comes before the first heading is dropped. */
export const sectionsOf = (document: string): Section[] => {
  const sections: { level: number; heading: string; blocks: string[]; text: string }[] = []
  let open: string[] | undefined
  for (const line of document.split('\n')) {
    const section = sections.at(-1)
    if (/^ *```/.test(line)) {
      if (open !== undefined) section?.blocks.push(open.join('\n'))
      open = open === undefined ? [line.trim()] : undefined
      continue
    }
    if (open !== undefined) {
      open.push(line)
      continue
    }
    const [, marks = '', heading = ''] = /^(#+) (.+)$/.exec(line) ?? []
    if (heading !== '') sections.push({ level: marks.length, heading, blocks: [], text: '' })
    else if (section) section.text += `${line}\n`
  }
  return sections
}
