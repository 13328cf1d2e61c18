import type { Context, Tx } from '../context.ts'
import { feedChannel } from '../../rules/transfers/channel.ts'
import { simulatedReference } from '../../rules/sandbox/simulated-statement.ts'
import { dedupeKey } from '../../rules/transfers/transfer.ts'
import { reportByMessage } from './report-by-message.ts'
import { findPaymentById } from '../payments/read.ts'
import { type DueStep, finishStep } from '../sandbox/simulate-payments.ts'
import { recordTransfers } from '../transfers/record-transfers.ts'
import { recordReversals } from '../transfers/reversals/reversals.ts'
import { findReceived, insertBooking } from './store.ts'

/** How the simulated bank's reports name it. */
export const simulatedSource = 'sandbox'

/** Common to all reports of the simulated bank; its statements report the same money, like those of a real bank. */
const reported = { source: simulatedSource, channel: feedChannel(simulatedSource), sender: null } as const

type Booking = Parameters<typeof insertBooking.encode>[0]

/** Books money on the account, reports it if a feed should, and ends the step. */
const book = async (tx: Tx, step: DueStep, booking: Booking): Promise<void> => {
  await tx.query(insertBooking, booking)
  if (step.reportedBy === 'feed') {
    const { requisiteId, currency, amount, bookedAt, reference: bankReference, kind } = booking
    const money = { ...reported, requisiteId, currency, amount, bookedAt, bankReference }
    if (kind === 'reversal') await recordReversals(tx, [{ ...money, dedupeKey: `reversal:${dedupeKey(money, 0)}` }])
    else await recordTransfers(tx, [{ ...money, onlyMerchantId: booking.merchantId }])
  }
  await finishStep(tx, step)
}

const transfer = async (context: Context, step: DueStep): Promise<void> => {
  const { merchantId, paymentId, id, amount } = step
  const payment = await findPaymentById(context, merchantId, paymentId)
  // Once: a message that comes again is recognised.
  if (step.reportedBy === 'message' && payment && amount !== null)
    await reportByMessage(context, { ...payment, step: id, amount })
  await context.transaction(async (tx) => {
    if (!payment || amount === null) return finishStep(tx, step)
    const { requisiteId, currency } = payment
    const reference = simulatedReference(id)
    const money = { requisiteId, currency, amount, bookedAt: tx.now }
    return book(tx, step, { ...money, id, merchantId, paymentId, reference, kind: 'receipt', text: null })
  })
}

/** The bank takes back the first money that it received for a payment, or a part; without money it does nothing. */
const reversal = async (context: Context, step: DueStep): Promise<void> => {
  const { merchantId, paymentId, id } = step
  const [received] = await context.query(findReceived, { merchantId, paymentId })
  await context.transaction(async (tx) => {
    if (!received) return finishStep(tx, step)
    const amount = step.amount === null || step.amount > received.amount ? received.amount : step.amount
    return book(tx, step, { ...received, id, amount, kind: 'reversal', bookedAt: tx.now })
  })
}

export const playMoney = { transfer, reversal } as const
