import { currencyDecimals, quoteCurrency } from '../../src/domain/currency.ts'

/** An amount as in a response: text if a number would lose digits. */
export type Amount = number | string

const narrowSpace = '\u202f'

const leastDecimals = (currency: string): number =>
  currency.toUpperCase() === quoteCurrency ? 2 : currencyDecimals(currency.toLowerCase())

/**
 * An amount with groups of three digits and the decimals of its currency, such as `1 234 567.80`, without the currency. The
 * quote currency has two to six decimals. No digit is rounded.
 */
export const formatAmount = (amount: Amount, currency: string): string => {
  const text = String(amount)
  const sign = text.startsWith('-') ? '−' : ''
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.')
  const decimals = fraction.padEnd(leastDecimals(currency), '0')
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, narrowSpace)
  return `${sign}${grouped}${decimals === '' ? '' : `.${decimals}`}`
}

/** The same with the currency. */
export const formatMoney = (amount: Amount, currency: string): string =>
  `${formatAmount(amount, currency)}\u00a0${currency.toUpperCase()}`
