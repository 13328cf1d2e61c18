import type { Tx } from '../../context.ts'
import { type OperatorPurpose, noticeMs, postBooked, purposeAccount } from '../../domain/outgoing.ts'
import { Refusal, refuseField } from '../../domain/refusal.ts'
import { postEntries } from '../../ledger/post-entries.ts'
import { findPayableSettlement } from '../../ledger/settlements/read.ts'
import { listSharing } from '../../requisites/read.ts'
import { ignoreTransfer } from '../ignore-transfer.ts'
import { lockTransfer, type TransferKey } from '../lock-transfer.ts'
import { decidedMeanwhile, lockUnexplained } from './lock-unexplained.ts'
import { findOutgoingRow, listArrivedElsewhere, markBooked, type StoredOutgoing } from './store.ts'

/** What an operator says that outgoing money was for. */
export type OperatorBooking = {
  readonly purpose: OperatorPurpose
  readonly reason: string
  readonly actor: string
  /** The settlement that it carries out, with its merchant. */
  readonly merchantId: string | null
  readonly settlementId: string | null
  /** The transfer as which it came in on an account of our own; by default the only one that it can be. */
  readonly transferId: string | null
}

const checkFields = ({ purpose, merchantId, settlementId, transferId }: OperatorBooking): void => {
  if (purpose !== 'settlement' && (merchantId !== null || settlementId !== null))
    throw refuseField('validation_failed', 'settlementId', 'is given for a settlement and for nothing else.')
  if ((merchantId === null) !== (settlementId === null))
    throw refuseField('validation_failed', 'settlementId', 'is given together with its merchantId.')
  if (purpose !== 'own-account' && transferId !== null)
    throw refuseField('validation_failed', 'transferId', 'is given for own-account and for nothing else.')
}

const listArrived = async (tx: Tx, { requisiteId, currency, amount, bookedAt }: StoredOutgoing) => {
  const requisiteIds = (await listSharing(tx, [requisiteId])).get(requisiteId) ?? [requisiteId]
  const span = { since: bookedAt - noticeMs, until: bookedAt + noticeMs }
  return tx.query(listArrivedElsewhere, { requisiteIds, currency, amount, ...span })
}

/** Sets aside the transfer as which outgoing money came in on another account of our own, and gives its id. */
const setAsideArrived = async (tx: Tx, outgoing: StoredOutgoing, { transferId, reason, actor }: OperatorBooking) => {
  const arrived = await listArrived(tx, outgoing)
  const [only, ...others] = transferId === null ? arrived : arrived.filter(({ id }) => id === transferId)
  if (!only || outgoing.givenBack) {
    const message = 'No such money came in on another account and belongs to no payment: import its statement first.'
    throw new Refusal('invalid_state', message)
  }
  if (others.length > 0) {
    const ids = [only, ...others].map(({ id }) => id).join(', ')
    throw new Refusal('invalid_state', `Several transfers may be this money: name one of ${ids}.`)
  }
  const { isWaiting, ...key } = only
  await lockTransfer(tx, key)
  if (isWaiting) await ignoreTransfer(tx, key, { actor, note: reason }, true)
  return key.id
}

/**
 * Books unexplained outgoing money to what an operator says that it was for. Money between own accounts is paired with the
 * transfer as which it came in, which is set aside. Refuses `resource_not_found`, `validation_failed`, and `invalid_state`
 * when it was booked before, or when no transfer or several can be its other side.
 */
export const bookOutgoing = async (tx: Tx, key: TransferKey, booking: OperatorBooking): Promise<StoredOutgoing> => {
  checkFields(booking)
  const { purpose, reason, actor, merchantId, settlementId } = booking
  if (merchantId !== null && settlementId !== null) await findPayableSettlement(tx, merchantId, settlementId)
  let documentId = settlementId
  if (purpose === 'own-account') {
    // Transfers are locked before outgoing ones.
    const [outgoing] = await tx.query(findOutgoingRow, key)
    if (outgoing?.state === 'unexplained') documentId = await setAsideArrived(tx, outgoing, booking)
  }
  const outgoing = await lockUnexplained(tx, key)
  // What was read before the locks may have been unbooked, paired or assigned meanwhile.
  if (purpose === 'own-account' && !(await listArrived(tx, outgoing)).some(({ id }) => id === documentId))
    throw decidedMeanwhile()
  const decided = { purpose, merchantId, paymentId: null, documentId, reason, decidedBy: actor, decidedAt: tx.now }
  await tx.query(markBooked, { rows: [{ requisiteId: outgoing.requisiteId, id: outgoing.id, ...decided }] })
  await postEntries(tx, [[postBooked(outgoing, purposeAccount[purpose](outgoing.currency))]])
  return { ...outgoing, ...decided, state: 'booked' }
}
