import type { Tx } from '../context.ts'
import { letOthersRun } from '../let-others-run.ts'
import { earliestOf } from '../../rules/values/booked-time.ts'
import {
  type Candidate,
  type IncomingTransfer,
  longestHolds,
  senderIndexesOf,
} from '../../rules/transfers/candidate.ts'
import { bankClockSkewMs, isWholeNumber } from '../../rules/transfers/evidence.ts'
import { isForExactAmount, matchTransfer } from '../../rules/transfers/match.ts'
import { mayNameOrder } from '../../rules/transfers/named-order.ts'
import { type Payment, requisitesOf } from '../../rules/payments/payment.ts'
import { day, type Instant } from '../../rules/time.ts'
import {
  listEqualHolders,
  listHolders,
  listHoldersOfPayers,
  listPartlyPaidHolders,
  type HeldSpan,
  type SlotHolder,
} from '../requisites/read.ts'
import { listPaymentsWithPayers, lockPayments } from './store.ts'

/** A transfer whose payment is to be found; with `onlyMerchantId`, among that merchant's payments. */
type SoughtTransfer = IncomingTransfer & {
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

/** Payments whose hold ended this long before the money was booked are suggested, and never given any. */
const suggestedMs = day

/** Whether a payment of another amount may be what the transfer is for, by what its sender or its text says. */
const mayMeanOther = (transfer: SoughtTransfer): boolean =>
  transfer.paidBefore !== undefined ||
  mayNameOrder(transfer.text) ||
  (transfer.senderIndex !== null && !isWholeNumber(transfer))

/** The payments of slot holders, read or locked by `list`; without those that have moved to another requisite. */
const holdersBy = async (
  tx: Tx,
  list: typeof lockPayments,
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
  const rows = await tx.query(list, { rows: each })
  const payments = new Map(rows.map((row) => [row.id, row]))
  return each.flatMap(({ requisiteId, paymentId, takenAt, heldUntil }) => {
    const payment = payments.get(paymentId)
    if (!payment || !requisitesOf(payment).includes(requisiteId)) return []
    const { payerPhoneIndex: payerIndex, payerNameSealed: sealed } = payment
    const cell = { table: 'payments', column: 'payer_name_sealed', row: paymentId }
    const payerName = sealed === null ? null : tx.vault.decrypt(sealed, cell)
    return [{ requisiteId, candidate: { payment, takenAt, heldUntil, payerIndex, payerName } }]
  })
}

/** Locks the payments that hold slots on a requisite at a given time. */
export const lockHoldersOf = async (tx: Tx, requisiteId: string, at: Instant): Promise<Candidate[]> =>
  (await holdersBy(tx, lockPayments, await listHolders(tx, [{ requisiteId, since: at, until: at }]))).map(
    ({ candidate }) => candidate,
  )

/**
 * Payments that the transfers of one report may be for. Those that a transfer may be given to are locked: the holders
 * of its amount, or all holders on its requisite for money of another amount. Money that is for none of them locks
 * nothing, so that a stranger's does not stop other reports. Payments are as the transfers so far have left them; slots
 * count as they were held when the report came.
 */
export class Candidates {
  readonly #tx: Tx
  readonly #spans: ReadonlyMap<string, HeldSpan>
  readonly #current: (payment: Payment) => Payment
  /** All candidates on the requisites that were read without a lock, by requisite. */
  readonly #read = new Map<string, readonly Candidate[]>()
  /** Requisites whose candidates are all locked. */
  readonly #whole = new Set<string>()
  /** Locked candidates by requisite and payment, and by slot. */
  readonly #locked = new Map<string, Map<string, Candidate>>()
  readonly #bySlot = new Map<string, Candidate[]>()
  /** Locked payments as they were when they were locked. */
  readonly #payments = new Map<string, Payment>()
  /** Payments that are partly paid and wait for the rest. */
  readonly #partlyPaid = new Set<string>()
  /** Requisites and payments whose payers have given the number of a sender. */
  readonly #ofPayers = new Set<string>()

  constructor(tx: Tx, spans: ReadonlyMap<string, HeldSpan>, current: (payment: Payment) => Payment) {
    this.#tx = tx
    this.#spans = spans
    this.#current = current
  }

  /**
   * Locks the holders of the transfers' amounts, partly paid payments, those whose payers have given a sender's number,
   * and all holders on requisites of other money that a payment there would be given. One query locks them, in key
   * order, so that these locks cannot deadlock; later ones may (decision 8).
   */
  async lock(transfers: readonly SoughtTransfer[]): Promise<void> {
    const spansOf = (transfer: SoughtTransfer) => requisitesFor(transfer).map((id) => spanOf(id, [transfer]))
    const equal = await listEqualHolders(
      this.#tx,
      transfers.flatMap((transfer) => spansOf(transfer).map((span) => ({ ...span, amount: transfer.amount }))),
    )
    const ofPayers = await listHoldersOfPayers(
      this.#tx,
      transfers.flatMap((transfer) =>
        senderIndexesOf(transfer).flatMap((payerIndex) =>
          spansOf(transfer).map((span) => ({ ...span, since: span.since - suggestedMs, payerIndex })),
        ),
      ),
    )
    const partly = await listPartlyPaidHolders(this.#tx, [...this.#spans.keys()])
    for (const { paymentId } of partly) this.#partlyPaid.add(paymentId)
    for (const { requisiteId, paymentId } of ofPayers) this.#ofPayers.add(`${requisiteId} ${paymentId}`)
    const held = new Set(equal.map((holder) => slotKey(holder.requisiteId, holder.amount)))
    const others = transfers.filter(
      (transfer) =>
        mayMeanOther(transfer) || !requisitesFor(transfer).some((id) => held.has(slotKey(id, transfer.amount))),
    )
    await this.#readAll(requisitesOfAll(others))
    const wanted = new Set<string>()
    for (const transfer of others) {
      const ids = requisitesFor(transfer)
      if (ids.every((id) => wanted.has(id))) continue
      const match = matchTransfer(transfer, await this.all(transfer))
      if ('candidate' in match && !isForExactAmount(transfer, match)) ids.forEach((id) => wanted.add(id))
    }
    await this.#lockAll([...wanted], [...equal, ...ofPayers, ...partly])
  }

  /**
   * The candidates that decide about most transfers: the locked holders of its amount, partly paid payments, and
   * those whose payer has given the sender's number; all candidates if the sender or the text may speak for others.
   */
  async nearest(transfer: SoughtTransfer): Promise<Candidate[]> {
    if (mayMeanOther(transfer)) return this.all(transfer)
    const found = requisitesFor(transfer).flatMap((id) => {
      const locked = this.#locked.get(id) ?? new Map<string, Candidate>()
      const named = [...locked.values()].filter(
        ({ payment }) => this.#partlyPaid.has(payment.id) || this.#ofPayers.has(`${id} ${payment.id}`),
      )
      return [...(this.#bySlot.get(slotKey(id, transfer.amount)) ?? []), ...named]
    })
    return this.#offer(transfer, found)
  }

  /** All payments that held a slot on the transfer's requisite; those that are not locked may have changed since. */
  async all(transfer: SoughtTransfer): Promise<Candidate[]> {
    // Texts with many orders take milliseconds to compare.
    await letOthersRun()
    const ids = requisitesFor(transfer)
    await this.#readAll(ids.filter((id) => !this.#whole.has(id) && !this.#read.has(id)))
    return this.#offer(
      transfer,
      ids.flatMap((id) => {
        const locked = this.#locked.get(id) ?? new Map<string, Candidate>()
        const others = this.#whole.has(id) ? [] : (this.#read.get(id) ?? [])
        return [...locked.values(), ...others.filter(({ payment }) => !locked.has(payment.id))]
      }),
    )
  }

  /** All payments that held a slot on the transfer's requisite, locked. */
  async allLocked(transfer: SoughtTransfer): Promise<Candidate[]> {
    const ids = requisitesFor(transfer)
    await this.#lockAll(ids)
    return this.#offer(
      transfer,
      ids.flatMap((id) => [...(this.#locked.get(id)?.values() ?? [])]),
    )
  }

  /** Notes that a payment has received a part: from now on other amounts may be for it as well. */
  async waitsForRest(payment: Payment): Promise<void> {
    this.#partlyPaid.add(payment.id)
    // It may hold a slot on another requisite of the report, of which only the exact holders are locked.
    await this.#lockAll(requisitesOf(payment).filter((id) => this.#spans.has(id)))
  }

  #holdersOn(requisiteIds: readonly string[], beforeMs = 0): Promise<SlotHolder[]> {
    const spans = requisiteIds.flatMap((id) => this.#spans.get(id) ?? [])
    return listHolders(
      this.#tx,
      spans.map((span) => ({ ...span, since: span.since - beforeMs })),
    )
  }

  async #readAll(requisiteIds: readonly string[]): Promise<void> {
    if (requisiteIds.length === 0) return
    const found = await holdersBy(this.#tx, listPaymentsWithPayers, await this.#holdersOn(requisiteIds, suggestedMs))
    const byRequisite = Map.groupBy(found, ({ requisiteId }) => requisiteId)
    for (const id of requisiteIds) {
      this.#read.set(
        id,
        (byRequisite.get(id) ?? []).map(({ candidate }) => candidate),
      )
    }
  }

  /** Locks all holders on those of the requisites where they are not locked yet, and further ones. */
  async #lockAll(requisiteIds: readonly string[], further: readonly SlotHolder[] = []): Promise<void> {
    const lacking = requisiteIds.filter((id) => !this.#whole.has(id))
    const holders = [...further, ...(await this.#holdersOn(lacking))]
    for (const { requisiteId, candidate } of await holdersBy(this.#tx, lockPayments, holders)) {
      const locked = this.#locked.get(requisiteId) ?? new Map<string, Candidate>()
      this.#locked.set(requisiteId, locked)
      const { id, amount } = candidate.payment
      const known = locked.get(id)
      if (known && known.heldUntil >= candidate.heldUntil) continue
      locked.set(id, candidate)
      this.#payments.set(id, candidate.payment)
      const slot = slotKey(requisiteId, amount)
      const others = (this.#bySlot.get(slot) ?? []).filter((other) => other !== known)
      this.#bySlot.set(slot, [...others, candidate])
    }
    for (const id of lacking) this.#whole.add(id)
  }

  #offer({ onlyMerchantId }: SoughtTransfer, found: readonly Candidate[]): Candidate[] {
    return longestHolds(found).flatMap((candidate) => {
      if (onlyMerchantId !== undefined && candidate.payment.merchantId !== onlyMerchantId) return []
      const { payment } = candidate
      return [{ ...candidate, payment: this.#current(this.#payments.get(payment.id) ?? payment) }]
    })
  }
}

/**
 * Reads the payments that the transfers of a report may be for, and locks those that they may be given to; see
 * `Candidates`. `current` returns a payment as the report has left it so far.
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
  const candidates = new Candidates(tx, spans, current)
  await candidates.lock(transfers)
  return candidates
}
