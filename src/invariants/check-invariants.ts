import type { Context } from '../context.ts'
import type { Queryable } from '../database/database.ts'
import type { Invariant } from '../database/invariant.ts'
import { currencyDecimals } from '../domain/currency.ts'
import { quoteAmount } from '../domain/rate.ts'
import type { Instant } from '../domain/time.ts'
import { disputeInvariants } from './disputes/store.ts'
import { ledgerInvariants, moneyInvariants } from './ledger/store.ts'
import { linkInvariants } from './links/store.ts'
import { notificationInvariants } from './notifications/store.ts'
import { paymentInvariants } from './payments/store.ts'
import { listPaymentCurrencies } from './store.ts'
import { riskInvariants } from './risk/store.ts'
import { transferInvariants } from './transfers/store.ts'
import { verifyAudit } from '../audit/verify-audit.ts'

/** One invariant of the domain (docs/domain.md §12), the number of rows that break it and the first of them. */
export type InvariantCheck = {
  readonly name: string
  /** What always holds, in one sentence. */
  readonly meaning: string
  readonly broken: number
  readonly examples: readonly string[]
}

const invariants: readonly Invariant[] = [
  ...ledgerInvariants,
  ...moneyInvariants,
  ...transferInvariants,
  ...paymentInvariants,
  ...linkInvariants,
  ...disputeInvariants,
  ...notificationInvariants,
  ...riskInvariants,
]

const auditChain = 'audit-chain-unbroken'

/** The names of all invariants (docs/domain.md §12). */
export const invariantNames: readonly string[] = [...invariants.map(({ name }) => name), auditChain]

const auditCheck = async (sql: Queryable): Promise<InvariantCheck> => {
  const broken = await verifyAudit(sql)
  return {
    name: auditChain,
    meaning: 'No entry of the audit was removed, altered or put in between.',
    broken: broken.length,
    examples: broken.slice(0, 20).map(String),
  }
}

/**
 * Runs the invariants of these names as queries, by default all of `invariantNames`, each over one snapshot of the data;
 * healthy is zero broken rows for each. Takes the context or, to look at its uncommitted work, an open transaction.
 */
export const checkInvariants = async (
  sql: Queryable & ({ readonly clock: () => Instant } | { readonly now: Instant }),
  names: readonly string[] = invariantNames,
): Promise<InvariantCheck[]> => {
  const wanted = new Set(names)
  const currencies = await sql.query(listPaymentCurrencies, {})
  const parameters = {
    now: 'now' in sql ? sql.now : sql.clock(),
    rows: currencies.map(({ currency }) => ({ currency, scale: quoteAmount(1n, currencyDecimals(currency), 1n) })),
  }
  const checks: InvariantCheck[] = []
  for (const { name, meaning, find } of invariants) {
    if (!wanted.has(name)) continue
    const rows = await sql.query(find, parameters)
    checks.push({ name, meaning, broken: Number(rows[0]?.broken ?? 0), examples: rows.map((row) => row.example) })
  }
  return wanted.has(auditChain) ? [...checks, await auditCheck(sql)] : checks
}

/**
 * Checks the ledger alone and against what it records: every posting has two sides, stored balances are the sums
 * of the postings and add up to zero, and each transfer, credit, settlement, decision, reversal and adjustment is in it
 * once. Healthy is zero broken rows for each.
 */
export const verifyLedger = (context: Context): Promise<InvariantCheck[]> =>
  checkInvariants(
    context,
    [...ledgerInvariants, ...moneyInvariants].map(({ name }) => name),
  )
