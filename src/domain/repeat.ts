import type { Match } from './match.ts'
import type { Suggestion } from './suggest.ts'
import { day, type Instant } from './time.ts'

/** What reports of one transfer through two channels can be compared by. Amounts are minor units. */
export type Told = {
  readonly requisiteId: string
  readonly amount: bigint
  readonly bookedAt: Instant
  /** The sender's number as `maskSource` shows it; empty where it is not told. */
  readonly senderMasked: string
  readonly bankReference: string | null
  /** Which numbers the reference is of; `null` where that is not known. */
  readonly referenceKind: string | null
}

/** A transfer that another channel told of. */
export type ToldElsewhere = Told & { readonly id: string }

/** Two channels may tell of one transfer with times that differ by so much: one may know the day only. */
export const sameMoneyMs = day

/** Shorter numbers are not whole. */
const wholeNumberLength = 10

/** Whether two reports cannot be of one transfer: they name two senders, or two references of one kind. */
const contradicts = (one: Told, other: Told): boolean => {
  const [sender, length] = [one.senderMasked, one.senderMasked.length]
  const isOtherSender = length >= wholeNumberLength && length === other.senderMasked.length
  if (isOtherSender && sender !== other.senderMasked) return true
  const isSameKind = one.referenceKind !== null && one.referenceKind === other.referenceKind
  return isSameKind && one.bankReference !== null && one.bankReference !== (other.bankReference ?? one.bankReference)
}

const mayBeOne = (one: Told, other: Told): boolean =>
  one.requisiteId === other.requisiteId &&
  one.amount === other.amount &&
  Math.abs(one.bookedAt - other.bookedAt) <= sameMoneyMs &&
  !contradicts(one, other)

const isSameSender = (one: Told, other: Told): boolean =>
  one.senderMasked !== '' && one.senderMasked === other.senderMasked

/**
 * Which of the rows of one channel may be transfers that another one told of, each at most one: the rows' places with the
 * transfers. Rows that tell the most go first, so that they leave to the others what may be any of them.
 */
export const pairRepeats = (rows: readonly Told[], told: readonly ToldElsewhere[]): Map<number, ToldElsewhere> => {
  const pairs = new Map<number, ToldElsewhere>()
  const places = new Map<string, Set<ToldElsewhere>>()
  const placeOf = ({ requisiteId, amount }: Told): string => `${requisiteId} ${amount}`
  for (const other of told) {
    const place = places.get(placeOf(other)) ?? new Set()
    places.set(placeOf(other), place.add(other))
  }
  const pair = (index: number, row: Told, isWanted: (other: Told) => boolean): void => {
    const left = places.get(placeOf(row))
    if (!left || pairs.has(index)) return
    let nearest: ToldElsewhere | undefined
    const distance = (other: Told): number => Math.abs(other.bookedAt - row.bookedAt)
    for (const other of left) {
      if (!mayBeOne(row, other) || !isWanted(other)) continue
      if (!nearest || distance(other) < distance(nearest)) nearest = other
    }
    if (!nearest) return
    pairs.set(index, nearest)
    left.delete(nearest)
  }
  rows.forEach((row, index) => pair(index, row, (other) => isSameSender(row, other)))
  rows.forEach((row, index) => row.senderMasked !== '' && pair(index, row, () => true))
  rows.forEach((row, index) => pair(index, row, () => true))
  return pairs
}

/** What is decided about money that may be another transfer's: a person looks, with the payments that it would be for. */
export const possibleRepeat = (match: Match, suggestions: readonly Suggestion[], otherId: string): Match => ({
  outcome: 'ambiguous',
  suggestions,
  reasons: [
    `may be the same money as transfer ${otherId}, which came another way: the same amount within a day, and no reference in common`,
    `as other money it would be: ${match.outcome}, ${match.reasons.join(', ')}`,
  ],
})
