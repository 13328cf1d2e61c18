import { maxMinor } from '../amount.ts'
import { isIban } from '../iban.ts'
import { onOneLine, type OrderParty, type PaymentOrder } from './payment-order.ts'
import { foreignTo1251 } from './windows-1251.ts'

/** What a format can have. */
export type FormatLimits = {
  readonly checkAccount: (party: OrderParty, currency: string) => string | undefined
  /** Longest name and text, in characters. */
  readonly longest: { readonly name: number; readonly text: number }
  /** A character of a text that cannot be written. */
  readonly findForeign: (text: string) => string | undefined
}

/** Banks in Russia: accounts in roubles. */
export const limitsOf1c: FormatLimits = {
  checkAccount: ({ account, bank }, currency) => {
    if (currency !== 'rub') return 'Payment orders in 1C are in roubles.'
    if (account === null || !/^\d{20}$/.test(account)) return 'Nobody knows an account of 20 digits.'
    return bank === null || !/^0\d{8}$/.test(bank.bic) ? 'Nobody knows the BIC of the bank.' : undefined
  },
  longest: { name: 160, text: 210 },
  findForeign: foreignTo1251,
}

/** Banks that take messages of ISO 20022: any currency, and accounts that the BIC of a bank or the IBAN itself explains. */
export const limitsOfPain: FormatLimits = {
  checkAccount: ({ account, bank }) => {
    if (account === null || !/^[0-9A-Za-z]{1,34}$/.test(account)) return 'Nobody knows the account.'
    return bank === null && !isIban(account) ? 'Nobody knows the BIC of the bank.' : undefined
  },
  longest: { name: 140, text: 140 },
  findForeign: () => undefined,
}

/** Why a side of an order cannot be written; `undefined` if it can. */
export const faultOfParty = (
  { checkAccount, findForeign, longest }: FormatLimits,
  party: OrderParty,
  currency: string,
): string | undefined => {
  const fault = checkAccount(party, currency)
  const name = onOneLine(party.name ?? '')
  const foreign = findForeign(name)
  if (fault !== undefined) return fault
  if (name === '') return 'Nobody knows the name.'
  if (foreign !== undefined) return `The name has a character that the format does not have: ${foreign}`
  return [...name].length > longest.name ? `The name has more than ${longest.name} characters.` : undefined
}

/** Why an order cannot be written; `undefined` if it can. */
export const faultOfOrder = (
  limits: FormatLimits,
  { number, id, amount, payee, text }: PaymentOrder,
  currency: string,
): string | undefined => {
  const said = onOneLine(text)
  const foreign = limits.findForeign(said)
  const { text: longest } = limits.longest
  if (number < 1 || number > 999_999 || number % 1000 === 0)
    return 'The number of the order has more than six digits, or ends with three zeros.'
  if (!/^[\w-]{1,35}$/.test(id)) return 'The id of the order is not of 1 to 35 letters and digits.'
  if (amount <= 0n || amount > maxMinor) return 'The amount is not above zero, or has more than 15 digits.'
  if (said === '') return 'The order has no text.'
  if (foreign !== undefined) return `The text has a character that the format does not have: ${foreign}`
  if ([...said].length > longest) return `The text has more than ${longest} characters.`
  return faultOfParty(limits, payee, currency)
}
