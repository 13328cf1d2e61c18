import type { Context } from '../../context.ts'
import {
  brokenInvariantFinding,
  differenceFinding,
  dueDisputeFinding,
  failingEndpointFinding,
  mostCounted,
  overdueFinding,
  pausedRequisiteFinding,
  rateSourceFinding,
  requisiteLimitFinding,
  silentAccountFinding,
  silentSourceFinding,
  staleRateFinding,
  waitingMoneyFinding,
} from '../../domain/alert-finding.ts'
import { type AlertFinding, type AlertRule, type AlertRuleName, mostFindings } from '../../domain/alert.ts'
import { hasUsageLimits, noUsage } from '../../domain/requisite.ts'
import type { Instant } from '../../domain/time.ts'
import { checkChanges } from '../../invariants/check-changes.ts'
import { listReconciliations } from '../../ledger/closing-balances/read.ts'
import { requisitePool } from '../../requisites/requisite-pool.ts'
import { readUsage } from '../../requisites/start-allocation.ts'
import {
  listDueDisputes,
  listFailingEndpoints,
  listNamedRequisites,
  listOverdueAcknowledgements,
  listPausedRequisites,
  listSilentAccounts,
  listSilentSources,
  listStaleRates,
  listTroubledRateSources,
  listWaitingMoney,
} from './store.ts'

type Find = (context: Context, rule: AlertRule, now: Instant) => Promise<AlertFinding[]>

const limit = mostFindings

const findNearLimits: Find = async (context, { threshold }, now) => {
  const pool = await context.catalog.get(requisitePool)
  const limited = [...pool.byId.values()].filter(
    (each) => each.status === 'active' && each.mode === 'live' && hasUsageLimits(each),
  )
  const usage = await readUsage(context, limited, now)
  return limited.flatMap((each) => requisiteLimitFinding(each, usage.get(each.id) ?? noUsage, threshold, now) ?? [])
}

const findDifferences: Find = async (context) => {
  const rows = await context.query(listNamedRequisites, {})
  const numbers = new Map(rows.map(({ id, numberMasked }) => [id, numberMasked]))
  const last = new Map<string, Awaited<ReturnType<typeof listReconciliations>>[number]>()
  // The last days come first; several sources may have the same day.
  for (const row of await listReconciliations(context, { requisiteId: null, day: null }, limit)) {
    const known = last.get(row.requisiteId)
    if (!known || (known.day === row.day && known.closing === known.ledger)) last.set(row.requisiteId, row)
  }
  return [...last.values()].flatMap((row) => {
    const number = numbers.get(row.requisiteId)
    return number === undefined || row.closing === row.ledger ? [] : [differenceFinding(row, number)]
  })
}

/** How each rule finds what it watches, most of them by one query. */
export const findings: Readonly<Record<AlertRuleName, Find>> = {
  'inbox-waiting': async (context, { threshold }, now) =>
    (await context.query(listWaitingMoney, { before: now - threshold, limit })).map(waitingMoneyFinding),
  'dispute-deadline': async (context, { threshold }, now) =>
    (await context.query(listDueDisputes, { before: now + threshold, limit })).map((row) =>
      dueDisputeFinding(row, now),
    ),
  'endpoint-failing': async (context, { threshold }, now) =>
    (await context.query(listFailingEndpoints, { before: now - threshold, limit })).map(failingEndpointFinding),
  'rate-stale': async (context, { threshold }, now) =>
    (await context.query(listStaleRates, { before: now - threshold, now })).map((row) => staleRateFinding(row, now)),
  'rate-source': async (context, { threshold }, now) =>
    (await context.query(listTroubledRateSources, { before: now - threshold })).map(rateSourceFinding),
  'requisite-limit': findNearLimits,
  'requisite-paused': async (context) =>
    (await context.query(listPausedRequisites, { limit })).map(pausedRequisiteFinding),
  'reconciliation-difference': findDifferences,
  'invariant-broken': async (context, _, now) =>
    (await checkChanges(context)).checks
      .filter(({ broken }) => broken > 0)
      .map((check) => brokenInvariantFinding(check, now)),
  'acknowledgement-overdue': async (context, { threshold }, now) =>
    (await context.query(listOverdueAcknowledgements, { before: now - threshold, limit, counted: mostCounted })).map(
      overdueFinding,
    ),
  'statement-missing': async (context, { threshold }, now) => {
    const span = { before: now - threshold, limit }
    const sources = await context.query(listSilentSources, span)
    const accounts = await context.query(listSilentAccounts, span)
    return [
      ...sources.map((row) => silentSourceFinding(row, threshold)),
      ...accounts.map((row) => silentAccountFinding(row, threshold)),
    ]
  },
}
