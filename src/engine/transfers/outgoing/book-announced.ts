import type { Tx } from '../../context.ts'
import { compareAnnounced } from '../../../rules/transfers/announced.ts'
import { account } from '../../../rules/money/ledger.ts'
import { noticeMs, type OutgoingMoney, pairNearest, pairOnly, postBooked } from '../../../rules/transfers/outgoing.ts'
import { day, type Instant } from '../../../rules/time.ts'
import { postEntries } from '../../ledger/post-entries.ts'
import { listSharing, requisiteOffsets } from '../../requisites/read.ts'
import { proveRefunds } from '../refunds/follow-money.ts'
import { isBeyondOne, isReturnedByBank } from './agree-on-purpose.ts'
import { describeAnnounced } from './candidates/describe-announced.ts'
import { payeeDetails } from './payee-details.ts'
import { listAnnounced, listUnexplained, lockOutgoing, markDecided } from './store.ts'

/** Money that left the ledger's bank account before its bank reported it: a decided refund, or a reversal. */
export type Announced = Omit<ReturnType<typeof listAnnounced.decode>, 'channel'> & {
  readonly channel: string | null
}

type Sent = OutgoingMoney & {
  readonly bookedAt: Instant
  readonly channel: string
  readonly detailsSealed: string
  readonly sharing?: readonly string[]
  readonly isBesideReversal?: boolean
}

/** Books outgoing transfers to announced money: the bank's report replaces it, so that the money leaves only once. */
export const bookToAnnounced = async (
  tx: Tx,
  pairs: readonly (readonly [OutgoingMoney, Announced])[],
  decidedBy: string,
  reason: string | null,
): Promise<void> => {
  if (pairs.length === 0) return
  const decision = { state: 'booked', reason, decidedBy, decidedAt: tx.now } as const
  await tx.query(markDecided, {
    rows: pairs.map(([{ requisiteId, id }, { purpose, merchantId, paymentId, id: documentId }]) => {
      return { requisiteId, id, purpose, merchantId, paymentId, documentId, ...decision }
    }),
  })
  await postEntries(
    tx,
    pairs.map(([outgoing, announced]) => [postBooked(outgoing, account.bank(announced.requisiteId))]),
  )
  const decisionIds = pairs.flatMap(([, { purpose, id }]) => (purpose === 'refund' ? [id] : []))
  await proveRefunds(tx, decisionIds, decidedBy)
}

const isNear = (one: { readonly bookedAt: Instant }, other: { readonly bookedAt: Instant }): boolean =>
  Math.abs(one.bookedAt - other.bookedAt) <= noticeMs

/**
 * Pairs outgoing transfers with announced money if that is clear: the payee or text agrees and neither side fits
 * anything else; or another channel of the bank reported a reversal on the same day, and this one does not report it as
 * a reversal, too. Else an operator gets a proposal; so does one where the text agrees only by a name of who recorded
 * the refund or reversal, beyond the bound of that one.
 */
const pairAnnounced = async (
  tx: Tx,
  sent: readonly Sent[],
  announced: readonly Announced[],
  findBound: (by: string) => Promise<bigint>,
): Promise<Map<Sent, Announced>> => {
  const details = await describeAnnounced(tx, announced)
  const offsets = await requisiteOffsets(tx, [...new Set([...sent, ...announced].map((each) => each.requisiteId))])
  const dayOf = ({ requisiteId, bookedAt }: Pick<Sent, 'requisiteId' | 'bookedAt'>): number =>
    Math.floor((bookedAt + (offsets.get(requisiteId) ?? 0)) / day)
  const payees = new Map(sent.map((each) => [each, payeeDetails(tx.vault, each.id, each.detailsSealed)]))
  const compare = (each: Sent, other: Announced) => {
    const [payee, known] = [payees.get(each), details.get(other.id)]
    return payee && known ? compareAnnounced(payee, known) : 'unknown'
  }
  const mayBe = (each: Sent, other: Announced): boolean =>
    each.amount === other.amount &&
    (each.sharing ?? [each.requisiteId]).includes(other.requisiteId) &&
    // A file that reports both a reversal and money out means two bookings.
    each.channel !== other.channel &&
    isNear(each, other)
  const clear = pairOnly(sent, announced, (each, other) => mayBe(each, other) && compare(each, other) === 'agrees')
  const taken = new Set(clear.values())
  const unproven = new Map<string, Sent[]>()
  for (const [each, other] of clear) {
    const { decidedBy: actor } = other
    const known = details.get(other.id)
    if (isReturnedByBank(tx, each, known)) continue
    const before = unproven.get(actor) ?? []
    if (await isBeyondOne(tx, each, { actor, findBound: () => findBound(actor) }, before)) clear.delete(each)
    else unproven.set(actor, [...before, each])
  }
  const reported = pairNearest(
    sent.filter((each) => !clear.has(each) && !each.isBesideReversal),
    announced.filter((other) => other.channel !== null && !taken.has(other)),
    (each, other) => mayBe(each, other) && dayOf(each) === dayOf(other) && compare(each, other) !== 'contradicts',
  )
  return new Map([...clear, ...reported])
}

/** Books new outgoing transfers to money that was announced for their payee, or by their bank (see `pairAnnounced`). */
export const bookAnnounced = async (
  tx: Tx,
  added: readonly Sent[],
  findBound: (by: string) => Promise<bigint>,
): Promise<void> => {
  const sent = added.filter(({ givenBack }) => !givenBack)
  if (sent.length === 0) return
  const times = sent.map(({ bookedAt }) => bookedAt)
  const announced = await tx.query(listAnnounced, {
    requisiteIds: [...new Set(sent.flatMap((each) => each.sharing ?? [each.requisiteId]))],
    amounts: [...new Set(sent.map(({ amount }) => amount))],
    since: Math.min(...times) - noticeMs,
    until: Math.max(...times) + noticeMs,
  })
  if (announced.length === 0) return
  await bookToAnnounced(tx, [...(await pairAnnounced(tx, sent, announced, findBound))], 'service', null)
}

/** Books an outgoing transfer that the bank has already reported to money announced now, if the pair is clear. */
export const bookReported = async (tx: Tx, announced: Announced, above: bigint): Promise<void> => {
  const { requisiteId, amount, bookedAt } = announced
  await tx.query(lockOutgoing, {})
  const sharing = (await listSharing(tx, [requisiteId])).get(requisiteId) ?? [requisiteId]
  const span = { since: bookedAt - noticeMs, until: bookedAt + noticeMs }
  const sent = await tx.query(listUnexplained, { requisiteIds: sharing, amount, ...span })
  if (sent.length === 0) return
  const pairs = await pairAnnounced(
    tx,
    sent.map((each) => ({ ...each, sharing })),
    [announced],
    () => Promise.resolve(above),
  )
  await bookToAnnounced(tx, [...pairs], 'service', null)
}
