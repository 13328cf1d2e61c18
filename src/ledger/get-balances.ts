import type { Context } from '../context.ts'
import { listBalances } from './store.ts'

/** Balances per account and currency, debits less credits; of one merchant's book, or (`null`) of all books together. */
export const getBalances = (context: Context, merchantId: string | null) => context.query(listBalances, { merchantId })
