/**
 * A CSV field. A value that a spreadsheet would take for a formula gets an apostrophe; numbers do not. This includes
 * values after a semicolon: where decimals have a comma, spreadsheets begin a new cell there.
 */
const field = (value: string | number | bigint | null): string => {
  const short = String(value ?? '')
  // JavaScript writes a price below 0.000001 with an exponent.
  const text =
    typeof value === 'number' && short.includes('e')
      ? value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 20 })
      : short
  const isNumber = typeof value !== 'string' || /^-?\d+(\.\d+)?$/.test(text)
  const safe = isNumber ? text : text.replace(/(^|;)(?=[ "]*[=+\-@\t\r＝＋－＠])/g, "$1'")
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** One line of CSV (RFC 4180), including its line end. */
export const csvLine = (values: readonly (string | number | bigint | null)[]): string =>
  `${values.map(field).join(',')}\r\n`
