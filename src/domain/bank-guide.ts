import type { PaymentMethod } from './payment.ts'

/** What the operator tells customers of a bank: a link into its app, and the steps there, by method. */
export type BankGuide = {
  /** `{amount}` and `{number}` in a link stand for the amount and the number of the requisite. */
  readonly links: Readonly<Partial<Record<PaymentMethod, string>>>
  /** Steps by method and language. */
  readonly steps: Readonly<Partial<Record<PaymentMethod, Readonly<Partial<Record<string, readonly string[]>>>>>>
}

/** Schemes that open something else than a bank: scripts, files, unprotected sites. */
const foreignSchemes = new Set(
  'about blob chrome data file filesystem ftp http intent javascript mailto sms tel vbscript view-source ws wss'.split(
    ' ',
  ),
)

const fill = (link: string, values: Readonly<Record<'amount' | 'number', string>>): string =>
  link.replace(/\{(amount|number)\}/g, (_, name: 'amount' | 'number') => encodeURIComponent(values[name]))

/** Whether a text may be a link into a bank's app: `https`, or the app's own scheme. */
export const isBankLink = (text: string): boolean => {
  const url = URL.parse(fill(text, { amount: '1', number: '1' }))
  if (!url || /[\s{}<>"'`\\]/.test(fill(text, { amount: '', number: '' }))) return false
  const scheme = url.protocol.slice(0, -1)
  return scheme.length > 1 && !foreignSchemes.has(scheme) && url.username === '' && url.password === ''
}

/** The link for a transfer, with its values filled in. */
export const fillBankLink = (link: string, transfer: { readonly amount: string; readonly number: string }): string =>
  fill(link, transfer)
