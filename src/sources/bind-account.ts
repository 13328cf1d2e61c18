import type { Tx } from '../context.ts'
import { type Refusal, refuseField } from '../domain/refusal.ts'
import { plainAccount } from '../domain/statement.ts'
import { bindNumber } from '../requisites/bind-number.ts'
import { listSharing } from '../requisites/list-sharing.ts'
import { requisiteCurrencies } from '../requisites/requisite-currencies.ts'
import { hasTransfers } from '../transfers/has-transfers.ts'

const refuse = (message: string): Refusal => refuseField('validation_failed', 'requisiteIds', message)

/**
 * Makes the statements of an account those of requisites with other numbers; the account's money is booked on the first
 * of them, and pays the payments of all. Refuses `validation_failed`.
 */
export const bindAccount = async (
  tx: Tx,
  number: string,
  requisiteIds: readonly string[],
): Promise<{ readonly masked: string }> => {
  if (plainAccount(number) === '') throw refuseField('validation_failed', 'number', 'has no letters and digits.')
  const [first, ...others] = [...new Set(requisiteIds)]
  const currencies = await requisiteCurrencies(tx, requisiteIds)
  if (first === undefined || requisiteIds.some((id) => !currencies.has(id)))
    throw refuse('has one that is not a known requisite.')
  if (new Set(currencies.values()).size > 1) throw refuse('has requisites of several currencies.')
  const before = await listSharing(tx, requisiteIds)
  // What was booked on one of its own would be counted again when the account reports it.
  const fresh = others.filter((id) => before.get(id)?.[0] !== first)
  if (fresh.length > 0 && (await hasTransfers(tx, fresh)))
    throw refuse('has one besides the first that money was reported for already: put it first.')
  const masked = await bindNumber(tx, number, [first, ...others])
  for (const [id, sharing] of await listSharing(tx, requisiteIds))
    if (sharing[0] !== first) throw refuse(`has ${id}, whose money is booked on another requisite.`)
  return { masked }
}
