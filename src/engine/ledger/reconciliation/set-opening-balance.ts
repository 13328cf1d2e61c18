import type { Agreeing, Tx } from '../../context.ts'
import type { Queryable } from 'payin-database'
import { endOfDay, postOpening } from '../../../rules/money/reconciliation.ts'
import { forEachOf, Refusal, refuseField, requireRow } from '../../../rules/refusal.ts'
import { day as dayMs, formatInstant, type Instant } from '../../../rules/time.ts'
import { postEntries } from '../post-entries.ts'
import {
  findBankDay,
  findMovementBefore,
  findPaymentBefore,
  insertOpeningBalance,
  lockOpeningBalance,
  moveOpeningBalance,
  proposeOpeningBalance,
  selectOpening,
  selectOpenings,
} from './store.ts'

/** What an account held at the beginning of the first day whose transfers are recorded; `balance` in minor units. */
type NewOpeningBalance = Pick<Known, 'requisiteId' | 'day' | 'currency' | 'balance' | 'reason' | 'setBy'> & {
  /** All requisites of the account, that on which its money is booked first. */
  readonly sharing: readonly string[]
}

type Known = ReturnType<typeof lockOpeningBalance.decode>

const refuseDay = (message: string): Refusal => refuseField('day', message)

/** When a payment has waited for money before a time, whose bank may still report it; else `undefined`. */
export const findWaitedBefore = async (
  tx: Tx,
  requisiteIds: readonly string[],
  before: Instant,
): Promise<Instant | undefined> => {
  for (const requisiteId of requisiteIds) {
    const [payment] = await tx.query(findPaymentBefore, { requisiteId, before })
    if (payment) return payment.takenAt
  }
  return undefined
}

/** Refuses a day if money was recorded before it, or a payment waited for money before it. */
const checkEarlier = async (tx: Tx, sharing: readonly string[], before: Instant): Promise<void> => {
  for (const requisiteId of sharing) {
    const [money] = await tx.query(findMovementBefore, { requisiteId, before })
    if (money) throw refuseDay(`is after money of ${formatInstant(money.bookedAt)}, which is here.`)
  }
  const waited = await findWaitedBefore(tx, sharing, before)
  if (waited !== undefined)
    throw refuseDay(
      `is after ${formatInstant(waited)}, when a payment waited for money on it: name that day or an earlier one.`,
    )
}

/**
 * Whether a balance may be set: one below zero hides money that is missing from the account, and so may one that replaces
 * that of a later day, whatever moved between the days. Where two people move money, another operator than the one who
 * proposed it sets the same; until then it is noted.
 */
const isAgreed = async (tx: Tx, known: Known, wanted: NewOpeningBalance, second: Agreeing): Promise<boolean> => {
  const { proposedBy } = known
  if (proposedBy === null || proposedBy === wanted.setBy || !isProposed(known, wanted)) {
    await tx.query(proposeOpeningBalance, wanted)
    return false
  }
  await second.refuseOnePerson(tx, proposedBy)
  return true
}

const isProposed = ({ proposedDay, proposedBalance }: Known, { day, balance }: NewOpeningBalance): boolean =>
  proposedDay === day && proposedBalance === balance

/** Whether it is set; else it is proposed. */
const setOpeningBalance = async (tx: Tx, wanted: NewOpeningBalance, second: Agreeing): Promise<boolean> => {
  const { requisiteId, currency, balance, day, sharing } = wanted
  if (sharing[0] !== requisiteId)
    throw refuseField('requisiteId', `shares its account: its money is booked on ${sharing[0]}.`)
  const bank = requireRow(await tx.query(findBankDay, { requisiteId }), 'requisite')
  if (bank.currency !== currency) {
    throw refuseField('currency', `must be ${bank.currency}, the requisite's.`)
  }
  const endsAt = endOfDay(day, bank.utcOffsetMinutes, tx.now)
  if (endsAt === undefined) throw refuseDay('is not a day that has begun.')
  const beginsAt = endsAt - dayMs
  await checkEarlier(tx, sharing, beginsAt)
  const opening = { ...wanted, beginsAt, setAt: tx.now }
  const isNew = (await tx.query(insertOpeningBalance, { ...opening, balance: 0n })).length > 0
  const [known] = await tx.query(lockOpeningBalance, { requisiteId })
  if (!known) throw new Error(`the opening balance of ${requisiteId} is unknown`)
  if (known.balance === balance && known.day === day) return true
  if (!isNew && known.beginsAt <= beginsAt && known.proposedDay !== day)
    throw new Refusal(
      'already_exists',
      `The opening balance of this requisite is already set for ${known.day}. An earlier day may replace it; to correct it, use an adjustment.`,
    )
  const mayHide = !isNew || balance < 0n
  if (mayHide && second.needsSecond && !(await isAgreed(tx, known, wanted, second))) return false
  await tx.query(moveOpeningBalance, opening)
  const change = balance - known.balance
  if (change !== 0n) await postEntries(tx, [[postOpening(wanted, change)]])
  return true
}

/**
 * Sets what accounts held before their first day here, so that the ledger agrees with the bank: all or none. Repeating it
 * changes nothing; an earlier day with its balance replaces the one that was set. That, or a balance below zero, waits
 * for another operator who sets the same: its answer is false. Refuses `resource_not_found`, `validation_failed`,
 * `second_person_required` and, if another balance was set for this day or an earlier one, `already_exists`.
 */
export const setOpeningBalances = async (
  tx: Tx,
  wanted: readonly NewOpeningBalance[],
  second: Agreeing,
): Promise<boolean[]> => {
  const seen = new Set<string>()
  return forEachOf('balances', wanted, async (each) => {
    if (seen.has(each.requisiteId)) throw refuseField('requisiteId', 'is there twice.')
    seen.add(each.requisiteId)
    return setOpeningBalance(tx, each, second)
  })
}

/**
 * Refuses `validation_failed` for movements booked before the opening balance of their account: it already contains
 * their money. `field` is their name in the request.
 */
export const refuseBeforeOpening = async (
  tx: Tx,
  movements: readonly { readonly requisiteId: string; readonly bookedAt: Instant; readonly field: string }[],
): Promise<void> => {
  const openings = await listOpenings(
    tx,
    movements.map((each) => each.requisiteId),
  )
  const errors = movements.flatMap(({ requisiteId, bookedAt, field }) => {
    const opening = openings.get(requisiteId)
    if (!opening || bookedAt >= opening.beginsAt) return []
    const message = `is before the opening balance of ${opening.day}, which has this money: set the balance of an earlier day first.`
    return [{ field, code: 'validation_failed', message }]
  })
  if (errors.length > 0)
    throw new Refusal('validation_failed', 'Some money was booked before an opening balance; nothing was recorded.', {
      errors,
    })
}

/** The first day of an account here: money that its bank booked before is in the opening balance. */
export type Opening = Omit<ReturnType<typeof selectOpenings.decode>, 'requisiteId'>

/** The first days of accounts, by their requisites; accounts without an opening balance are left out. */
export const listOpenings = async (
  sql: Queryable,
  requisiteIds: readonly string[],
): Promise<ReadonlyMap<string, Opening>> => {
  if (requisiteIds.length === 0) return new Map()
  const rows = await sql.query(selectOpenings, { requisiteIds: [...new Set(requisiteIds)] })
  return new Map(rows.map(({ requisiteId, ...opening }) => [requisiteId, opening]))
}

/** What an account held before its first day here; `undefined` if it was never set. */
export const findOpeningBalance = async (sql: Queryable, requisiteId: string) =>
  (await sql.query(selectOpening, { requisiteId }))[0]
