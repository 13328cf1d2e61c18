import { maskNumber } from '../../rules/values/masking.ts'
import type { Context } from '../context.ts'
import type { Query } from 'payin-database'
import { currencyDecimals, parseDecimal } from '../../rules/values/currency.ts'
import { maskHolder } from '../../rules/requisites/recipient.ts'
import { foldName } from '../../rules/values/payer-name.ts'
import type { Requisite } from '../../rules/requisites/requisite.ts'
import {
  hasTerms,
  readSearch,
  type foundKinds,
  type SearchKind,
  type SearchRequest,
  type SearchTerm,
} from '../../rules/search/search.ts'
import { day, type Instant } from '../../rules/time.ts'
import { instantOfId, leastIdAt } from '../../rules/values/id-text.ts'
import { merchantDirectory } from '../merchants/merchant-directory.ts'
import { findRequestsById } from '../request-log/read.ts'
import { findRequisitesByNumber } from '../requisites/read.ts'
import { requisitePool } from '../requisites/requisite-pool.ts'
import { searchTokens } from '../transfers/words/search-tokens.ts'
import {
  listEntries,
  listFoundOutgoing,
  listFoundPayments,
  listFoundTransfers,
  listNamedOutgoing,
  listNamedPayments,
  listNamedSettlements,
  listNamedTransfers,
  listNewestWithin,
} from './store.ts'

type Shown = Readonly<
  Record<'merchantId' | 'requisiteId' | 'paymentId' | 'label' | 'currency' | 'number' | 'name', string | null>
> & { readonly amount: bigint | null }

/** `label`: its order, reference, name, masked number or operation; `number` and `name`: of the payer or payee, masked. */
export type SearchResult = Shown & {
  readonly kind: (typeof foundKinds)[number]
  readonly id: string
  readonly state: string
  readonly at: Instant
}

type Key = { readonly ownerId: string; readonly id: string }
type Keys = Map<string, Key & { readonly exact: boolean }>

const nothing: Shown = {
  ...{ merchantId: null, requisiteId: null, paymentId: null, label: null },
  ...{ amount: null, currency: null, number: null, name: null },
}

/** When the things that a search finds were created, booked or recorded. */
export type SearchSpan = { readonly from: Instant | null; readonly to: Instant | null }

const leastId = '00000000-0000-0000-0000-000000000000'
const greatestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
/** Banks report a booking within days. */
const reportedWithinMs = 4 * day
/** How many times as many rows are read as are wanted, because those outside of the span are left out. */
const readMore = 10

const isWithin = (at: Instant, { from, to }: SearchSpan): boolean =>
  (from === null || at >= from) && (to === null || at < to)

/** Ids of what was created in a span, or reported for it later. */
const idsOf = ({ from, to }: SearchSpan) => ({
  fromId: from === null ? leastId : leastIdAt(from),
  untilId: to === null ? greatestId : leastIdAt(to + reportedWithinMs),
})

const readIndex = async (context: Context, { terms }: SearchRequest, span: SearchSpan, limit: number) => {
  const [first, ...others] = terms.map(({ words }: SearchTerm) => searchTokens.wanted(context.vault, words))
  if (!first) return []
  const [second = null, third = null, fourth = null, fifth = null] = others
  return context.query(listEntries, { first, second, third, fourth, fifth, ...idsOf(span), limit })
}

const collect = (exact: readonly Key[], others: readonly Key[]): Keys => {
  const keys: Keys = new Map()
  for (const key of exact) keys.set(key.id, { ...key, exact: true })
  for (const key of others) if (!keys.has(key.id)) keys.set(key.id, { ...key, exact: false })
  return keys
}

/** How many payments may have one of several terms, before those that lack another are left out. */
const mostCandidates = 1000

const findPayments = async (
  context: Context,
  { text, id, terms }: SearchRequest,
  numberIndexes: readonly string[],
  span: SearchSpan,
  wantedRows: number,
) => {
  const profiles = (await context.catalog.get(merchantDirectory)).values()
  const currencies = new Set(profiles.flatMap(({ limits }) => limits.keys()))
  const amounts = terms.flatMap(({ amount }) => (amount === null ? [] : [amount]))
  const rows = amounts.flatMap((amount) =>
    [...currencies].flatMap((currency) => {
      const minor = parseDecimal(amount, currencyDecimals(currency))
      return typeof minor === 'bigint' ? [{ currency, amount: minor }] : []
    }),
  )
  const spellings = terms.flatMap(({ typed }) => [typed, typed.toLowerCase(), typed.toUpperCase()])
  const isOne = terms.length === 1
  const found = await context.query(listNamedPayments, {
    // Orders and references are at most this long.
    text: text.length <= 128 ? text : null,
    ...{ codes: [...new Set(spellings)], id, numberIndexes },
    endings: terms.flatMap(({ typed }) => (/^\d{4}$/.test(typed) ? [typed] : [])),
    ...idsOf(span),
    ...{ rows, limit: isOne ? wantedRows : mostCandidates },
  })
  if (isOne) return found
  const isBeginning = ({ orderId }: (typeof found)[number]): boolean => orderId.startsWith(text)
  return found
    .filter(
      (row) => row.exact || isBeginning(row) || hasTerms({ ...row, decimals: currencyDecimals(row.currency) }, terms),
    )
    .slice(0, wantedRows)
}

type SearchedKind = SearchKind | 'payment'

/** The payments and transfers that a search finds, and whether it names them exactly. */
const findKeys = async (
  context: Context,
  wanted: SearchRequest,
  span: SearchSpan,
  limit: number,
): Promise<Record<SearchedKind, Keys>> => {
  const { id } = wanted
  // Digits in several terms form one number only if there is nothing else.
  const [only, ...more] = wanted.terms
  const numbers = more.length === 0 ? (only?.numbers ?? []) : []
  const numberIndexes = numbers.flatMap((each) => context.vault.blindIndexes('payer', each))
  const [entries, payments, transfers, outgoing] = await Promise.all([
    readIndex(context, wanted, span, limit),
    findPayments(context, wanted, numberIndexes, span, limit),
    context.query(listNamedTransfers, { id, numberIndexes, limit }),
    context.query(listNamedOutgoing, { id, numberIndexes, limit }),
  ])
  const indexed = (kind: SearchKind): Key[] => entries.filter((each) => each.kind === kind)
  return {
    payment: collect(
      payments.filter((each) => each.exact),
      payments.filter((each) => !each.exact),
    ),
    transfer: collect(transfers, indexed('transfer')),
    outgoing: collect(outgoing, indexed('outgoing')),
  }
}

const findWithin = async (context: Context, span: SearchSpan, limit: number): Promise<Record<SearchedKind, Keys>> => {
  // What another process writes may be ahead of this one's clock.
  const ids = { fromId: leastIdAt(span.from ?? 0), untilId: leastIdAt(span.to ?? context.clock() + day), limit }
  const [payment, transfer, outgoing] = await Promise.all([
    context.query(listNewestWithin.payment, ids),
    context.query(listNewestWithin.transfer, ids),
    context.query(listNewestWithin.outgoing, ids),
  ])
  return { payment: collect([], payment), transfer: collect([], transfer), outgoing: collect([], outgoing) }
}

type Ranked = { readonly found: SearchResult; readonly exact: boolean }

type FoundRow = Pick<SearchResult, 'id' | 'state' | 'at'> & Partial<SearchResult>

/** The displayed rows of a kind, and whether the search names them exactly. */
const readRows = async (
  context: Context,
  kind: SearchedKind,
  query: Query<{ readonly rows: readonly Key[] }, FoundRow>,
  keys: Keys,
): Promise<Ranked[]> =>
  (await context.query(query, { rows: [...keys.values()] })).map((row) => ({
    found: { ...nothing, ...row, number: row.number ? maskNumber(row.number) : null, kind },
    exact: keys.get(row.id)?.exact ?? false,
  }))

const findSettlements = async (context: Context, { text, id }: SearchRequest, limit: number): Promise<Ranked[]> =>
  (await context.query(listNamedSettlements, { text: text.length <= 128 ? text : null, id, limit })).map(
    ({ exact, ...row }) => ({ found: { ...nothing, ...row, kind: 'settlement' }, exact }),
  )

const findMerchants = async (context: Context, { text, id }: SearchRequest): Promise<Ranked[]> => {
  const wanted = text.toLowerCase()
  return [...(await context.catalog.get(merchantDirectory)).values()]
    .map(({ merchant }) => merchant)
    .filter((merchant) => merchant.id === id || merchant.name.toLowerCase().includes(wanted))
    .map((merchant) => ({
      found: {
        ...nothing,
        kind: 'merchant',
        id: merchant.id,
        merchantId: merchant.id,
        label: merchant.name,
        state: merchant.mode,
        at: instantOfId(merchant.id),
      },
      exact: merchant.id === id || merchant.name.toLowerCase() === wanted,
    }))
}

type Word = { readonly written: string; readonly folded: string }

// Requisites are kept between searches, and there may be thousands.
const holders = new WeakMap<Requisite, readonly string[]>()

const holderOf = (requisite: Requisite): readonly string[] => {
  const known = holders.get(requisite)
  if (known) return known
  const words = foldName(requisite.holder).split(/[^\p{L}\p{N}]+/u)
  holders.set(requisite, words)
  return words
}

/** Whether each word belongs to the holder's name in any alphabet, the bank or the end of the number. */
const describes = (requisite: Requisite, words: readonly Word[]): boolean =>
  words.every(
    ({ written, folded }) =>
      requisite.bankIssuer === written ||
      requisite.numberMasked.endsWith(` ${written}`) ||
      holderOf(requisite).includes(folded),
  )

const findRequisites = async (context: Context, { text, id, terms }: SearchRequest): Promise<Ranked[]> => {
  const words = text
    .toLowerCase()
    .split(/[\s•]+/)
    .filter((each) => each.length > 2)
    .map((written) => ({ written, folded: foldName(written) }))
  const numbers = terms.flatMap((term) => term.numbers)
  const named = new Set(
    numbers.length === 0 ? [] : (await findRequisitesByNumber(context, numbers)).map((each) => each.id),
  )
  if (id !== null) named.add(id)
  return (await context.catalog.get(requisitePool)).byId
    .values()
    .filter((each) => named.has(each.id) || (words.length > 0 && describes(each, words)))
    .map(
      (each): Ranked => ({
        found: {
          ...nothing,
          kind: 'requisite',
          id: each.id,
          merchantId: each.merchantId,
          requisiteId: each.id,
          label: `${each.method} ${each.bankIssuer} ${each.numberMasked}`,
          currency: each.currency,
          state: each.status,
          number: each.numberMasked,
          name: maskHolder(each.holder),
          at: instantOfId(each.id),
        },
        exact: named.has(each.id),
      }),
    )
    .toArray()
}

const findRequests = async (context: Context, { id }: SearchRequest): Promise<Ranked[]> => {
  if (id === null) return []
  const merchantIds = [...(await context.catalog.get(merchantDirectory)).keys()]
  return (await findRequestsById(context, merchantIds, id)).map(({ merchantId, operation, status, code, at }) => ({
    found: {
      ...nothing,
      ...{ kind: 'request', id, merchantId, label: operation, at },
      state: code === null ? String(status) : `${status} ${code}`,
    },
    exact: true,
  }))
}

/**
 * Finds what an operator types: an order or its beginning, any id, the address of a payer's page, an amount, a number
 * or its last four digits, a reference, words of a name or text in any alphabet; several words must all match. Exact
 * matches come first, then the newest. Within a span, only what was created, booked or recorded in it; an empty text
 * finds all of that. Whole numbers find nothing for those who may not reveal them.
 */
export const search = async (
  context: Context,
  typed: string,
  mayReveal: boolean,
  span: SearchSpan,
  wantedRows: number,
): Promise<SearchResult[]> => {
  const read = readSearch(typed, mayReveal)
  const opened = read.checkoutToken === null ? undefined : context.checkoutTokens.open(read.checkoutToken)
  const wanted = opened === undefined ? read : { ...read, id: opened.paymentId }
  const isDated = span.from !== null || span.to !== null
  const isAll = wanted.text === ''
  if (isAll && !isDated) return []
  const limit = isDated && !isAll ? wantedRows * readMore : wantedRows
  const keys = isAll ? await findWithin(context, span, limit) : await findKeys(context, wanted, span, limit)
  const found = await Promise.all([
    readRows(context, 'payment', listFoundPayments, keys.payment),
    readRows(context, 'transfer', listFoundTransfers, keys.transfer),
    readRows(context, 'outgoing', listFoundOutgoing, keys.outgoing),
    ...(isAll
      ? []
      : [
          findSettlements(context, wanted, limit),
          findMerchants(context, wanted),
          findRequisites(context, wanted),
          findRequests(context, wanted),
        ]),
  ])
  return found
    .flat()
    .filter(({ found: { id, at } }) => isWithin(at, span) || isWithin(instantOfId(id), span))
    .toSorted((a, b) => Number(b.exact) - Number(a.exact) || b.found.at - a.found.at)
    .slice(0, wantedRows)
    .map((each) => each.found)
}
