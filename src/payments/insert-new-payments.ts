import type { Context } from '../context.ts'
import type { Queryable } from '../database/database.ts'
import { notificationBody, notificationKind } from '../domain/notification.ts'
import { lateUntil, type Payment } from '../domain/payment.ts'
import { insertPayments } from './store.ts'

/**
 * Inserts payments with their slots, first events and outbox rows, and returns the ids of those that are in. The others
 * lost their slot or their orderId to another payment, or with `isSole` their requisite, and wrote nothing.
 */
export const insertNewPayments = async (
  { newId }: Pick<Context, 'newId'>,
  sql: Queryable,
  payments: readonly { readonly payment: Payment; readonly isSole: boolean }[],
): Promise<ReadonlySet<string>> => {
  if (payments.length === 0) return new Set()
  const rows = await sql.query(insertPayments, {
    outboxKind: notificationKind('new'),
    rows: payments.map(({ payment, isSole }) => ({
      ...payment,
      isSole,
      heldUntil: lateUntil(payment),
      outboxId: newId(),
      outboxBody: notificationBody(payment),
    })),
  })
  return new Set(rows.flatMap((row) => (row.inserted ? [row.id] : [])))
}
