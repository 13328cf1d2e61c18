import type { Context, Tx } from '../../context.ts'
import type { Instant } from '../../domain/time.ts'
import { listDueClaims, scheduleClaimCheck } from './store.ts'

/** Claims that are due to be checked, at most `limit`: they may become disputes. */
export const dueClaims = (context: Context, limit: number) =>
  context.query(listDueClaims, { now: context.clock(), limit })

/** Sets when a claim is checked again; `null` for never. */
export const checkClaimAgain = (
  tx: Tx,
  claim: { readonly merchantId: string; readonly paymentId: string },
  checkAt: Instant | null,
): Promise<unknown> =>
  tx.query(scheduleClaimCheck, { merchantId: claim.merchantId, paymentId: claim.paymentId, checkAt })
