import { isGivenName } from './given-names.ts'
import { isOrganisation } from './masking.ts'

/** What banks and payers see of the owner of a requisite; each is `null` where the operator has not said it. */
export type Recipient = {
  readonly givenName: string | null
  readonly familyName: string | null
  /** What payers see in place of the shortened name. */
  readonly shownAs: string | null
  readonly inn: string | null
  readonly kpp: string | null
  /** Of the branch that keeps the account, where it is not that of the bank issuer. */
  readonly bic: string | null
  readonly correspondentAccount: string | null
  /** Text of the transfer; `{order}` is replaced by the order. */
  readonly purpose: string | null
}

/** A recipient about whom nothing is said. */
export const noRecipient: Recipient = {
  givenName: null,
  familyName: null,
  shownAs: null,
  inn: null,
  kpp: null,
  bic: null,
  correspondentAccount: null,
  purpose: null,
}

// At the end of a word: Russian, then of Turkic peoples, in Cyrillic and Latin letters.
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

/** Where the given name and the family name are among the words, where that is certain. */
const findNames = (words: readonly string[]): readonly [given: number, family: number] | undefined => {
  const named = words.findIndex((word, index) => index > 0 && (patronymic.test(word) || particle.test(word)))
  // «Мамедов Рашид Али оглы»: the father's name is the word before.
  const father = named > 1 && particle.test(words[named] ?? '') ? named - 1 : named
  // The given name stands before the patronymic; the family name before it, or at the end.
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
 * A person's name as banks show it to a payer, `Анна П.`, from a full name in whatever order and alphabet; `ИП` stands
 * before it. Where it is not certain which word is the family name, all are initials: it is never shown. An organisation's
 * name stays whole.
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

/** The name that a payer compares with that in the bank's app: the operator's own, else the shortened one. */
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
