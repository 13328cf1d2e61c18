import type { Tx } from '../context.ts'
import { Refusal } from '../domain/refusal.ts'
import { holdBindingsToChange } from '../requisites/hold-bindings.ts'
import { bindAccount } from './sources/bind-account.ts'
import { findImporting } from './store.ts'

/**
 * Binds the account of statements to requisites, see `bindAccount`. Refuses `invalid_state` while a statement is imported:
 * its rows were read for the bindings of before.
 */
export const bindStatementAccount = async (
  tx: Tx,
  number: string,
  requisiteIds: readonly string[],
): Promise<{ readonly masked: string }> => {
  await holdBindingsToChange(tx)
  const [importing] = await tx.query(findImporting, {})
  if (importing) {
    throw new Refusal(
      'invalid_state',
      `Statement ${importing.id} is being imported for the accounts as they are bound now; bind again when it has ended.`,
    )
  }
  return bindAccount(tx, number, requisiteIds)
}
