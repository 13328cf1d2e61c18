import type { Tx } from '../context.ts'
import { type Candidate, type IncomingTransfer, longestHolds } from '../domain/candidate.ts'
import { bankClockSkewMs } from '../domain/match.ts'
import { type Payment, requisitesOf } from '../domain/payment.ts'
import type { Instant } from '../domain/time.ts'
import {
  listEqualHolders,
  listHolders,
  listPartlyPaidHolders,
  type HeldSpan,
  type SlotHolder,
} from '../requisites/read.ts'
import { lockPayments } from './store.ts'

/** A transfer whose payment is looked for; with `onlyMerchantId` among that merchant's payments. */
export type SoughtTransfer = Pick<IncomingTransfer, 'amount' | 'bookedAt'> & {
  readonly requisiteId: string
  /** All requisites of its account, where others share it: their payments may be meant as well. */
  readonly sharing?: readonly string[]
  readonly onlyMerchantId?: string
}

/**
 * Payments that the transfers of one report may be for, locked. Of most requisites only the holders of the amounts that
 * came are locked, because an exact match needs no others; of a requisite to which money of another amount came, all.
 * Their payments are given as they stand after the transfers so far; slots count as they were held when the report came.
 */
export type Candidates = {
  /** Holders of the transfer's amount, and payments on its requisite that wait for a rest. */
  exact(transfer: SoughtTransfer): Candidate[]
  /** All that held a slot on the transfer's requisite; locks them first where that has not been done. */
  all(transfer: SoughtTransfer): Promise<Candidate[]>
  /** Notes that a payment has received a part: from now on other amounts than its own may be for it. */
  waitsForRest(payment: Payment): Promise<void>
}

const placesOf = ({ requisiteId, sharing = [requisiteId] }: SoughtTransfer): readonly string[] => sharing

const slotKey = (requisiteId: string, amount: bigint): string => `${requisiteId} ${amount}`

const placesOfAll = (transfers: readonly SoughtTransfer[]): string[] => [...new Set(transfers.flatMap(placesOf))]

const spanOf = (requisiteId: string, transfers: readonly SoughtTransfer[]): HeldSpan => {
  const booked = transfers.map((transfer) => transfer.bookedAt)
  return { requisiteId, since: Math.min(...booked), until: Math.max(...booked) + bankClockSkewMs }
}

/** Locks the payments of slot holders; those that have left a requisite no longer wait on it. */
const lockHolders = async (
  tx: Tx,
  holders: readonly SlotHolder[],
): Promise<{ requisiteId: string; candidate: Candidate }[]> => {
  const longest = new Map<string, SlotHolder>()
  for (const holder of holders) {
    // A holder stands twice where its slot was archived while it was being prolonged: the longer hold counts.
    const key = `${holder.requisiteId} ${holder.paymentId}`
    const known = longest.get(key)
    if (!known || known.heldUntil < holder.heldUntil) longest.set(key, holder)
  }
  if (longest.size === 0) return []
  const each = [...longest.values()]
  const rows = await tx.query(lockPayments, { rows: each })
  const payments = new Map(rows.map((row) => [row.id, row]))
  return each.flatMap(({ requisiteId, paymentId, takenAt, heldUntil }) => {
    const payment = payments.get(paymentId)
    if (!payment || !requisitesOf(payment).includes(requisiteId)) return []
    return [{ requisiteId, candidate: { payment, takenAt, heldUntil, payerIndex: payment.payerPhoneIndex } }]
  })
}

/** Locks the payments that hold slots on a requisite at a time. */
export const lockHoldersOf = async (tx: Tx, requisiteId: string, at: Instant): Promise<Candidate[]> =>
  (await lockHolders(tx, await listHolders(tx, [{ requisiteId, since: at, until: at }]))).map(
    ({ candidate }) => candidate,
  )

/**
 * Locks the payments that the transfers of a report may be for; see `Candidates`. `current` tells what the report has made
 * of a payment so far.
 */
export const lockCandidates = async (
  tx: Tx,
  transfers: readonly SoughtTransfer[],
  current: (payment: Payment) => Payment,
): Promise<Candidates> => {
  const spans = new Map(
    [...Map.groupBy(transfers, (transfer) => transfer.requisiteId).values()].flatMap((group) =>
      placesOfAll(group).map((id) => [id, spanOf(id, group)] as const),
    ),
  )
  const equal = await listEqualHolders(
    tx,
    transfers.flatMap((transfer) =>
      placesOf(transfer).map((id) => ({ ...spanOf(id, [transfer]), amount: transfer.amount })),
    ),
  )
  const partly = await listPartlyPaidHolders(tx, [...spans.keys()])
  const waiting = new Set(equal.map((holder) => slotKey(holder.requisiteId, holder.amount)))
  const lacking = transfers.filter(
    (transfer) => !placesOf(transfer).some((id) => waiting.has(slotKey(id, transfer.amount))),
  )

  const whole = new Set<string>()
  const loaded = new Map<string, Map<string, Candidate>>()
  const byAmount = new Map<string, Candidate[]>()
  const load = async (holders: readonly SlotHolder[], requisiteIds: readonly string[]): Promise<void> => {
    const wanted = requisiteIds.flatMap((id) => spans.get(id) ?? [])
    for (const id of requisiteIds) whole.add(id)
    for (const { requisiteId, candidate } of await lockHolders(tx, [...holders, ...(await listHolders(tx, wanted))])) {
      const known = loaded.get(requisiteId) ?? new Map<string, Candidate>()
      loaded.set(requisiteId, known)
      if (known.has(candidate.payment.id)) continue
      known.set(candidate.payment.id, candidate)
      const key = slotKey(requisiteId, candidate.payment.amount)
      byAmount.set(key, [...(byAmount.get(key) ?? []), candidate])
    }
  }
  // One statement locks all that is known to be needed, in the order of the keys: two reports never wait in a circle.
  await load([...equal, ...partly], placesOfAll(lacking))

  const partial = new Set(partly.map((holder) => holder.paymentId))
  const mayBeFor = ({ onlyMerchantId }: SoughtTransfer, candidates: Iterable<Candidate>): Candidate[] =>
    [...candidates].flatMap((candidate) => {
      if (onlyMerchantId !== undefined && candidate.payment.merchantId !== onlyMerchantId) return []
      return [{ ...candidate, payment: current(candidate.payment) }]
    })
  return {
    exact: (transfer) => {
      const found = placesOf(transfer).flatMap((place) => {
        const here = loaded.get(place)
        return [
          ...(byAmount.get(slotKey(place, transfer.amount)) ?? []),
          ...[...partial].flatMap((id) => here?.get(id) ?? []),
        ]
      })
      return mayBeFor(transfer, longestHolds(found))
    },
    all: async (transfer) => {
      const lackingPlaces = placesOf(transfer).filter((id) => !whole.has(id))
      if (lackingPlaces.length > 0) await load([], lackingPlaces)
      return mayBeFor(transfer, longestHolds(placesOf(transfer).flatMap((id) => [...(loaded.get(id)?.values() ?? [])])))
    },
    waitsForRest: async (payment) => {
      partial.add(payment.id)
      // It may hold a slot on another requisite of the report, of which only the exact holders are loaded.
      const others = requisitesOf(payment).filter((id) => spans.has(id) && !whole.has(id))
      if (others.length > 0) await load([], others)
    },
  }
}
