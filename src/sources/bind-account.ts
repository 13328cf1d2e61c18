import type { Tx } from '../context.ts'
import { maskNumber } from '../domain/masking.ts'
import { refuseField } from '../domain/refusal.ts'
import { plainAccount } from '../domain/statement.ts'
import { requisiteCurrencies } from '../requisites/requisite-currencies.ts'
import { upsertAccount } from './store.ts'

/** Makes the statements of an account those of a requisite with another number; refuses `validation_failed`. */
export const bindAccount = async (
  tx: Tx,
  number: string,
  requisiteId: string,
): Promise<{ readonly masked: string }> => {
  const plain = plainAccount(number)
  if (plain === '') throw refuseField('validation_failed', 'number', 'has no letters and digits.')
  if (!(await requisiteCurrencies(tx, [requisiteId])).has(requisiteId))
    throw refuseField('validation_failed', 'requisiteId', 'is not a known requisite.')
  const numberIndex = tx.vault.blindIndex('statement-account', plain)
  const numberMasked = maskNumber(number)
  await tx.query(upsertAccount, { numberIndex, numberMasked, requisiteId, at: tx.now })
  return { masked: numberMasked }
}
