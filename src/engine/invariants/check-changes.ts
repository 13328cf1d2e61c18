import type { Link } from '../audit/verify-audit.ts'
import type { Context } from '../context.ts'
import type { Queryable } from 'payin-database'
import { hour, type Instant } from '../../rules/time.ts'
import { leastIdAt } from '../../rules/values/id-text.ts'
import { findChanged } from './changed/find-changed.ts'
import {
  addVerifiedBalances,
  findVerified,
  forgetVerifiedBalances,
  listEventCounters,
  lockVerified,
  saveVerified,
  saveVerifiedPositions,
} from './changed/store.ts'
import { checkAudit, type InvariantCheck, invariantNames, runEach } from './check-invariants.ts'

/** The invariants, and the time since which rows were read: everything earlier was verified before. */
export type Diagnosis = { readonly since: Instant | null; readonly checks: readonly InvariantCheck[] }

/** Rows that commit later than this after their ids were created would be missed; transactions end within a minute. */
const margin = hour
/** With more payments than this, reading everything is faster. */
const mostChanged = 200_000

type Run = {
  readonly startedAt: Instant
  /** What an earlier check has stored. */
  readonly stored: { readonly until: Instant } | undefined
  /** The same, unless its time has not come yet. */
  readonly verified: { readonly until: Instant } | undefined
  readonly isFull: boolean
  readonly counters: readonly { readonly merchantId: string; readonly position: bigint }[]
  readonly last: Link
}

/**
 * Stores that everything up to an hour before a healthy check is verified, unless another check has stored that
 * meanwhile.
 */
const noteVerified = async (
  context: Context,
  { startedAt, stored, verified, isFull, counters, last }: Run,
): Promise<void> => {
  const until = startedAt - margin
  if (verified && until <= verified.until) return
  await context.transaction(async (tx) => {
    const [held] = await tx.query(lockVerified, {})
    if (held?.until !== stored?.until) return
    const untilId = leastIdAt(until)
    const fromAll = isFull || !verified
    if (fromAll) await tx.query(forgetVerifiedBalances, {})
    await tx.query(addVerifiedBalances, { fromId: leastIdAt(fromAll ? 0 : verified.until), untilId })
    await tx.query(saveVerifiedPositions, { rows: counters })
    await tx.query(saveVerified, {
      ...{ until, untilId, checkedAt: startedAt },
      ...{ auditSequence: last.sequence, auditHash: last.hash },
    })
  })
}

/** Runs the invariants with these names over what has changed since a time, regardless of what was verified. */
export const checkSince = async (
  sql: Queryable,
  { since, now, names }: { readonly since: Instant; readonly now: Instant; readonly names: readonly string[] },
): Promise<InvariantCheck[]> => {
  const changed = await findChanged(sql, since)
  return runEach(sql, names, { now }, changed)
}

/**
 * Checks all invariants over what has changed since all of them last held; over everything if they never did, or with
 * `full`. If all hold, stores that.
 */
export const checkChanges = async (context: Context, full = false): Promise<Diagnosis> => {
  const startedAt = context.clock()
  const [stored] = await context.query(findVerified, {})
  // If the clock was ahead then, what has changed since has an earlier time.
  const verified = stored && stored.until <= startedAt ? stored : undefined
  const counters = await context.query(listEventCounters, {})
  const found = verified && !full ? await findChanged(context, verified.until) : undefined
  const changed = found && found.paymentIds.length <= mostChanged ? found : undefined
  const checks = await runEach(context, invariantNames, { now: startedAt }, changed)
  const since = changed && verified ? verified.until : null
  const from = changed && verified ? { sequence: verified.auditSequence, hash: verified.auditHash } : undefined
  const audit = await checkAudit(context, from)
  const all = [...checks, audit.check]
  if (all.every(({ broken }) => broken === 0)) {
    await noteVerified(context, { startedAt, stored, verified, isFull: !changed, counters, last: audit.last })
  }
  return { since, checks: all }
}
