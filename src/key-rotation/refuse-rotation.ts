import type { Context } from '../context.ts'
import { Refusal } from '../domain/refusal.ts'
import { listKnownProcesses } from './read.ts'

/**
 * Refuses `invalid_state` where a rotation to the first key could not be finished: there is no other key, or a process that runs
 * seals with another one.
 */
export const refuseRotation = async (context: Context): Promise<void> => {
  const [first, ...others] = context.vault.keyIds
  if (others.length === 0) {
    throw new Refusal(
      'invalid_state',
      `This process has the key ${first} alone: put a new key before it in PAYIN_ENCRYPTION_KEYS (new:…,${first}:…), and restart the processes.`,
    )
  }
  const example = (await listKnownProcesses(context)).find(({ keyIds }) => keyIds?.[0] !== first)
  if (!example) return
  const has = example.keyIds ? `has the keys ${example.keyIds.join(', ')} in this order` : 'is of an older version'
  throw new Refusal(
    'invalid_state',
    `A process that runs (${example.name}, from ${example.host}) ${has}: restart it with the same PAYIN_ENCRYPTION_KEYS as this one (${context.vault.keyIds.join(', ')}), so that everything new is sealed with ${first}.`,
  )
}
