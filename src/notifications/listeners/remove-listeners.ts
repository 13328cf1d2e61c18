import type { Context } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import { removeEndpoint } from '../endpoints/remove-endpoint.ts'
import { selectSilentListeners } from './store.ts'

const batchSize = 100

/** Removes listeners that have not been heard of for too long; returns how many. */
export const removeListeners = async (context: Context): Promise<number> => {
  const silent = await context.query(selectSilentListeners, { now: context.clock(), limit: batchSize })
  for (const { merchantId, id } of silent) {
    try {
      await context.transaction((tx) => removeEndpoint(tx, merchantId, id, 'operator'))
    } catch (error) {
      // Its program has removed it meanwhile.
      if (!(error instanceof Refusal)) throw error
    }
  }
  return silent.length
}
