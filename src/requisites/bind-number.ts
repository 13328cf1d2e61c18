import type { Tx } from '../context.ts'
import { maskNumber } from '../domain/masking.ts'
import { plainAccount } from '../domain/statement.ts'
import { accountLocation, renewAccount } from './renew-account.ts'
import { bindAccount } from './store.ts'

/** Binds an account's number to requisites in their order, and to no others any more; answers it masked. */
export const bindNumber = async (tx: Tx, number: string, requisiteIds: readonly string[]): Promise<string> => {
  const plain = plainAccount(number)
  await renewAccount(tx, plain)
  const numberIndex = tx.vault.blindIndex('statement-account', plain)
  const numberMasked = maskNumber(number)
  const rows = requisiteIds.map((requisiteId) => ({
    requisiteId,
    numberSealed: tx.vault.encrypt(plain, accountLocation(requisiteId)),
  }))
  await tx.query(bindAccount, { numberIndex, numberMasked, rows, now: tx.now })
  return numberMasked
}
