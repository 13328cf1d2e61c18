import type { Tx } from '../../context.ts'
import { lockAdding, reader } from 'payin-database'
import { account } from '../../../rules/money/ledger.ts'
import { type AloneBound, secondPersonWindow } from '../../../rules/money/settlement.ts'
import type { Payment } from '../../../rules/payments/payment.ts'
import { invalidState, Refusal, refuseField, requireRow } from '../../../rules/refusal.ts'
import {
  postRefundHeld,
  postRefundOwed,
  refundable,
  refuseRefund,
  type RefundedSoFar,
  refundTransitions,
  shareOfRefund,
} from '../../../rules/transfers/refund.ts'
import { currencyDecimals, showAmount } from '../../../rules/values/currency.ts'
import { maskSource } from '../../../rules/values/masking.ts'
import { postEntries } from '../../ledger/post-entries.ts'
import { lockOwed, readUnproven, sumReversed } from '../../ledger/read.ts'
import { findMerchant } from '../../merchants/read.ts'
import { openWorth } from '../../merchants/rates/rate.ts'
import { lockPayment } from '../../payments/lock-payment.ts'
import { lockOutgoing } from '../outgoing/store.ts'
import { announceRefund, recordDecision, reverseRefund } from '../overpayments/decide-overpayment.ts'
import { type StoredRefund, writeStep } from './follow-money.ts'
import { findPaid } from './find-paid.ts'
import { findPayers, isPayerKnown, isWholeNumber, payTo } from './payers.ts'
import {
  findRefund,
  findRefundByReference,
  findRefundsByTyped,
  findUnprovenMoney,
  insertRefund,
  insertRefundEvent,
  listPaidRefunds,
  listRefundEvents,
  lockRefund,
  selectRefunds,
  sumDecidedAlone,
  updatePayTo,
  updateRefund,
} from './store.ts'

export type RefundKey = { readonly merchantId: string; readonly id: string }

const sumOf = (refunds: readonly RefundedSoFar[]): RefundedSoFar => ({
  amount: refunds.reduce((sum, { amount }) => sum + amount, 0n),
  net: refunds.reduce((sum, { net }) => sum + net, 0n),
  fee: refunds.reduce((sum, { fee }) => sum + fee, 0n),
})

const lockRefunded = async (tx: Tx, merchantId: string, paymentId: string): Promise<Payment> => {
  const payment = await lockPayment(tx, merchantId, paymentId)
  if (!payment) throw new Refusal('payment_not_found', 'There is no such payment.')
  return payment
}

/** How much of a locked payment may be refunded, besides what `except` takes. Refuses `invalid_state`. */
const findLeft = async (tx: Tx, payment: Payment, except?: string) => {
  const { merchantId, id: paymentId } = payment
  const others = await tx.query(listPaidRefunds, { merchantId, paymentId })
  const reversed = await sumReversed(tx, merchantId, paymentId)
  const refunded = sumOf(others.filter(({ id }) => id !== except))
  const left = refundable(payment, { reversed, refunded })
  if (left instanceof Refusal) throw left
  return { left, reversed, refunded }
}

/** What a merchant asks to give back; `amount` in minor units, null for all that is left. */
export type WantedRefund = {
  readonly merchantId: string
  readonly paymentId: string
  readonly reference: string
  readonly amount: bigint | null
  readonly reason: string | null
  /** Where to send it; only if nobody has named the account of the payer. */
  readonly payTo: string | null
  readonly requestedBy: string
  /** How far below zero the balance of its merchant may go, in whole units of the merchant's quote currency. */
  readonly maxDebt: number | null
  /** The present one: payments in a former one are refunded only from what is available. */
  readonly quoteCurrency: string
}

const isSame = (existing: StoredRefund, { paymentId, amount }: WantedRefund): boolean =>
  existing.paymentId === paymentId && (amount ?? existing.amount) === existing.amount

/**
 * Asks for a refund: the merchant pays for it at once, so that no refunds, reversals and payouts take the same money.
 * Repeating a reference returns the same refund (`created` is false). Refuses `payment_not_found`, `already_exists` if
 * the reference belongs to another refund, `invalid_state` unless the payment is credited, `balance_insufficient` for
 * more than is left of it or than the merchant's balance covers, less what waits of other payments there, and
 * `validation_failed`.
 */
export const requestRefund = async (
  tx: Tx,
  wanted: WantedRefund,
): Promise<{ readonly refund: StoredRefund; readonly created: boolean }> => {
  const { merchantId, paymentId, reference, reason, requestedBy } = wanted
  const payment = await lockRefunded(tx, merchantId, paymentId)
  await lockAdding(tx, `refund ${merchantId} ${reference}`)
  const [existing] = await tx.query(findRefundByReference, { merchantId, reference })
  if (existing && isSame(existing, wanted)) return { refund: existing, created: false }
  if (existing)
    throw new Refusal('already_exists', `The reference ${reference} belongs to another refund of this merchant.`)
  if (wanted.payTo !== null && (await isPayerKnown(tx, { merchantId, paymentId })))
    throw refuseField('payTo', 'is only for payments whose payer’s account nobody knows: this one goes back there.')
  const { left, reversed, refunded } = await findLeft(tx, payment)
  const amount = wanted.amount ?? left
  const { currency, quoteCurrency, orderId, requisiteId } = payment
  const share =
    amount > left || left <= 0n ? { net: 0n, fee: 0n } : shareOfRefund(payment, amount, { reversed, refunded })
  const available = await lockOwed(tx, merchantId, account.available(merchantId), quoteCurrency)
  // Read once the balance is locked: a credit that it has is seen here, too.
  const waiting = (await readUnproven(tx, [merchantId], paymentId))(merchantId, quoteCurrency)?.waiting ?? 0n
  const maxDebt = wanted.quoteCurrency === quoteCurrency ? (wanted.maxDebt ?? 0) : 0
  const debt = BigInt(maxDebt) * 10n ** BigInt(currencyDecimals(quoteCurrency))
  const refusal = refuseRefund({ amount, currency, quoteCurrency, ...share }, { left, available, waiting, debt })
  if (refusal) throw refusal
  const id = tx.newId()
  const refund: StoredRefund = {
    ...{ merchantId, id, paymentId, orderId, requisiteId, reference, currency, amount, quoteCurrency },
    ...{ ...share, reason, requestedBy },
    payToSealed: wanted.payTo === null ? null : payTo.seal(tx.vault, id, wanted.payTo),
    payToMasked: wanted.payTo === null ? null : maskSource(wanted.payTo),
    ...{
      status: 'requested',
      sequence: 1,
      proposedBy: null,
      approvedBy: null,
      decisionId: null,
      failure: null,
      failingBy: null,
    },
    ...{ bankOrder: null, bankFile: null, payeeSealed: null },
    ...{ createdAt: tx.now, changedAt: tx.now },
  }
  await tx.query(insertRefund, refund)
  const event = { merchantId, refundId: id, sequence: 1, status: 'requested', actor: requestedBy, at: tx.now } as const
  await tx.query(insertRefundEvent, event)
  await postEntries(tx, [postRefundHeld(refund)])
  return { refund, created: true }
}

/** Refuses `invalid_state` to credit a locked payment with less than its refunds give back. */
export const refuseBelowRefunds = async (tx: Tx, payment: Payment, credited: bigint): Promise<void> => {
  const { merchantId, id: paymentId, currency } = payment
  const { amount } = sumOf(await tx.query(listPaidRefunds, { merchantId, paymentId }))
  if (amount <= credited) return
  throw invalidState(`Its refunds give back ${showAmount(amount, currency)}: at least that much stays credited.`)
}

/** Locks a refund and its payment; refuses `resource_not_found`. */
const lockWithPayment = async (tx: Tx, key: RefundKey) => {
  const { paymentId } = requireRow(await tx.query(findRefund, key), 'refund')
  const payment = await lockRefunded(tx, key.merchantId, paymentId)
  return { payment, lock: async () => requireRow(await tx.query(lockRefund, key), 'refund') }
}

/** Refuses `invalid_state` for money that its bank took back, that is in dispute, or that no bank has proven. */
const refuseUnsafe = async (tx: Tx, payment: Payment, { id, amount, payToSealed }: StoredRefund): Promise<void> => {
  const { left } = await findLeft(tx, payment, id)
  if (amount > left) throw invalidState('A bank took the money of the payment back: refuse the refund, or fail it.')
  const of = { merchantId: payment.merchantId, paymentId: payment.id }
  if ((await tx.query(findUnprovenMoney, of)).length > 0)
    throw invalidState(
      'Only messages on phones, or one person, have reported the money of the payment: import the statement of its account first.',
    )
  const isKnown = await isPayerKnown(tx, of)
  if (isKnown && payToSealed !== null)
    throw invalidState('A bank has named the account of the payer since: refuse the refund, or fail it.')
  if (!isKnown && payToSealed === null)
    throw invalidState(
      'Nobody knows the account of the payer: the bank has not named it. Refuse the refund, and let the merchant ask again with `payTo`.',
    )
}

/** What an operator needs who decides alone: the bound, and who counts as another person. */
export type Deciding = {
  readonly actor: string
  readonly alone: AloneBound
  readonly requireTwo: (tx: Tx, author: string) => Promise<void>
}

/** Whether a real refund, with those that an operator decided alone within 24 hours, is more than one may decide alone. */
const isBeyondOne = async (
  tx: Tx,
  { merchantId, currency, amount }: StoredRefund,
  { actor, alone: { above, hasTwo } }: Deciding,
): Promise<boolean> => {
  if ((await findMerchant(tx, merchantId)).mode === 'sandbox') return false
  await lockAdding(tx, `refunds decided by ${actor}`)
  const worth = openWorth(tx)
  const own = await tx.query(sumDecidedAlone, { actor, ...secondPersonWindow(tx.now) })
  let sum = 0n
  for (const money of [{ currency, amount }, ...own]) {
    const value = await worth(money)
    if (value === undefined) return hasTwo || above === 0n
    sum += value
  }
  return sum > above
}

/**
 * Approves a refund. One to an account that its merchant named, which nobody knows to be the payer's, is beyond the bound
 * of one operator a proposal (`proposedBy`) until another operator approves it, too. Repeating it changes nothing. Refuses `resource_not_found`, `invalid_state` (also if a bank
 * took the money back, nobody has proven it, or nobody knows the payer's account), and `second_person_required`.
 */
export const approveRefund = async (tx: Tx, key: RefundKey, by: Deciding): Promise<StoredRefund> => {
  const { payment, lock } = await lockWithPayment(tx, key)
  const refund = await lock()
  if (refund.status === 'approved' && refund.approvedBy === by.actor) return refund
  if (refund.status === 'requested') await refuseUnsafe(tx, payment, refund)
  const { proposedBy, payToSealed } = refund
  if (proposedBy !== null && proposedBy !== by.actor) {
    await by.requireTwo(tx, proposedBy)
    return writeStep(tx, refund, 'approve', by.actor, { approvedBy: by.actor })
  }
  if (refund.status !== 'requested' || payToSealed === null || !(await isBeyondOne(tx, refund, by)))
    return writeStep(tx, refund, 'approve', by.actor, { approvedBy: by.actor })
  const proposed = { ...refund, proposedBy: by.actor }
  await tx.query(updateRefund, proposed)
  return proposed
}

/** Refuses a refund: its merchant gets its share back. Refuses `resource_not_found` and `invalid_state`. */
export const refuseRequested = async (
  tx: Tx,
  key: RefundKey,
  actor: string,
  failure: string,
): Promise<StoredRefund> => {
  const { lock } = await lockWithPayment(tx, key)
  const refund = await lock()
  if (refund.status === 'refused' && refund.failure === failure) return refund
  return writeStep(tx, refund, 'refuse', actor, { failure })
}

/** Refuses `invalid_state` while outgoing money that nobody has explained may be a refund. */
const refusePaid = async (tx: Tx, refund: StoredRefund, sending?: Parameters<typeof findPaid>[2]): Promise<void> => {
  const paid = await findPaid(tx, refund, sending)
  if (!paid) return
  const { id, amount, currency, leftOn } = paid
  throw invalidState(
    `The outgoing transfer ${id} (${showAmount(amount, currency)}, ${leftOn}) may have paid it: say first what that was for. Confirm it as this refund, or book it otherwise.`,
  )
}

const wasEverSent = async (tx: Tx, { merchantId, id: refundId }: StoredRefund): Promise<boolean> =>
  (await tx.query(listRefundEvents, { merchantId, refundId })).some(({ status }) => status === 'sent')

/**
 * Cancels a refund that was never sent. Refuses `resource_not_found`, and `invalid_state`, also while outgoing money that
 * nobody has explained may be it.
 */
export const cancelRefund = async (tx: Tx, key: RefundKey, actor: string): Promise<StoredRefund> => {
  const { lock } = await lockWithPayment(tx, key)
  await tx.query(lockOutgoing, {})
  const refund = await lock()
  if (refund.status === 'canceled') return refund
  if (refund.status === 'approved' && (await wasEverSent(tx, refund)))
    throw invalidState('It was sent before, and its money may be under way: only the operator can give it up.')
  const paid = refundTransitions.cancel.from.some((from) => from === refund.status) && (await findPaid(tx, refund))
  if (paid)
    throw invalidState(
      `Money of this amount left an account on ${paid.leftOn} and may be this refund: the operator says first what it was for.`,
    )
  return writeStep(tx, refund, 'cancel', actor)
}

/** From where and when a refund was sent; `bookedAt` is when its bank booked it. */
type Sending = {
  readonly actor: string
  /** Default: where the money came in. */
  readonly requisiteId: string | undefined
  readonly bookedAt: number
  /** Up to how many millionths of USDT a name in the text of the bank proves. */
  readonly above: bigint
  /** Numbers its order in a file for the bank, once it may be sent; refuses what the file cannot have. */
  readonly numberOrder?: (refund: StoredRefund) => Promise<Pick<StoredRefund, 'bankOrder' | 'bankFile' | 'payeeSealed'>>
}

/**
 * Records that an approved refund was sent from an account. It is done once outgoing money that its bank reports is
 * booked to it, which may be at once. Repeating it changes nothing. Refuses `resource_not_found`, `invalid_state`, also
 * while other outgoing money may be it, and `validation_failed` for an account of another currency or mode.
 */
export const markRefundSent = async (
  tx: Tx,
  key: RefundKey,
  { actor, requisiteId: from, bookedAt, above, numberOrder }: Sending,
): Promise<StoredRefund> => {
  const { payment, lock } = await lockWithPayment(tx, key)
  await tx.query(lockOutgoing, {})
  const refund = await lock()
  if (refund.status === 'sent' || refund.status === 'done') return refund
  if (refund.status === 'approved') await refuseUnsafe(tx, payment, refund)
  const inFile =
    refund.status === 'approved' && numberOrder ? await numberOrder(refund) : { bankFile: null, payeeSealed: null }
  const { merchantId, id, paymentId, amount, reference } = refund
  const requisiteId = from ?? refund.requisiteId
  await postEntries(tx, [[postRefundOwed(refund)]])
  const decided = await recordDecision(tx, {
    ...{ merchantId, paymentId, amount, requisiteId, bookedAt, reference: `refund:${id}`, decidedBy: actor },
    ...{ decision: 'refund', reason: `Refund ${reference}` },
  })
  await writeStep(tx, refund, 'send', actor, { decisionId: decided.id, ...inFile })
  await announceRefund(tx, decided, above)
  const after = requireRow(await tx.query(findRefund, key), 'refund')
  if (after.status === 'sent') await refusePaid(tx, refund, { requisiteId, isInFile: numberOrder !== undefined })
  return after
}

/**
 * Gives up a refund whose money did not reach the payer: its merchant gets its share back. The money of one that was ever
 * sent may be under way: where two people move money, more of it than one may decide alone is a proposal (`failingBy`)
 * until another operator fails it, too. Refuses `resource_not_found`, `second_person_required`, and `invalid_state` if
 * outgoing money is booked to it, or may be one that is approved, or it has ended.
 */
export const failRefund = async (tx: Tx, key: RefundKey, by: Deciding, failure: string): Promise<StoredRefund> => {
  const { actor } = by
  const { lock } = await lockWithPayment(tx, key)
  await tx.query(lockOutgoing, {})
  const refund = await lock()
  if (refund.status === 'failed' && refund.failure === failure) return refund
  if (refund.status === 'done')
    throw invalidState(
      'The bank has reported this refund: unbook its outgoing transfer first, or wait until it comes back.',
    )
  const { failingBy, decisionId } = refund
  if (refund.status === 'approved') await refusePaid(tx, refund)
  const giveUp = () => writeStep(tx, refund, 'fail', actor, { failure })
  if (!(await wasEverSent(tx, refund))) return giveUp()
  if (failingBy !== null && failingBy !== actor) await by.requireTwo(tx, failingBy)
  else if (by.alone.hasTwo && (await isBeyondOne(tx, refund, by))) {
    const proposed = { ...refund, failingBy: actor }
    await tx.query(updateRefund, proposed)
    return proposed
  }
  if (decisionId === null) return giveUp()
  await reverseRefund(tx, refund.merchantId, decisionId, { actor, failure })
  return requireRow(await tx.query(findRefund, key), 'refund')
}

/** A refund with its events in order; refuses `resource_not_found`. */
export const getRefund = async (sql: Pick<Tx, 'query'>, key: RefundKey) => {
  const refund = requireRow(await sql.query(findRefund, key), 'refund')
  return { refund, events: await sql.query(listRefundEvents, { merchantId: key.merchantId, refundId: key.id }) }
}

/**
 * Refunds of a payment that its payer gets, the newest first, and whether somebody must still say where to: no bank has
 * named the account that paid.
 */
export const readForPayer = async (
  sql: Pick<Tx, 'query' | 'vault'>,
  { merchantId, id: paymentId }: Pick<Payment, 'merchantId' | 'id'>,
) => {
  const found = await sql.query(listPaidRefunds, { merchantId, paymentId })
  const waiting = found.some(({ status, payToSealed }) => status === 'requested' && payToSealed === null)
  return { refunds: found, asksAccount: waiting && !(await isPayerKnown(sql, { merchantId, paymentId })) }
}

/** The payer says where the refunds of a payment go that nobody knows an account for; repeating it changes nothing. */
export const namePayersAccount = async (
  tx: Tx,
  payment: Pick<Payment, 'merchantId' | 'id'>,
  named: string,
): Promise<void> => {
  await lockRefunded(tx, payment.merchantId, payment.id)
  const { refunds, asksAccount } = await readForPayer(tx, payment)
  const rows = refunds
    .filter(({ status, payToSealed }) => asksAccount && status === 'requested' && payToSealed === null)
    .map(({ merchantId, id }) => ({
      ...{ merchantId, id, payToSealed: payTo.seal(tx.vault, id, named), payToMasked: maskSource(named) },
    }))
  if (rows.length > 0) await tx.query(updatePayTo, { rows })
}

/** Refunds of a merchant or of all of a mode, the newest first, from before an id. */
export const listRefunds = reader(selectRefunds)

/** Refunds of books that a reference or a shortened id may mean; only a few of them. */
export const findRefundsByName = reader(findRefundsByTyped)

/**
 * Where a refund goes: to the account that the merchant or the payer has named, or to the one that paid. Refuses
 * `resource_not_found`, and `invalid_state` if that is not certain.
 */
export const revealAccount = async (tx: Tx, key: RefundKey): Promise<string> => {
  const refund = requireRow(await tx.query(findRefund, key), 'refund')
  if (refund.payToSealed !== null) return payTo.open(tx.vault, refund.id, refund.payToSealed)
  const [payer, ...others] = (await findPayers(tx, [refund])).get(refund.paymentId)?.payers ?? []
  const number = payer?.number ?? null
  if (number === null || !isWholeNumber(number) || others.length > 0)
    throw invalidState('No bank has named one account that paid: look at the transfers of the payment.')
  return number
}
