export type Column = {
  readonly header: string
  /** Names it if it is left out. Default: the header. */
  readonly name?: string
  readonly alignsRight: boolean
  /** Whether its texts may be broken into several lines. */
  readonly wraps: boolean
  readonly cells: readonly string[]
  /** Whether no row has a value. Such a column is left out first, without a remark. */
  readonly isEmpty?: boolean
}

/** A table that fits a width: its lines, and the names of the columns that were left out. */
export type LaidOut = { readonly lines: readonly string[]; readonly leftOut: readonly string[] }

const gap = 2
/** Columns of texts are not made narrower than this. */
const leastTextWidth = 14

// Characters that take two places in a terminal, and those that take none.
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/gu
const zero = /[\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}]/gu

/** The number of places that a line takes in a terminal. */
export const widthOf = (line: string): number => [...line.replace(zero, '')].length + (line.match(wide)?.length ?? 0)

/** Replaces characters that move the cursor or change the direction of writing; banks and payers send such. */
export const harmless = (text: string): string =>
  text.replace(/(?!\n)\p{Cc}|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '�')

const breakWord = (word: string, width: number): string[] => {
  const pieces = ['']
  for (const character of word) {
    const piece = pieces.at(-1) ?? ''
    if (widthOf(piece + character) > width && piece !== '') pieces.push(character)
    else pieces[pieces.length - 1] = piece + character
  }
  return pieces
}

const wrapLine = (line: string, width: number): string[] => {
  if (widthOf(line) <= width) return [line]
  const lines = ['']
  for (const word of line.split(' ').flatMap((each) => (widthOf(each) > width ? breakWord(each, width) : [each]))) {
    const last = lines.at(-1) ?? ''
    const longer = last === '' ? word : `${last} ${word}`
    if (widthOf(longer) <= width) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

/** A text as lines of at most `width` places, broken between words if possible. */
export const wrapText = (text: string, width: number): string[] =>
  text.split('\n').flatMap((line) => wrapLine(line, width))

type Measured = Column & { readonly natural: number; readonly least: number }

const measure = (column: Column, width: number): Measured => {
  const lines = [column.header, ...column.cells].flatMap((text) => text.split('\n'))
  const natural = lines.reduce((most, line) => Math.max(most, widthOf(line)), 0)
  const least = column.wraps ? Math.min(natural, Math.max(widthOf(column.header), leastTextWidth)) : natural
  return { ...column, natural, least: Math.min(least, width) }
}

/** Chooses the columns that fit, in order, empty ones last. A narrow one may still fit after one that does not. */
const choose = (columns: readonly Measured[], width: number): { chosen: Measured[]; leftOut: string[] } => {
  const fitting = new Set<Measured>()
  let used = -gap
  for (const column of columns.toSorted((a, b) => Number(a.isEmpty ?? false) - Number(b.isEmpty ?? false))) {
    if (used + gap + column.least > width) continue
    used += gap + column.least
    fitting.add(column)
  }
  const left = columns.filter((column) => !fitting.has(column) && !column.isEmpty)
  return {
    chosen: columns.filter((column) => fitting.has(column)),
    leftOut: left.map(({ header, name = header }) => name),
  }
}

/** Widths of columns: the first ones get what they need before the later ones. */
const widthsOf = (columns: readonly Measured[], width: number): number[] => {
  let spare = columns.reduce((rest, { least }) => rest - least, width - gap * (columns.length - 1))
  return columns.map(({ least, natural }) => {
    const more = Math.min(natural - least, Math.max(spare, 0))
    spare -= more
    return least + more
  })
}

const pad = (text: string, width: number, alignsRight: boolean): string => {
  const room = ' '.repeat(Math.max(0, width - widthOf(text)))
  return alignsRight ? room + text : text + room
}

/**
 * Lays a table out within a width. The columns come in the order of their importance: as needed, texts are broken into
 * lines and the last columns are left out. `emphasize` marks the headers.
 */
export const layOutTable = (
  columns: readonly Column[],
  width: number,
  emphasize: (header: string) => string = String,
): LaidOut => {
  const { chosen, leftOut } = choose(
    columns.map((column) => measure(column, width)),
    width,
  )
  const widths = widthsOf(chosen, width)
  const rowOf = (texts: readonly string[], style: (text: string) => string): string[] => {
    const cells = texts.map((text, index) => wrapText(text, widths[index] ?? width))
    const height = Math.max(1, ...cells.map((lines) => lines.length))
    return Array.from({ length: height }, (_, line) =>
      chosen
        .map(({ alignsRight }, index) => {
          const text = cells[index]?.[line] ?? ''
          return pad(text, widths[index] ?? width, alignsRight).replace(text, () => style(text))
        })
        .join(' '.repeat(gap))
        .trimEnd(),
    )
  }
  const rows = chosen[0]?.cells.map((_, row) => chosen.map(({ cells }) => cells[row] ?? '')) ?? []
  const headers = chosen.map(({ header }) => header)
  return {
    lines: [
      ...(headers.some((header) => header !== '') ? rowOf(headers, emphasize) : []),
      ...rows.flatMap((row) => rowOf(row, String)),
    ],
    leftOut,
  }
}
