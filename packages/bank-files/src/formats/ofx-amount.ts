import { currencyDecimals } from '../currency.ts'

/** What comes before the decimals of an amount. */
export type DecimalMark = ',' | '.'

const shapes: Readonly<Record<DecimalMark, RegExp>> = {
  ',': /^([+-]?)(\d{1,3}(?:\.\d{3}){1,4}|\d{0,15})(?:,(\d{0,5}))?$/,
  '.': /^([+-]?)(\d{1,3}(?:,\d{3}){1,4}|\d{0,15})(?:\.(\d{0,5}))?$/,
}

const plain = (text: string): string => text.replace(/\s/g, '')

const marksOf = (amount: string): DecimalMark[] => (amount.match(/[.,]/g) ?? []) as DecimalMark[]

/** The mark that an amount shows: none in `1,650`, which may be 1.65 or 1650. */
const markOf = (amount: string): DecimalMark | undefined => {
  const marks = marksOf(amount)
  const [first, last] = [marks[0], marks.at(-1)]
  if (first !== last) return last
  // Only groups of thousands have several of one mark.
  if (marks.length > 1) return first === ',' ? '.' : ','
  return /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/.test(amount) ? undefined : first
}

/** The mark that the amounts of a text show; `undefined` if they show none or both. */
export const findMark = (text: string): DecimalMark | undefined => {
  const amounts = text.matchAll(/<(?:TRNAMT|BALAMT)>([^<\r\n]{1,60})[<\r\n]/gi)
  const marks = new Set([...amounts].flatMap(([, amount = '']) => markOf(plain(amount)) ?? []))
  return marks.size === 1 ? [...marks][0] : undefined
}

const readWith = (amount: string, mark: DecimalMark): string | undefined => {
  const [, sign = '', whole = '', fraction = ''] = shapes[mark].exec(amount) ?? []
  if (whole + fraction === '') return undefined
  return `${sign}${whole.replace(/[.,]/g, '') || '0'}${fraction === '' ? '' : `.${fraction}`}`
}

/** The signed decimal texts that an amount may mean: none if it is not an amount, two if it is unclear. */
export const amountReadings = (
  text: string,
  fileMark: DecimalMark | undefined,
  currency: string | null,
): readonly string[] => {
  const amount = plain(text)
  const ownDecimals = currency !== null && currencyDecimals(currency) === 3 ? marksOf(amount)[0] : undefined
  const mark = markOf(amount) ?? fileMark ?? ownDecimals
  const marks = mark === undefined ? ([',', '.'] as const) : [mark]
  return [...new Set(marks.flatMap((each) => readWith(amount, each) ?? []))]
}
