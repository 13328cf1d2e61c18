import type { Context } from '../context.ts'
import { claimCheck } from '../domain/dispute.ts'
import { lockPayment } from '../payments/lock-payment.ts'
import { listReceiptsOf } from './claims/read.ts'
import { listDueClaims, scheduleClaimCheck } from './claims/store.ts'
import { openDispute } from './open-dispute.ts'
import { listDisputesOfPayment } from './read.ts'

/** Most claims that one round takes. */
const batchSize = 100

/** Opens disputes for payers' claims whose turn has come (see `claimCheck`); returns how many claims were looked at. */
export const openClaimedDisputes = async (context: Context): Promise<number> => {
  const claims = await context.query(listDueClaims, { now: context.clock(), limit: batchSize })
  for (const claim of claims) {
    await context.transaction(async (tx) => {
      const payment = await lockPayment(tx, claim.merchantId, claim.paymentId)
      if (!payment) return
      const receipts = await listReceiptsOf(tx, [claim])
      const known = await listDisputesOfPayment(tx, payment)
      // Somebody has looked at this payment before: what the payer says is known.
      const turn = known.length > 0 ? 'never' : claimCheck(payment, receipts.length > 0, tx.now)
      if (turn === 'now') {
        const fields = { reason: 'paid-not-credited', amount: claim.amount, note: null } as const
        await openDispute(tx, payment, { claimant: 'payer', actor: 'payer', ...fields })
      }
      await tx.query(scheduleClaimCheck, { ...claim, checkAt: typeof turn === 'number' ? turn : null })
    })
  }
  return claims.length
}
