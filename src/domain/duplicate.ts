import type { Match } from './match.ts'
import type { Suggestion } from './suggest.ts'
import { day, type Instant } from './time.ts'

/** What reports of one transfer through different channels are compared by. Amounts are minor units. */
export type ComparableReport = {
  readonly requisiteId: string
  readonly amount: bigint
  readonly bookedAt: Instant
  /** The sender's number as `maskSource` shows it; empty where it was not reported. */
  readonly senderMasked: string
  readonly bankReference: string | null
  /** The numbering that the reference belongs to, where it is known. */
  readonly referenceKind?: string | null
}

/** A transfer that another channel reported. */
export type KnownTransfer = ComparableReport & { readonly id: string }

/** The booking times of one transfer may differ this much between channels: one may know the day only. */
export const sameMoneyMs = day

/** Shorter numbers are not complete. */
const completeNumberLength = 10

/** Whether two reports name two senders, or two references of one kind, and so are two transfers. */
const contradicts = (one: ComparableReport, other: ComparableReport): boolean => {
  const { length } = one.senderMasked
  const areComplete = length >= completeNumberLength && length === other.senderMasked.length
  if (areComplete && one.senderMasked !== other.senderMasked) return true
  const isSameKind = (one.referenceKind ?? null) !== null && one.referenceKind === other.referenceKind
  return isSameKind && one.bankReference !== null && one.bankReference !== (other.bankReference ?? one.bankReference)
}

/** Whether two reports may be of the same money: one amount on one requisite within a day, and no contradiction. */
export const mayBeSameMoney = (one: ComparableReport, other: ComparableReport): boolean =>
  one.requisiteId === other.requisiteId &&
  one.amount === other.amount &&
  Math.abs(one.bookedAt - other.bookedAt) <= sameMoneyMs &&
  !contradicts(one, other)

const isSameSender = (one: ComparableReport, other: ComparableReport): boolean =>
  one.senderMasked !== '' && one.senderMasked === other.senderMasked

/**
 * Which reports of one channel may duplicate which transfers of others, by the index of the report; each transfer at most
 * once. Reports that say the most are paired first, so that they leave to the others the transfers that fit anything.
 */
export const pairDuplicates = (
  reports: readonly ComparableReport[],
  known: readonly KnownTransfer[],
): Map<number, KnownTransfer> => {
  const keyOf = ({ requisiteId, amount }: ComparableReport): string => `${requisiteId} ${amount}`
  const unpaired = new Map([...Map.groupBy(known, keyOf)].map(([key, transfers]) => [key, new Set(transfers)]))
  const pairs = new Map<number, KnownTransfer>()
  const pair = (report: ComparableReport, index: number, isWanted: (other: KnownTransfer) => boolean): void => {
    const left = unpaired.get(keyOf(report))
    if (!left || pairs.has(index)) return
    const distance = (other: KnownTransfer): number => Math.abs(other.bookedAt - report.bookedAt)
    let nearest: KnownTransfer | undefined
    for (const other of left) {
      if (!mayBeSameMoney(report, other) || !isWanted(other)) continue
      if (!nearest || distance(other) < distance(nearest)) nearest = other
    }
    if (!nearest) return
    pairs.set(index, nearest)
    left.delete(nearest)
  }
  reports.forEach((report, index) => pair(report, index, (other) => isSameSender(report, other)))
  reports.forEach((report, index) => {
    if (report.senderMasked !== '') pair(report, index, () => true)
  })
  reports.forEach((report, index) => pair(report, index, () => true))
  return pairs
}

/** The match of a transfer that may duplicate another one: an operator decides, and sees what it would be otherwise. */
export const possibleDuplicate = (match: Match, suggestions: readonly Suggestion[], otherId: string): Match => ({
  outcome: 'ambiguous',
  suggestions,
  reasons: [
    `may be the same money as transfer ${otherId}, which came through another channel: the same amount within a day, and no reference in common`,
    `as other money it would be: ${match.outcome}, ${match.reasons.join(', ')}`,
  ],
})
