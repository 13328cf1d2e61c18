import type { PaymentMethod } from '../values/payment-method.ts'

/** The operator's guide for customers of a bank, by method: a link into its app, and the steps there. */
export type BankGuide = {
  /** `{amount}` and `{number}` in a link are replaced by the amount and the requisite's number. */
  readonly links: Readonly<Partial<Record<PaymentMethod, string>>>
  /** Steps by method and language. */
  readonly steps: Readonly<Partial<Record<PaymentMethod, Readonly<Partial<Record<string, readonly string[]>>>>>>
}

// An allow-list: systems open countless things by scheme (calls, shops, settings, other apps), so a list of forbidden
// ones is never complete. Schemes of banks' apps contain the name of a bank or a word for paying, like those of the SBP
// (`bank100000000111`); a bank whose app has another scheme uses https links.
const appScheme = /^(?=[a-z0-9+.-]*$).*(?:bank|pay)/

/** The link for a transfer, with its values filled in. */
export const fillBankLink = (link: string, values: Readonly<Record<'amount' | 'number', string>>): string =>
  link.replace(/\{(amount|number)\}/g, (_, name: 'amount' | 'number') => encodeURIComponent(values[name]))

/** Whether a text may be a link into a bank's app: `https`, or a scheme that contains a bank or a word for paying. */
export const isBankLink = (text: string): boolean => {
  const url = URL.parse(fillBankLink(text, { amount: '1', number: '1' }))
  if (!url || /[\s{}<>"'`\\]/.test(fillBankLink(text, { amount: '', number: '' }))) return false
  const scheme = url.protocol.slice(0, -1)
  const isKnown = scheme === 'https' || (appScheme.test(scheme) && text.slice(scheme.length).startsWith('://'))
  return isKnown && url.username === '' && url.password === ''
}
