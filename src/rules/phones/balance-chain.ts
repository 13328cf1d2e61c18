import type { Instant } from '../time.ts'

/** A message of an account as the chain of its balances sees it; amounts are minor units. */
export type Link = {
  readonly id: string
  /** What it added to the account; below zero, what it took. */
  readonly moved: bigint
  /** What the account had after it; null if the message does not say. */
  readonly balance: bigint | null
  /** The last digits that it shows of the account; null: none. */
  readonly digits: string | null
  readonly bookedAt: Instant | null
  /** The message whose balance it follows. */
  readonly follows: string | null
  /** How much money is missing before it; null if its balance follows, or is the first one. */
  readonly gap: bigint | null
  /** Whether it, or one that it builds on, does not follow, and nobody has confirmed it. */
  readonly isDoubtful: boolean
}

type New = Pick<Link, 'balance' | 'digits' | 'bookedAt'> & {
  /** What it may have added: a debit takes its amount, with or without a fee. */
  readonly moves: readonly bigint[]
}

const mayBeOneAccount = (one: Pick<Link, 'digits'>, other: Pick<Link, 'digits'>): boolean =>
  one.digits === null || other.digits === null || one.digits.endsWith(other.digits) || other.digits.endsWith(one.digits)

/** What the account had before a message. */
const beforeOf = ({ balance, moved }: Link): bigint | null => (balance === null ? null : balance - moved)

const at = ({ bookedAt }: Pick<Link, 'bookedAt'>): Instant => bookedAt ?? 0

/** Messages with a balance that none follows, the newest first, and what came after each without a balance. */
const endsOf = (links: readonly Link[]) => {
  const followed = new Set(links.map(({ follows }) => follows))
  let unsaid = 0n
  return links.toReversed().flatMap((link) => {
    if (link.balance === null) unsaid += link.moved
    return link.balance === null || followed.has(link.id) ? [] : [{ ...link, balance: link.balance, unsaid }]
  })
}

/**
 * Where a new message belongs in the chain of an account's balances: its balance less what it moved must be that of an
 * earlier one. `links` are the earlier ones in the order in which they came. If it follows none, a message was lost, or it
 * is forged: `gap` is the money in between.
 */
export const linkToChain = (
  message: New,
  links: readonly Link[],
): Pick<Link, 'moved' | 'follows' | 'gap' | 'isDoubtful'> => {
  const { balance, moves } = message
  const [first = 0n] = moves
  const start = { moved: first, follows: null, gap: null, isDoubtful: false }
  if (balance === null) return start
  const ends = endsOf(links.filter((link) => mayBeOneAccount(link, message)))
  const sound = ends.filter(({ isDoubtful }) => !isDoubtful)
  for (const end of [...sound, ...ends]) {
    const moved = moves.find((each) => [end.balance, end.balance + end.unsaid].includes(balance - each))
    if (moved !== undefined) return { moved, follows: end.id, gap: null, isDoubtful: end.isDoubtful }
  }
  // The first of all was late, too.
  const isFirst = links.some((each) => each.follows === null && each.gap === null && beforeOf(each) === balance)
  if (isFirst && links.every((each) => each.balance === null || at(each) > at(message))) return start
  // Measured from the one before it in time, whatever came in between.
  const before = ends.filter((end) => at(end) <= at(message)).toSorted((one, other) => at(other) - at(one))
  const [nearest] = [...before, ...ends]
  if (nearest === undefined) return start
  return { ...start, gap: balance - first - nearest.balance - nearest.unsaid, isDoubtful: true }
}

/**
 * The earlier message that did not follow, and that a new one changes, because it was late: it follows the new one, or it
 * is the next in time, and less is missing before it.
 */
export const findAfter = (link: Link, links: readonly Link[]): Pick<Link, 'id' | 'follows' | 'gap'> | undefined => {
  const { balance } = link
  if (balance === null) return undefined
  const later = links
    .filter((each) => each.balance !== null && mayBeOneAccount(each, link) && at(each) >= at(link))
    .toSorted((one, other) => at(one) - at(other))
  const missing = (each: Link): bigint => (beforeOf(each) ?? 0n) - balance
  const follower = later.find((each) => each.follows === null && missing(each) === 0n)
  if (follower) return { id: follower.id, follows: link.id, gap: null }
  const next = later.find((each) => at(each) > at(link))
  return next !== undefined && next.gap !== null ? { id: next.id, follows: null, gap: missing(next) } : undefined
}

/** The ids of a message and of all that build on it, in their order. */
export const builtOn = (id: string, links: readonly Link[]): string[] => {
  const found = new Set([id])
  // Each message follows one that came before it, or one that was late and is given first.
  for (let size = 0; size < found.size; ) {
    size = found.size
    for (const { id: each, follows } of links) if (follows !== null && found.has(follows)) found.add(each)
  }
  return [...found]
}
