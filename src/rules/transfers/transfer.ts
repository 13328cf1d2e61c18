import type { BookedTime, ListedTime } from '../values/booked-time.ts'
import type { OtherForm } from './other-form.ts'
import { day } from '../time.ts'

/** Where money is. `duplicate`: counted as another transfer's; `withdrawn`: with its statement. */
export const partKinds = [
  'payment',
  'overpayment',
  'suspense',
  'ignored',
  'duplicate',
  'reversed',
  'withdrawn',
] as const
export type PartKind = (typeof partKinds)[number]

/** How a transfer may be unusual: `paid-again`: its payment is already paid; `disputed`: that is or was in dispute. */
export const unusualTransfers = ['amount', 'late', 'paid-again', 'disputed', 'duplicate'] as const

/** What an operator may decide about a transfer in the inbox (docs/domain.md §6.10). */
export const decisionWords = ['assign', 'accept', 'ignore', 'same-money', 'other-money', 'park', 'unpark'] as const
export type DecisionWord = (typeof decisionWords)[number]

/** An incoming transfer as a bank feed, an operator or the simulated bank reports it. Amounts are minor units. */
export type ReportedTransfer = BookedTime & {
  readonly requisiteId: string
  readonly currency: string
  readonly amount: bigint
  readonly source: string
  /** The bank's own identifier of the transfer, by which a second report of it is certainly recognised. */
  readonly bankReference: string | null
  /** Only payments of this merchant are considered: simulated money never reaches a stranger. */
  readonly onlyMerchantId?: string
  /** Sender's phone, card or account number, if the bank gives it. */
  readonly sender: string | null
  readonly senderName?: string | null
  readonly senderBank?: string | null
  readonly text?: string | null
  /** The kind of reporter. Two channels may report the same money; a report without a channel is never compared. */
  readonly channel?: string | null
  readonly sameMoneySources?: readonly string[]
  /** As `rowLikeness`: equal for rows of files that may be one booking. */
  readonly likeness?: string | null
  readonly listed?: ListedTime
  /** The numbering that the reference belongs to: different references of one kind are two transfers. */
  readonly referenceKind?: string | null
  /** The transfer that has its money as a sum, or as one of the parts. */
  readonly otherForm?: OtherForm
  /** Whether the preview of its file has shown it as known: nobody has confirmed that it takes the place of another report. */
  readonly isShownKnown?: boolean
  /** Whether its file proves that it is other money than the first row of the file under its reference. */
  readonly isProven?: boolean
  /** Whether its file only says that it was booked within some days, of which the last was taken. */
  readonly isDayUnknown?: boolean
  readonly documentNumber?: string | null
  /** Its `dedupeKey`, from reporters whose rows are recorded in parts. */
  readonly dedupeKey?: string
}

/**
 * Text that is equal for reports of the same transfer (docs/domain.md §6.3). A bank's reference counts together with
 * the amount, because some banks pass on the sender's own numbering, which starts again. Without a reference, equal
 * rows of one report differ by their ordinal: two equal legitimate rows stay two, and the same rows reported again do
 * not count twice.
 */
export const dedupeKey = (
  transfer: Pick<ReportedTransfer, 'amount' | 'bookedAt' | 'sender' | 'bankReference'>,
  ordinal: number,
): string =>
  transfer.bankReference === null
    ? `row:${transfer.bookedAt}:${transfer.amount}:${transfer.sender ?? ''}:${ordinal}`
    : `ref:${transfer.amount}:${transfer.bankReference}`

const againMark = /^again:\d+:/

/** The key of a booking that has the reference and amount of another one; `number` distinguishes those of one key. */
export const separateKey = (key: string, number: bigint): string => `again:${number}:${key}`

/**
 * The key of the first of several bookings of an amount under one reference, given that of a later one; else
 * `undefined`. References are the bank's text, so only the beginning of a key cannot be imitated by them.
 */
export const firstKeyOf = (key: string): string | undefined =>
  againMark.test(key) ? key.replace(againMark, '') : undefined

/** Booking times of one transfer may differ by this much; further apart, one reference means two transfers. */
export const sameBookingMs = 3 * day

/** Dedupe keys of the transfers of one report, in their order. */
export const dedupeKeys = (transfers: readonly ReportedTransfer[]): string[] => {
  const seen = new Map<string, number>()
  return transfers.map((transfer) => {
    if (transfer.dedupeKey !== undefined) return transfer.dedupeKey
    const first = `${transfer.requisiteId} ${dedupeKey(transfer, 0)}`
    const ordinal = seen.get(first) ?? 0
    seen.set(first, ordinal + 1)
    return dedupeKey(transfer, ordinal)
  })
}
