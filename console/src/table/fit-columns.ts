/** How much room a column of a table needs, in pixels. */
export type Room = {
  readonly width: number
  /** Its share of the room that is left, or as much as its content needs. Default: none. */
  readonly grows?: number | 'content'
  /** When there is no room for all columns, those with the largest rank are left out together. Default: 0, always shown. */
  readonly rank?: number
  /** The column that this one replaces when there is no room for it. */
  readonly insteadOf?: string
}

/** Between two columns, and at the two edges of a table together, as in `table.css`. */
const space = { between: 16, edges: 28 }

type Named = Room & { readonly name: string }

const rankOf = ({ rank = 0 }: Room): number => rank

const fit = <Each extends Named>(columns: readonly Each[], width: number): readonly Each[] => {
  let needed = space.edges - space.between
  const first = columns
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .find((column) => {
      needed += column.width + space.between
      return needed > width && rankOf(column) > 0
    })
  return first === undefined ? columns : columns.filter((column) => rankOf(column) < rankOf(first))
}

/** The columns that fit into a table of this width, in their order. */
export const fitColumns = <Each extends Named>(columns: readonly Each[], width: number): readonly Each[] => {
  const usual = columns.filter(({ insteadOf }) => insteadOf === undefined)
  const shown = new Set(fit(usual, width).map(({ name }) => name))
  const replaced = columns.filter(({ insteadOf }) => insteadOf === undefined || !shown.has(insteadOf))
  return fit(replaced, width)
}

/** The width of a column as a track of a grid. */
export const trackOf = ({ width, grows }: Room): string => {
  if (grows === undefined) return `${width}px`
  return `minmax(${width}px, ${grows === 'content' ? 'max-content' : `${grows}fr`})`
}
