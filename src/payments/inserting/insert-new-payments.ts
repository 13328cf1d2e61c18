import type { Queryable } from '../../database/database.ts'
import { lateUntil, type Payment } from '../../domain/payment.ts'
import { termsId } from '../terms-now.ts'
import { insertPayment, insertPayments } from './store.ts'

const insertSet = (
  sql: Queryable,
  rows: readonly Parameters<typeof insertPayment.encode>[0][],
): Promise<{ id: string }[]> => {
  const shared = new Map(rows.map((row) => [row.termsId, row.terms]))
  return sql.query(insertPayments, { sharedIds: [...shared.keys()], sharedTerms: [...shared.values()], rows })
}

/**
 * Inserts payments with their slots and first events, and returns the ids of those that are in. The others lost their slot
 * or their orderId to another payment, or with `isSole` their requisite, and wrote nothing. Nobody is notified: who asked
 * for a payment has it in the answer.
 */
export const insertNewPayments = async (
  sql: Queryable,
  payments: readonly { readonly payment: Payment; readonly isSole: boolean }[],
): Promise<ReadonlySet<string>> => {
  const rows = payments.map(({ payment, isSole }) => ({
    ...payment,
    ...{ termsId: termsId(payment.terms), isSole, heldUntil: lateUntil(payment) },
  }))
  const [first] = rows
  if (!first) return new Set()
  const inserted = rows.length === 1 ? await sql.query(insertPayment, first) : await insertSet(sql, rows)
  return new Set(inserted.map(({ id }) => id))
}
