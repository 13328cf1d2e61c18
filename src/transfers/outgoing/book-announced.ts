import type { Tx } from '../../context.ts'
import { noticeMs, type OutgoingMoney, pairNearest, postBooked } from '../../domain/outgoing.ts'
import { account } from '../../domain/ledger.ts'
import type { Instant } from '../../domain/time.ts'
import { postEntries } from '../../ledger/post-entries.ts'
import { listSharing } from '../../requisites/read.ts'
import { listAnnounced, listUnexplained, lockOutgoing, markBooked } from './store.ts'

/** Money that left the ledger's bank account before its bank reported it: a refund that was decided, or a reversal. */
export type Announced = Omit<ReturnType<typeof listAnnounced.decode>, 'channel'> & { readonly channel: string | null }

type Sent = OutgoingMoney & {
  readonly bookedAt: Instant
  readonly channel: string
  readonly sharing?: readonly string[]
}

/**
 * Books outgoing transfers to what was announced: the bank's report takes the place of the announcement, so that the money
 * leaves the account once.
 */
export const bookToAnnounced = async (
  tx: Tx,
  pairs: readonly (readonly [OutgoingMoney, Announced])[],
  decidedBy: string,
  reason: string | null,
): Promise<void> => {
  if (pairs.length === 0) return
  await tx.query(markBooked, {
    rows: pairs.map(([{ requisiteId, id }, { purpose, merchantId, paymentId, id: documentId }]) => ({
      ...{ requisiteId, id, purpose, merchantId, paymentId, documentId },
      ...{ reason, decidedBy, decidedAt: tx.now },
    })),
  })
  await postEntries(
    tx,
    pairs.map(([outgoing, announced]) => [postBooked(outgoing, account.bank(announced.requisiteId))]),
  )
}

const isNear = (one: { readonly bookedAt: Instant }, other: { readonly bookedAt: Instant }): boolean =>
  Math.abs(one.bookedAt - other.bookedAt) <= noticeMs

/** Books new outgoing transfers to what was announced before: the same account and amount, nearest in time first. */
export const bookAnnounced = async (tx: Tx, added: readonly Sent[]): Promise<void> => {
  const sent = added.filter(({ givenBack }) => !givenBack)
  if (sent.length === 0) return
  const accountOf = (each: Sent): readonly string[] => each.sharing ?? [each.requisiteId]
  const times = sent.map(({ bookedAt }) => bookedAt)
  const announced = await tx.query(listAnnounced, {
    requisiteIds: [...new Set(sent.flatMap(accountOf))],
    since: Math.min(...times) - noticeMs,
    until: Math.max(...times) + noticeMs,
  })
  if (announced.length === 0) return
  const pairs = pairNearest(
    sent,
    announced,
    (each, other) =>
      each.amount === other.amount &&
      accountOf(each).includes(other.requisiteId) &&
      // A file that reports a reversal and money out has two bookings.
      each.channel !== other.channel &&
      isNear(each, other),
  )
  await bookToAnnounced(tx, [...pairs], 'service', null)
}

/** Books the outgoing transfer that its bank has reported already to what is announced now, where there is one. */
export const bookReported = async (tx: Tx, announced: Announced): Promise<void> => {
  const { requisiteId, amount, bookedAt } = announced
  await tx.query(lockOutgoing, {})
  const requisiteIds = (await listSharing(tx, [requisiteId])).get(requisiteId) ?? [requisiteId]
  const span = { since: bookedAt - noticeMs, until: bookedAt + noticeMs }
  const sent = await tx.query(listUnexplained, { requisiteIds, amount, ...span })
  const pairs = pairNearest([announced], sent, (_, other) => other.channel !== announced.channel)
  await bookToAnnounced(
    tx,
    [...pairs].map(([each, outgoing]) => [outgoing, each]),
    'service',
    null,
  )
}
