import type { Context } from '../context.ts'
import { checkInvariants, type InvariantCheck } from './check-invariants.ts'
import { ledgerInvariants, moneyInvariants } from './ledger/store.ts'

/**
 * Checks the ledger alone and against what it records: every posting has two sides, stored balances are the sums
 * of the postings and add up to zero, and each transfer, credit, settlement, decision, reversal and adjustment is in it
 * once. Healthy is zero broken rows for each.
 */
export const verifyLedger = (context: Context): Promise<InvariantCheck[]> =>
  checkInvariants(context, [...ledgerInvariants, ...moneyInvariants])
