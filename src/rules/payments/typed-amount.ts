import { currencyDecimals, parseDecimal } from '../values/currency.ts'
import { readCurrency } from 'bank-files/pure'

/**
 * Why an amount that a payer entered is not accepted. `unclear`: three digits follow its only separator, so that it may
 * be a thousand times as much. `precision`: it has more decimals than its currency.
 */
export type AmountFault = 'missing' | 'unreadable' | 'unclear' | 'precision' | 'too-small' | 'too-large'

/**
 * Reads an amount as people write it, `1 500,50`, `1,500.50` or `1500 ₽`: groups of three after a space or an
 * apostrophe, the currency next to it; if it has both a comma and a dot, the last one is the decimal mark. An ambiguous
 * amount is `unclear` instead of one of its meanings.
 */
export const readTypedAmount = (
  typed: string,
  currency: string,
  bounds: { readonly min: bigint; readonly max: bigint },
): bigint | AmountFault => {
  const text = typed.trim()
  if (text === '') return 'missing'
  const decimals = currencyDecimals(currency)
  const plain = plainDigits(withoutCurrency(text.slice(0, 60), currency), decimals)
  if (plain === undefined) return 'unreadable'
  if (plain === 'unclear') return 'unclear'
  const fraction = plain.split('.')[1] ?? ''
  // Zeros beyond the currency's decimals may be thousands that were cut short: 1000.000.
  if (fraction.length > Math.max(decimals, 2)) return 'precision'
  const amount = parseDecimal(plain, decimals)
  if (amount === 'precision') return 'precision'
  if (amount === 'range') return 'too-large'
  if (amount < bounds.min) return 'too-small'
  return amount > bounds.max ? 'too-large' : amount
}

/** A text without the currency before or after its digits; unchanged if it contains anything else. */
const withoutCurrency = (text: string, currency: string): string => {
  const start = text.search(/\d/)
  if (start === -1) return text
  let end = text.length
  while (!/\d/.test(text.charAt(end - 1))) end--
  const isCurrency = (sign: string): boolean => sign.trim() === '' || readCurrency(sign) === currency
  return isCurrency(text.slice(0, start)) && isCurrency(text.slice(end)) ? text.slice(start, end) : text
}

/** The digits with a dot before the decimals, or `unclear`; `undefined` for anything but an amount. */
const plainDigits = (text: string, decimals: number): string | undefined => {
  const compact = text.replace(/(?<=\d)[\s'’](?=\d{3}(?!\d))/gu, '')
  if (!/^\d+(?:[.,]\d+)*$/.test(compact)) return undefined
  const separators = compact.replace(/\d/g, '')
  if (separators === '') return compact
  const at = Math.max(compact.lastIndexOf('.'), compact.lastIndexOf(','))
  const [whole, last] = [compact.slice(0, at), compact.slice(at + 1)]
  if (separators.length === 1) {
    // Neither 0,500 nor 1 234,500 can be thousands: no group starts with a zero, and groups have one separator.
    const mayBeThousands = last.length === 3 && /^[1-9]\d{0,2}$/.test(whole) && compact === text
    if (!mayBeThousands) return `${whole}.${last}`
    return decimals === 0 ? whole + last : 'unclear'
  }
  const isGrouped = (part: string): boolean => /^\d{1,3}([.,])\d{3}(?:\1\d{3})*$/.test(part)
  if (isGrouped(compact)) return compact.replaceAll(/[.,]/g, '')
  const isLastOther = !whole.includes(compact.charAt(at))
  return isLastOther && isGrouped(whole) ? `${whole.replaceAll(/[.,]/g, '')}.${last}` : undefined
}
