/** A Markdown table; an empty text if it has no rows. */
export const writeTable = (headings: readonly string[], rows: readonly (readonly string[])[]): string => {
  if (rows.length === 0) return ''
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n')
}
