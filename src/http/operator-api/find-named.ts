import { wire } from '../../operations/fields.ts'
import type { Context } from '../../engine/context.ts'
import { showAmount } from '../../rules/values/currency.ts'
import { isInSpan, type TypedName } from '../../rules/values/id-text.ts'
import { serviceBook } from '../../rules/money/ledger.ts'
import type { Requisite } from '../../rules/requisites/requisite.ts'
import { overStates } from '../../rules/statements/statement-import.ts'
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
import { listTemplates } from '../../engine/phones/templates/read.ts'
import { listSources } from '../../engine/statements/sources/sources.ts'
import { listRules } from '../../engine/transfers/outgoing/rules/read.ts'
import { findRefundsByName } from '../../engine/transfers/refunds/refunds.ts'
import { findMoneyByName } from '../../engine/transfers/read.ts'
import type { NamedKind } from '../../operations/named.ts'

/** Something that has a name, with what distinguishes it from others of its kind. */
export type Named = {
  readonly id: string
  readonly merchantId?: string | null
  readonly requisiteId?: string
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
  showAmount(amount, currency)

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

const findDisputes = async (context: Context, wanted: Wanted) => {
  const found = await findDisputesByName(context, wanted)
  // The order of a payment names its undecided dispute, if there is one.
  const undecided = found.filter(({ state }) => state === 'open' || state === 'proposed')
  return undecided.length === 1 ? undecided : found
}

const findStatements = async (context: Context, wanted: Wanted) => {
  const found = await findStatementsByName(context, wanted)
  // The name of a file means the statement that can be confirmed, if there is one.
  const ready = found.filter(({ state }) => state === 'ready')
  return (ready.length > 0 ? ready : found).map((row) => ({ ...row, isOver: overStates.includes(row.state) }))
}

/** Finds rows in the database. What has ended is meant only if nothing else matches. */
const findStored =
  <Row extends { readonly id: string; readonly isOver?: boolean }>(
    find: (context: Context, wanted: Wanted) => Promise<readonly Row[]>,
    aboutOf: (row: Row) => readonly string[],
  ): Find =>
  async (context, wanted) => {
    const rows = await find(context, wanted)
    const inForce = rows.filter(({ isOver }) => !isOver)
    return (inForce.length > 0 ? inForce : rows).map((row) => ({ ...row, about: aboutOf(row) }))
  }

const findMoney = (table: Parameters<typeof findMoneyByName>[1]): Find =>
  findStored(
    (context, wanted) => findMoneyByName(context, table, wanted),
    ({ bookedAt, bankReference, ...row }) => [
      ...[money(row), `booked ${wire.time(bookedAt).slice(0, 16)}Z`],
      ...(bankReference === null ? [] : [bankReference]),
    ],
  )

/** How things of each kind are found by the names that people use: by their exact name, else by a shortened id. */
export const findNamed = {
  merchant: findMerchants,
  payment: findStored(findPaymentsByName, ({ orderId, status, ...row }) => [orderId, status, money(row)]),
  requisite: findRequisites,
  transfer: findMoney('transfers'),
  outgoing: findMoney('outgoing_transfers'),
  'outgoing-rule': findListed(listRules, ({ reason, purpose }) => [reason, purpose]),
  reversal: findMoney('transfer_reversals'),
  dispute: findStored(findDisputes, ({ state }) => [state]),
  destination: findStored(findDestinationsByName, ({ label, address }) => [label, address]),
  settlement: findStored(findSettlementsByName, ({ reference, status, ...row }) => [reference, status, money(row)]),
  refund: findStored(findRefundsByName, ({ reference, status, ...row }) => [reference, status, money(row)]),
  adjustment: findStored(
    (context, { merchantIds, ...wanted }) =>
      findAdjustmentsByName(context, { ...wanted, merchantIds: [...merchantIds, serviceBook] }),
    ({ reference, status, ...row }) => [reference, status, money(row)],
  ),
  endpoint: findStored(findEndpointsByName, ({ url }) => [url]),
  link: findStored(findLinksByName, ({ title, amount, currency }) => [
    title,
    amount === null ? `any amount in ${currency}` : money({ amount, currency }),
  ]),
  token: findStored(findTokensByName, ({ name, prefix }) => [name, prefix]),
  statement: findStored(findStatements, ({ fileName, state, uploadedAt }) => [
    ...[fileName, state, `uploaded ${wire.time(uploadedAt).slice(0, 16)}Z`],
  ]),
  source: findListed(listSources, ({ name }) => [name]),
  phone: findListed(listPhones, ({ name }) => [name]),
  template: findListed(listTemplates, ({ template, bank, kind }) => [template, bank, kind]),
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
  block: findStored(findBlocksByName, ({ kind, valueMasked }) => [kind, valueMasked]),
  rule: findStored(findRulesByName, ({ kind, reason }) => [kind, reason]),
} as const satisfies Readonly<Record<NamedKind, Find>>
