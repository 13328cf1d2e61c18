import { type BookedTime, earliestOf, type ListedTime } from '../values/booked-time.ts'
import { describeOtherForm, type OtherForm } from './other-form.ts'
import { isByDay, isFileChannel, operatorChannel, sourceOf } from './channel.ts'
import type { Match } from './match.ts'
import { findNearestInTime, timelineOf } from './nearest-in-time.ts'
import { isOnePayer, mayBeOnePayer, type ReportedPayer } from './one-payer.ts'
import { isLikenessOfDay, mayBeOneNumber } from '../statements/row-identity.ts'
import type { Suggestion } from './suggest.ts'
import { day, type Instant, minute } from '../time.ts'

/** The fields by which reports of one transfer through different channels are compared. Amounts are minor units. */
export type ComparableReport = Pick<BookedTime, 'bookedAt' | 'earliestAt'> & {
  readonly requisiteId: string
  readonly amount: bigint
  /** The sender's number as `maskSource` shows it; empty if not reported. */
  readonly senderMasked: string
  readonly bankReference: string | null
  /** The numbering that the reference belongs to, if known. */
  readonly referenceKind?: string | null
}

export type DatedReport = ComparableReport & {
  readonly channel: string
  /** The day of its booking in the account's time zone, in days since 1970. */
  readonly localDay: number
  /** As `rowLikeness`; equal reports of one channel may be one booking. */
  readonly likeness?: string | null
  /** Who paid; required if there is a likeness. */
  readonly payer?: ReportedPayer
  /** Letters and digits of its text, which are compared if nobody names the payer. */
  readonly letters?: string
}

export type NewReport = DatedReport & {
  readonly sameMoneySources?: readonly string[]
  readonly listed?: ListedTime
}

export type KnownTransfer = DatedReport & {
  readonly id: string
  readonly recordedAt: Instant
  /** Whether it waits as a possible duplicate itself. */
  readonly isDoubtful: boolean
  /** Whether one operator alone has reported it, and it gives way to the bank's own report. */
  readonly givesWay?: boolean
}

export type Duplicate = {
  readonly other: Pick<KnownTransfer, 'id' | 'requisiteId' | 'channel' | 'likeness' | 'givesWay'>
  readonly isCertain: boolean
  /** Only one payer's money moved from one file to the next: `moved`; one booking in two forms: an `OtherForm`. */
  readonly how: 'alike' | 'moved' | 'one-reference' | OtherForm
}

/** How much the booking times of one transfer may differ between channels; a bare day is any time on it. */
export const sameMoneyMs = day

/** How much a bank may change the date of a row when it exports it again: a weekend, and a holiday next to it. */
export const movedMs = 4 * day

/** Shorter numbers are not complete. */
const completeNumberLength = 10

/** The clocks of a bank and ours differ by less than this. */
const clockMarginMs = 5 * minute

/** Whether two reports name different senders, or different references of one kind, and so are two transfers. */
const contradicts = (one: ComparableReport, other: ComparableReport): boolean => {
  const { length } = one.senderMasked
  const areComplete = length >= completeNumberLength && length === other.senderMasked.length
  if (areComplete && one.senderMasked !== other.senderMasked) return true
  const isSameKind = (one.referenceKind ?? null) !== null && one.referenceKind === other.referenceKind
  return isSameKind && one.bankReference !== null && one.bankReference !== (other.bankReference ?? one.bankReference)
}

const gapBetween = (one: ComparableReport, other: ComparableReport): number =>
  Math.max(0, earliestOf(one) - other.bookedAt, earliestOf(other) - one.bookedAt)

/** Whether two reports may be the same money: the same amount and requisite within a day, and no contradiction. */
export const mayBeSameMoney = (one: ComparableReport, other: ComparableReport, withinMs = sameMoneyMs): boolean =>
  one.requisiteId === other.requisiteId &&
  one.amount === other.amount &&
  gapBetween(one, other) <= withinMs &&
  !contradicts(one, other)

const isSameSender = (one: ComparableReport, other: ComparableReport): boolean =>
  one.senderMasked !== '' && one.senderMasked === other.senderMasked

/** Whether the bank booked a report's money after the other one, if it were the same money, was recorded. */
const isBookedLater = (report: DatedReport, other: KnownTransfer): boolean =>
  !isByDay(report.channel) && report.bookedAt > other.recordedAt + clockMarginMs

/** Whether a pair belongs to one group: the same amount, requisite and day, and nothing against it. */
const isOfGroup = (report: DatedReport, other: KnownTransfer): boolean =>
  report.localDay === other.localDay && !other.isDoubtful && !isBookedLater(report, other)

/** Whether a report may be a booking that an earlier file of its channel described differently. */
const isAlike = (report: DatedReport, other: KnownTransfer): boolean =>
  report.channel === other.channel &&
  (report.likeness ?? null) !== null &&
  report.likeness === other.likeness &&
  (!report.payer || !other.payer || mayBeOnePayer(report.payer, other.payer))

/** Whether a number or a time of day supports that, and not only the day. */
const isDocument = (report: DatedReport, other: KnownTransfer): boolean =>
  isAlike(report, other) && !isLikenessOfDay(report.likeness ?? '')

const isSameSaid = (report: DatedReport, other: KnownTransfer): boolean => {
  if (!report.payer || !other.payer) return false
  const isNobody = [report.payer, other.payer].every(({ digits, name }) => digits === '' && name === null)
  if (isNobody) return (report.letters ?? '') !== '' && report.letters === other.letters
  return isOnePayer(report.payer, other.payer)
}

/**
 * Whether a report may be a booking that an earlier file of its channel had on a nearby day, or with or without a
 * number: the new file lists that time but does not have it there, and amount and payer agree.
 */
const isMoved = (report: NewReport, other: KnownTransfer): boolean =>
  report.channel === other.channel &&
  report.listed !== undefined &&
  report.listed.from <= earliestOf(other) &&
  other.bookedAt <= report.listed.to &&
  mayBeOneNumber(report.likeness ?? '', other.likeness ?? '') &&
  isSameSaid(report, other)

/** A file lists what was booked before it was recorded; times entered by operators may be rough. */
const isAfterFile = (report: DatedReport, other: KnownTransfer): boolean =>
  isFileChannel(other.channel) && report.channel !== operatorChannel && isBookedLater(report, other)

/** Whether the other one came through another channel: a pair of two channels on one day adds no money. */
const isElsewhere = (report: DatedReport, other: KnownTransfer): boolean => report.channel !== other.channel

/** Within a channel every report is separate money, unless it may be an earlier booking. */
const mayBePair = (report: NewReport, other: KnownTransfer): boolean => {
  if (isAfterFile(report, other)) return false
  if (isElsewhere(report, other) || isAlike(report, other)) return mayBeSameMoney(report, other)
  return isMoved(report, other) && mayBeSameMoney(report, other, movedMs)
}

const hasLikeness = ({ likeness = null }: NewReport): boolean => likeness !== null

const hasSender = ({ senderMasked }: NewReport): boolean => senderMasked !== ''

const isAny = (): boolean => true

type Reason = {
  /** What a report needs for it, without which no transfer is compared. */
  readonly needs: (report: NewReport) => boolean
  readonly pairs: (report: NewReport, other: KnownTransfer) => boolean
}

/**
 * Reasons to pair reports of a channel with transfers of others, the best first. The most detailed reports choose
 * first, so that they leave the transfers that fit anything to the others.
 */
const reasons: readonly Reason[] = [
  { needs: hasLikeness, pairs: isDocument },
  {
    needs: hasSender,
    pairs: (report, other) => isElsewhere(report, other) && isOfGroup(report, other) && isSameSender(report, other),
  },
  { needs: hasSender, pairs: (report, other) => isElsewhere(report, other) && isOfGroup(report, other) },
  { needs: isAny, pairs: (report, other) => isElsewhere(report, other) && isOfGroup(report, other) },
  { needs: hasLikeness, pairs: (report, other) => isAlike(report, other) && isSameSender(report, other) },
  { needs: hasLikeness, pairs: isAlike },
  { needs: ({ listed }) => listed !== undefined, pairs: isMoved },
  { needs: hasSender, pairs: (report, other) => !other.isDoubtful && isSameSender(report, other) },
  { needs: hasSender, pairs: (_, other) => !other.isDoubtful },
  { needs: isAny, pairs: (_, other) => !other.isDoubtful },
  { needs: isAny, pairs: (report, other) => !isBookedLater(report, other) },
]

/**
 * Whether a pair is certainly the same money. One of the channels must list all money of the day, as files do, or they
 * must be declared to report the same money: then every transfer of one has its report in the other.
 */
const isSame = (report: NewReport, other: KnownTransfer): boolean => {
  if (report.channel === other.channel || other.isDoubtful || isBookedLater(report, other)) return false
  if (report.sameMoneySources?.includes(sourceOf(other.channel) ?? '')) return true
  const isListed = isFileChannel(report.channel) || isFileChannel(other.channel)
  return report.localDay === other.localDay && report.channel !== operatorChannel && isListed
}

/** How many days away the other report of a pair may be, the nearest first; one more for a bare day. */
const daysAway = [0, ...Array.from({ length: 1 + movedMs / day }, (_, index) => [-1 - index, 1 + index]).flat()]

/** Bounds the work where many reports of one amount choose between many transfers. */
const mostRounds = 20

/** How many transfers are compared before others have their turn: they take about a millisecond. */
const mostCompared = 5000

const distanceOf = (one: ComparableReport, other: ComparableReport): number => Math.abs(one.bookedAt - other.bookedAt)

const groupOf = ({ requisiteId, amount }: ComparableReport, localDay: number): string =>
  `${requisiteId} ${amount} ${localDay}`

/**
 * Which reports of one channel are the money of which known transfers, by the index of the report; each transfer at
 * most once, so that further reports are further money (docs/domain.md §6.3). `known` are the transfers that other
 * channels reported and this one did not, and alike ones of this channel. Meanwhile `letOthersRun` gives waiting requests
 * their turn.
 */
export const pairDuplicates = async (
  reports: readonly NewReport[],
  known: readonly KnownTransfer[],
  letOthersRun: () => Promise<void>,
): Promise<Map<number, Duplicate>> => {
  const groups = Map.groupBy(known, (other) => groupOf(other, other.localDay))
  const left = new Map([...groups].map(([key, transfers]) => [key, timelineOf(transfers)]))
  let compared = 0
  const takeTurns = async (): Promise<void> => {
    if (compared < mostCompared) return
    compared = 0
    await letOthersRun()
  }
  const pairs = new Map<number, Duplicate>()
  const findNearest = (report: NewReport, reason: Reason): KnownTransfer | undefined => {
    if (!reason.needs(report)) return undefined
    const fits = (other: KnownTransfer): boolean => {
      compared++
      return reason.pairs(report, other) && mayBePair(report, other)
    }
    let nearest: KnownTransfer | undefined
    for (const away of daysAway) {
      const group = left.get(groupOf(report, report.localDay + away)) ?? []
      nearest = findNearestInTime(group, report.bookedAt, fits, nearest && distanceOf(report, nearest)) ?? nearest
    }
    return nearest
  }
  const pair = (report: NewReport, index: number, other: KnownTransfer): void => {
    const how = isMoved(report, other) && !isAlike(report, other) ? 'moved' : 'alike'
    pairs.set(index, { other, isCertain: isSame(report, other), how })
    const group = groupOf(other, other.localDay)
    // If it was reported twice and found to be one, it occurs twice.
    left.set(group, left.get(group)?.filter(({ each }) => each.id !== other.id) ?? [])
  }
  for (const reason of reasons) {
    if (left.size === 0) break
    let choosing: { readonly report: NewReport; readonly index: number; readonly distance: number }[] = []
    for (const [index, report] of reports.entries()) {
      const first = pairs.has(index) ? undefined : findNearest(report, reason)
      if (first) choosing.push({ report, index, distance: distanceOf(report, first) })
      await takeTurns()
    }
    // The nearest pairs come first, whatever the order of the file: whoever has lost its nearest chooses once more.
    for (let rounds = 1; choosing.length > 0; rounds++) {
      const again: typeof choosing = []
      for (const { report, index, distance: expected } of choosing.toSorted((a, b) => a.distance - b.distance)) {
        const nearest = findNearest(report, reason)
        await takeTurns()
        if (!nearest) continue
        const distance = distanceOf(report, nearest)
        if (distance > expected && rounds < mostRounds) again.push({ report, index, distance })
        else pair(report, index, nearest)
      }
      choosing = again
    }
  }
  return pairs
}

const describeOther = ({ other, how }: Duplicate, channel: string): string => {
  if (typeof how !== 'string') return describeOtherForm(how)
  if (how === 'one-reference') return `transfer ${other.id}, which has the same reference and amount`
  if (other.channel !== channel) return `transfer ${other.id}, which came through another channel: the same amount`
  if (how === 'moved')
    return `transfer ${other.id}, which an earlier file reported on another day, at another time or with another number, and which is not in this file: the same amount and payer`
  const alike = isLikenessOfDay(other.likeness ?? '')
    ? 'the same day and amount, no other payer, and not in this file as well'
    : 'the same number or time, day and amount, and no other payer'
  return `transfer ${other.id}, which an earlier file reported with another text: ${alike}`
}

/** Why a report is the same money as another transfer. */
export const describeDuplicate = (duplicate: Duplicate, channel: string): string =>
  `the same money as ${describeOther(duplicate, channel)}${
    typeof duplicate.how === 'string' ? ' on the same day, reported equally often' : ''
  }`

/** The match of a possible duplicate: an operator decides, and sees the match that it would have otherwise. */
export const possibleDuplicate = (
  match: Match,
  suggestions: readonly Suggestion[],
  duplicate: Duplicate,
  channel: string,
): Match => ({
  outcome: 'ambiguous',
  suggestions,
  reasons: [
    duplicate.other.channel === channel || typeof duplicate.how !== 'string'
      ? `may be the same money as ${describeOther(duplicate, channel)}`
      : `may be the same money as ${describeOther(duplicate, channel)} within a day, and no reference in common`,
    `if it is other money: ${match.outcome}, ${match.reasons.join(', ')}`,
  ],
})
