import type { Context } from '../context.ts'
import { day } from '../domain/time.ts'
import { deleteDeliveries } from './store.ts'

/** Most deliveries of an endpoint that one round deletes. */
const batchSize = 500

/** Deletes deliveries and their attempts that are older than the settings keep them; events stay. */
export const cleanDeliveries = async (context: Context): Promise<number> => {
  const before = context.clock() - context.settings.notificationRetentionDays * day
  const [row] = await context.query(deleteDeliveries, { before, limit: batchSize })
  return Number(row?.deleted ?? 0)
}
