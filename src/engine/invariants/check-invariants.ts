import type { Queryable } from 'payin-database'
import type { Changed } from './changed/find-changed.ts'
import type { Invariant, InvariantParameters } from './invariant.ts'
import type { Instant } from '../../rules/time.ts'
import { disputeInvariants } from './disputes/store.ts'
import { ledgerInvariants, moneyInvariants } from './ledger/store.ts'
import { linkInvariants } from './links/store.ts'
import { notificationInvariants } from './notifications/store.ts'
import { paymentInvariants } from './payments/store.ts'
import { riskInvariants } from './risk/store.ts'
import { refundInvariants } from './refunds/store.ts'
import { transferInvariants } from './transfers/store.ts'
import { type Link, verifyAuditFrom } from '../audit/verify-audit.ts'

/** An invariant of the domain (docs/domain.md §12), the number of rows that break it and the first of them. */
export type InvariantCheck = {
  readonly name: string
  /** The rule, in one sentence. */
  readonly meaning: string
  readonly broken: number
  readonly examples: readonly string[]
}

/** All invariants except the audit's, which is not a query. */
export const invariants: readonly Invariant[] = [
  ...ledgerInvariants,
  ...moneyInvariants,
  ...transferInvariants,
  ...refundInvariants,
  ...paymentInvariants,
  ...linkInvariants,
  ...disputeInvariants,
  ...notificationInvariants,
  ...riskInvariants,
]

const auditChain = 'audit-chain-unbroken'

/** The names of all invariants (docs/domain.md §12). */
export const invariantNames: readonly string[] = [...invariants.map(({ name }) => name), auditChain]

/** Whether the audit chain is intact, from a link that is known to be. */
export const checkAudit = async (
  sql: Queryable,
  from?: Link,
): Promise<{ readonly check: InvariantCheck; readonly last: Link }> => {
  const { broken, last } = await verifyAuditFrom(sql, from)
  const check = {
    name: auditChain,
    meaning: 'No entry of the audit was removed, altered or inserted.',
    broken: broken.length,
    examples: broken.slice(0, 20).map(String),
  }
  return { check, last }
}

/** The result of one invariant's query. */
const toCheck = (
  { name, meaning }: Invariant,
  rows: readonly { readonly example: string; readonly broken: bigint }[],
): InvariantCheck => ({
  name,
  meaning,
  broken: Number(rows[0]?.broken ?? 0),
  examples: rows.map((row) => row.example),
})

/** Runs the invariants with these names, except the audit's, over the changes found, or over everything. */
export const runEach = async (
  sql: Queryable,
  names: readonly string[],
  parameters: InvariantParameters,
  changed?: Changed,
): Promise<InvariantCheck[]> => {
  const checks: InvariantCheck[] = []
  for (const each of invariants) {
    if (!names.includes(each.name)) continue
    if (!changed) checks.push(toCheck(each, await sql.query(each.find, parameters)))
    else if (each.findChanged) {
      const check = toCheck(each, await sql.query(each.findChanged, { ...parameters, ...changed }))
      // While things change, the search may have found only half of a change. One query over everything sees one state.
      checks.push(check.broken === 0 ? check : toCheck(each, await sql.query(each.find, parameters)))
    }
  }
  return checks
}

/**
 * Runs the invariants with these names as queries over all rows, by default all of `invariantNames`, each over one
 * snapshot of the data; healthy means zero broken rows. Takes the context or, to check uncommitted work, an open
 * transaction.
 */
export const checkInvariants = async (
  sql: Queryable & ({ readonly clock: () => Instant } | { readonly now: Instant }),
  names: readonly string[] = invariantNames,
): Promise<InvariantCheck[]> => {
  const checks = await runEach(sql, names, { now: 'now' in sql ? sql.now : sql.clock() })
  return names.includes(auditChain) ? [...checks, (await checkAudit(sql)).check] : checks
}
