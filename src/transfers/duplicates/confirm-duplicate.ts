import type { Tx } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import { ignoreTransfer } from '../ignore-transfer.ts'
import { lockTransfer, type TransferKey } from '../lock-transfer.ts'
import type { Decider } from '../write-parts.ts'

/**
 * Says that a transfer that waits as a possible duplicate is the same money as the one that it names: it leaves the
 * ledger. Refuses `resource_not_found`, and `invalid_state` for one that does not wait so.
 */
export const confirmDuplicate = async (tx: Tx, key: TransferKey, decider: Decider): Promise<void> => {
  const { duplicateOf, parts } = await lockTransfer(tx, key)
  if (duplicateOf === null || parts.some(({ kind }) => kind !== 'suspense'))
    throw new Refusal('invalid_state', 'The transfer does not wait as a possible duplicate.')
  await ignoreTransfer(tx, key, decider)
}
