import type { Queryable } from '../database/database.ts'
import { lateUntil, type Payment } from '../domain/payment.ts'
import { termsId } from './terms-now.ts'
import { insertPayments } from './store.ts'

/**
 * Inserts payments with their slots and first events, and returns the ids of those that are in. The others lost their slot
 * or their orderId to another payment, or with `isSole` their requisite, and wrote nothing. Nobody is notified: who asked
 * for a payment has it in the answer.
 */
export const insertNewPayments = async (
  sql: Queryable,
  payments: readonly { readonly payment: Payment; readonly isSole: boolean }[],
): Promise<ReadonlySet<string>> => {
  if (payments.length === 0) return new Set()
  const shared = new Map(payments.map(({ payment: { terms } }) => [termsId(terms), terms]))
  const rows = await sql.query(insertPayments, {
    sharedIds: [...shared.keys()],
    sharedTerms: [...shared.values()],
    rows: payments.map(({ payment, isSole }) => ({
      ...payment,
      ...{ termsId: termsId(payment.terms), isSole, heldUntil: lateUntil(payment) },
    })),
  })
  return new Set(rows.map(({ id }) => id))
}
