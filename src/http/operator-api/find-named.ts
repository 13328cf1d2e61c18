import { wire } from '../../operations/fields.ts'
import type { Context } from '../../engine/context.ts'
import { currencyDecimals, quoteCurrency, quoteDecimals, formatDecimal } from '../../rules/values/currency.ts'
import { isInSpan, type TypedName } from '../../rules/values/id-text.ts'
import { serviceBook } from '../../rules/money/ledger.ts'
import type { Requisite } from '../../rules/requisites/requisite.ts'
import { listIncidents } from '../../engine/alerts/alert.ts'
import { listChannels } from '../../engine/alerts/channels/channel.ts'
import { listRateSources } from '../../engine/merchants/rates/sources/source.ts'
import { listDecisions } from '../../engine/decisions/read.ts'
import { findDisputesByName } from '../../engine/disputes/read.ts'
import { findAdjustmentsByName } from '../../engine/ledger/adjustments/adjustments.ts'
import { findDestinationsByName } from '../../engine/ledger/destinations/destinations.ts'
import { findSettlementsByName } from '../../engine/ledger/settlements/settlements.ts'
import { findLinksByName } from '../../engine/links/read.ts'
import { merchantDirectory } from '../../engine/merchants/merchant-directory.ts'
import { findTokensByName } from '../../engine/merchants/read.ts'
import { findEndpointsByName } from '../../engine/notifications/endpoints/read.ts'
import { findPaymentsByName } from '../../engine/payments/read.ts'
import { requisitePool, revealNumber } from '../../engine/requisites/requisite-pool.ts'
import { findBlocksByName, findRulesByName } from '../../engine/risk/read.ts'
import { findStatementsByName } from '../../engine/statements/read.ts'
import { listPhones } from '../../engine/phones/phones.ts'
import { listSources } from '../../engine/statements/sources/sources.ts'
import { listRules } from '../../engine/transfers/outgoing/rules/read.ts'
import { findMoneyByName } from '../../engine/transfers/read.ts'
import type { NamedKind } from '../../operations/named.ts'

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
  /** Whether whoever asks may see whole numbers. */
  readonly mayReveal: boolean
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
 * Whether every word is the method, bank, currency, last four digits or, for those who may see it, the whole number of a
 * requisite. Other digits would reveal the number, one after the other, to whoever may only read.
 */
const isDescribedBy = (context: Context, requisite: Requisite, words: readonly string[], mayReveal: boolean): boolean =>
  words.every((word) => {
    const digits = word.replace(/[•+()-]/g, '')
    if (!/^\d+$/.test(digits)) return [requisite.method, requisite.bankIssuer, requisite.currency].includes(word)
    if (!requisite.numberMasked.endsWith(` ${digits.slice(-shownDigits)}`)) return false
    return digits.length === shownDigits || (mayReveal && revealNumber(context.vault, requisite) === digits)
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
      : all.filter(
          (each) =>
            isInSpan(each.id, wanted) || (words.length > 0 && isDescribedBy(context, each, words, wanted.mayReveal)),
        )
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

/** Finds among a few things: by their names, else by a shortened id; if the newest is first, `last` is that one. */
const findListed =
  <Row extends { readonly id: string }>(
    list: (context: Context) => Promise<readonly Row[]>,
    aboutOf: (row: Row) => readonly string[],
    { namesOf = (row: Row) => aboutOf(row).slice(0, 1), hasLast = false } = {},
  ): Find =>
  async (context, wanted) => {
    const rows = await list(context)
    const typed = wanted.typed.toLowerCase()
    const named = rows.filter((row) => namesOf(row).some((name) => name.toLowerCase() === typed))
    const found = named.length > 0 ? named : rows.filter(({ id }) => isInSpan(id, wanted))
    const isLast = found.length === 0 && hasLast && typed === 'last'
    return (isLast ? rows.slice(0, 1) : found).map((row) => ({ id: row.id, about: aboutOf(row) }))
  }

/** Most incidents and decisions that are searched for a name. */
const newest = { before: null, limit: 500 }

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

/** The rows that are not over, or all if there are none: what has ended is meant only if nothing else matches. */
const inForce = <Row extends { readonly isOver: boolean }>(rows: readonly Row[]): readonly Row[] => {
  const used = rows.filter(({ isOver }) => !isOver)
  return used.length > 0 ? used : rows
}

/** How things of each kind are found by the names that people use: by their exact name, else by a shortened id. */
export const findNamed = {
  merchant: findMerchants,
  payment: async (context, wanted) =>
    (await findPaymentsByName(context, wanted)).map(({ merchantId, id, orderId, status, ...row }) => ({
      merchantId,
      id,
      orderId,
      about: [orderId, status, money(row)],
    })),
  requisite: findRequisites,
  transfer: async (context, wanted) => ofBank(await findMoneyByName(context, 'transfers', wanted)),
  outgoing: async (context, wanted) => ofBank(await findMoneyByName(context, 'outgoing_transfers', wanted)),
  'outgoing-rule': findListed(listRules, ({ reason, purpose }) => [reason, purpose]),
  reversal: async (context, wanted) => ofBank(await findMoneyByName(context, 'transfer_reversals', wanted)),
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
  source: findListed(listSources, ({ name }) => [name]),
  phone: findListed(listPhones, ({ name }) => [name]),
  channel: findListed(listChannels, ({ name, kind }) => [name, kind]),
  'rate-source': findListed(listRateSources, ({ currency, name }) => [`${currency} ${name}`], {
    namesOf: ({ currency, name }) => [name, `${currency} ${name}`],
  }),
  incident: findListed(
    (context) => listIncidents(context, { ...newest, open: true, rule: null }),
    ({ rule, summary }) => [rule, summary],
    { hasLast: true },
  ),
  decision: findListed(
    (context) => listDecisions(context, newest),
    ({ decidedAt, decidedBy, done }) => [`${wire.time(decidedAt)} by ${decidedBy}`, `${done} done`],
    { hasLast: true },
  ),
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
