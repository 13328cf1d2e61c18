import type { Tx } from '../../context.ts'
import { maskSource } from '../../domain/masking.ts'
import { firstKeyOf, type ReportedTransfer } from '../../domain/transfer.ts'
import { requisiteOffsets } from '../../requisites/read.ts'
import { onFirstRequisite } from '../on-first-requisite.ts'
import { carryOutReversal } from './carry-out-reversal.ts'
import { findReversedTransfer } from './find-reversed-transfer.ts'
import { insertReversals, listReversalsByKey } from './store.ts'

/** A booking of the bank that takes an earlier transfer back; its reference is that of the transfer, where it has one. */
export type ReportedReversal = ReportedTransfer & {
  readonly dedupeKey: string
  /** The transfer where an operator has said which one it is, and why. */
  readonly chosen?: { readonly transferId: string; readonly by: string; readonly reason: string }
}

/** A reversal, where it is new, and what it took back: `null` where no transfer, or more than one, could be meant. */
export type RecordedReversal = {
  readonly id: string
  readonly transferId: string | null
  readonly alreadyKnown: boolean
}

const keyOf = (row: { readonly requisiteId: string; readonly dedupeKey: string }): string =>
  `${row.requisiteId} ${row.dedupeKey}`

/**
 * The reports with a key of their own where a channel reports a part again that it reported for another day: equal parts of
 * a transfer are taken back on several days under its one reference.
 */
const withOwnKeys = async (tx: Tx, reports: readonly ReportedReversal[]): Promise<ReportedReversal[]> => {
  const found = await tx.query(listReversalsByKey, { rows: reports })
  const known = new Map(found.filter(({ isOfPart }) => isOfPart).map((row) => [keyOf(row), row]))
  if (known.size === 0) return [...reports]
  const offsets = await requisiteOffsets(tx, [...new Set(reports.map(({ requisiteId }) => requisiteId))])
  const dateOf = ({ requisiteId, bookedAt }: Pick<ReportedReversal, 'requisiteId' | 'bookedAt'>): string =>
    new Date(bookedAt + (offsets.get(requisiteId) ?? 0)).toISOString().slice(0, 10)
  return reports.map((report) => {
    const before = known.get(keyOf(report))
    if (!before || before.channel !== (report.channel ?? null) || dateOf(before) === dateOf(report)) return report
    return { ...report, dedupeKey: `${report.dedupeKey}:${dateOf(report)}` }
  })
}

/**
 * Records what a bank took back, and corrects the ledger by reversing entries; the answers are in the order of the
 * reports. What was reported before changes nothing, and what an operator announced and its bank then reports is one
 * reversal. A bank's report is taken whatever was decided about the money; one that can mean no transfer, or several,
 * moves nothing and waits for an operator.
 */
export const recordReversals = async (tx: Tx, reported: readonly ReportedReversal[]): Promise<RecordedReversal[]> => {
  if (reported.length === 0) return []
  const onFirst = await onFirstRequisite(tx, reported)
  // An operator chooses a transfer on the requisite where it is.
  const reports = reported.map((report, index) => (report.chosen ? report : (onFirst[index] ?? report)))
  const reversals = (await withOwnKeys(tx, reports)).map((report) => ({
    ...report,
    id: tx.newId(),
    senderMasked: maskSource(report.sender ?? ''),
    channel: report.channel ?? null,
    referenceKind: report.referenceKind ?? null,
  }))
  const inserted = await tx.query(insertReversals, { rows: reversals, recordedAt: tx.now })
  const added = new Set(inserted.map((row) => row.id))
  const keys = reversals.map(({ dedupeKey }) => dedupeKey)
  for (const reversal of reversals.filter(({ id }) => added.has(id))) {
    const { chosen } = reversal
    // Of two equal ones of a file under one reference, nobody knows whether the bank has one in mind.
    if (firstKeyOf(reversal.dedupeKey) !== undefined) continue
    const found = chosen ? { id: chosen.transferId, announcedId: null } : await findReversedTransfer(tx, reversal, keys)
    const decider = { actor: chosen?.by ?? 'bank', note: chosen?.reason ?? null }
    if (found) await carryOutReversal(tx, reversal, found, decider)
  }
  const known = await tx.query(listReversalsByKey, { rows: reversals })
  const reversed = new Map(known.map((row) => [keyOf(row), row.transferId]))
  return reversals.map((each) => ({
    id: each.id,
    transferId: reversed.get(keyOf(each)) ?? null,
    alreadyKnown: !added.has(each.id),
  }))
}
