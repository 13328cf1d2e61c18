import type { Tx } from '../../context.ts'
import type { Queryable } from '../../database/database.ts'
import type { PaymentKey } from '../read.ts'
import { deleteHistories, lockPayments, readHistories } from '../store.ts'

/** The events and acknowledgements of payments, as the database's JSON; in no order. */
export const readPaymentHistories = (sql: Queryable, keys: readonly PaymentKey[]) =>
  sql.query(readHistories, { rows: keys })

/** Locks payments, so that nothing happens to them until the transaction ends. */
export const lockHistories = async (tx: Tx, keys: readonly PaymentKey[]): Promise<void> => {
  await tx.query(lockPayments, { rows: keys })
}

/** Deletes the events and acknowledgements of archived payments; returns how many. */
export const deletePaymentHistories = async (
  tx: Tx,
  keys: readonly PaymentKey[],
): Promise<{ readonly events: number; readonly acknowledgements: number }> =>
  (await tx.query(deleteHistories, { rows: keys }))[0] ?? { events: 0, acknowledgements: 0 }
