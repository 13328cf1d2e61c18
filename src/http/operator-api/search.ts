import { type Static, Type } from '../../operations/schema.ts'
import { type SearchResult, foundKinds, search } from '../../engine/search/search.ts'
import { Id, Time, wire } from '../../operations/fields.ts'
import { readSpan } from '../routes/lists.ts'
import { routesForOperators } from '../routes/routes.ts'
import type { Context } from '../../engine/context.ts'
import { currencyDecimals, quoteCurrency, quoteDecimals, formatDecimal } from '../../rules/values/currency.ts'
import { isInSpan, readTypedName, type TypedName } from '../../rules/values/id-text.ts'
import { serviceBook } from '../../rules/money/ledger.ts'
import type { Requisite } from '../../rules/requisites/requisite.ts'
import { findDisputesByName } from '../../engine/disputes/read.ts'
import { findAdjustmentsByName } from '../../engine/ledger/adjustments/adjustments.ts'
import { findDestinationsByName } from '../../engine/ledger/destinations/destinations.ts'
import { findSettlementsByName } from '../../engine/ledger/settlements/settlements.ts'
import { findLinksByName } from '../../engine/links/read.ts'
import { merchantDirectory } from '../../engine/merchants/merchant-directory.ts'
import { findTokensByName } from '../../engine/merchants/read.ts'
import { findEndpointsByName } from '../../engine/notifications/endpoints/read.ts'
import { findPaymentsByName } from '../../engine/payments/read.ts'
import { requisitePool } from '../../engine/requisites/requisite-pool.ts'
import { revealNumber } from '../../engine/requisites/sealed-requisites.ts'
import { findBlocksByName, findRulesByName } from '../../engine/risk/read.ts'
import { findStatementsByName } from '../../engine/statements/read.ts'
import { listSources } from '../../engine/statements/sources/sources.ts'
import { findOutgoingByName, findReversalsByName, findTransfersByName } from '../../engine/transfers/read.ts'
import { Refusal, refuseField } from '../../rules/refusal.ts'
import { namedThings, type NamedKind } from '../../operations/named.ts'
import { ofAnyMerchant } from '../../operations/operator-fields.ts'

/** How many results a search has by default. */
const defaultLimit = 20

const FoundAnswer = Type.Titled('FoundThing', {
  kind: Type.OneOf(foundKinds),
  id: Id,
  merchantId: Type.Optional(Id),
  requisiteId: Type.Optional(Id),
  paymentId: Type.Optional(Id, 'The payment that a transfer went to.'),
  label: Type.Optional(Type.Text('Its order, reference, name, number (masked) or operation.', 'order-1001')),
  amount: Type.Optional(Type.Number({ examples: [5000.37] })),
  currency: Type.Optional(Type.String({ examples: ['rub'] })),
  state: Type.Text(
    'Status of a payment or settlement, where the money of a transfer is, mode of a merchant, status and code of the response to a request.',
    'paid',
  ),
  number: Type.Optional(Type.Text("The other side's number, masked.", '*******4567')),
  name: Type.Optional(Type.Text("The other side's name, masked.")),
  at: { ...Time, description: 'When it was created, or booked by the bank.' },
})

/** Something that a search found. */
export type FoundAnswer = Static<typeof FoundAnswer>

const toAnswer = ({ amount, currency, at, ...found }: SearchResult): FoundAnswer =>
  wire.fields({
    ...found,
    currency,
    amount: amount === null || currency === null ? null : wire.money(amount, currency),
    at: wire.time(at),
  })

/** Search over everything, and names of things. */
export const searchRoutes = routesForOperators()

searchRoutes.get('/search', 'read', {
  id: 'search',
  summary: 'Find payments, transfers, settlements, merchants, requisites and requests',
  description:
    "By an order (or its beginning), any id (also the `requestId` of a refusal), the address of a payer's page, an amount, a phone, card or account number or its last four digits, a bank reference, or words of a name or text in any alphabet; all words must match. Exact matches come first, then the newest. Orders, ids and addresses can be found immediately, other words of a payment or transfer some seconds after it was written.",
  query: {
    q: Type.Optional(
      Type.Pattern('must be 1 to 200 characters.', {
        minLength: 1,
        maxLength: 200,
        pattern: '\\S',
        description: 'What to search for. Without it, everything of the time from `from` to `to`.',
        examples: ['order-1001'],
      }),
    ),
    from: Type.Optional(Time, 'Only what was created, booked or recorded at this time or later.'),
    to: Type.Optional(Time, 'Only what was created, booked or recorded before this time.'),
    limit: Type.Optional(
      Type.Pattern('must be a whole number from 1 to 100.', {
        pattern: '^([1-9][0-9]?|100)$',
        description: `Most results, 1–100. Default: ${defaultLimit}.`,
      }),
    ),
  },
  answer: { results: Type.Array(FoundAnswer) },
  handle: async (context, { query: { q, limit, ...span } }) => {
    const { from, to } = readSpan(span)
    if (q === undefined && from === null && to === null)
      throw refuseField('validation_failed', 'q', 'is needed, unless there is from or to.')
    return { results: (await search(context, q ?? '', { from, to }, Number(limit ?? defaultLimit))).map(toAnswer) }
  },
})

/** Something that has a name, with what distinguishes it from others of its kind. */
export type Named = {
  readonly id: string
  readonly merchantId?: string
  readonly requisiteId?: string
  readonly orderId?: string
  readonly about: readonly string[]
}

type Wanted = TypedName & {
  /** Where it may be: one merchant or requisite, or all. */
  readonly merchantIds: readonly string[]
  readonly requisiteIds: readonly string[]
}

type Find = (context: Context, wanted: Wanted) => Promise<readonly Named[]>

const money = ({ amount, currency }: { readonly amount: bigint; readonly currency: string }): string =>
  `${formatDecimal(amount, currency === quoteCurrency ? quoteDecimals : currencyDecimals(currency))} ${currency}`

const findMerchants: Find = async (context, wanted) => {
  const merchants = [...(await context.catalog.get(merchantDirectory)).values()].map(({ merchant }) => merchant)
  const same = merchants.filter(({ name }) => name === wanted.typed)
  const alike = merchants.filter(({ name }) => name.toLowerCase() === wanted.typed.toLowerCase())
  const byName = same.length > 0 ? same : alike
  const found = byName.length > 0 ? byName : merchants.filter(({ id }) => isInSpan(id, wanted))
  return found.map(({ id, name, mode }) => ({ id, merchantId: id, about: [name, mode] }))
}

const shownDigits = 4

/**
 * Whether every word is the method, bank, currency, last four digits or whole number of a requisite. Digits between
 * would reveal the number, one after the other, to whoever may only read.
 */
const isDescribedBy = (context: Context, requisite: Requisite, words: readonly string[]): boolean =>
  words.every((word) => {
    const digits = word.replace(/[•+()-]/g, '')
    if (!/^\d+$/.test(digits)) return [requisite.method, requisite.bankIssuer, requisite.currency].includes(word)
    if (!requisite.numberMasked.endsWith(` ${digits.slice(-shownDigits)}`)) return false
    return digits.length === shownDigits || revealNumber(context.vault, requisite) === digits
  })

const findRequisites: Find = async (context, wanted) => {
  const typed = wanted.typed.toLowerCase()
  const words = typed.split(/\s+/).filter((word) => word !== '' && !/^•+$/.test(word))
  const all = [...(await context.catalog.get(requisitePool)).byId.values()].filter(
    ({ merchantId }) => merchantId === null || wanted.merchantIds.includes(merchantId),
  )
  const labelled = all.filter(({ label }) => label?.toLowerCase() === typed)
  const found =
    labelled.length > 0
      ? labelled
      : all.filter((each) => isInSpan(each.id, wanted) || (words.length > 0 && isDescribedBy(context, each, words)))
  // A retired requisite is meant only if nothing else matches.
  const inUse = found.filter(({ status }) => status !== 'retired')
  return (inUse.length > 0 ? inUse : found).map(
    ({ id, label, method, bankIssuer, numberMasked, currency, status }) => ({
      id,
      requisiteId: id,
      about: [label ?? '', method, bankIssuer, numberMasked, currency, status].filter((each) => each !== ''),
    }),
  )
}

const findSources: Find = async (context, wanted) =>
  (await listSources(context))
    .filter(({ id, name }) => name.toLowerCase() === wanted.typed.toLowerCase() || isInSpan(id, wanted))
    .map(({ id, name }) => ({ id, about: [name] }))

const findDisputes: Find = async (context, wanted) => {
  const found = await findDisputesByName(context, wanted)
  // The order of a payment names its undecided dispute, if there is one.
  const undecided = found.filter(({ state }) => state === 'open' || state === 'proposed')
  return (undecided.length === 1 ? undecided : found).map(({ state, ...dispute }) => ({ ...dispute, about: [state] }))
}

const ofBank = (
  rows: readonly {
    readonly requisiteId: string
    readonly id: string
    readonly amount: bigint
    readonly currency: string
    readonly bookedAt: number
    readonly bankReference: string | null
  }[],
): Named[] =>
  rows.map(({ requisiteId, id, bookedAt, bankReference, ...row }) => ({
    requisiteId,
    id,
    about: [
      money(row),
      `booked ${wire.time(bookedAt).slice(0, 16)}Z`,
      ...(bankReference === null ? [] : [bankReference]),
    ],
  }))

const ofBook = (
  rows: readonly {
    readonly merchantId: string
    readonly id: string
    readonly reference: string
    readonly status: string
    readonly amount: bigint
    readonly currency: string
  }[],
): Named[] =>
  rows.map(({ merchantId, id, ...row }) => ({ merchantId, id, about: [row.reference, row.status, money(row)] }))

/**
 * The rows that are not over, or all if there are none: something that has ended is meant only if nothing else matches.
 */
const inForce = <Row extends { readonly isOver: boolean }>(rows: readonly Row[]): readonly Row[] => {
  const used = rows.filter(({ isOver }) => !isOver)
  return used.length > 0 ? used : rows
}

/** How things of each kind are found by the names that people use: by their exact name, else by a shortened id. */
const findNamed = {
  merchant: findMerchants,
  payment: async (context, wanted) =>
    (await findPaymentsByName(context, wanted)).map(({ merchantId, id, orderId, status, ...row }) => ({
      merchantId,
      id,
      orderId,
      about: [orderId, status, money(row)],
    })),
  requisite: findRequisites,
  transfer: async (context, wanted) => ofBank(await findTransfersByName(context, wanted)),
  outgoing: async (context, wanted) => ofBank(await findOutgoingByName(context, wanted)),
  reversal: async (context, wanted) => ofBank(await findReversalsByName(context, wanted)),
  dispute: findDisputes,
  destination: async (context, wanted) =>
    inForce(await findDestinationsByName(context, wanted)).map(({ merchantId, id, label, address }) => ({
      merchantId,
      id,
      about: [label, address],
    })),
  settlement: async (context, wanted) => ofBook(await findSettlementsByName(context, wanted)),
  adjustment: async (context, { merchantIds, ...wanted }) =>
    ofBook(await findAdjustmentsByName(context, { ...wanted, merchantIds: [...merchantIds, serviceBook] })),
  endpoint: async (context, wanted) =>
    (await findEndpointsByName(context, wanted)).map(({ url, ...endpoint }) => ({ ...endpoint, about: [url] })),
  link: async (context, wanted) =>
    (await findLinksByName(context, wanted)).map(({ title, amount, currency, ...link }) => ({
      ...link,
      about: [title, amount === null ? `any amount in ${currency}` : money({ amount, currency })],
    })),
  token: async (context, wanted) =>
    inForce(await findTokensByName(context, wanted)).map(({ merchantId, id, name, prefix }) => ({
      merchantId,
      id,
      about: [name, prefix],
    })),
  statement: async (context, wanted) =>
    (await findStatementsByName(context, wanted)).map(({ id, fileName, state, uploadedAt }) => ({
      id,
      about: [fileName, state, `uploaded ${wire.time(uploadedAt).slice(0, 16)}Z`],
    })),
  source: findSources,
  block: async (context, wanted) =>
    inForce(await findBlocksByName(context, wanted)).map(({ id, kind, merchantId, valueMasked }) => ({
      ...{ id, ...(merchantId !== null && { merchantId }) },
      about: [kind, valueMasked],
    })),
  rule: async (context, wanted) =>
    inForce(await findRulesByName(context, wanted)).map(({ id, kind, merchantId, reason }) => ({
      ...{ id, ...(merchantId !== null && { merchantId }) },
      about: [kind, reason],
    })),
} as const satisfies Readonly<Record<NamedKind, Find>>

const kinds = Object.keys(namedThings) as NamedKind[]
/** Most candidates that a refusal lists. */
const mostShown = 5

const NamedAnswer = Type.Titled('NamedThing', {
  kind: Type.OneOf(kinds),
  id: Id,
  ...ofAnyMerchant('The merchant that it belongs to; for an adjustment, the book.'),
  requisiteId: Type.Optional(Id, 'The requisite on whose account it was booked.'),
  orderId: Type.Optional(Type.Text('Order of the payment.')),
})

/** What a name means. */
export type NamedAnswer = Static<typeof NamedAnswer>

const ambiguous = (
  kind: string,
  name: string,
  found: readonly Named[],
  merchantOf: (id: string) => string,
): Refusal => {
  const candidates = found.slice(0, mostShown).map(({ id, merchantId, about }) => ({
    id,
    about: [...about, ...(merchantId === undefined || kind === 'merchant' ? [] : [merchantOf(merchantId)])].join(', '),
  }))
  const more = found.length > mostShown ? ' There are more.' : ''
  return new Refusal('ambiguous', `"${name}" matches more than one ${kind}; name one of the candidates.${more}`, {
    extra: { candidates },
  })
}

searchRoutes.get('/resolve', 'read', {
  id: 'resolve',
  summary: 'Find the one thing that a name means',
  description:
    "By its exact name: a merchant by its name, a payment by its orderId, a dispute by that of its payment, a settlement or adjustment by its reference, a destination by its label or address, a transfer, reversal or outgoing transfer by its bank reference, a requisite by its label, its last four digits or whole number, or bank and last four digits, a source by its name, a statement by its file name, an endpoint by its address, host or description, a payment link by its title, a token by its name or first characters, a block by its payer or the payer's last digits (`phone 4567`), a velocity rule by its kind or reason. Or by its id: the beginning (6 digits or more), or beginning and end (`019a9c3e-7d5e..3c6a10`), are enough. Refused with `ambiguous` and `candidates` if several match.",
  query: {
    kind: Type.OneOf(kinds, 'The kind of thing to find.'),
    text: Type.Printable(200, { description: 'The name.', examples: ['order-1001'] }),
    merchantId: Type.Optional(Id, 'Only what belongs to this merchant.'),
    requisiteId: Type.Optional(Id, 'Only what was booked on this requisite.'),
  },
  answer: NamedAnswer,
  refusals: ['ambiguous', 'payment_not_found', 'resource_not_found'],
  handle: async (context, request) => {
    const { kind, text, merchantId, requisiteId } = request.query
    const merchants = await context.catalog.get(merchantDirectory)
    const found: readonly Named[] = await findNamed[kind](context, {
      ...readTypedName(text),
      merchantIds: merchantId === undefined ? [...merchants.keys()] : [merchantId],
      requisiteIds:
        requisiteId === undefined ? [...(await context.catalog.get(requisitePool)).byId.keys()] : [requisiteId],
    })
    const exact = found.filter(({ about }) => about.includes(text))
    const [only, ...others] = exact.length > 0 ? exact : found
    if (!only) {
      throw new Refusal(
        kind === 'payment' ? 'payment_not_found' : 'resource_not_found',
        `There is no ${kind} "${text}".`,
      )
    }
    if (others.length > 0) throw ambiguous(kind, text, found, (id) => merchants.get(id)?.merchant.name ?? id)
    const { about: _, ...named } = only
    return { kind, ...named }
  },
})
