import type { Context } from '../context.ts'
import { feedChannel } from '../domain/channel.ts'
import { dedupeKey } from '../domain/transfer.ts'
import { findPaymentById } from '../payments/read.ts'
import { type DueStep, finishStep } from '../sandbox/due-steps.ts'
import { listMoneyOf } from '../transfers/lookup/read.ts'
import { recordTransfers } from '../transfers/record-transfers.ts'
import { recordReversals } from '../transfers/reversals/record-reversals.ts'

const source = 'sandbox'

/** What every report of the simulated bank says; its statements report the same money, as those of a real bank do. */
const reported = { source, channel: feedChannel(source), sender: null } as const

/** The simulated bank receives money for a payment, and reports it as a feed does. */
const transfer = async (context: Context, step: DueStep): Promise<void> => {
  const { merchantId, paymentId, id, amount } = step
  const payment = await findPaymentById(context, merchantId, paymentId)
  await context.transaction(async (tx) => {
    if (payment && amount !== null) {
      const { requisiteId, currency } = payment
      // Played twice, the step is one transfer all the same.
      const bankReference = `sandbox-${id}`
      const money = { requisiteId, currency, amount, bookedAt: tx.now, bankReference }
      await recordTransfers(tx, [{ ...reported, ...money, onlyMerchantId: merchantId }])
    }
    await finishStep(tx, step)
  })
}

/** The simulated bank takes the money of a payment back, or a part of it; without money it does nothing. */
const reversal = async (context: Context, step: DueStep): Promise<void> => {
  const { merchantId, paymentId } = step
  const payment = await findPaymentById(context, merchantId, paymentId)
  const money = (await listMoneyOf(context, merchantId, paymentId)).find(({ kind }) => kind === 'payment')
  await context.transaction(async (tx) => {
    if (payment && money) {
      const { requisiteId, bankReference } = money
      const amount = step.amount === null || step.amount > money.amount ? money.amount : step.amount
      const report = {
        requisiteId,
        currency: payment.currency,
        amount,
        bookedAt: tx.now,
        bankReference,
        sender: null,
      }
      await recordReversals(tx, [{ ...reported, ...report, dedupeKey: `reversal:${dedupeKey(report, 0)}` }])
    }
    await finishStep(tx, step)
  })
}

/** What the simulated bank does with money. */
export const playMoney = { transfer, reversal } as const
