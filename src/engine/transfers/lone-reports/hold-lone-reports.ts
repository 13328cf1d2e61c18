import type { Tx } from '../../context.ts'
import { lockAdding } from 'payin-database'
import { amountDigits, maxMinor, oneUsdt } from '../../../rules/values/currency.ts'
import { Refusal } from '../../../rules/refusal.ts'
import {
  isPhoneReporter,
  type LoneReport,
  needsSecondPerson,
  secondPersonWindow,
} from '../../../rules/money/settlement.ts'
import { day, type Instant } from '../../../rules/time.ts'
import { messageChannel } from '../../../rules/transfers/channel.ts'
import { openWorth } from '../../merchants/rates/rate.ts'
import { isReal } from '../../requisites/read.ts'
import { isReportedAlone, type LockedTransfer } from '../transfer-parts.ts'
import { findCalledSeparate, markSecondPerson, noteLoneReport, sumLoneReports } from './store.ts'

/** A bound in words; settings give it in whole units. */
export const printBound = ({ above }: Pick<LoneReport, 'above'>): string => `${above / oneUsdt} USDT`

type Money = { readonly currency: string; readonly amount: bigint }

/** A bound, what came before, and which money it is the bound of. */
type Bound<Each> = {
  readonly above: bigint
  readonly before: readonly Money[]
  readonly covers: (each: Each) => boolean
}

/**
 * Which money is beyond one of some bounds, each with the first such bound. Money beyond one bound counts towards none. What
 * has no price is beyond any, because its worth is unknown.
 */
const findBeyondBounds = async <Each extends Money>(
  tx: Tx,
  bounds: readonly Bound<Each>[],
  money: readonly Each[],
): Promise<Map<Each, Bound<Each>>> => {
  const worth = openWorth(tx)
  const used = bounds.map((bound) => ({ bound, lately: 0n }))
  for (const each of used) for (const came of each.bound.before) each.lately += (await worth(came)) ?? 0n
  const beyond = new Map<Each, Bound<Each>>()
  for (const each of money) {
    const amount = await worth(each)
    const own = used.filter(({ bound }) => bound.covers(each))
    const reached = own.find(
      ({ bound: { above }, lately }) => amount === undefined || needsSecondPerson(amount, { above, lately }),
    )
    if (reached) beyond.set(each, reached.bound)
    else for (const one of own) one.lately += amount ?? 0n
  }
  return beyond
}

/** Which money is beyond the bound, after what came `before`; what has no price is, because its worth is unknown. */
export const findBeyond = async <Each extends Money>(
  tx: Tx,
  above: bigint,
  before: readonly Money[],
  money: readonly Each[],
): Promise<Each[]> => [...(await findBeyondBounds(tx, [{ above, before, covers: () => true }], money)).keys()]

/**
 * What an operator alone, or a phone, has reported within 24 hours, but for some transfers; waits for the same one's other
 * reports. What a phone may not credit does not count: anybody can forge a message.
 */
const sumLately = async (
  tx: Tx,
  { by }: LoneReport,
  others: readonly string[],
  requisiteId: string | null = null,
): Promise<readonly Money[]> => {
  await lockAdding(tx, `reports of ${by}`)
  const window = secondPersonWindow(tx.now)
  return tx.query(sumLoneReports, { by, ...window, others, countsHeld: !isPhoneReporter(by), requisiteId })
}

/**
 * Whether money goes, with what the same one reported lately, beyond the bound. It is read when the other reports of
 * the same one have ended. What has no price counts only if nothing holds it later.
 */
export const isBeyondBound = async (
  tx: Tx,
  lone: LoneReport,
  readMoney: () => Promise<readonly (Money & { readonly isHeld: boolean })[]>,
): Promise<boolean> => {
  const before = await sumLately(tx, lone, [])
  const worth = openWorth(tx)
  const counted: Money[] = []
  for (const each of await readMoney()) if (!each.isHeld || (await worth(each)) !== undefined) counted.push(each)
  return (await findBeyond(tx, lone.above, before, counted)).length > 0
}

type Named = Money & { readonly requisiteId: string; readonly id: string }

/**
 * Whether that a possible duplicate is separate money stands on a word that counts already: of the operator who now
 * decides and has reported it, or of one who has called it so. Calling separate what another one has reported counts
 * for nobody.
 */
export const isCalledSeparate = async (tx: Tx, transfer: LockedTransfer, actor: string): Promise<boolean> => {
  const { requisiteId, id, reportedBy } = transfer
  if (reportedBy === null || reportedBy === actor) return reportedBy !== null
  const by = isReportedAlone(transfer) ? [reportedBy] : [reportedBy, actor]
  return (await tx.query(findCalledSeparate, { requisiteId, id, by })).length > 0
}

/**
 * Notes that what may be done with a transfer stands on an operator's word alone: that a possible duplicate is separate
 * money, or that ignored money is not. Returns whether it goes beyond the bound. Nothing is noted of simulated money.
 */
export const noteLoneWord = async (tx: Tx, lone: LoneReport, transfer: Named): Promise<boolean> => {
  const { requisiteId, id } = transfer
  if (!(await isReal(tx, requisiteId))) return false
  const isBeyond = (await findBeyond(tx, lone.above, await sumLately(tx, lone, [id]), [transfer])).length > 0
  await tx.query(noteLoneReport, { requisiteId, id, reportedBy: lone.by, reportedAloneAt: tx.now })
  if (isBeyond) await tx.query(markSecondPerson, { rows: [{ requisiteId, id, secondPerson: true }] })
  return isBeyond
}

/** Older money may pay payments that were created before the prices by which its bound is measured. */
const oldestDayMs = 30 * day

const describe = (by: string, why: string): string =>
  isPhoneReporter(by)
    ? `reported only by a message on a phone, ${why}: a statement or an operator decides`
    : `reported by ${by.replace(/^operator:/, '')} alone, ${why}: another operator decides`

/**
 * What waits for another operator is in the books, too, whose accounts have room for a thousand of the largest amounts. Of
 * messages on phones, each is bounded instead: anybody can forge many.
 */
const refuseTooMuch = (money: readonly Money[]): void => {
  for (const [currency, each] of Map.groupBy(money, (one) => one.currency))
    if (each.reduce((sum, { amount }) => sum + amount, 0n) > maxMinor)
      throw new Refusal(
        'amount_above_max',
        `One operator alone reports at most ${amountDigits(maxMinor, currency)} ${currency} within 24 hours. Nothing was recorded.`,
      )
}

type Reported = Named & {
  readonly bookedAt: Instant
  readonly earliestAt?: Instant | null
  /** All requisites of the account; the money is booked on the first one. */
  readonly sharing?: readonly string[]
  readonly channel?: string | null
}

/** The bounds of the accounts on which money is new, of whose requisites the smallest counts. */
const boundsOnRequisites = async (tx: Tx, lone: LoneReport, added: readonly Reported[]): Promise<Bound<Reported>[]> => {
  const { onRequisites = new Map() } = lone
  if (onRequisites.size === 0) return []
  const others = added.map(({ id }) => id)
  const bounds: Bound<Reported>[] = []
  for (const [requisiteId, own] of Map.groupBy(added, (each) => each.requisiteId)) {
    const account = new Set(own.flatMap(({ sharing = [] }) => [requisiteId, ...sharing]))
    const [above] = [...account].flatMap((id) => onRequisites.get(id) ?? []).toSorted((a, b) => (a < b ? -1 : 1))
    if (above === undefined) continue
    const before = await sumLately(tx, lone, others, requisiteId)
    bounds.push({ above, before, covers: (each) => each.requisiteId === requisiteId })
  }
  return bounds
}

/**
 * Marks transfers beyond a bound, or of too old a day, for another operator; returns why, by their ids. Refuses
 * `amount_above_max`.
 */
export const holdLoneReports = async (
  tx: Tx,
  lone: LoneReport,
  added: readonly Reported[],
): Promise<ReadonlyMap<string, string>> => {
  const before = await sumLately(
    tx,
    lone,
    added.map(({ id }) => id),
  )
  const typed = added.filter(({ channel }) => channel !== messageChannel)
  if (typed.length > 0) refuseTooMuch([...before, ...typed])
  const whole = { above: lone.above, before, covers: () => true }
  const beyond = await findBeyondBounds(tx, [whole, ...(await boundsOnRequisites(tx, lone, added))], added)
  const isOld = ({ bookedAt, earliestAt }: Reported): boolean => (earliestAt ?? bookedAt) < tx.now - oldestDayMs
  const held = added.filter((each) => beyond.has(each) || isOld(each))
  if (held.length === 0) return new Map()
  await tx.query(markSecondPerson, { rows: held.map((each) => ({ ...each, secondPerson: true })) })
  const who = isPhoneReporter(lone.by) ? 'which' : 'who'
  const why = (each: Reported): string => {
    if (isOld(each)) return 'for a day more than 30 days ago'
    const bound = beyond.get(each) ?? whole
    if (bound !== whole) return `${who} may report ${printBound(bound)} on this account within 24 hours`
    return lone.because ?? `${who} may report ${printBound(lone)} within 24 hours`
  }
  return new Map(held.map((each) => [each.id, describe(lone.by, why(each))]))
}
