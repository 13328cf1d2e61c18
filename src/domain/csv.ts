/** A field of CSV. A text that a spreadsheet would take for a formula gets an apostrophe; numbers do not. */
const field = (value: string | number | bigint | null): string => {
  const text = String(value ?? '')
  const isNumber = typeof value !== 'string' || /^-?\d+(\.\d+)?$/.test(text)
  const safe = !isNumber && /^[=+\-@\t\r＝＋－＠]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** One line of CSV (RFC 4180) with its end. */
export const csvLine = (values: readonly (string | number | bigint | null)[]): string =>
  `${values.map(field).join(',')}\r\n`
