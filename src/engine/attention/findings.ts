import { maskNumber } from '../../rules/values/masking.ts'
import type { Context } from '../context.ts'
import type { Query } from 'payin-database'
import { listServiceState } from '../service-state.ts'
import { describeSpan, describeTime } from '../../rules/notices/alert-message.ts'
import { type AlertFinding, type AlertRule, type AlertRuleName, mostFindings } from '../../rules/notices/alert.ts'
import { clockFaultNames, currentClockFaults } from '../../rules/clock-fault.ts'
import { day, hour, type Instant } from '../../rules/time.ts'
import { formatDecimal, showAmount } from '../../rules/values/currency.ts'
import type { MerchantMode } from '../../rules/merchants/merchant.ts'
import { isPaidByRate, percentsPaid } from '../../rules/payments/paid-shares.ts'
import { isWithinStep } from '../../rules/money/rate-source.ts'
import {
  demoRateSource,
  isRateUsable,
  isWithinBand,
  priceDecimals,
  type Rate,
  rateBandPercent,
} from '../../rules/money/rate.ts'
import type { PauseCause } from '../../rules/requisites/requisite-health.ts'
import {
  hasUsageLimits,
  noUsage,
  periodLimits,
  type Requisite,
  type RequisiteUsage,
} from '../../rules/requisites/requisite.ts'
import { waitingKinds } from '../../rules/notices/waiting.ts'
import { findDifferences } from './find-differences.ts'
import { findUnsentReports } from './find-unsent-reports.ts'
import { checkChanges } from '../invariants/check-changes.ts'
import { listDebtors } from '../ledger/read.ts'
import { currentRates, ratesAt } from '../merchants/rates/rate.ts'
import { listRateSources } from '../merchants/rates/sources/source.ts'
import { listSilentPhones } from '../phones/phones.ts'
import { requisitePool } from '../requisites/requisite-pool.ts'
import { readUsage } from '../requisites/start-allocation.ts'
import { listPaidShares, readUse } from './read.ts'
import {
  listBalanceGaps,
  listDisputes,
  listEndpoints,
  listInbox,
  listPauses,
  listSilentAccounts,
  listSilentSources,
  listUnacknowledged,
  listWaitingMessages,
  listWaitingPickups,
  mostCounted,
} from './store.ts'

type Find = (context: Context, rule: AlertRule, now: Instant) => Promise<AlertFinding[]>

const limit = mostFindings

type Span = { readonly mode: MerchantMode; readonly before: Instant; readonly limit: number }

const findWaiting =
  <Row>(list: Query<Span, Row>, describe: (row: Row, rule: AlertRule) => AlertFinding): Find =>
  async (context, rule, now) =>
    (await context.query(list, { mode: 'live', before: now - rule.threshold, limit })).map((row) => describe(row, rule))

const describePrice = (price: bigint): string => formatDecimal(price, priceDecimals).replace(/(?:\.|(?<![.0]))0+$/, '')

const findInbox: Find = async (context, { threshold }, now) =>
  inboxFindings(await context.query(listInbox, { mode: 'live', before: now - threshold, limit }))

const findDueDisputes: Find = async (context, { threshold }, now) => {
  const rows = await context.query(listDisputes, { mode: 'live', before: now + threshold, limit })
  return rows.map(({ merchantId, id, merchant, orderId, amount, currency, since, dueAt }) => {
    const deadline = dueAt > now ? 'must be decided by' : 'should have been decided by'
    return {
      subject: `dispute:${id}`,
      summary: `The dispute about ${orderId} of ${merchant}, ${showAmount(amount, currency)}, ${deadline} ${describeTime(dueAt)}.`,
      since,
      command: `payin disputes show ${merchantId} ${id}`,
    }
  })
}

const disabledBecause: Readonly<Partial<Record<string, string>>> = {
  failing: 'was disabled because it failed for days',
  gone: 'was disabled because it answered 410 (gone)',
}

/** Endpoints that fail, or were disabled for that. The part of an address after the host may contain a secret. */
const findFailingEndpoints = findWaiting(listEndpoints, ({ id, merchant, url, disabledReason, since }) => {
  const host = URL.parse(url)?.host ?? 'an address'
  const what = disabledBecause[disabledReason ?? ''] ?? 'does not accept its notifications'
  return {
    subject: `endpoint:${id}`,
    summary: `The endpoint of ${merchant} at ${host} ${what}.`,
    since,
    command: waitingKinds['troubled-endpoints'].command,
  }
})

const findFarRates = async (context: Context, rates: readonly Rate[]): Promise<AlertFinding[]> => {
  const rows = rates.map(({ currency, createdAt }) => ({ currency, at: createdAt - 24 * hour }))
  const before = await ratesAt(context, rows)
  return rates.flatMap(({ currency, price, source, createdAt: since }) => {
    const base = before.get(currency)?.price
    if (base === undefined || isWithinBand(base, price)) return []
    const rate = `The rate of ${currency}, ${describePrice(price)} from ${source}`
    const summary = `${rate}, is more than ${rateBandPercent} % off that of a day before, ${describePrice(base)}.`
    return [{ subject: `rate-band:${currency}`, summary, since, command: 'payin rates list' }]
  })
}

const findStaleRates: Find = async (context, { threshold }, now) => {
  const [rates, { used, isNeeded }] = await Promise.all([context.catalog.get(currentRates), readUse(context)])
  const isReal = ({ currency, source }: Rate): boolean => used.has(currency) && source !== demoRateSource
  const real = [...rates.values()].filter(isReal)
  const stale = real
    .filter(({ currency }) => isNeeded(currency))
    .flatMap((each) => {
      const { currency, price, source, createdAt, validUntil } = each
      const ended = isRateUsable(each, now) ? null : validUntil
      if (ended === null && createdAt > now - threshold) return []
      const rate = `The rate of ${currency}, ${describePrice(price)} from ${source}`
      return {
        subject: `rate:${currency}`,
        summary:
          ended === null
            ? `${rate}, was last set at ${describeTime(createdAt)}.`
            : `${rate}, has not been valid since ${describeTime(ended)}: no payment can be created.`,
        since: ended ?? createdAt,
        command: waitingKinds['stale-rates'].command,
      }
    })
  return [...stale, ...(await findFarRates(context, real))]
}

const findRateSources: Find = async (context, { threshold }, now) => {
  const [rates, sources] = await Promise.all([context.catalog.get(currentRates), listRateSources(context)])
  return sources.flatMap(({ id, currency, name, enabled, heldPrice, maxStepPpm, lastError, ...source }) => {
    const since = source.heldSince ?? source.failingSince
    if (!enabled || since === null || (heldPrice === null && since > now - threshold)) return []
    const rate = rates.get(currency)
    const last = rate && rate.source !== demoRateSource ? `, the last rate is ${describePrice(rate.price)}` : ''
    const isStep = last !== '' && rate && heldPrice !== null && isWithinStep(rate.price, heldPrice, maxStepPpm)
    const why = isStep ? ', but it has moved too far within a day' : ''
    return {
      subject: `rate-source:${id}`,
      summary:
        heldPrice === null
          ? `The source ${name} of the rate of ${currency} is failing: ${lastError}.`
          : `The source ${name} reports ${describePrice(heldPrice)} ${currency}${last}${why}: the price waits for you.`,
      since,
      command: 'payin rates sources',
    }
  })
}

/** Merchants whose payers use the locked rate as a free option. */
const findPaidByRate: Find = async (context, { threshold }, now) =>
  (await listPaidShares(context))
    .filter((shares) => isPaidByRate(shares, threshold))
    .map((shares) => {
      const { favoured, others } = percentsPaid(shares)
      return {
        subject: `merchant:${shares.merchantId}`,
        summary: `Payers of ${shares.merchant} pay by the rate: ${favoured} % of ${shares.favoured} payments whose rate moved in their favour were paid, and ${others} % of ${shares.others} others.`,
        since: now,
        command: 'payin rates paid-shares',
      }
    })

/** A requisite that has used at least `percent` of a limit of its day or month; `undefined` otherwise. */
export const requisiteLimitFinding = (
  requisite: Pick<Requisite, 'id' | 'numberMasked' | 'currency' | 'limits'>,
  usage: RequisiteUsage,
  percent: number,
  now: Instant,
): AlertFinding | undefined => {
  const { id, numberMasked, currency, limits } = requisite
  const describe = (value: number | bigint): string =>
    typeof value === 'bigint' ? showAmount(value, currency) : `${value} payments`
  const shares = periodLimits.flatMap(([name, period]) => {
    const [used, most] = [usage[name], limits[name]]
    if (most === null || BigInt(most) === 0n) return []
    return {
      percent: Number((BigInt(used) * 100n) / BigInt(most)),
      text: `${describe(used)} of ${describe(most)} ${period === 'day' ? 'today' : 'this month'}`,
    }
  })
  const [fullest] = shares.toSorted((a, b) => b.percent - a.percent)
  if (!fullest || fullest.percent < percent) return undefined
  return {
    subject: `requisite:${id}`,
    summary: `The requisite ${numberMasked} has used ${fullest.percent} % of a limit: ${fullest.text}.`,
    since: now,
    command: 'payin requisites health',
  }
}

const findNearLimits: Find = async (context, { threshold }, now) => {
  const pool = await context.catalog.get(requisitePool)
  const limited = [...pool.byId.values()].filter(
    (each) => each.status === 'active' && each.mode === 'live' && hasUsageLimits(each),
  )
  const usage = await readUsage(context, limited, now)
  return limited.flatMap((each) => requisiteLimitFinding(each, usage.get(each.id) ?? noUsage, threshold, now) ?? [])
}

const describeRun: Readonly<Record<PauseCause, (run: number) => string>> = {
  expired: (run) => `${run} payments in a row expired`,
  unmatched: (run) => `${run} transfers in a row matched nothing`,
  silent: (run) => `the phone that reports its money had been silent for ${run} minutes`,
}

const findPauses = findWaiting(
  listPauses,
  ({ requisiteId, numberMasked, currency, cause, explanation: { run }, since }) => {
    const why = describeRun[cause](run)
    return {
      subject: `requisite:${requisiteId}`,
      summary: `The requisite ${numberMasked} (${currency}) is paused: ${why}.`,
      since,
      command: waitingKinds['paused-requisites'].command,
    }
  },
)

const findPausedRequisites: Find = async (context, rule, now) => {
  const { byId } = await context.catalog.get(requisitePool)
  const held = [...byId.values()].flatMap(({ id, mode, numberMasked, creditingHeld }) => {
    if (mode !== 'live' || creditingHeld?.statementId === undefined) return []
    const summary = `Money on ${numberMasked} is credited by persons only: ${creditingHeld.reason}.`
    const command = `payin statements show ${creditingHeld.statementId}`
    return [{ subject: `crediting:${id}`, summary, since: Date.parse(creditingHeld.since), command }]
  })
  return [...held, ...(await findPauses(context, rule, now))].slice(0, limit)
}

const findBrokenInvariants: Find = async (context, _, now) => {
  const { checks } = await checkChanges(context)
  return checks
    .filter(({ broken }) => broken > 0)
    .map(({ name, meaning, broken, examples }) => ({
      subject: `invariant:${name}`,
      summary: `The invariant ${name} is broken in ${broken} ${broken === 1 ? 'row' : 'rows'}, such as ${examples[0]}. ${meaning}`,
      since: now,
      command: 'payin doctor',
    }))
}

const findOverdueAcknowledgements = findWaiting(
  listUnacknowledged,
  ({ merchantId, merchant, payments, since, orderId, amount, currency }) => {
    const counted = payments === 1 ? 'a paid payment' : `${payments} paid payments`
    const count = payments >= mostCounted ? `${mostCounted} payments or more` : counted
    const money = showAmount(amount, currency)
    const oldest = payments === 1 ? `${orderId} over ${money}` : `the oldest ${orderId} over ${money}`
    return {
      subject: `merchant:${merchantId}`,
      summary: `${merchant} has not acknowledged ${count}, ${oldest}.`,
      since,
      command: `payin payments list --merchant ${merchantId} --unacknowledged`,
    }
  },
)

const findDebtors: Find = async (context, _, now) => {
  const rows = await listDebtors(context, null, limit)
  return rows.map(({ merchantId, merchant, currency, debt, most }) => ({
    subject: `merchant:${merchantId}`,
    summary: `${merchant} owes ${showAmount(debt, currency)}, more than the agreed ${most} ${currency}: it cannot create payments.`,
    since: now,
    command: `payin balances --merchant ${merchantId}`,
  }))
}

const findSilentSources = findWaiting(listSilentSources, ({ id, name, since }, { threshold }) => ({
  subject: `source:${id}`,
  summary: `The source ${name} has sent nothing for more than ${describeSpan(threshold)}.`,
  since,
  command: 'payin sources list',
}))

const findSilentAccounts = findWaiting(listSilentAccounts, ({ id, numberMasked, currency, since }, { threshold }) => ({
  subject: `requisite:${id}`,
  summary: `No statement of ${numberMasked} (${currency}) was imported for more than ${describeSpan(threshold)}.`,
  since,
  command: 'payin statements list',
}))

const findMissingStatements: Find = async (...rule) => [
  ...(await findSilentSources(...rule)),
  ...(await findSilentAccounts(...rule)),
]

const findWaitingPickups: Find = async (context, { threshold }, now) => {
  const times = { before: now - threshold, notTakenSince: now - day }
  return (await context.query(listWaitingPickups, { ...times, limit })).map(({ id, source, file, problem, since }) => ({
    subject: file === null ? `source:${id}` : `picked-file:${id}`,
    summary:
      file === null
        ? `The pickup of the source ${source} has a problem: ${problem}.`
        : `The file ${file} of the source ${source} was picked up. ${problem}`,
    since,
    command: `payin sources files ${id}`,
  }))
}

const findSilentPhones: Find = async (context, _, now) =>
  (await listSilentPhones(context, now)).map(({ id, name, silentMinutes, since }) => ({
    subject: `phone:${id}`,
    summary: `The phone ${name} has sent nothing for more than ${silentMinutes} minutes.`,
    since,
    command: 'payin phones list',
  }))

const findWaitingMessages = findWaiting(listWaitingMessages, ({ id, phone, bank, kind, since }) => ({
  subject: `phone-message:${id}`,
  summary: `A message of ${bank} on the phone ${phone} waits for a person (${kind}).`,
  since,
  command: waitingKinds['phone-messages'].command,
}))

const findBalanceGaps = findWaiting(listBalanceGaps, ({ id, phone, numberMasked, gap, currency, since }) => ({
  subject: `phone-message:${id}`,
  summary: `Between two messages about ${numberMasked} on the phone ${phone}, ${showAmount(gap, currency)} is missing: a message was lost, or one is forged. Import the statement.`,
  since,
  command: waitingKinds['phone-messages'].command,
}))

const findClockFaults: Find = async (context, _, now) => {
  const faults = currentClockFaults(await listServiceState(context, clockFaultNames), now)
  return faults.map(({ process, fault, since }) => ({
    subject: `clock:${process}`,
    summary: `Of the process ${process}, ${fault}: it uses the database's time, and what time brings about waits.`,
    since,
    command: 'payin installation',
  }))
}

export const findings: Readonly<Record<AlertRuleName, Find>> = {
  'inbox-waiting': findInbox,
  'dispute-deadline': findDueDisputes,
  'endpoint-failing': findFailingEndpoints,
  'rate-stale': findStaleRates,
  'rate-source': findRateSources,
  'paid-by-rate': findPaidByRate,
  'requisite-limit': findNearLimits,
  'requisite-paused': findPausedRequisites,
  'reconciliation-difference': findDifferences,
  'invariant-broken': findBrokenInvariants,
  'acknowledgement-overdue': findOverdueAcknowledgements,
  'merchant-indebted': findDebtors,
  'statement-missing': findMissingStatements,
  'pickup-waiting': findWaitingPickups,
  'report-unsent': findUnsentReports,
  'phone-silent': findSilentPhones,
  'message-waiting': findWaitingMessages,
  'balance-gap': findBalanceGaps,
  'clock-differs': findClockFaults,
}

/** The inbox is one incident, and another one each time that it has grown to these many transfers. */
const grownTo = [10, 100]

type Inbox = ReturnType<typeof listInbox.decode>

/** What waits in the inbox, the oldest first, as incidents. */
export const inboxFindings = (waiting: readonly Inbox[]): AlertFinding[] => {
  const [oldest] = waiting
  if (!oldest) return []
  const sums = new Map<string, bigint>()
  for (const { currency, amount } of waiting) sums.set(currency, (sums.get(currency) ?? 0n) + amount)
  const money = [...sums].map(([currency, sum]) => showAmount(sum, currency)).join(', ')
  const sender = oldest.senderMasked === '' ? '' : ` from ${maskNumber(oldest.senderMasked)}`
  const count = waiting.length < mostFindings ? `${waiting.length} transfers` : `${mostFindings} transfers or more`
  const summary =
    waiting.length === 1
      ? `${money}${sender} to ${oldest.numberMasked} waits in the inbox.`
      : `${count} wait in the inbox, ${money} together, the oldest since ${describeTime(oldest.since)}.`
  const found = { summary, since: oldest.since, command: waitingKinds.transfers.command }
  const grown = grownTo.filter((size) => waiting.length >= size)
  return [
    { ...found, subject: 'inbox' },
    ...grown.map((size) => ({ ...found, subject: `inbox:${size}`, summary: `The inbox has grown to ${count}.` })),
  ]
}
