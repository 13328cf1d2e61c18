import type { Context } from '../context.ts'
import { day } from '../domain/time.ts'
import { forgetAddressIndexes } from './store.ts'

/** Most uses of one round. */
const batchSize = 1000

/** Removes the hashes of payers' addresses from uses that are older than any payment may be unpaid; returns how many. */
export const forgetAddresses = async (context: Context): Promise<number> =>
  (await context.query(forgetAddressIndexes, { before: context.clock() - 2 * day, limit: batchSize })).length
