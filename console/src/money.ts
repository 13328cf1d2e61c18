import { currencyDecimals, usdt } from '../../src/rules/values/currency.ts'
import { language } from './language.ts'

/** An amount as in a response: text if a number would lose digits. */
export type Amount = number | string

/** The most decimals that a currency has. */
const mostDecimals = 3

/** An amount of a currency as people type it, at most 13 digits and its decimals; without a currency, of any. */
export const amountPattern = (currency?: string): RegExp => {
  const decimals = currency === undefined ? mostDecimals : leastDecimals(currency, true)
  return new RegExp(`^(0|[1-9]\\d{0,12})${decimals === 0 ? '' : `(\\.\\d{1,${decimals}})?`}$`)
}

const narrowSpace = '\u202f'

/** What is between the whole and the decimals of a number. */
export const decimalMark = (0.5).toLocaleString(language).charAt(1)

/** A number as the service writes it, with all its digits. */
export const formatNumber = (number: number | string): string => String(number).replace('.', decimalMark)

/** A typed number with a point: languages in which a comma is between the decimals have it on their keyboards. */
export const readDecimal = (typed: string): string => (decimalMark === ',' ? typed.replace(',', '.') : typed)

/** USDT has two to six decimals; in a column it has six, so that the points are below each other. */
const leastDecimals = (currency: string, isInColumn: boolean): number =>
  currency === usdt && !isInColumn ? 2 : currencyDecimals(currency)

/**
 * An amount with groups of three digits and the decimals of its currency, such as `1 234 567.80`, without the currency.
 * No digit is rounded.
 */
export const formatAmount = (amount: Amount, currency: string, isInColumn = false): string => {
  const text = String(amount)
  const sign = text.startsWith('-') ? '−' : ''
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.')
  const decimals = fraction.replace(/0+$/, '').padEnd(leastDecimals(currency, isInColumn), '0')
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, narrowSpace)
  return `${sign}${grouped}${decimals === '' ? '' : `${decimalMark}${decimals}`}`
}

/** The same with the currency. */
export const formatMoney = (amount: Amount, currency: string): string =>
  `${formatAmount(amount, currency)}\u00a0${currency.toUpperCase()}`
