import type { Tx } from '../context.ts'
import { maskNumber } from '../domain/masking.ts'
import { plainAccount } from '../domain/statement.ts'
import { bindAccount } from './store.ts'

/** Binds an account's number to requisites in their order, and to no others any more; answers it masked. */
export const bindNumber = async (tx: Tx, number: string, requisiteIds: readonly string[]): Promise<string> => {
  const numberIndex = tx.vault.blindIndex('statement-account', plainAccount(number))
  const numberMasked = maskNumber(number)
  await tx.query(bindAccount, { numberIndex, numberMasked, requisiteIds, now: tx.now })
  return numberMasked
}
