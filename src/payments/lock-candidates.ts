import type { Tx } from '../context.ts'
import { earliestOf } from '../domain/booked-time.ts'
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

/** A transfer whose payment is to be found; with `onlyMerchantId`, among that merchant's payments. */
type SoughtTransfer = Pick<IncomingTransfer, 'amount' | 'bookedAt' | 'earliestAt'> & {
  readonly requisiteId: string
  /** All requisites that share its account: the transfer may be for a payment of any of them. */
  readonly sharing?: readonly string[]
  readonly onlyMerchantId?: string
}

const requisitesFor = ({ requisiteId, sharing = [requisiteId] }: SoughtTransfer): readonly string[] => sharing

const slotKey = (requisiteId: string, amount: bigint): string => `${requisiteId} ${amount}`

const requisitesOfAll = (transfers: readonly SoughtTransfer[]): string[] => [
  ...new Set(transfers.flatMap(requisitesFor)),
]

const spanOf = (requisiteId: string, transfers: readonly SoughtTransfer[]): HeldSpan => {
  const booked = transfers.map((transfer) => transfer.bookedAt)
  return { requisiteId, since: Math.min(...transfers.map(earliestOf)), until: Math.max(...booked) + bankClockSkewMs }
}

/** Locks the payments of slot holders; leaves out payments that have moved to another requisite. */
const lockHolders = async (
  tx: Tx,
  holders: readonly SlotHolder[],
): Promise<{ requisiteId: string; candidate: Candidate }[]> => {
  const longest = new Map<string, SlotHolder>()
  for (const holder of holders) {
    // A holder appears twice if its slot was archived while it was being extended: the longer hold counts.
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

/** Locks the payments that hold slots on a requisite at a given time. */
export const lockHoldersOf = async (tx: Tx, requisiteId: string, at: Instant): Promise<Candidate[]> =>
  (await lockHolders(tx, await listHolders(tx, [{ requisiteId, since: at, until: at }]))).map(
    ({ candidate }) => candidate,
  )

/**
 * Payments that the transfers of one report may be for, locked. On most requisites only the holders of the reported
 * amounts are locked, because an exact match needs no others; on a requisite that received another amount, all are.
 * Payments are as the transfers so far have left them; slots count as they were held when the report came.
 */
export class Candidates {
  readonly #tx: Tx
  readonly #spans: ReadonlyMap<string, HeldSpan>
  readonly #current: (payment: Payment) => Payment
  /** Requisites whose holders are all locked. */
  readonly #whole = new Set<string>()
  /** Locked candidates by requisite and payment, and by slot. */
  readonly #loaded = new Map<string, Map<string, Candidate>>()
  readonly #bySlot = new Map<string, Candidate[]>()
  /** Payments that are partly paid and wait for the rest. */
  readonly #partlyPaid: Set<string>

  constructor(
    tx: Tx,
    spans: ReadonlyMap<string, HeldSpan>,
    partlyPaid: readonly SlotHolder[],
    current: (payment: Payment) => Payment,
  ) {
    this.#tx = tx
    this.#spans = spans
    this.#partlyPaid = new Set(partlyPaid.map((holder) => holder.paymentId))
    this.#current = current
  }

  /** Locks these holders, and all holders on the requisites. */
  async load(holders: readonly SlotHolder[], requisiteIds: readonly string[]): Promise<void> {
    for (const id of requisiteIds) this.#whole.add(id)
    const all = await listHolders(
      this.#tx,
      requisiteIds.flatMap((id) => this.#spans.get(id) ?? []),
    )
    for (const { requisiteId, candidate } of await lockHolders(this.#tx, [...holders, ...all])) {
      const known = this.#loaded.get(requisiteId) ?? new Map<string, Candidate>()
      this.#loaded.set(requisiteId, known)
      if (known.has(candidate.payment.id)) continue
      known.set(candidate.payment.id, candidate)
      const slot = slotKey(requisiteId, candidate.payment.amount)
      this.#bySlot.set(slot, [...(this.#bySlot.get(slot) ?? []), candidate])
    }
  }

  /** Holders of the transfer's amount, and partly paid payments on its requisite. */
  exact(transfer: SoughtTransfer): Candidate[] {
    const found = requisitesFor(transfer).flatMap((id) => [
      ...(this.#bySlot.get(slotKey(id, transfer.amount)) ?? []),
      ...[...this.#partlyPaid].flatMap((paymentId) => this.#loaded.get(id)?.get(paymentId) ?? []),
    ])
    return this.#offer(transfer, found)
  }

  /** All payments that held a slot on the transfer's requisite; locks them first if needed. */
  async all(transfer: SoughtTransfer): Promise<Candidate[]> {
    const ids = requisitesFor(transfer)
    await this.#loadWhole(ids)
    return this.#offer(
      transfer,
      ids.flatMap((id) => [...(this.#loaded.get(id)?.values() ?? [])]),
    )
  }

  /** Notes that a payment has received a part: from now on other amounts may be for it as well. */
  async waitsForRest(payment: Payment): Promise<void> {
    this.#partlyPaid.add(payment.id)
    // It may hold a slot on another requisite of the report, of which only the exact holders are loaded.
    await this.#loadWhole(requisitesOf(payment).filter((id) => this.#spans.has(id)))
  }

  async #loadWhole(requisiteIds: readonly string[]): Promise<void> {
    const lacking = requisiteIds.filter((id) => !this.#whole.has(id))
    if (lacking.length > 0) await this.load([], lacking)
  }

  #offer({ onlyMerchantId }: SoughtTransfer, found: readonly Candidate[]): Candidate[] {
    return longestHolds(found).flatMap((candidate) => {
      if (onlyMerchantId !== undefined && candidate.payment.merchantId !== onlyMerchantId) return []
      return [{ ...candidate, payment: this.#current(candidate.payment) }]
    })
  }
}

/**
 * Locks the payments that the transfers of a report may be for; see `Candidates`. `current` returns a payment as the
 * report has left it so far.
 */
export const lockCandidates = async (
  tx: Tx,
  transfers: readonly SoughtTransfer[],
  current: (payment: Payment) => Payment,
): Promise<Candidates> => {
  const spans = new Map(
    [...Map.groupBy(transfers, (transfer) => transfer.requisiteId).values()].flatMap((group) =>
      requisitesOfAll(group).map((id) => [id, spanOf(id, group)] as const),
    ),
  )
  const equal = await listEqualHolders(
    tx,
    transfers.flatMap((transfer) =>
      requisitesFor(transfer).map((id) => ({ ...spanOf(id, [transfer]), amount: transfer.amount })),
    ),
  )
  const partly = await listPartlyPaidHolders(tx, [...spans.keys()])
  const held = new Set(equal.map((holder) => slotKey(holder.requisiteId, holder.amount)))
  const lacking = transfers.filter(
    (transfer) => !requisitesFor(transfer).some((id) => held.has(slotKey(id, transfer.amount))),
  )
  const candidates = new Candidates(tx, spans, partly, current)
  // One query locks all payments known to be needed, in key order, so that two reports cannot deadlock.
  await candidates.load([...equal, ...partly], requisitesOfAll(lacking))
  return candidates
}
