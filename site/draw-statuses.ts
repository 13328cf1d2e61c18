import { html } from 'ghtml'

type Point = { readonly x: number; readonly y: number }

/** Where the statuses of each diagram are, by the name in its `%%` line. */
const layouts: Readonly<Record<string, Readonly<Record<string, Point>>>> = {
  usual: {
    new: { x: 80, y: 150 },
    processing: { x: 300, y: 40 },
    paid: { x: 560, y: 70 },
    expired: { x: 560, y: 150 },
    canceled: { x: 560, y: 220 },
    failed: { x: 300, y: 260 },
  },
  'another amount': {
    new: { x: 80, y: 40 },
    processing: { x: 80, y: 145 },
    expired: { x: 80, y: 250 },
    paid: { x: 560, y: 40 },
    'disput-paid': { x: 560, y: 145 },
    disput: { x: 560, y: 250 },
  },
  disputes: {
    processing: { x: 80, y: 40 },
    paid: { x: 560, y: 40 },
    'disput-paid': { x: 560, y: 145 },
    disput: { x: 300, y: 145 },
    expired: { x: 80, y: 145 },
    canceled: { x: 80, y: 250 },
    failed: { x: 300, y: 260 },
  },
}

const half = { width: 58, height: 18 }
const size = { width: 640, height: 290 }

/** The point where a line from the middle of a box leaves it. */
const edgeOf = (from: Point, to: Point): Point => {
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  const scale = Math.min(
    dx === 0 ? Infinity : (half.width + 3) / Math.abs(dx),
    dy === 0 ? Infinity : (half.height + 3) / Math.abs(dy),
  )
  return { x: from.x + dx * scale, y: from.y + dy * scale }
}

type Arrow = { readonly from: string; readonly to: string; readonly numbers: string }

const round = (value: number): string => value.toFixed(1)

/** An arrow from box to box with its numbers, moved aside if there is one back. */
const drawArrow = ({ numbers }: Arrow, from: Point, to: Point, isBent: boolean, tip: string): string => {
  const length = Math.hypot(to.x - from.x, to.y - from.y)
  const side = isBent ? 14 : 0
  const shift = { x: (-(to.y - from.y) / length) * side, y: ((to.x - from.x) / length) * side }
  const moved = (point: Point): Point => ({ x: point.x + shift.x * 0.6, y: point.y + shift.y * 0.6 })
  const [start, end] = [moved(edgeOf(from, to)), moved(edgeOf(to, from))]
  const at = 0.3
  const label = { x: start.x + (end.x - start.x) * at, y: start.y + (end.y - start.y) * at }
  const width = 8 + numbers.length * 6.5
  return html`<path class="arrow" d="M${round(start.x)} ${round(start.y)}L${round(end.x)} ${round(end.y)}" marker-end="url(#${tip})"/><rect class="number" x="${round(label.x - width / 2)}" y="${round(label.y - 9)}" width="${round(width)}" height="18" rx="9"/><text class="number" x="${round(label.x)}" y="${round(label.y + 4)}">${numbers}</text>`
}

const drawBox = (name: string, { x, y }: Point): string =>
  html`<g class="${name}"><rect class="status" x="${x - half.width}" y="${y - half.height}" width="${half.width * 2}" height="${half.height * 2}" rx="8"/><text class="status" x="${x}" y="${y + 5}">${name}</text></g>`

const arrowsIn = (source: string): readonly Arrow[] => {
  const found = [...source.matchAll(/^ *([\w-]+) --> ([\w-]+): (\d+)/gm)].map(
    ([, from = '', to = '', number = '']) => ({
      from: from.replace('_', '-'),
      to: to.replace('_', '-'),
      number,
    }),
  )
  return [...Map.groupBy(found, ({ from, to }) => `${from} ${to}`).values()].map((all) => ({
    from: all[0]?.from ?? '',
    to: all[0]?.to ?? '',
    numbers: all.map(({ number }) => number).join(' '),
  }))
}

/**
 * A state diagram as SVG, from a source in Mermaid's notation whose `%%` line names a layout; undefined for any other
 * source.
 */
export const drawStatuses = (source: string): string | undefined => {
  const [, name = ''] = /^%% (.+)$/m.exec(source) ?? []
  const layout = layouts[name]
  if (!layout) return undefined
  const arrows = arrowsIn(source)
  const tip = `tip-${name.replaceAll(' ', '-')}`
  const drawn = arrows.flatMap((arrow) => {
    const [from, to] = [layout[arrow.from], layout[arrow.to]]
    const isBent = arrows.some((other) => other.from === arrow.to && other.to === arrow.from)
    return from && to ? [drawArrow(arrow, from, to, isBent, tip)] : []
  })
  const boxes = Object.entries(layout).map(([status, point]) => drawBox(status, point))
  return html`<div class="wide" tabindex="0" role="group" aria-label="Diagram: ${name}"><svg class="diagram" role="img" aria-label="Statuses and the transitions between them; the table below says the same in words" viewBox="0 0 ${size.width} ${size.height}" width="${size.width}" height="${size.height}"><defs><marker id="${tip}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path class="tip" d="M0 0L10 5L0 10z"/></marker></defs>!${drawn}!${boxes}</svg></div>`
}
