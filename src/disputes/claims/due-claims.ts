import type { Context, Tx } from '../../context.ts'
import type { Instant } from '../../domain/time.ts'
import { listClaimsToLookAt, updateClaimTurn } from './store.ts'

/** Claims of which it is time to see whether they become disputes, at most `limit`. */
export const dueClaims = (context: Context, limit: number) =>
  context.query(listClaimsToLookAt, { now: context.clock(), limit })

/** Says when a claim is looked at again; `null` for never. */
export const lookAgain = (
  tx: Tx,
  claim: { readonly merchantId: string; readonly paymentId: string },
  lookAt: Instant | null,
): Promise<unknown> => tx.query(updateClaimTurn, { merchantId: claim.merchantId, paymentId: claim.paymentId, lookAt })
