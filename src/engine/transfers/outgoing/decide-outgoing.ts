import type { Tx } from '../../context.ts'
import { account } from '../../../rules/money/ledger.ts'
import {
  noticeMs,
  type OperatorPurpose,
  postBooked,
  postSent,
  postUnbooked,
  purposeAccount,
} from '../../../rules/transfers/outgoing.ts'
import { invalidState, Refusal, refuseField, requireRow } from '../../../rules/refusal.ts'
import { postEntries } from '../../ledger/post-entries.ts'
import {
  getSettlement,
  holdSettlement,
  lockPayableSettlement,
  paySettlementByBank,
  unproveSettlement,
} from '../../ledger/settlements/settlements.ts'
import { isOfOneMode, listSharing } from '../../requisites/read.ts'
import { lockTransfer, refuseOtherSide, refuseUnconfirmed, type TransferKey } from '../transfer-parts.ts'
import { recordDecision, reverseRefund } from '../overpayments/decide-overpayment.ts'
import { refuseTaking } from '../reversals/carry-out-reversal.ts'
import { recordReversals } from '../reversals/reversals.ts'
import { agreeOnPurpose, type Explainer, isReturnedByBank, takeWordBack } from './agree-on-purpose.ts'
import { bookToAnnounced } from './book-announced.ts'
import { describeAnnounced, type Returning } from './candidates/describe-announced.ts'
import { findChannelOfBoth, setDuplicateOf } from './duplicates/store.ts'
import { unproveRefunds } from '../refunds/follow-money.ts'
import { bookAsRefundReversal, findRefunds } from './reverse-refunds.ts'
import { takeOut } from '../replace-sums.ts'
import { listArrived, setAsideArrived } from './set-aside-arrived.ts'
import {
  findCarriedOut,
  findOutgoingBeingWithdrawn,
  findOutgoingRow,
  listAnnounced,
  lockOutgoing,
  markDecided,
  noteDeciders,
  type StoredOutgoing,
  undecided,
} from './store.ts'

type OperatorBooking = {
  readonly purpose: keyof typeof purposeAccount
  readonly reason: string
  readonly by: Explainer
  readonly merchantId: string | null
  readonly settlementId: string | null
  /** The transfer that arrived on another of our accounts; by default the only possible one. */
  readonly transferId: string | null
}

const checkFields = ({ purpose, merchantId, settlementId, transferId }: OperatorBooking): void => {
  if (purpose !== 'settlement' && (merchantId !== null || settlementId !== null))
    throw refuseField('settlementId', 'is given for a settlement and for nothing else.')
  if ((merchantId === null) !== (settlementId === null))
    throw refuseField('settlementId', 'is given together with its merchantId.')
  if (purpose !== 'own-account' && transferId !== null)
    throw refuseField('transferId', 'is given for own-account and for nothing else.')
}

/** The account that money is booked to by its purpose: what pays a settlement in its own currency is not exchanged. */
const accountOf = async (tx: Tx, booked: StoredOutgoing & { readonly purpose: OperatorPurpose }): Promise<string> => {
  const { purpose, currency, merchantId, documentId } = booked
  if (purpose !== 'settlement' || merchantId === null || documentId === null) return purposeAccount[purpose](currency)
  const { settlement } = await getSettlement(tx, merchantId, documentId)
  return settlement.currency === currency ? account.payouts : account.exchange(currency)
}

/**
 * Books unexplained outgoing money to the purpose that an operator names. Money between our own accounts is paired with
 * the transfer by which it arrived, which is set aside. What one operator may not explain alone is a proposal until
 * another one books the same. What pays exactly an approved settlement proves that it is paid. Refuses
 * `resource_not_found`, `validation_failed`, `invalid_state` if it was booked before, or if not exactly one transfer can be
 * its other side, and `second_person_required`.
 */
export const bookOutgoing = async (tx: Tx, key: TransferKey, booking: OperatorBooking): Promise<StoredOutgoing> => {
  checkFields(booking)
  const { purpose, reason, by, merchantId, settlementId } = booking
  const settlement = merchantId === null || settlementId === null ? null : { merchantId, id: settlementId }
  if (settlement !== null) {
    const money = requireRow(await tx.query(findOutgoingRow, key), 'outgoing transfer')
    if (money.givenBack) throw invalidState('The bank gave this money back: it has paid nobody.')
    if (money.duplicateOf !== null)
      throw invalidState('It may be money that is already known: first decide whether it is.')
    await lockPayableSettlement(tx, settlement, money)
    if (!(await isOfOneMode(tx, key.requisiteId, settlement.merchantId)))
      throw refuseField('settlementId', 'is of the other mode: this money did not pay it.')
  }
  let documentId = settlementId
  if (purpose === 'own-account') {
    // Transfers are locked before outgoing ones.
    const [outgoing] = await tx.query(findOutgoingRow, key)
    if (outgoing?.state === 'unexplained') documentId = await setAsideArrived(tx, outgoing, booking)
  }
  const outgoing = await lockUnexplained(tx, key)
  // What was read before locking may have been unbooked, paired or assigned meanwhile.
  if (purpose === 'own-account' && !(await listArrived(tx, outgoing)).some(({ id }) => id === documentId))
    throw decidedMeanwhile()
  const agreed = await agreeOnPurpose(tx, outgoing, { purpose, merchantId, paymentId: null, documentId }, by)
  const decision =
    agreed === null
      ? ({ state: 'unexplained', decidedBy: by.actor, decidedAt: null } as const)
      : ({ state: 'booked', decidedBy: agreed, decidedAt: tx.now } as const)
  const decided = { ...outgoing, purpose, merchantId, paymentId: null, documentId, reason, ...decision }
  await tx.query(markDecided, { rows: [decided] })
  if (agreed === null) return decided
  await postEntries(tx, [[postBooked(outgoing, await accountOf(tx, { ...decided, purpose }))]])
  if (settlement !== null) await paySettlementByBank(tx, settlement, outgoing, by.actor)
  return decided
}

/**
 * Locks an outgoing transfer against other decisions; lock payments and transfers first. Refuses `resource_not_found`,
 * and `invalid_state` while the statement that brought it is being withdrawn.
 */
const lockForDecision = async (tx: Tx, { requisiteId, id }: TransferKey): Promise<StoredOutgoing> => {
  await tx.query(lockOutgoing, {})
  const outgoing = requireRow(await tx.query(findOutgoingRow, { requisiteId, id }), 'outgoing transfer')
  if ((await tx.query(findOutgoingBeingWithdrawn, { requisiteId, id })).length > 0)
    throw invalidState('The statement that brought this outgoing transfer is being withdrawn.')
  return outgoing
}

/** As `lockForDecision`, for an unexplained transfer; refuses `invalid_state` otherwise. */
const lockUnexplained = async (tx: Tx, key: TransferKey): Promise<StoredOutgoing> => {
  const outgoing = await lockForDecision(tx, key)
  if (outgoing.state === 'unexplained') return outgoing
  const what = outgoing.state === 'booked' ? `booked as ${outgoing.purpose}` : outgoing.state
  throw invalidState(`The outgoing transfer is already ${what}.`)
}

const decidedMeanwhile = (): Refusal =>
  invalidState('Something was decided about this money at the same time: read it again.')

/** What outgoing money returned: an overpayment, a reversed transfer, or an earlier refund or reversal. */
export type ReturnedMoney =
  | { readonly merchantId: string; readonly paymentId: string }
  | { readonly transferId: string }
  | { readonly documentId: string }

type By = { readonly actor: string; readonly reason: string }

type Confirming = By & Explainer & { readonly needsSecond: boolean }

const lockReturned = async (
  tx: Tx,
  { requisiteId, amount }: StoredOutgoing,
  transferId: string,
  by: Confirming,
): Promise<void> => {
  const transfer = await lockTransfer(tx, { requisiteId, id: transferId })
  await refuseUnconfirmed(tx, transfer, by)
  await refuseOtherSide(tx, transfer)
  const isGone = transfer.parts.some(({ kind }) => kind === 'withdrawn' || kind === 'duplicate')
  if (transfer.amount - transfer.reversedAmount < amount || isGone)
    throw invalidState('The transfer is smaller than the outgoing one, or its money has left.')
  await refuseTaking(tx, transfer, amount, by)
}

const record = async (tx: Tx, outgoing: StoredOutgoing, money: ReturnedMoney, by: Confirming) => {
  const { actor, reason } = by
  const { requisiteId, currency, amount, bookedAt, id } = outgoing
  const announced = { requisiteId, amount, bookedAt, channel: null, decidedBy: actor }
  if ('paymentId' in money) {
    const decision = { reference: `outgoing:${id}`, decision: 'refund', decidedBy: actor } as const
    const decided = await recordDecision(tx, { ...money, ...decision, amount, requisiteId, bookedAt, reason })
    return { ...announced, ...money, id: decided.id, purpose: 'refund' as const }
  }
  if ('documentId' in money) return undefined
  const { transferId } = money
  const [reversed] = await recordReversals(tx, [
    {
      ...{ requisiteId, currency, amount, bookedAt, bankReference: null, sender: null },
      source: actor,
      dedupeKey: `outgoing:${id}`,
      chosen: { transferId, by: actor, reason },
    },
  ])
  if (!reversed) throw new Error(`the reversal by outgoing transfer ${id} was not recorded`)
  return { ...announced, merchantId: null, paymentId: null, id: reversed.id, purpose: 'reversal' as const }
}

const findAnnounced = async (tx: Tx, outgoing: StoredOutgoing, documentId: string | null) => {
  const { requisiteId, bookedAt, amount } = outgoing
  const span = { since: bookedAt - noticeMs, until: bookedAt + noticeMs }
  const requisiteIds = (await listSharing(tx, [requisiteId])).get(requisiteId) ?? [requisiteId]
  const announced = await tx.query(listAnnounced, { requisiteIds, amounts: [amount], ...span })
  const found = announced.find((each) => each.id === documentId)
  if (!found) throw invalidState('No such refund or reversal of this amount waits for its money.')
  return found
}

const lockReturning = async (
  tx: Tx,
  outgoing: StoredOutgoing,
  money: ReturnedMoney,
  by: Confirming,
): Promise<Returning> => {
  if ('documentId' in money) return findAnnounced(tx, outgoing, money.documentId)
  const { id, requisiteId } = outgoing
  if ('paymentId' in money) return { id, requisiteId, ...money }
  await lockReturned(tx, outgoing, money.transferId, by)
  return { id, requisiteId, merchantId: null, paymentId: null, transferId: money.transferId }
}

const confirmRefundReversal = async (tx: Tx, key: TransferKey, documentId: string | null, by: By): Promise<void> => {
  const money = await lockUnexplained(tx, key)
  if (!money.givenBack) throw decidedMeanwhile()
  const { possible } = await findRefunds(tx, money)
  const sent = possible.find(({ id }) => id === documentId)
  if (!sent) throw invalidState('The bank gave this money back: name the refund that it was, if it was one.')
  await bookAsRefundReversal(tx, money, sent, by)
}

/** Those of some actors who are certainly somebody else than an operator. */
const findOthers = async (tx: Tx, actors: ReadonlySet<string>, by: Confirming): Promise<ReadonlySet<string>> => {
  const others = new Set<string>()
  for (const actor of actors) {
    const refused = actor.startsWith('operator:')
      ? await by.refuseOnePerson(tx, actor).then(
          () => false,
          (error: unknown) => {
            if (error instanceof Refusal) return true
            throw error
          },
        )
      : false
    if (!refused) others.add(actor)
  }
  return others
}

/**
 * Confirms that unexplained outgoing money was returned to a payer: records the refund or reversal, or uses the one
 * recorded before; or that money given back is the refund that came back. What neither payee nor text proves is a
 * proposal beyond the bound of one operator. Returns whether it is booked. Refuses `resource_not_found`,
 * `payment_not_found`, `balance_insufficient` if less is owed, `invalid_state`, and `second_person_required` if nobody
 * has the returned money any more.
 */
export const confirmOutgoing = async (
  tx: Tx,
  key: TransferKey,
  money: ReturnedMoney,
  by: Confirming,
): Promise<boolean> => {
  const [found] = await tx.query(findOutgoingRow, key)
  if (!found || found.state !== 'unexplained' || found.givenBack) {
    await confirmRefundReversal(tx, key, 'documentId' in money ? money.documentId : null, by)
    return true
  }
  // Payments and transfers are locked before outgoing ones.
  const returning = await lockReturning(tx, found, money, by)
  const known = (await describeAnnounced(tx, [returning])).get(returning.id)
  if (!known) throw new Refusal('payment_not_found', 'There is no such payment.')
  const { merchantId, paymentId, transferId = null } = returning
  const documentId = 'documentId' in money ? money.documentId : transferId
  const wanted = { purpose: null, merchantId, paymentId, documentId }
  const others = await findOthers(tx, new Set(known.names.flatMap(({ setBy }) => setBy)), by)
  const agree = async (outgoing: StoredOutgoing): Promise<string | null> =>
    isReturnedByBank(tx, outgoing, known, (setBy) => others.has(setBy))
      ? by.actor
      : agreeOnPurpose(tx, outgoing, wanted, by)
  const isAgreed = (await agree(found)) !== null
  const made = isAgreed ? await record(tx, found, money, by) : undefined
  const outgoing = await lockUnexplained(tx, key)
  const agreed = await agree(outgoing)
  if (isAgreed !== (agreed !== null)) throw decidedMeanwhile()
  const { actor: decidedBy, reason } = by
  if (agreed === null) await tx.query(markDecided, { rows: [{ ...outgoing, ...wanted, reason, decidedBy }] })
  else await bookToAnnounced(tx, [[outgoing, made ?? (await findAnnounced(tx, outgoing, documentId))]], agreed, reason)
  return agreed !== null
}

const findBookedTo = async (tx: Tx, outgoing: StoredOutgoing) => {
  const { requisiteId, id, purpose } = outgoing
  if (purpose === 'refund-reversal')
    throw invalidState('Its payer is owed the refund again: decide on the overpayment instead.')
  if (purpose !== 'refund' && purpose !== 'reversal')
    return { from: await accountOf(tx, { ...outgoing, purpose: purpose ?? 'other' }), isMade: false }
  const [carried] = await tx.query(findCarriedOut, { requisiteId, id })
  if (!carried?.requisiteId) throw new Error(`outgoing transfer ${id} has no document`)
  const { isMade } = carried
  if (carried.isGivenBack) throw invalidState('The bank gave this refund back; it stays as it was.')
  if (isMade && purpose === 'reversal')
    throw invalidState('The transfer was taken back with it, and its payment has lost the money.')
  return { from: account.bank(carried.requisiteId), isMade }
}

/** Settlements are locked before outgoing money. */
const lockBookedSettlement = async (tx: Tx, key: TransferKey): Promise<void> => {
  const [found] = await tx.query(findOutgoingRow, key)
  if (found?.purpose === 'settlement' && found.merchantId !== null && found.documentId !== null)
    await holdSettlement(tx, { merchantId: found.merchantId, id: found.documentId })
}

/**
 * Makes a booked outgoing transfer unexplained again, by reversing entries; a refund that booking it recorded is owed
 * again, and a settlement that it paid is only approved. What two have agreed on, or the service has booked, stays booked until two have unbooked it. Refuses
 * `resource_not_found`, `second_person_required` for what only others have decided, and `invalid_state` if it is not
 * booked, was booked to a reversal, or is a refund that the bank gave back.
 */
export const unbookOutgoing = async (tx: Tx, key: TransferKey, by: Explainer): Promise<StoredOutgoing> => {
  await lockBookedSettlement(tx, key)
  const outgoing = await lockForDecision(tx, key)
  if (outgoing.state !== 'booked') throw invalidState(`The outgoing transfer is ${outgoing.state}.`)
  const { purpose, merchantId, documentId } = outgoing
  const { from, isMade } = await findBookedTo(tx, outgoing)
  const decidedBy = await takeWordBack(tx, outgoing, by)
  if (decidedBy !== null) {
    await tx.query(noteDeciders, { ...key, decidedBy })
    return { ...outgoing, decidedBy }
  }
  if (isMade) await reverseRefund(tx, merchantId ?? '', documentId ?? '', { actor: by.actor, failure: null })
  else if (purpose === 'settlement' && merchantId !== null && documentId !== null)
    await unproveSettlement(tx, { merchantId, id: documentId }, by.actor)
  else await unproveRefunds(tx, [key], by.actor)
  const unbooked = { ...outgoing, ...undecided, state: 'unexplained' } as const
  await tx.query(markDecided, { rows: [unbooked] })
  await postEntries(tx, [[postUnbooked(outgoing, from)]])
  return unbooked
}

const findOriginal = async (tx: Tx, { requisiteId, duplicateOf }: StoredOutgoing): Promise<string> => {
  const [other] = duplicateOf === null ? [] : await tx.query(findOutgoingRow, { requisiteId, id: duplicateOf })
  if (!other) throw invalidState('It is not a possible duplicate of another outgoing transfer.')
  if (other.state === 'withdrawn')
    throw invalidState(`Outgoing transfer ${other.id} was withdrawn: this one is other money.`)
  return other.state === 'duplicate' && other.duplicateOf !== null ? other.duplicateOf : other.id
}

type Explaining = Explainer & { readonly reason: string }

type DuplicateDecision = 'same-money' | 'other-money'

const sameMoney = async (tx: Tx, key: TransferKey, by: Explaining): Promise<boolean> => {
  const outgoing = await lockForDecision(tx, key)
  if (outgoing.state === 'duplicate') return true
  if (outgoing.state !== 'unexplained')
    throw invalidState(`The outgoing transfer is ${outgoing.state}: unbook it first.`)
  const duplicateOf = await findOriginal(tx, outgoing)
  const { requisiteId, id, channel } = outgoing
  const [both] = await tx.query(findChannelOfBoth, { requisiteId, id, otherId: duplicateOf, channel })
  if (both) throw invalidState(`${both.channel} reports both it and ${duplicateOf}: it is other money.`)
  const agreed = await agreeOnPurpose(tx, outgoing, undecided, by)
  const { actor, reason } = by
  if (agreed === null) await tx.query(markDecided, { rows: [{ ...outgoing, ...undecided, reason, decidedBy: actor }] })
  else await takeOut(tx, [{ ...outgoing, duplicateOf }], { actor: agreed, reason })
  return agreed !== null
}

const otherMoney = async (tx: Tx, key: TransferKey, by: Explaining): Promise<boolean> => {
  const outgoing = await lockForDecision(tx, key)
  const { requisiteId, id } = outgoing
  if (outgoing.duplicateOf === null || outgoing.state === 'booked' || outgoing.state === 'withdrawn') return true
  if (outgoing.state === 'duplicate') {
    // It becomes money again, also what the bank gave back.
    const said = { ...outgoing, givenBack: false, decidedBy: outgoing.decidedBy ?? 'service' }
    const decidedBy = await takeWordBack(tx, said, by)
    if (decidedBy !== null) {
      await tx.query(noteDeciders, { ...key, decidedBy })
      return false
    }
  }
  await tx.query(markDecided, { rows: [{ requisiteId, id, ...undecided, state: 'unexplained' }] })
  await tx.query(setDuplicateOf, { requisiteId, id, duplicateOf: null })
  if (outgoing.state === 'duplicate') await postEntries(tx, [[postSent(outgoing)]])
  return true
}

/**
 * Decides that a possible duplicate is the money of the outgoing transfer that it names, and so leaves the ledger; or
 * that it is other money, now or later. What one operator may not explain alone is a proposal until another one says
 * the same, and what the service or two have decided stays until two say otherwise. Returns whether it is decided;
 * repeating it changes nothing. Refuses `resource_not_found`, `second_person_required`, and `invalid_state` if it is no
 * possible duplicate, was booked, names a withdrawn transfer, is reported next to the other one by another channel, or
 * is being withdrawn.
 */
export const decideDuplicate = async (
  tx: Tx,
  key: TransferKey,
  decision: DuplicateDecision,
  by: Explaining,
): Promise<boolean> => (decision === 'same-money' ? sameMoney(tx, key, by) : otherMoney(tx, key, by))
