import type { Tx } from '../../context.ts'
import { lockAdding } from '../../database/lock-adding.ts'
import { maskNumber } from '../../domain/masking.ts'
import { Refusal } from '../../domain/refusal.ts'
import { bankCodeLength, plainAccount } from '../../domain/statement.ts'
import { claimNumbers } from '../../tenants/enter-keys.ts'
import { accountLocation, claimIndexes, renewAccount } from './renew-account.ts'
import { bindAccount, countLive } from './store.ts'

/** Claims the number as those of live requisites are: money on an account must not be recorded in two tenants. */
const claim = async (tx: Tx, indexes: readonly string[], requisiteIds: readonly string[]): Promise<void> => {
  const [live] = await tx.query(countLive, { ids: requisiteIds })
  if (live?.count === 0) return
  const [numberIndex = '', ...olderIndexes] = indexes
  if (olderIndexes.length > 0) await lockAdding(tx, 'account numbers')
  const foreign = await claimNumbers(tx, [{ numberIndex, olderIndexes }])
  if (foreign.length === 0) return
  throw new Refusal('already_exists', 'This number belongs to another tenant; nothing was bound.', {
    errors: [{ field: 'number', code: 'already_exists', message: 'belongs to another tenant.' }],
  })
}

/**
 * Binds an account's number to requisites in their order, and to no others any more; answers it masked. Refuses
 * `already_exists` where the number belongs to another tenant.
 */
export const bindNumber = async (tx: Tx, number: string, requisiteIds: readonly string[]): Promise<string> => {
  const plain = plainAccount(number)
  const bankCode = bankCodeLength(number)
  const indexes = claimIndexes(tx.vault, { number: plain, bankCodeLength: bankCode })
  await claim(tx, indexes, requisiteIds)
  await renewAccount(tx, plain)
  const numberIndex = tx.vault.blindIndex('statement-account', plain)
  const numberMasked = maskNumber(number)
  const rows = requisiteIds.map((requisiteId) => ({
    requisiteId,
    numberSealed: tx.vault.encrypt(plain, accountLocation(requisiteId)),
  }))
  const [claimIndex = ''] = indexes
  await tx.query(bindAccount, { numberIndex, numberMasked, bankCodeLength: bankCode, claimIndex, rows, now: tx.now })
  return numberMasked
}
