import type { Tx } from '../../context.ts'
import { accountDigits } from '../../domain/account-number.ts'
import { maskSource } from '../../domain/masking.ts'
import { mayBeOne, sameMoneyMs } from '../../domain/repeat.ts'
import { day } from '../../domain/time.ts'
import { dedupeKey, type ReportedTransfer } from '../../domain/transfer.ts'
import { findTransferOf } from '../list-transfers.ts'
import type { Decider } from '../place-transfer.ts'
import { onFirstRequisite } from '../record-transfers.ts'
import {
  confirmReversal,
  deleteReversal,
  findReversible,
  insertReversals,
  listReversalsByKey,
  listReversedElsewhere,
  lockById,
  lockByKey,
  lockReversible,
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

type Found = ReturnType<typeof findReversible.decode>

/** What a row tells of a reversal, beside what it took back. */
const toldOf = (reversal: ReportedReversal) => ({
  requisiteId: reversal.requisiteId,
  dedupeKey: reversal.dedupeKey,
  source: reversal.source,
  amount: reversal.amount,
  bookedAt: reversal.bookedAt,
  bankReference: reversal.bankReference,
  senderMasked: maskSource(reversal.sender ?? ''),
  channel: reversal.channel ?? null,
  referenceKind: reversal.referenceKind ?? null,
})

/** Whether another channel may have told of this very reversal, under a name of its own. */
const isToldElsewhere = async (tx: Tx, reversal: ReportedReversal): Promise<boolean> => {
  const told = toldOf(reversal)
  const { requisiteId, amount, bookedAt, source } = told
  const span = { since: bookedAt - sameMoneyMs, until: bookedAt + sameMoneyMs }
  const others = await tx.query(listReversedElsewhere, {
    ...{ requisiteId, amount, ...span },
    channel: told.channel ?? source,
  })
  return others.some((other) => mayBeOne(told, other))
}

const isDoubtful = (found: Found, senderIndex: string | null): boolean => {
  // An operator has said which one it is.
  if (found.announcedId !== null) return false
  const isItsSender = senderIndex !== null && found.senderIndex === senderIndex
  return found.repeatOf !== null || (found.hasTwin && !isItsSender)
}

/** The locked transfer that a reference names, by its id; none where it waits for an operator, or was taken back already. */
export const findNamed = async (tx: Tx, requisiteId: string, id: string): Promise<Found | undefined> => {
  const [named] = await tx.query(findReversible, { requisiteId, id })
  if (!named?.repeats) return named?.repeatOf === null ? named : undefined
  // A report that was said to be another's money is that one; where nobody has said so yet, an operator does.
  const original = { requisiteId, id: named.repeatOf ?? '' }
  await tx.query(lockById, original)
  return (await tx.query(findReversible, original))[0]
}

/**
 * The one transfer that a reversal can mean: by the reference, else by the sender, else the only one of its amount. Of
 * several the one whose reversal an operator has announced. None where another channel has told of one of this amount, or
 * where it may be another channel's transfer. It is locked, and read behind the lock.
 */
const findReversed = async (tx: Tx, reversal: ReportedReversal): Promise<Found | undefined> => {
  const { requisiteId, amount, bookedAt, bankReference, sender } = reversal
  if (bankReference !== null) {
    const [named] = await tx.query(lockByKey, { requisiteId, dedupeKey: dedupeKey(reversal, 0) })
    if (named) return findNamed(tx, requisiteId, named.id)
  }
  const senderIndex = sender === null ? null : tx.vault.blindIndex('payer', accountDigits(sender))
  const span = { since: bookedAt - reversibleMs, until: bookedAt + day }
  // A feed names the transfer as it has told of it: by another reference it means none that it has told of.
  const otherThan = bankReference !== null && reversal.channel?.startsWith('feed:') ? reversal.channel : null
  const locked = await tx.query(lockReversible, { requisiteId, amount, senderIndex, otherThan, ...span })
  // Behind the locks: who has just reversed one of these has come to an end by then.
  if (locked.length === 0 || (await isToldElsewhere(tx, reversal))) return undefined
  const found: Found[] = []
  for (const { id } of locked) {
    const [still] = await tx.query(findReversible, { requisiteId, id })
    // It was just decided otherwise about one of them, so nobody knows which one is left.
    if (!still || still.repeats) return undefined
    found.push(still)
  }
  const [first, second] = found
  if (!first || isDoubtful(first, senderIndex)) return undefined
  if (!second) return first
  const isAlike = senderIndex === null || second.senderIndex === first.senderIndex
  return isAlike && (first.announcedId === null || second.announcedId !== null) ? undefined : first
}

/** Carries out a stored reversal of a locked transfer; one that an operator has announced is only confirmed. */
export const carryOut = async (
  tx: Tx,
  reversal: Omit<Parameters<typeof confirmReversal.encode>[0], 'id'> & { readonly id: string },
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
  // Whether its statement is being undone was looked at behind the lock; what begins now finds the reversal.
  const transfer = await findTransferOf(tx, requisiteId, transferId)
  if (!transfer) throw new Error(`transfer ${transferId} is unknown`)
  await takeBackTransfer(tx, transfer, id, decider)
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
    channels: rows.map((row) => row.channel ?? null),
    referenceKinds: rows.map((row) => row.referenceKind ?? null),
    recordedAt: tx.now,
  })
  const fresh = new Set(inserted.map((row) => row.id))
  for (const row of rows.filter((each) => fresh.has(each.id))) {
    const { named } = row
    const found = named ? { id: named.transferId, announcedId: null } : await findReversed(tx, row)
    if (found)
      await carryOut(tx, { ...toldOf(row), id: row.id }, found, {
        actor: named?.by ?? 'bank',
        note: named?.reason ?? null,
      })
  }
  const known = await tx.query(listReversalsByKey, {
    requisiteIds: rows.map((row) => row.requisiteId),
    dedupeKeys: rows.map((row) => row.dedupeKey),
  })
  const transfers = new Map(known.map((row) => [keyOf(row), row.transferId]))
  return rows.map((row) => ({ transferId: transfers.get(keyOf(row)) ?? null, repeated: !fresh.has(row.id) }))
}
