import { fitsBic, isBic, isCorrespondentOf, isInn, isKpp } from '../money/bank-details.ts'
import { fastMethod, methodRules, type PaymentMethod } from '../values/payment-method.ts'
import type { Recipient } from './recipient.ts'

/** A wrong field of a recipient, or a wrong number of its requisite. */
export type RecipientFault = { readonly field: keyof Recipient | 'number'; readonly message: string }

/** A bank as payment orders name it, if known. */
export type BankNumbers = { readonly bic: string | null; readonly correspondentAccount: string | null }

/** Fields of payment orders of Russian banks. */
const orderFields = ['inn', 'kpp', 'bic', 'correspondentAccount', 'purpose'] as const

/** The bank that a requisite's transfers name: the recipient's own branch, else the bank issuer. */
export const bankOf = (recipient: Recipient, issuer: BankNumbers | undefined): BankNumbers =>
  recipient.bic === null ? (issuer ?? { bic: null, correspondentAccount: null }) : recipient

/** Whether a method's transfers are payment orders of Russian banks in a currency. */
export const isPaymentOrder = (method: PaymentMethod, currency: string): boolean =>
  methodRules[method].codeCurrency === currency

/** What is wrong with the numbers of a Russian bank. */
export const checkBank = ({ bic, correspondentAccount }: BankNumbers): RecipientFault[] => {
  if (bic !== null && !isBic(bic)) return [{ field: 'bic', message: 'must be nine digits, the first of them 0.' }]
  if (bic === null || correspondentAccount === null || isCorrespondentOf(correspondentAccount, bic)) return []
  const message = `is not the correspondent account of a bank with the BIC ${bic}: its check digit or its end differs.`
  return [{ field: 'correspondentAccount', message }]
}

const checkTaxNumbers = ({ inn, kpp }: Recipient): RecipientFault[] => [
  ...(inn === null || isInn(inn)
    ? []
    : [{ field: 'inn' as const, message: 'must be an INN of 10 or 12 digits with right check digits.' }]),
  ...(kpp === null || isKpp(kpp)
    ? []
    : [{ field: 'kpp' as const, message: 'must be a KPP of nine characters, such as 770001001.' }]),
  ...(kpp === null || inn?.length === 10
    ? []
    : [{ field: 'kpp' as const, message: 'belongs to an organisation: give its INN of ten digits, too.' }]),
]

const checkPurpose = ({ purpose }: Recipient): RecipientFault[] =>
  purpose === null || !/[{}]/.test(purpose.replaceAll('{order}', ''))
    ? []
    : [{ field: 'purpose', message: 'must have no braces except {order}.' }]

// One with an amount would fit a single payment; one of another type is not for good.
const checkSbpLink = ({ sbpLink }: Recipient, method: PaymentMethod, currency: string): RecipientFault[] => {
  if (sbpLink === null) return []
  const isTaken = currency === 'rub' && (method === fastMethod || isPaymentOrder(method, currency))
  if (!isTaken) return [{ field: 'sbpLink', message: 'is for sbp and account-to-account in rub only.' }]
  const isStatic = /^https:\/\/qr\.nspk\.ru\/AS[0-9A-Z]{30}(?:\?[\w=&]{1,200})?$/.test(sbpLink)
  if (isStatic && !/[?&]sum=/.test(sbpLink)) return []
  return [{ field: 'sbpLink', message: 'must be a static SBP link without an amount: https://qr.nspk.ru/AS…' }]
}

/** What is wrong with a recipient and the number of its requisite; `issuer` is the bank issuer. */
export const checkRecipient = (
  recipient: Recipient,
  requisite: { readonly method: PaymentMethod; readonly currency: string; readonly number: string },
  issuer: BankNumbers | undefined,
): RecipientFault[] => {
  const { givenName, familyName, bic, correspondentAccount } = recipient
  const { method, currency, number } = requisite
  const halves: RecipientFault[] = [
    ...((givenName === null) === (familyName === null)
      ? []
      : [{ field: givenName === null ? 'givenName' : 'familyName', message: 'is missing: give both names or none.' }]),
    ...checkSbpLink(recipient, method, currency),
    ...((bic === null) === (correspondentAccount === null)
      ? []
      : [{ field: bic === null ? 'bic' : 'correspondentAccount', message: 'is missing: give both or none.' }]),
  ] as RecipientFault[]
  if (!isPaymentOrder(method, currency)) {
    const given = orderFields.filter((field) => recipient[field] !== null)
    const message = 'is for account-to-account in rub only.'
    return [...halves, ...given.map((field) => ({ field, message }))]
  }
  const bank = bankOf(recipient, issuer)
  const isKeyWrong =
    bank.bic !== null && isBic(bank.bic) && methodRules[method].fits(number) && !fitsBic(number, bank.bic)
  const message = `does not fit the BIC ${bank.bic}: check both, a digit is wrong.`
  return [
    ...halves,
    ...checkTaxNumbers(recipient),
    ...checkBank({ bic, correspondentAccount }),
    ...checkPurpose(recipient),
    ...(isKeyWrong ? [{ field: 'number' as const, message }] : []),
  ]
}

/** Text of a transfer for an order: the recipient's text with the order filled in, else `usual`. */
export const purposeOf = ({ purpose }: Recipient, order: string, usual: string): string =>
  purpose?.replaceAll('{order}', () => order) ?? usual
