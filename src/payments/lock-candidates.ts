import type { Tx } from '../context.ts'
import { bankClockSkewMs, type Candidate, type IncomingTransfer } from '../domain/match.ts'
import type { Payment } from '../domain/payment.ts'
import {
  listEqualHolders,
  listHolders,
  listNearHolders,
  listPartlyPaidHolders,
  type SlotHolder,
  type SoughtHolders,
} from '../requisites/list-holders.ts'
import { lockPayments } from './store.ts'

/** A transfer whose payment is looked for; with `onlyMerchantId` among that merchant's payments. */
export type SoughtTransfer = Pick<IncomingTransfer, 'amount' | 'bookedAt' | 'senderIndex'> & {
  readonly requisiteId: string
  readonly onlyMerchantId?: string
}

/**
 * Payments that transfers may be for. First only those that wait for exactly the amount are locked, which is all that
 * most transfers need; a transfer that is for none of them is matched after `widen`.
 */
export type Candidates = {
  /** The candidates of a transfer that are locked so far. */
  of(transfer: SoughtTransfer): Candidate[]
  /** Whether the transfer's candidates of other amounts are among them. */
  isWide(transfer: SoughtTransfer): boolean
  /** Locks the candidates of other amounts, too: the nearest on both sides and those of the transfers' senders. */
  widen(transfers: readonly SoughtTransfer[]): Promise<void>
}

/** Where a payment's money may come in: a payer who chose another method may still use the details that were shown. */
const requisitesOf = ({ requisiteId, switchedFrom }: Payment): string[] =>
  switchedFrom === null ? [requisiteId] : [requisiteId, switchedFrom]

/** Locks the payments of slot holders; those that moved to another requisite no longer wait on theirs. */
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
  const rows = await tx.query(lockPayments, {
    merchantIds: each.map((holder) => holder.merchantId),
    ids: each.map((holder) => holder.paymentId),
  })
  const payments = new Map(rows.map((row) => [row.id, row]))
  return each.flatMap(({ requisiteId, paymentId, takenAt, heldUntil }) => {
    const payment = payments.get(paymentId)
    if (!payment || !requisitesOf(payment).includes(requisiteId)) return []
    return [{ requisiteId, candidate: { payment, takenAt, heldUntil, payerIndex: payment.payerPhoneIndex } }]
  })
}

/** Locks the payments that hold slots on a requisite at a time. */
export const lockHoldersOf = async (tx: Tx, requisiteId: string, at: number): Promise<Candidate[]> =>
  (await lockHolders(tx, await listHolders(tx, requisiteId, at))).map(({ candidate }) => candidate)

const soughtHolders = (transfer: SoughtTransfer): SoughtHolders => ({
  ...transfer,
  from: transfer.bookedAt,
  to: transfer.bookedAt + bankClockSkewMs,
})

const slotKey = (requisiteId: string, amount: bigint): string => `${requisiteId} ${amount}`

/** Locks the payments that transfers may be for; see `Candidates`. */
export const lockCandidates = async (tx: Tx, transfers: readonly SoughtTransfer[]): Promise<Candidates> => {
  const equal = await listEqualHolders(tx, transfers.map(soughtHolders))
  const waiting = new Set(equal.map((holder) => slotKey(holder.requisiteId, holder.amount)))
  const lacking = transfers.filter((transfer) => !waiting.has(slotKey(transfer.requisiteId, transfer.amount)))
  const requisiteIds = [...new Set(transfers.map((transfer) => transfer.requisiteId))]
  const near = await listNearHolders(tx, lacking.map(soughtHolders))
  const others = [...near, ...(await listPartlyPaidHolders(tx, requisiteIds))]

  const byAmount = new Map<string, Candidate[]>()
  // Whatever waits for another amount than its slot's, or may be taken for another: seen by all of a requisite.
  const byRequisite = new Map<string, Map<string, Candidate>>()
  const noteOther = (candidate: Candidate): void => {
    for (const requisiteId of requisitesOf(candidate.payment)) {
      const known = byRequisite.get(requisiteId) ?? new Map<string, Candidate>()
      byRequisite.set(requisiteId, known.set(candidate.payment.id, candidate))
    }
  }
  const isOther = new Set(others.map((holder) => holder.paymentId))
  for (const { requisiteId, candidate } of await lockHolders(tx, [...equal, ...others])) {
    const key = slotKey(requisiteId, candidate.payment.amount)
    byAmount.set(key, [...(byAmount.get(key) ?? []), candidate])
    if (isOther.has(candidate.payment.id)) noteOther(candidate)
  }

  const wide = new Set(lacking)
  return {
    of: (transfer) => {
      const { requisiteId, amount, onlyMerchantId } = transfer
      const same = byAmount.get(slotKey(requisiteId, amount)) ?? []
      const rest = [...(byRequisite.get(requisiteId)?.values() ?? [])].filter(
        (other) => other.payment.amount !== amount,
      )
      return [...same, ...rest].filter(
        ({ payment }) => onlyMerchantId === undefined || payment.merchantId === onlyMerchantId,
      )
    },
    isWide: (transfer) => wide.has(transfer),
    widen: async (more) => {
      const holders = await listNearHolders(tx, more.map(soughtHolders))
      for (const { candidate } of await lockHolders(tx, holders)) noteOther(candidate)
      for (const transfer of more) wide.add(transfer)
    },
  }
}
