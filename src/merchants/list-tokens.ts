import type { Context } from '../context.ts'
import { listTokens as list } from './store.ts'

/** A merchant's tokens without their secret part, the oldest first. */
export const listTokens = (context: Context, merchantId: string) => context.query(list, { merchantId })
