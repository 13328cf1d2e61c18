import type { Tx } from '../../context.ts'
import { formatInstant } from '../../../rules/time.ts'
import { compareAnnounced } from '../../../rules/transfers/announced.ts'
import { noticeMs } from '../../../rules/transfers/outgoing.ts'
import { isNamedIn } from '../../../rules/transfers/propose-outgoing.ts'
import { accountDigits } from '../../../rules/values/account-number.ts'
import { findMerchant } from '../../merchants/read.ts'
import { listSharing } from '../../requisites/read.ts'
import { payeeDetails } from '../outgoing/payee-details.ts'
import { listUnexplainedAnywhere, type StoredOutgoing } from '../outgoing/store.ts'
import type { StoredRefund } from './follow-money.ts'
import { payTo, readSenders } from './payers.ts'

/** Shorter numbers are not complete. */
const completeLength = 10

/** Compares outgoing money with a refund, by payee and text; see `compareAnnounced`. */
const openComparison = async (tx: Tx, refund: StoredRefund) => {
  const { id, orderId, paymentId, reference, payToSealed } = refund
  const senders = await readSenders(tx, [refund])
  const names = [orderId, paymentId, reference, ...senders.map(({ bankReference }) => bankReference)]
  const written = payToSealed === null ? null : payTo.open(tx.vault, id, payToSealed).replaceAll(/\D/g, '')
  return (outgoing: StoredOutgoing) => {
    const payee = payeeDetails(tx.vault, outgoing.id, outgoing.detailsSealed)
    const digits = accountDigits(payee.number ?? '')
    if (digits.length >= completeLength && written?.includes(digits)) return 'agrees'
    if (names.some(isNamedIn(payee.text))) return 'agrees'
    // Where the merchant or the payer has named an account, it may be of anybody.
    return compareAnnounced(payee, { payers: written === null ? senders : [], names: [] })
  }
}

/** The account that a refund is about to leave from. */
type Sending = { readonly requisiteId: string; readonly isInFile: boolean }

/**
 * The first outgoing money that nobody has explained, and that may be a refund: of its amount, since it was asked for, as
 * early as a bank's row is taken for a refund; from any account of its mode if payee or text fit, and from the one that
 * was paid, or that sends it, unless its payee is somebody else. A file, which nobody reads order by order, looks at all
 * money of its account.
 */
export const findPaid = async (tx: Tx, refund: StoredRefund, sending?: Sending) => {
  const { merchantId, requisiteId, currency, amount, createdAt } = refund
  const { mode } = await findMerchant(tx, merchantId)
  const found = await tx.query(listUnexplainedAnywhere, { mode, currency, amount, since: createdAt - noticeMs })
  if (found.length === 0) return undefined
  const from = sending?.requisiteId ?? requisiteId
  const sharing = await listSharing(tx, [requisiteId, from])
  const own = new Set([requisiteId, from].flatMap((each) => sharing.get(each) ?? [each]))
  const inFile = new Set(sending?.isInFile ? (sharing.get(from) ?? [from]) : [])
  const compare = await openComparison(tx, refund)
  const paid = found.find((each) => {
    if (inFile.has(each.requisiteId)) return true
    const fits = compare(each)
    return fits === 'agrees' || (fits === 'unknown' && own.has(each.requisiteId))
  })
  return paid && { ...paid, leftOn: paid.bookedOn ?? formatInstant(paid.bookedAt).slice(0, 10) }
}
