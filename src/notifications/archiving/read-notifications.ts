import type { Tx } from '../../context.ts'
import type { Queryable } from '../../database/database.ts'
import { deleteNotified, readNotified } from '../store.ts'

type Keys = readonly { readonly merchantId: string; readonly paymentId: string }[]

/** The notifications about payments, as the database's JSON; in no order. */
export const readNotifications = (sql: Queryable, keys: Keys) => sql.query(readNotified, { rows: keys })

/** Deletes the notifications about archived payments; returns how many. */
export const deleteNotifications = async (tx: Tx, keys: Keys): Promise<number> =>
  (await tx.query(deleteNotified, { rows: keys }))[0]?.notifications ?? 0
