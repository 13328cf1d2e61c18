import { isGivenName } from '../values/given-names.ts'
import { isOrganisation } from '../values/masking.ts'

/** What banks and payers see of the owner of a requisite; each is `null` if the operator has not entered it. */
export type Recipient = {
  readonly givenName: string | null
  readonly familyName: string | null
  /** What payers see instead of the shortened name. */
  readonly shownAs: string | null
  readonly inn: string | null
  readonly kpp: string | null
  /** That of the branch that keeps the account, if it differs from the bank issuer's. */
  readonly bic: string | null
  readonly correspondentAccount: string | null
  /** Text of the transfer; `{order}` is replaced by the order. */
  readonly purpose: string | null
  /** A static link of the SBP to this account, without an amount, as banks issue to businesses. */
  readonly sbpLink: string | null
}

export const noRecipient: Recipient = {
  givenName: null,
  familyName: null,
  shownAs: null,
  inn: null,
  kpp: null,
  bic: null,
  correspondentAccount: null,
  purpose: null,
  sbpLink: null,
}

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
