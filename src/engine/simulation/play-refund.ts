import type { Context, Tx } from '../context.ts'
import { feedChannel } from '../../rules/transfers/channel.ts'
import type { Payment } from '../../rules/payments/payment.ts'
import { simulatedPayer, simulatedReference } from '../../rules/sandbox/simulated-statement.ts'
import { dedupeKey } from '../../rules/transfers/transfer.ts'
import { findMerchant } from '../merchants/read.ts'
import { lockPayment } from '../payments/lock-payment.ts'
import { type DueStep, finishStep } from '../sandbox/simulate-payments.ts'
import { recordOutgoing } from '../transfers/outgoing/record-outgoing.ts'
import type { StoredRefund } from '../transfers/refunds/follow-money.ts'
import {
  approveRefund,
  type Deciding,
  failRefund,
  markRefundSent,
  namePayersAccount,
  readForPayer,
  requestRefund,
} from '../transfers/refunds/refunds.ts'
import { simulatedOperators } from './play-dispute.ts'
import { simulatedSource } from './play-money.ts'
import { insertBooking } from './store.ts'

const [actor] = simulatedOperators

/** The bounds of one person are of real money. */
const alone = { above: 0n, hasTwo: false }

const operator: Deciding = { actor, alone, requireTwo: async () => {} }

/** An account in no country. */
const payersAccount = 'XX900000000000000000'

/** The refunds of a payment that have not ended, the oldest first; the merchant asks for one if there is none. */
const openRefunds = async (tx: Tx, payment: Payment, step: DueStep): Promise<StoredRefund[]> => {
  const { refunds } = await readForPayer(tx, payment)
  const open = refunds.filter(({ status }) => status !== 'done')
  if (open.length > 0) return open.toReversed()
  const { merchantId, id: paymentId } = payment
  const { maxDebt, quoteCurrency } = (await findMerchant(tx, merchantId)).settings
  const { refund } = await requestRefund(tx, {
    ...{ merchantId, paymentId, reference: `simulated-${step.id}`, amount: step.amount, reason: 'Simulated.' },
    ...{ payTo: null, requestedBy: `merchant:${merchantId}`, maxDebt, quoteCurrency },
  })
  return [refund]
}

const send = async (tx: Tx, refund: StoredRefund): Promise<StoredRefund> => {
  if (refund.status === 'requested') await approveRefund(tx, refund, operator)
  return markRefundSent(tx, refund, { actor, requisiteId: undefined, bookedAt: tx.now, above: 0n })
}

/** The bank books the money of a refund that was sent, and reports it if a feed should. */
const bookSent = async (tx: Tx, step: DueStep, refund: StoredRefund): Promise<void> => {
  const { merchantId, id, paymentId, requisiteId, currency, amount, orderId, reference: named } = refund
  const text = `Refund of ${orderId}, ${named}`
  const reference = simulatedReference(id)
  const money = { requisiteId, currency, amount, bookedAt: tx.now }
  await tx.query(insertBooking, { ...money, id, merchantId, paymentId, reference, kind: 'refund', text })
  if (step.reportedBy === 'statement') return
  const reported = {
    ...money,
    source: simulatedSource,
    channel: feedChannel(simulatedSource),
    bankReference: reference,
  }
  const report = {
    ...{ ...reported, dedupeKey: dedupeKey({ ...reported, sender: null }, 0), givenBack: false },
    ...{ likeness: null, referenceKind: null, bookedOn: null },
    payee: { number: null, name: simulatedPayer.name, text },
  }
  const nothingElse = () => Promise.resolve(new Map())
  await recordOutgoing(tx, [report], nothingElse, () => Promise.resolve(0n))
}

const play =
  (end: (tx: Tx, step: DueStep, sent: StoredRefund) => Promise<unknown>) =>
  (context: Context, step: DueStep): Promise<void> =>
    context.transaction(async (tx) => {
      const payment = await lockPayment(tx, step.merchantId, step.paymentId)
      if (payment) {
        const open = await openRefunds(tx, payment, step)
        await namePayersAccount(tx, payment, payersAccount)
        for (const refund of open) await end(tx, step, await send(tx, refund))
      }
      await finishStep(tx, step)
    })

/**
 * A simulated operator approves and sends what the merchant asked to refund of a payment; then its bank reports that the
 * money has left, or it does not reach the payer. Refuses as refunds do.
 */
export const playRefund = {
  pay: play(bookSent),
  fail: play((tx, _step, sent) => failRefund(tx, sent, operator, 'Simulated.')),
} as const
