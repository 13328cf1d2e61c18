import { tidyText } from '../../domain/statement.ts'

// Formats of Excel's own that show dates or times.
const isDateFormat = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)

/** Whether a number format shows a date or time: it has letters of one outside of texts and conditions. */
export const showsDate = (id: number, custom: string | undefined): boolean =>
  custom === undefined
    ? isDateFormat(id)
    : /[ymdhs]/i.test(custom.replace(/"[^"]*"|\\.|_.|\*.|\[(?![hms]+\])[^[\]]*\]|General/gi, ''))

const dayMs = 24 * 60 * 60 * 1000

/** The date or time of a serial number of Excel: days since the end of 1899, or since 1904. */
const readSerial = (serial: number, is1904: boolean): string => {
  const days = is1904 ? serial + 1462 : serial
  const time = new Date(Date.UTC(1899, 11, 30) + Math.round(days * 86_400) * 1000)
  const clock = time.toISOString().slice(11, 19)
  if (days < 1) return clock
  return `${time.toISOString().slice(0, 10)}${time.getTime() % dayMs === 0 ? '' : ` ${clock}`}`
}

/** A number as text with a decimal point, exact to the fifteen digits that Excel has; never with three decimals. */
const readNumber = (value: number): string => {
  const text = String(Number(value.toPrecision(15)))
  if (!/^-?\d+\.\d+$/.test(text)) return text
  const [whole = '', decimals = ''] = text.split('.')
  // Three would be taken for a group of thousands.
  return `${whole}.${decimals.length === 3 ? `${decimals}0` : decimals.padEnd(2, '0')}`
}

/** A text with the characters that Excel writes as `_x000D_`. */
const unescaped = (text: string): string =>
  text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)))

/** A cell of a worksheet as it is stored. */
export type StoredCell = {
  readonly type: string
  readonly value: string
  readonly formula: string
  /** Whether its number is shown as a date. */
  readonly isDate: boolean
}

/** The text of a cell. A formula is never computed: what counts is the value that was saved with it. */
export const cellText = (
  { type, value, formula, isDate }: StoredCell,
  strings: readonly string[],
  is1904: boolean,
): string => {
  if (value === '' && formula !== '') return `=${tidyText(formula) ?? ''}`
  if (type === 's') return unescaped(strings[Number(value)] ?? '')
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE'
  if (type !== 'n' || value === '') return unescaped(value)
  const number = Number(value)
  if (!Number.isFinite(number)) return value
  return isDate && number >= 0 && number < 2_958_466 ? readSerial(number, is1904) : readNumber(number)
}
