import type { Context } from '../context.ts'
import { sumBalances } from './store.ts'

/** Sums of the ledger by kind of account and currency, in minor units; debits and credits of a currency are equal. */
export const getTrialBalance = (context: Context) => context.query(sumBalances, {})
