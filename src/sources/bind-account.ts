import type { Tx } from '../context.ts'
import { type Refusal, refuseField } from '../domain/refusal.ts'
import { accountSpellings, plainAccount } from '../domain/statement.ts'
import { bindNumber } from '../requisites/bind-number.ts'
import { findRequisitesByNumber } from '../requisites/find-requisites-by-number.ts'
import { listBoundRequisites } from '../requisites/list-bound-requisites.ts'
import { listSharing } from '../requisites/list-sharing.ts'
import { requisiteCurrencies } from '../requisites/requisite-currencies.ts'
import { hasTransfers } from '../transfers/has-transfers.ts'

const refuse = (message: string): Refusal => refuseField('validation_failed', 'requisiteIds', message)

/** The requisites on which the money of an account is booked as long as nothing else is bound. */
const bookedOn = async (tx: Tx, number: string): Promise<string[]> => {
  const spellings = accountSpellings(number)
  const [first] = await listBoundRequisites(tx, spellings)
  return first === undefined ? (await findRequisitesByNumber(tx, spellings)).map((each) => each.id) : [first]
}

/**
 * Makes the statements of an account those of requisites with other numbers; the account's money is booked on the first
 * of them, and pays the payments of all. Refuses `validation_failed`, also where money of the account is booked on another
 * one: behind this one it would be counted again.
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
  for (const former of (await bookedOn(tx, number)).filter((id) => id !== first)) {
    if (await hasTransfers(tx, [former])) {
      throw refuse(
        `must begin with ${former}: money of this account was booked on it, and would be counted again on another one. Undo its imports first, or put it first.`,
      )
    }
  }
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
