import type { Tx } from '../../context.ts'
import { type Refusal, refuseField } from '../../domain/refusal.ts'
import { accountSpellings, plainAccount } from '../../domain/statement.ts'
import { type Instant, minute } from '../../domain/time.ts'
import { bindNumber } from '../../requisites/bind-number.ts'
import { findRequisitesByNumber, listBoundRequisites, listSharing, requisiteCurrencies } from '../../requisites/read.ts'
import { hasTransfers } from '../../transfers/has-transfers.ts'

const refuse = (message: string): Refusal => refuseField('validation_failed', 'requisiteIds', message)

/** Clocks of two processes differ by less. */
const clockMarginMs = 5 * minute

/**
 * Refuses to take requisites away behind the first one once money was booked on it: what came by way of one of them would
 * be counted again when it is reported once more.
 */
const checkDropped = async (
  tx: Tx,
  bound: readonly { readonly requisiteId: string; readonly boundAt: Instant }[],
  requisiteIds: readonly string[],
): Promise<void> => {
  const [first, ...others] = bound
  if (!first) return
  for (const { requisiteId, boundAt } of others.filter((each) => !requisiteIds.includes(each.requisiteId))) {
    if (await hasTransfers(tx, [first.requisiteId], boundAt - clockMarginMs)) {
      throw refuse(
        `must keep ${requisiteId}: money was booked on ${first.requisiteId} since both share this account, and what was reported for ${requisiteId} would be counted again.`,
      )
    }
  }
}

/**
 * Makes the statements of an account those of requisites with other numbers; the account's money is booked on the first
 * of them, and pays the payments of all. Refuses `validation_failed`, also where money of the account is booked on another
 * one, or one is left out that money may have come by: it would be counted again. Bindings must be held to be changed.
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
  const spellings = accountSpellings(number)
  const bound = await listBoundRequisites(tx, spellings)
  // As long as nothing is bound, the money is booked on the requisites with this number.
  const bookedOn =
    bound.length > 0
      ? bound.slice(0, 1).map((each) => each.requisiteId)
      : (await findRequisitesByNumber(tx, spellings)).map((each) => each.id)
  for (const former of bookedOn.filter((id) => id !== first)) {
    if (await hasTransfers(tx, [former])) {
      throw refuse(
        `must begin with ${former}: money of this account was booked on it, and would be counted again on another one. Undo its imports first, or put it first.`,
      )
    }
  }
  await checkDropped(tx, bound, requisiteIds)
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
