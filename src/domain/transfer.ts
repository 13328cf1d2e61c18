import { day, type Instant } from './time.ts'

/** An incoming transfer as a bank feed, an operator or the simulated bank reports it. Amounts are minor units. */
export type ReportedTransfer = {
  readonly requisiteId: string
  readonly currency: string
  readonly amount: bigint
  readonly bookedAt: Instant
  readonly source: string
  /** The bank's own identifier of the transfer; with it a repeated report is recognised for certain. */
  readonly bankReference: string | null
  /** Only payments of this merchant are considered: simulated money never reaches a stranger. */
  readonly onlyMerchantId?: string
  /** Sender's phone, card or account number, where the bank tells it. */
  readonly sender: string | null
  /** Code of the sender's bank, where it is known. */
  readonly senderBank?: string
  /** What the sender has written; an orderId in it speaks for its payment. */
  readonly text?: string
  /**
   * Who tells of it, and how: what two channels tell of may be the same money. Left out where no other channel can tell
   * of it.
   */
  readonly channel?: string
  /** Which numbers the reference is of; two different ones of one kind are two transfers. */
  readonly referenceKind?: string
  /** Its `dedupeKey`, from intakes that know more than one report: a statement is recorded in parts. */
  readonly dedupeKey?: string
}

/**
 * Text that is equal for reports of the same transfer (docs/domain.md §6.3). A bank's reference counts together with the
 * amount, because some banks give the sender's own numbers, which repeat. Without a reference, equal rows of one report
 * are distinguished by their ordinal: two equal legitimate rows stay two, the same rows reported again do not count twice.
 */
export const dedupeKey = (
  transfer: Pick<ReportedTransfer, 'amount' | 'bookedAt' | 'sender' | 'bankReference'>,
  ordinal: number,
): string =>
  transfer.bankReference === null
    ? `row:${transfer.bookedAt}:${transfer.amount}:${transfer.sender ?? ''}:${ordinal}`
    : `ref:${transfer.amount}:${transfer.bankReference}`

/** Reports of one transfer may differ in its booking time by so much; more under one reference are two transfers. */
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
