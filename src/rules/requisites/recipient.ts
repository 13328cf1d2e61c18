import { isGivenName } from '../values/given-names.ts'
import { isOrganisation } from '../values/masking.ts'
import { fitsBic, isBic, isCorrespondentOf, isInn, isKpp } from '../money/bank-details.ts'
import { fastMethod, methodRules, type PaymentMethod } from '../values/payment-method.ts'

/** A requisite of whose owner the operator has entered nothing. */
export const noRecipient = {
  givenName: null as string | null,
  familyName: null as string | null,
  /** What payers see instead of the shortened name. */
  shownAs: null as string | null,
  inn: null as string | null,
  kpp: null as string | null,
  /** That of the branch that keeps the account, if it differs from the bank issuer's. */
  bic: null as string | null,
  correspondentAccount: null as string | null,
  /** Text of the transfer; `{order}` is replaced by the order. */
  purpose: null as string | null,
  /** A static link of the SBP to this account, without an amount, as banks issue to businesses. */
  sbpLink: null as string | null,
}

/** What banks and payers see of the owner of a requisite; each is `null` if the operator has not entered it. */
export type Recipient = Readonly<typeof noRecipient>

// Patronymic endings: Russian, then of Turkic peoples, in Cyrillic and Latin letters.
const patronymic =
  /(?:вич|ьич|вна|чна|шна|оглы|оглу|кызы|угли|ўғли|улы|уулу|кизи|қизи|vich|vna|chna|ogly|oglu|kyzy|qizi|ugli)$/iu
/** A word that follows the father's name and is not a name itself. */
const particle = /^(?:оглы|оглу|кызы|угли|ўғли|угли|улы|уулу|кизи|қизи|ogly|oglu|kyzy|qizi|ugli|o['’‘ʻ]g['’‘ʻ]li)$/iu

const initial = (word: string): string => `${[...word][0]?.toLocaleUpperCase()}.`

// Banks write whole names in capitals.
const written = (word: string): string =>
  word.length > 1 && word === word.toLocaleUpperCase()
    ? word.toLocaleLowerCase().replace(/(?:^|-)\p{L}/gu, (letter) => letter.toLocaleUpperCase())
    : word

/** The positions of the given name and the family name among the words, if certain. */
const findNames = (words: readonly string[]): readonly [given: number, family: number] | undefined => {
  const named = words.findIndex((word, index) => index > 0 && (patronymic.test(word) || particle.test(word)))
  // «Мамедов Рашид Али оглы»: the father's name is the word before.
  const father = named > 1 && particle.test(words[named] ?? '') ? named - 1 : named
  // The given name precedes the patronymic; the family name comes before both, or at the end.
  if (father > 1) return [father - 1, 0]
  if (father === 1 && words.length > named + 1) return [0, words.length - 1]
  const given = words.findIndex(isGivenName)
  if (given === -1) return undefined
  const last = words.length - 1
  // Both words of «Мария Анна» are given names: neither is shown whole.
  if (words.length === 2 && isGivenName(words[1 - given] ?? '')) return undefined
  return [given, given === 0 ? last : 0]
}

/**
 * A person's name as banks show it to a payer, `Анна П.`, from a full name in any order and alphabet; `ИП` precedes it.
 * If it is not certain which word is the family name, all become initials: it is never shown. An organisation's name
 * stays whole.
 */
export const maskHolder = (name: string): string => {
  if (isOrganisation(name)) return name.trim()
  const entrepreneur = /^\s*(?:индивидуальный предприниматель|ИП)\s+/iu
  const words = name
    .replace(entrepreneur, '')
    .trim()
    .split(/[\s.]+/)
    .filter((word) => word !== '')
  const prefix = entrepreneur.test(name) ? 'ИП ' : ''
  const found = words.length > 1 ? findNames(words) : undefined
  const [given, family] = (found ?? []).map((index) => words[index])
  if (given !== undefined && family !== undefined) return `${prefix}${written(given)} ${initial(family)}`
  if (words.length === 1 && isGivenName(words[0] ?? '')) return `${prefix}${written(words[0] ?? '')}`
  return prefix + words.map(initial).join(' ')
}

/** The name that a payer compares with the one in the bank's app: the operator's own text, else the shortened name. */
export const shownName = ({
  holder,
  recipient,
}: {
  readonly holder: string
  readonly recipient: Recipient
}): string => {
  const { givenName, familyName, shownAs } = recipient
  if (shownAs !== null) return shownAs
  return givenName !== null && familyName !== null ? `${givenName} ${initial(familyName)}` : maskHolder(holder)
}

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
