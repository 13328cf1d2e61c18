import type { Tx } from '../context.ts'
import { accountDigits } from '../domain/account-number.ts'
import { maskSource } from '../domain/masking.ts'
import { day } from '../domain/time.ts'
import { dedupeKey, type ReportedTransfer } from '../domain/transfer.ts'
import { type Decider, lockTransferOf } from '../transfers/place-transfer.ts'
import { onFirstRequisite } from '../transfers/record-transfers.ts'
import {
  findToldElsewhere,
  confirmReversal,
  deleteReversal,
  insertReversals,
  listReversalsByKey,
  lockReversible,
  lockReversibleById,
  lockReversibleByKey,
  setReversed,
} from './store.ts'
import { takeBackTransfer } from './take-back-transfer.ts'

/** A booking of the bank that takes an earlier transfer back; its reference is that of the transfer, where it has one. */
export type ReportedReversal = ReportedTransfer & {
  readonly dedupeKey: string
  /** The transfer that is meant, where an operator has named it, and why. */
  readonly named?: { readonly transferId: string; readonly by: string; readonly reason: string }
}

/** What a reversal took back: `null` where no transfer, or more than one, could be meant. */
export type RecordedReversal = { readonly transferId: string | null; readonly repeated: boolean }

/** Banks take transfers back for so long. */
const reversibleMs = 120 * day

const keyOf = (row: { readonly requisiteId: string; readonly dedupeKey: string }): string =>
  `${row.requisiteId} ${row.dedupeKey}`

type Found = ReturnType<typeof lockReversible.decode>

/**
 * The one transfer that a reversal can mean: by the reference, else by the sender, else the only one of its amount. Of
 * several the one whose reversal an operator has announced. None where another channel has told of one of this amount.
 */
const findReversed = async (tx: Tx, reversal: ReportedReversal): Promise<Found | undefined> => {
  const { requisiteId, amount, bookedAt, bankReference, sender, source } = reversal
  if (bankReference !== null) {
    const [named] = await tx.query(lockReversibleByKey, { requisiteId, dedupeKey: dedupeKey(reversal, 0) })
    // A report that was said to be another's money is that one; where nobody has said so yet, an operator does.
    if (named?.repeats) return (await tx.query(lockReversibleById, { requisiteId, id: named.repeatOf ?? '' }))[0]
    if (named) return named.repeatOf === null ? named : undefined
  }
  // Another channel may have told of this very reversal under a name of its own.
  const [told] = await tx.query(findToldElsewhere, {
    requisiteId,
    amount,
    source,
    since: bookedAt - day,
    until: bookedAt + day,
  })
  if (told) return undefined
  const senderIndex = sender === null ? null : tx.vault.blindIndex('payer', accountDigits(sender))
  const span = { since: bookedAt - reversibleMs, until: bookedAt + day }
  const [first, second] = await tx.query(lockReversible, { requisiteId, amount, senderIndex, ...span })
  if (!first || !second) return first
  const isAlike = senderIndex === null || second.senderIndex === first.senderIndex
  return isAlike && (first.announcedId === null || second.announcedId !== null) ? undefined : first
}

/** Carries out a stored reversal of a transfer; one that an operator has announced is only confirmed. */
export const carryOut = async (
  tx: Tx,
  reversal: Pick<ReportedReversal, 'requisiteId' | 'dedupeKey' | 'source' | 'bookedAt'> & { readonly id: string },
  { id: transferId, announcedId }: Pick<Found, 'id' | 'announcedId'>,
  decider: Decider,
): Promise<void> => {
  const { requisiteId, id } = reversal
  if (announcedId !== null) {
    await tx.query(deleteReversal, { requisiteId, id })
    await tx.query(confirmReversal, { ...reversal, id: announcedId })
    return
  }
  await tx.query(setReversed, { requisiteId, id, transferId })
  await takeBackTransfer(tx, await lockTransferOf(tx, { requisiteId, id: transferId }), id, decider)
}

/**
 * Records what a bank took back, and corrects the ledger by reversing entries; answers each at its place. What was
 * reported before changes nothing, and what an operator announced and its bank then reports is one reversal. Whatever was
 * decided about the money, a report of a bank is taken; one that can mean no transfer, or several, moves nothing and
 * waits for an operator.
 */
export const reverseTransfers = async (tx: Tx, reversals: readonly ReportedReversal[]): Promise<RecordedReversal[]> => {
  if (reversals.length === 0) return []
  const placed = await onFirstRequisite(tx, reversals)
  // A person names a transfer where it is.
  const rows = reversals.map((told, index) => ({ ...(told.named ? told : (placed[index] ?? told)), id: tx.newId() }))
  const inserted = await tx.query(insertReversals, {
    requisiteIds: rows.map((row) => row.requisiteId),
    ids: rows.map((row) => row.id),
    dedupeKeys: rows.map((row) => row.dedupeKey),
    currencies: rows.map((row) => row.currency),
    amounts: rows.map((row) => row.amount),
    bookedAts: rows.map((row) => row.bookedAt),
    sources: rows.map((row) => row.source),
    bankReferences: rows.map((row) => row.bankReference),
    sendersMasked: rows.map((row) => maskSource(row.sender ?? '')),
    recordedAt: tx.now,
  })
  const fresh = new Set(inserted.map((row) => row.id))
  for (const row of rows.filter((each) => fresh.has(each.id))) {
    const { named } = row
    const found = named ? { id: named.transferId, announcedId: null } : await findReversed(tx, row)
    if (found) await carryOut(tx, row, found, { actor: named?.by ?? 'bank', note: named?.reason ?? null })
  }
  const known = await tx.query(listReversalsByKey, {
    requisiteIds: rows.map((row) => row.requisiteId),
    dedupeKeys: rows.map((row) => row.dedupeKey),
  })
  const transfers = new Map(known.map((row) => [keyOf(row), row.transferId]))
  return rows.map((row) => ({ transferId: transfers.get(keyOf(row)) ?? null, repeated: !fresh.has(row.id) }))
}
