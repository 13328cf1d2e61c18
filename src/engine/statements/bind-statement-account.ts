import type { Tx } from '../context.ts'
import { type FieldError, forEachOf, invalid, invalidState, Refusal, refuseField } from '../../rules/refusal.ts'
import { plainAccount } from 'bank-files/pure'
import { accountSpellings } from '../../rules/statements/statement.ts'
import { formatInstant, type Instant, minute } from '../../rules/time.ts'
import { findWaitedBefore, listOpenings } from '../ledger/reconciliation/set-opening-balance.ts'
import { bindNumber, holdBindingsToChange } from '../requisites/bindings/binding.ts'
import { hasTransfers } from '../transfers/read.ts'
import { listBookedOn } from './account-numbers.ts'
import { findInState } from './store.ts'
import { findRequisitesByNumber, listBoundRequisites, listSharing, readCrediting } from '../requisites/read.ts'

type Bound = readonly { readonly requisiteId: string; readonly boundAt: Instant }[]

const refuse = (message: string): Refusal => refuseField('requisiteIds', message)

/** The clocks of two processes differ by less than this. */
const clockMarginMs = 5 * minute

/** An import reads its rows for the bindings at its start. */
const refuseWhileImporting = async (tx: Tx): Promise<void> => {
  const [importing] = await tx.query(findInState, { state: 'importing' })
  if (!importing) return
  throw invalidState(
    `Statement ${importing.id} is being imported for the accounts as they are bound now: bind the account once it is imported.`,
  )
}

const checkAlike = async (
  tx: Tx,
  bound: Bound,
  spellings: readonly string[],
  requisiteIds: readonly string[],
): Promise<void> => {
  const known = await readCrediting(tx, requisiteIds)
  if (requisiteIds.length === 0 || requisiteIds.some((id) => !known.has(id)))
    throw refuse('must name one or more requisites that exist: see payin requisites list.')
  if (new Set([...known.values()].map(({ currency }) => currency)).size > 1)
    throw refuse('has requisites in several currencies: name those of one currency.')
  // The first one's zone is that of the times in the account's files, and nobody sets the zone of live money alone.
  if (new Set([...known.values()].map(({ utcOffsetMinutes }) => utcOffsetMinutes)).size > 1)
    throw refuse('has requisites in several time zones: an account has one, so give them the same first.')
  const ofNumber = (await findRequisitesByNumber(tx, spellings)).map(({ id }) => id)
  const before = [...ofNumber, ...bound.map(({ requisiteId }) => requisiteId)]
  const modes = [...known, ...(await readCrediting(tx, before))].map(([, { mode }]) => mode)
  if (new Set(modes).size > 1)
    throw refuse(
      'has requisites of the sandbox and live ones, or this is or was the number of one: name those of one mode.',
    )
}

const checkFirst = async (tx: Tx, bound: Bound, spellings: readonly string[], first: string): Promise<void> => {
  // While nothing is bound, the money is booked on the requisites with this number, or one chosen for a file.
  const bookedOn =
    bound.length > 0
      ? bound.slice(0, 1).map((each) => each.requisiteId)
      : (await findRequisitesByNumber(tx, spellings)).map((each) => each.id)
  const chosen = await listBookedOn(tx, spellings)
  for (const former of [...bookedOn, ...chosen].filter((id) => id !== first)) {
    if (await hasTransfers(tx, [former])) {
      throw refuse(
        `must begin with ${former}: money of this account was booked on it, and would be counted again on another one. Withdraw its imports first, or put it first.`,
      )
    }
  }
}

const checkDropped = async (tx: Tx, bound: Bound, requisiteIds: readonly string[]): Promise<void> => {
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

/** Refuses to add a non-first requisite that has transfers: the account would report that money again. */
const checkAdded = async (tx: Tx, first: string, others: readonly string[]): Promise<void> => {
  const before = await listSharing(tx, [first, ...others])
  const added = others.filter((id) => before.get(id)?.[0] !== first)
  if (added.length > 0 && (await hasTransfers(tx, added)))
    throw refuse('has one after the first that already has transfers: put it first.')
}

/** Refuses requisites whose payments have waited since before the account's first day: its files leave that money out. */
const checkOpening = async (tx: Tx, first: string, requisiteIds: readonly string[]): Promise<void> => {
  const opening = (await listOpenings(tx, [first])).get(first)
  const waited = opening && (await findWaitedBefore(tx, requisiteIds, opening.beginsAt))
  if (opening && waited !== undefined)
    throw refuse(
      `has payments that waited for money since ${formatInstant(waited)}, before the opening balance of ${opening.day}: set that of an earlier day first.`,
    )
}

/** An account in statements, and the requisites that receive its money. */
type Binding = { readonly number: string; readonly requisiteIds: readonly string[] }

/** Binds an account, and returns its masked number. */
const bindAccount = async (tx: Tx, { number, requisiteIds }: Binding, by: string): Promise<string> => {
  const spellings = accountSpellings(number)
  const bound = await listBoundRequisites(tx, spellings)
  await checkAlike(tx, bound, spellings, requisiteIds)
  const [first = '', ...others] = requisiteIds
  await checkFirst(tx, bound, spellings, first)
  await checkDropped(tx, bound, requisiteIds)
  await checkAdded(tx, first, others)
  await checkOpening(tx, first, requisiteIds)
  const masked = await bindNumber(tx, number, requisiteIds, by)
  for (const [id, sharing] of await listSharing(tx, requisiteIds))
    if (sharing[0] !== first)
      throw refuse(`has ${id}, whose money is booked on another requisite: put that one first, or leave this one out.`)
  return masked
}

/**
 * Binds accounts of statements to requisites with other numbers, all or none, and returns them with masked numbers: the
 * money of each is booked on its first requisite, and pays the payments of all. Refuses `validation_failed`, also if
 * money would be counted again, and `invalid_state` during imports.
 */
export const bindStatementAccounts = async (tx: Tx, accounts: readonly Binding[], by: string): Promise<Binding[]> => {
  await holdBindingsToChange(tx)
  await refuseWhileImporting(tx)
  const seen = new Set<string>()
  return forEachOf('accounts', accounts, async (account) => {
    const { number, requisiteIds } = account
    const plain = accountSpellings(number).at(-1) ?? ''
    if (plainAccount(number) === '')
      throw refuseField(
        'number',
        'has no letters or digits: give the account number or IBAN as in the files of the bank.',
      )
    if (seen.has(plain)) throw refuseField('number', 'is there twice.')
    seen.add(plain)
    return { number: await bindAccount(tx, account, by), requisiteIds }
  })
}

/** Refuses new requisites with the number of an account whose money is booked on others: it would be counted again. */
export const refuseBookedNumbers = async (tx: Tx, added: readonly { readonly number: string }[]): Promise<void> => {
  const errors: FieldError[] = []
  for (const [index, { number }] of added.entries()) {
    const spellings = accountSpellings(number)
    if ((await listBoundRequisites(tx, spellings)).length > 0) continue
    const [booked] = await listBookedOn(tx, spellings)
    if (booked === undefined) continue
    const message = `is the number of an account whose money was booked on ${booked}: bind the account to that one first (payin statements bind).`
    errors.push(invalid(`requisites.${index}.number`, message))
  }
  if (errors.length > 0)
    throw new Refusal('validation_failed', 'The money of an account would be counted again; none was added.', {
      errors,
    })
}
