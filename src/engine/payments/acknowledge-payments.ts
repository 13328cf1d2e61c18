import type { Context, Tx } from '../context.ts'
import type { Queryable } from 'payin-database'
import { coalesce } from '../coalesce.ts'
import { creditedStatuses, type Payment, type PaymentStatus } from '../../rules/payments/payment.ts'
import { Refusal } from '../../rules/refusal.ts'
import type { Instant } from '../../rules/time.ts'
import { getPayments, type OrderKey } from './read.ts'
import { markAcknowledged } from './store.ts'

/** An acknowledgement by order; `status` guards against acknowledging a change that the merchant has not seen. */
type AcknowledgeCommand = OrderKey & { readonly status: PaymentStatus | null }

const check = (payment: Payment | undefined, command: AcknowledgeCommand): Refusal | Payment => {
  if (!payment) return new Refusal('payment_not_found', 'There is no payment with this orderId.')
  if (command.status !== null && command.status !== payment.status) {
    return new Refusal('status_changed', `The status is now ${payment.status}, not ${command.status}; read it again.`)
  }
  if (creditedStatuses.has(payment.status)) return payment
  return new Refusal(
    'payment_not_paid',
    `The status is ${payment.status}; only paid and disput-paid can be acknowledged.`,
  )
}

const acknowledgeAt = async (sql: Queryable, now: Instant, commands: readonly AcknowledgeCommand[]) => {
  const checked = await read(sql, commands)
  const open = checked.filter((each): each is Payment => !(each instanceof Refusal) && each.acknowledgedAt === null)
  if (open.length === 0) return checked
  await sql.query(markAcknowledged, { now, rows: open })
  const after = await read(sql, commands)
  return after.map((each) =>
    each instanceof Refusal || each.acknowledgedAt !== null
      ? each
      : new Refusal('status_changed', 'The payment changed while it was being acknowledged; read it again.'),
  )
}

const read = async (sql: Queryable, commands: readonly AcknowledgeCommand[]): Promise<(Payment | Refusal)[]> => {
  const payments = await getPayments(sql, commands)
  return commands.map((command, index) => check(payments[index], command))
}

/**
 * Records that a merchant has seen `paid` or `disput-paid`, together with the payments that are acknowledged at the same
 * time; repeating the call returns the same answer. Refusals: `payment_not_found`, `payment_not_paid`, `status_changed`.
 */
export const acknowledgePayment = coalesce(
  (context: Context, commands: readonly AcknowledgeCommand[]) => acknowledgeAt(context, context.clock(), commands),
  { name: 'acknowledge-payment', maxBatch: 500, maxWaiting: 5000 },
)

/** Acknowledges a payment within a transaction; throws the refusals of `acknowledgePayment`. */
export const acknowledgeWithin = async (tx: Tx, command: AcknowledgeCommand): Promise<Payment> => {
  const [payment] = await acknowledgeAt(tx, tx.now, [command])
  if (payment === undefined || payment instanceof Refusal) throw payment ?? new Error('no answer')
  return payment
}
