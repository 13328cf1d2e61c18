import type { Instant } from '../time.ts'
import { type Link, linkToChain } from './balance-chain.ts'
import { type MessageReason, type MessageState, sameBookingOfMessagesMs } from './phone.ts'

/** What a message says of an account; amounts are minor units. */
export type MessageFacts = {
  readonly phoneId: string
  readonly channel: 'sms' | 'push'
  readonly kind: string
  readonly amount: bigint | null
  readonly balance: bigint | null
  readonly digits: string | null
  readonly bookedAt: Instant | null
}

/** An earlier message of the account. */
export type EarlierMessage = MessageFacts &
  Omit<Link, 'moved'> & { readonly moved: bigint | null; readonly sameAs: string | null; readonly state: MessageState }

/** What becomes of a message, and its link in the chain of balances. `moved` is null where it has none. */
export type Judged = Pick<EarlierMessage, 'moved' | 'follows' | 'gap' | 'isDoubtful' | 'sameAs'> & {
  readonly state: Exclude<MessageState, 'dismissed'>
  readonly reason: MessageReason | null
}

const unchained = { moved: null, follows: null, gap: null, isDoubtful: false } as const

/** What a message of a kind may have added to the account. Banks book what they held before without moving it again. */
const movesOf = (kind: string, amount: bigint, fee: bigint): readonly bigint[] => {
  if (kind === 'credit') return fee === 0n ? [amount] : [amount, amount - fee]
  if (kind === 'debit' || kind === 'hold') return [-amount, -amount - fee, 0n]
  return kind === 'reversal' ? [amount, -amount, 0n] : []
}

const hasMoved = (each: EarlierMessage): each is EarlierMessage & { readonly moved: bigint } => each.moved !== null

/** The first message of the same money: SMS and notification, or two phones, say one thing at about one time. */
const findSame = (message: MessageFacts, earlier: readonly EarlierMessage[], follows: string | null) => {
  const near = earlier.filter(
    ({ kind, amount, bookedAt }) =>
      kind === message.kind &&
      amount === message.amount &&
      Math.abs((bookedAt ?? 0) - (message.bookedAt ?? 0)) <= sameBookingOfMessagesMs,
  )
  const isOfOneOrigin = (one: MessageFacts): boolean =>
    one.phoneId === message.phoneId && one.channel === message.channel
  return near.find((each) => {
    if (each.sameAs !== null) return false
    const reports = [each, ...near.filter(({ sameAs }) => sameAs === each.id)]
    const balances = reports.flatMap(({ balance }) => balance ?? [])
    if (message.balance !== null && balances.length > 0) {
      if (!balances.includes(message.balance)) return false
      // The money went out again meanwhile, and came once more.
      return follows === null || reports.every(({ id }) => follows < id)
    }
    return !reports.some(isOfOneOrigin)
  })
}

/**
 * What becomes of a message of a known account whose amount is known. `earlier` are the account's earlier messages in the
 * order in which they came.
 */
export const judgeMessage = (
  message: MessageFacts & { readonly fee: bigint; readonly amount: bigint },
  earlier: readonly EarlierMessage[],
  checksBalance: boolean,
): Judged => {
  const isCredit = message.kind === 'credit'
  const moves = movesOf(message.kind, message.amount, message.fee)
  const links = earlier.filter(hasMoved)
  const link = checksBalance && moves.length > 0 ? linkToChain({ ...message, moves }, links) : unchained
  const same = findSame(message, earlier, link.follows)
  if (same) {
    // What did not say its balance before is in the chain through the message that does.
    const adds = checksBalance && message.balance !== null && same.balance === null
    return { ...(adds ? link : unchained), state: 'same', reason: null, sameAs: same.id }
  }
  if (!isCredit) return { ...link, state: 'noted', reason: null, sameAs: null }
  if (link.isDoubtful) return { ...link, state: 'waiting', reason: 'balance', sameAs: null }
  return { ...link, state: 'recorded', reason: null, sameAs: null }
}
