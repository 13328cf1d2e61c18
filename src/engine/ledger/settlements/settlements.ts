import type { Context, Tx } from '../../context.ts'
import { lockAdding, reader } from 'payin-database'
import { printDestination, refuseOtherCurrency } from '../../../rules/money/destination.ts'
import type { MerchantSettings } from '../../../rules/merchants/merchant.ts'
import { account } from '../../../rules/money/ledger.ts'
import { invalidState, Refusal, refuseField, requireRow } from '../../../rules/refusal.ts'
import { showAmount } from '../../../rules/values/currency.ts'
import {
  type AloneBound,
  needsSecondPerson,
  newSettlement,
  postSettlement,
  refuseRequest,
  settledAmount,
  type Settlement,
  type SettlementStep,
  refuseUncovered,
  scheduledReference,
  secondPersonWindow,
  takeSettlementStep,
} from '../../../rules/money/settlement.ts'
import { openWorth } from '../../merchants/rates/rate.ts'
import { enqueueSettlement } from '../../notifications/enqueue-notifications.ts'
import { holdDestination } from '../destinations/destinations.ts'
import { postEntries } from '../post-entries.ts'
import { lockOwed, readUnproven } from '../read.ts'
import {
  findBookedPayout,
  findOtherDebt,
  findSettlement,
  findSettlementByPayout,
  findSettlementByReference,
  findSettlementsByTyped,
  insertSettlement,
  insertSettlementEvent,
  listRequested,
  listSettlementEvents,
  lockSettlement,
  selectOwnSum,
  selectSettlements,
  sumRequested,
  updateSettlement,
} from './store.ts'

/** A settlement with its events in order; refuses `resource_not_found`. */
export const getSettlement = async (context: Pick<Context, 'query'>, merchantId: string, id: string) => {
  const settlement = requireRow(await context.query(findSettlement, { merchantId, id }), 'settlement')
  return { settlement, events: await context.query(listSettlementEvents, { merchantId, settlementId: id }) }
}

/** Settlements of a merchant or of all of a mode, the newest first, from before an id. */
export const listSettlements = reader(selectSettlements)

/** The settlements that a merchant has asked for and nobody has approved. */
export const listRequestedSettlements = reader(listRequested)

type Money = Pick<Settlement, 'currency' | 'amount'>

/**
 * Locks a settlement to which outgoing money may be booked: in its own currency its whole amount, once. Refuses
 * `resource_not_found`, and `invalid_state`, also before its approval.
 */
export const lockPayableSettlement = async (
  tx: Tx,
  key: { readonly merchantId: string; readonly id: string },
  sent: Money,
): Promise<Settlement> => {
  const settlement = requireRow(await tx.query(lockSettlement, key), 'settlement')
  const { id, status, currency, amount, reference } = settlement
  if (status !== 'approved' && status !== 'paid')
    throw invalidState(`The settlement is ${status}: no money can be sent for it.`)
  if (sent.currency !== currency) return settlement
  if (sent.amount !== amount)
    throw invalidState(`${reference} is of ${showAmount(amount, currency)}: this money was for something else.`)
  const [payout] = await tx.query(findBookedPayout, { id })
  if (payout) throw invalidState(`The outgoing transfer ${payout.id} is booked to ${reference} already.`)
  return settlement
}

/** Excludes every other step of a settlement until the transaction ends. */
export const holdSettlement = async (tx: Tx, key: { readonly merchantId: string; readonly id: string }) => {
  await tx.query(lockSettlement, key)
}

/** Outgoing money that may be booked to a settlement is to be unbooked: if it paid the settlement, that is approved again. */
export const unproveSettlement = async (
  tx: Tx,
  key: { readonly merchantId: string; readonly id: string },
  actor: string,
): Promise<void> => {
  await advanceSettlement(tx, key, { step: 'unprove', actor }, nobodyAlone)
}

/** Settlements of books that a reference or a shortened id may mean; only a few of them. */
export const findSettlementsByName = reader(findSettlementsByTyped)

/**
 * Whether an author may not settle an amount alone: because of the bound, together with the other settlements of all
 * merchants that the same author drafted, that needed no other operator's approval and in which the author took a step
 * within the window; or because its worth is unknown. Failed ones count, and an author's settlements are summed one
 * after another.
 */
const isBeyond = async (
  tx: Tx,
  { id, draftedBy, ...money }: Pick<Settlement, 'id' | 'currency' | 'amount'> & { readonly draftedBy: string },
  { above, hasTwo }: AloneBound,
  withDrafts: boolean,
): Promise<boolean> => {
  await lockAdding(tx, `settlements of ${draftedBy}`)
  const worth = openWorth(tx)
  const wanted = await worth(money)
  if (wanted === undefined) return hasTwo || above === 0n
  let lately = 0n
  for (const other of await tx.query(selectOwnSum, { id, draftedBy, withDrafts, ...secondPersonWindow(tx.now) }))
    lately += (await worth(other)) ?? 0n
  return needsSecondPerson(wanted, { above, lately })
}

/** The bound of steps that nobody approves by. */
export const nobodyAlone: AloneBound = { above: 0n, hasTwo: true }

/** What is to be paid out; `amount` in minor units, `null` for all available money. */
type WantedSettlement = Pick<Settlement, 'merchantId' | 'reference' | 'currency'> & {
  readonly destinationId: string
  readonly amount: bigint | null
}

type Made = { readonly settlement: Settlement; readonly created: boolean }

type Named = Pick<Settlement, 'merchantId' | 'id' | 'reference' | 'currency' | 'amount' | 'destinationId'>

/** Refuses `balance_insufficient` while a merchant owes money in another currency than that of a settlement. */
const refuseOtherDebt = async (tx: Tx, { merchantId, currency }: Pick<Settlement, 'merchantId' | 'currency'>) => {
  const [owed] = await tx.query(findOtherDebt, { merchantId, account: account.available(merchantId), currency })
  if (owed)
    throw new Refusal(
      'balance_insufficient',
      `The merchant owes ${showAmount(owed.debt, owed.currency)}: that comes first. Clear it by adjustments.`,
    )
}

const readWaiting = async (tx: Tx, { merchantId, currency }: Pick<Settlement, 'merchantId' | 'currency'>) =>
  (await readUnproven(tx, [merchantId]))(merchantId, currency)?.waiting ?? 0n

/** Refuses `balance_insufficient` to approve what would not be begun now: its merchant owes money, or too much waits. */
const refuseLost = async (tx: Tx, settlement: Settlement): Promise<void> => {
  const { merchantId, currency } = settlement
  const available = await lockOwed(tx, merchantId, account.available(merchantId), currency)
  await refuseOtherDebt(tx, settlement)
  const refusal = refuseUncovered(available, await readWaiting(tx, settlement), currency)
  if (refusal) throw refusal
}

/** Refuses `validation_failed` for a reference that only a schedule gives. */
const refuseScheduled = (reference: string): void => {
  if (reference.startsWith(scheduledReference))
    throw refuseField('reference', `must not begin with ${scheduledReference}: schedules use that.`)
}

/**
 * Makes a settlement and holds its amount, so that no other settlement can use it. Repeating a reference returns the
 * same settlement (`created` is false). `authorize` says who makes it, once its amount is known, and may refuse that.
 * Refuses `already_exists` if the reference belongs to another one, `balance_insufficient` (also for credits that wait
 * for a dispute or, by the terms of their payments, for a proof, and while the merchant owes money in another currency),
 * and a destination like `holdDestination`, or of another currency.
 */
const makeSettlement = async (
  tx: Tx,
  wanted: WantedSettlement,
  authorize: (named: Named) => Promise<Pick<Settlement, 'requestedBy' | 'draftedBy' | 'secondPerson'>>,
): Promise<Made> => {
  const { merchantId, reference, currency, destinationId } = wanted
  // In two currencies at once, neither would see the other's reference.
  await lockAdding(tx, `settlement ${merchantId} ${reference}`)
  const available = await lockOwed(tx, merchantId, account.available(merchantId), currency)
  const [existing] = await tx.query(findSettlementByReference, { merchantId, reference })
  if (existing) {
    const isSame =
      existing.destinationId === destinationId &&
      existing.currency === currency &&
      (wanted.amount ?? existing.amount) === existing.amount
    if (isSame) return { settlement: existing, created: false }
    throw new Refusal('already_exists', `The reference ${reference} belongs to another settlement of this merchant.`)
  }
  await refuseOtherDebt(tx, wanted)
  const to = await holdDestination(tx, { merchantId, id: destinationId })
  const refusal = refuseOtherCurrency(to, currency)
  if (refusal) throw refusal
  // Read once the balance is locked: a credit that it has is seen here, too.
  const amount = settledAmount(wanted.amount, available, await readWaiting(tx, wanted), currency)
  if (amount instanceof Refusal) throw amount
  const named = { merchantId, id: tx.newId(), reference, currency, amount, destinationId }
  const author = await authorize(named)
  const settlement = newSettlement({ ...named, ...author, destination: printDestination(to) }, tx.now)
  await tx.query(insertSettlement, settlement)
  const { id: settlementId, sequence, status } = settlement
  const actor = author.draftedBy ?? author.requestedBy ?? ''
  await tx.query(insertSettlementEvent, { merchantId, settlementId, sequence, status, actor, at: tx.now })
  await postEntries(tx, [[postSettlement(settlement, 'hold')]])
  return { settlement, created: true }
}

/**
 * Drafts a settlement for an operator; see `makeSettlement`. Above `alone`, with what its author drafted and approved
 * within 24 hours, another operator must approve it. Refuses `validation_failed` for a reference of a schedule.
 */
export const createSettlement = async (
  tx: Tx,
  { draftedBy, ...wanted }: WantedSettlement & { readonly draftedBy: string },
  alone: AloneBound,
): Promise<Made> => {
  refuseScheduled(wanted.reference)
  return makeSettlement(tx, wanted, async (named) => ({
    requestedBy: null,
    draftedBy,
    secondPerson: await isBeyond(tx, { ...named, draftedBy }, alone, true),
  }))
}

/** Who asks for what a schedule asks for. */
export const scheduleActor = 'merchant:schedule'

/**
 * Asks for a settlement for a merchant, which operators approve and pay; see `makeSettlement`. Also refuses
 * `invalid_state` for less than the merchant's least settlement, more than it may ask for within 24 hours, another
 * currency than that of these bounds, and while too many of its requests wait; and `validation_failed` for a reference of
 * a schedule.
 */
export const requestSettlement = async (
  tx: Tx,
  { requestedBy, ...wanted }: WantedSettlement & { readonly requestedBy: string },
  settings: Pick<MerchantSettings, 'quoteCurrency' | 'minSettlement' | 'maxSettlementPerDay'>,
): Promise<Made> => {
  if (requestedBy !== scheduleActor) refuseScheduled(wanted.reference)
  return makeSettlement(tx, wanted, async ({ merchantId, currency, amount }) => {
    const [lately] = await tx.query(sumRequested, { merchantId, currency, ...secondPersonWindow(tx.now) })
    const refusal = refuseRequest({ currency, amount }, lately ?? { open: 0, amount: 0n }, settings)
    if (refusal) throw refusal
    return { requestedBy, draftedBy: null, secondPerson: false }
  })
}

/**
 * Whether the author may approve the settlement alone (`secondPerson`), whoever approves it now: what the author recently
 * approved alone counts, too, whenever it was drafted.
 */
const judge = async (tx: Tx, settlement: Settlement, step: SettlementStep, alone: AloneBound): Promise<Settlement> => {
  const { status, secondPerson, draftedBy } = settlement
  if (step.step !== 'approve' || secondPerson || (status !== 'requested' && status !== 'draft')) return settlement
  const author = { ...settlement, draftedBy: draftedBy ?? step.actor }
  return { ...settlement, secondPerson: await isBeyond(tx, author, alone, draftedBy === null) }
}

/** Who agrees on failing a settlement that took two people: refuses unless the author is certainly another person. */
type FailingWithTwo = (tx: Tx, author: string) => Promise<void>

/**
 * Whether an operator may fail a settlement now. An approved one, whose money may be under way, is failed by whoever
 * drafted and approved it alone; otherwise it takes two. Refuses `invalid_state` if outgoing money is booked to it, and
 * `second_person_required`.
 */
const agreeOnFailing = async (
  tx: Tx,
  { id, reference, status, secondPerson, draftedBy, approvedBy, failingBy }: Settlement,
  actor: string,
  withTwo: FailingWithTwo | null,
): Promise<boolean> => {
  const [payout] = await tx.query(findBookedPayout, { id })
  if (payout)
    throw invalidState(
      `The outgoing transfer ${payout.id} is booked to ${reference}, so it was paid out: record that, or unbook that transfer first.`,
    )
  const isOwn = !secondPerson && draftedBy === actor && approvedBy === actor
  if (status !== 'approved' || isOwn || withTwo === null) return true
  if (failingBy === null || failingBy === actor) return false
  try {
    await withTwo(tx, failingBy)
    return true
  } catch (error) {
    // Perhaps one person: the later word takes the place of the earlier one, so that a third operator may agree.
    if (error instanceof Refusal) return false
    throw error
  }
}

/**
 * Approves, pays, fails or cancels a settlement: status, event, posting and the merchant's notification. Repeating a
 * step changes nothing. Where two people must agree on failing one (`withTwo`), the first one's step is a proposal, in
 * `failingBy`. Refuses `resource_not_found`, `invalid_state` (also to approve one whose destination was retired,
 * or to fail one to which outgoing money is booked), `balance_insufficient` to approve what the merchant could not begin
 * now, `second_person_required`, and `already_exists` if another settlement of the merchant was paid under the same
 * external reference.
 */
export const advanceSettlement = async (
  tx: Tx,
  key: { readonly merchantId: string; readonly id: string },
  step: SettlementStep,
  alone: AloneBound,
  withTwo: FailingWithTwo | null = null,
): Promise<Settlement> => {
  const locked = requireRow(await tx.query(lockSettlement, key), 'settlement')
  const before = await judge(tx, locked, step, alone)
  const taken = takeSettlementStep(before, step, tx.now)
  if (taken instanceof Refusal) throw taken
  const { settlement, posting } = taken
  if (settlement === before) return settlement
  if (step.step === 'fail' && !(await agreeOnFailing(tx, before, step.actor, withTwo))) {
    const proposed = { ...before, failingBy: step.actor }
    await tx.query(updateSettlement, proposed)
    return proposed
  }
  const { merchantId, id: settlementId, sequence, status, externalReference, destinationId } = settlement
  if (step.step === 'approve') {
    if (destinationId !== null) await holdDestination(tx, { merchantId, id: destinationId })
    await refuseLost(tx, settlement)
  }
  if (externalReference !== null) {
    // Excludes a concurrent payout to the merchant, so that no two of them get the same reference.
    await lockOwed(tx, merchantId, account.held(merchantId), settlement.currency)
    const [other] = await tx.query(findSettlementByPayout, { merchantId, externalReference })
    if (other) throw new Refusal('already_exists', `${externalReference} is the payout of another settlement.`)
  }
  await tx.query(updateSettlement, settlement)
  const event = { merchantId, settlementId, sequence, status, actor: step.actor, at: settlement.changedAt }
  await tx.query(insertSettlementEvent, event)
  if (posting) await postEntries(tx, [[posting]])
  if (status !== 'draft') enqueueSettlement(tx, settlement)
  return settlement
}

/**
 * Pays an approved settlement to which outgoing money of a bank is booked, in its own currency; the bank's reference
 * identifies the payout, or the id of the outgoing transfer if that is another one's or there is none.
 */
export const paySettlementByBank = async (
  tx: Tx,
  key: { readonly merchantId: string; readonly id: string },
  {
    id,
    currency,
    bankReference,
  }: Pick<Money, 'currency'> & { readonly id: string; readonly bankReference: string | null },
  actor: string,
): Promise<void> => {
  const { merchantId } = key
  const settlement = requireRow(await tx.query(lockSettlement, key), 'settlement')
  if (settlement.status !== 'approved' || settlement.currency !== currency) return
  const taken =
    bankReference === null
      ? []
      : await tx.query(findSettlementByPayout, { merchantId, externalReference: bankReference })
  const externalReference = taken.length > 0 ? id : (bankReference ?? id)
  await advanceSettlement(tx, key, { step: 'pay', actor, externalReference, isProven: true }, nobodyAlone)
}
