import type { Context } from '../context.ts'
import type { Queryable } from '../database/database.ts'
import { notificationBody, notificationKind } from '../domain/notification.ts'
import { lateUntil, type Payment } from '../domain/payment.ts'
import { insertPayments } from './store.ts'

/**
 * Inserts payments with their slots, first events and outbox rows, and returns the ids of those that are in. The others
 * lost their slot or their orderId to somebody else, and left nothing behind.
 */
export const insertNewPayments = async (
  { newId }: Pick<Context, 'newId'>,
  sql: Queryable,
  payments: readonly Payment[],
): Promise<Set<string>> => {
  if (payments.length === 0) return new Set()
  const column = <K extends keyof Payment>(key: K): Payment[K][] => payments.map((payment) => payment[key])
  const rows = await sql.query(insertPayments, {
    merchantId: column('merchantId'),
    id: column('id'),
    orderId: column('orderId'),
    type: column('type'),
    method: column('method'),
    sbpEnabled: column('sbpEnabled'),
    bankIssuer: column('bankIssuer'),
    transferScope: column('transferScope'),
    userId: column('userId'),
    userIdGiven: column('userIdGiven'),
    returnUrl: column('returnUrl'),
    locale: column('locale'),
    currency: column('currency'),
    amount: column('amount'),
    ratePrice: column('ratePrice'),
    rateCreatedAt: column('rateCreatedAt'),
    total: column('total'),
    requisiteId: column('requisiteId'),
    requisiteShown: column('requisiteShown'),
    terms: column('terms'),
    createdAt: column('createdAt'),
    expiredAt: column('expiredAt'),
    heldUntil: payments.map(lateUntil),
    outboxId: payments.map(() => newId()),
    outboxKind: notificationKind('new'),
    outboxBody: payments.map(notificationBody),
  })
  return new Set(rows.flatMap((row) => (row.inserted ? [row.id] : [])))
}
