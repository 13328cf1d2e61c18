import { foldName } from '../../rules/values/payer-name.ts'
import type { PaymentMethod } from '../../rules/values/payment-method.ts'
import type { BankIssuer } from '../../engine/requisites/bank-issuers.ts'
import { dictionaries, type Locale } from './languages.ts'

/** The most banks that a phone shows at a glance. If there are more, the page shows some and finds others by name. */
const mostBanks = 9

/** Banks to show, and whether these are all. */
export type OfferedBanks = { readonly banks: readonly BankIssuer[]; readonly isAll: boolean }

// As people type names: «тбанк» for «Т-Банк», «орел» for «Орёл».
const fold = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll('ё', 'е')
    .replace(/[^\p{L}\p{N}]/gu, '')

/** A search as it is compared with names: letters and digits only. Empty when it names nothing. */
export const readSearch = (text: unknown): string => (typeof text === 'string' ? fold(text.slice(0, 100)) : '')

// «сбер» and `sber` find the same bank. The fold drops repeated letters, so it would take `11` for `1`.
const inLatin = (search: string): string => (/\d/.test(search) ? '' : foldName(search))

const namesOf = ({ name, code, aliases }: BankIssuer): readonly string[] => [name, code, ...aliases].map(fold)

// The names of two hundred banks are folded once per version of the catalog.
const folded = new WeakMap<BankIssuer, readonly string[]>()

const keysOf = (bank: BankIssuer): readonly string[] => {
  const keys = folded.get(bank) ?? [...namesOf(bank), ...namesOf(bank).map(inLatin)].filter((key) => key !== '')
  folded.set(bank, keys)
  return keys
}

/** The banks that have a name with the search in it; those that begin with it come first. */
const findBanks = (banks: readonly BankIssuer[], search: string): readonly BankIssuer[] => {
  const wanted = [search, inLatin(search)].filter((each) => each !== '')
  const has = (fits: (key: string, each: string) => boolean) => (bank: BankIssuer) =>
    keysOf(bank).some((key) => wanted.some((each) => fits(key, each)))
  const found = banks.filter(has((key, each) => key.includes(each)))
  const first = new Set(found.filter(has((key, each) => key.startsWith(each))))
  return [...first, ...found.filter((bank) => !first.has(bank))]
}

/** The bank meant by a search that was sent without a choice: the exact or the only match, `ambiguous` or `undefined`. */
export const resolveSearch = (banks: readonly BankIssuer[], search: string): BankIssuer | 'ambiguous' | undefined => {
  const found = search === '' ? [] : findBanks(banks, search)
  const named = found.length > 1 ? found.find((bank) => keysOf(bank).includes(search)) : found[0]
  return named ?? (found.length > 1 ? 'ambiguous' : undefined)
}

/**
 * The banks that a page shows: if all fit, all of them, the preferred codes first; else those that match a search, or
 * without a search the preferred codes and then the banks that most payers have.
 */
export const offerBanks = (
  banks: readonly BankIssuer[],
  search: string,
  preferred: () => ReadonlySet<string> = () => new Set(),
): OfferedBanks => {
  if (banks.length > mostBanks && search !== '') {
    return { banks: findBanks(banks, search).slice(0, mostBanks), isAll: false }
  }
  const codes = preferred()
  const inOrder = [...banks.filter(({ code }) => codes.has(code)), ...banks.filter(({ code }) => !codes.has(code))]
  if (banks.length <= mostBanks) return { banks: inOrder, isAll: true }
  const shown = inOrder.filter(({ code, rank }) => codes.has(code) || rank !== null)
  return { banks: shown.slice(0, mostBanks), isAll: false }
}

const rankOf = ({ rank }: BankIssuer): number => rank ?? Number.MAX_SAFE_INTEGER

// Sorting two hundred names takes 0.12 ms, half the cost of a whole page (Node 24.21).
const ordered = new WeakMap<ReadonlyMap<string, BankIssuer>, Map<Locale, readonly BankIssuer[]>>()

const isLatin = (text: string): boolean => /^\p{Script=Latin}/u.test(text)

/** A bank with the name that a page in a language shows: in one with Latin letters, its first name in these. */
export const nameBank = (bank: BankIssuer, locale: Locale): BankIssuer => {
  const { name, aliases } = bank
  const other = isLatin(dictionaries[locale].language) && !isLatin(name) ? aliases.find(isLatin) : undefined
  return other === undefined ? bank : { ...bank, name: other, aliases: [name, ...aliases] }
}

/** All banks by rank, those without one in alphabetical order; sorted once per language and version of the catalog. */
export const orderBanks = (banks: ReadonlyMap<string, BankIssuer>, locale: Locale): readonly BankIssuer[] => {
  const known = ordered.get(banks)?.get(locale)
  if (known) return known
  const { compare } = new Intl.Collator(locale)
  const named = [...banks.values()].map((bank) => nameBank(bank, locale))
  const list = named.toSorted((a, b) => rankOf(a) - rankOf(b) || compare(a.name, b.name))
  ordered.set(banks, (ordered.get(banks) ?? new Map()).set(locale, list))
  return list
}

/** The banks of `orderBanks` that have a link into their app for a method. */
export const linkedBanks = (
  banks: ReadonlyMap<string, BankIssuer>,
  locale: Locale,
  method: PaymentMethod,
): readonly BankIssuer[] => orderBanks(banks, locale).filter(({ guide }) => guide.links[method] !== undefined)
