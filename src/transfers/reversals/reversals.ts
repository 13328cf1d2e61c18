import type { Context, Tx } from '../../context.ts'
import { maskSource } from '../../domain/masking.ts'
import { invalidState, Refusal } from '../../domain/refusal.ts'
import type { Instant } from '../../domain/time.ts'
import { firstKeyOf, type ReportedTransfer } from '../../domain/transfer.ts'
import { refuseBeforeOpening } from '../../ledger/opening-balances/set-opening-balance.ts'
import { requisiteOffsets } from '../../requisites/read.ts'
import { type Decider, lockTransfer, type TransferKey } from '../transfer-parts.ts'
import { onFirstRequisite } from '../on-first-requisite.ts'
import { carryOutReversal, type StoredReversal } from './carry-out-reversal.ts'
import { canTakeBack, findReversedTransfer, findWithReference } from './find-reversed-transfer.ts'
import {
  findReversible,
  insertReversals,
  listEarlyReversals,
  listReversalsByKey,
  lockOpenReversal,
  resolveReversal,
} from './store.ts'

/** A booking of the bank that takes an earlier transfer back; its reference is that of the transfer, where it has one. */
type ReportedReversal = ReportedTransfer & {
  readonly dedupeKey: string
  /** The transfer where an operator has said which one it is, and why. */
  readonly chosen?: { readonly transferId: string; readonly by: string; readonly reason: string }
}

/** A reversal, where it is new, and what it took back: `null` where no transfer, or more than one, could be meant. */
type RecordedReversal = {
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

/**
 * Records on an operator's word that the bank took a transfer back, or what it had left of it; the bank may still report
 * it. Again it changes nothing. Refuses `resource_not_found`, and `invalid_state` for a transfer that was withdrawn or
 * is a duplicate; `validation_failed` for a time before the opening balance.
 */
export const reverseTransfer = async (
  tx: Tx,
  key: TransferKey,
  by: { readonly actor: string; readonly reason: string; readonly bookedAt: Instant },
): Promise<void> => {
  const transfer = await lockTransfer(tx, key)
  if (transfer.reversedAt !== null) return
  if (transfer.parts.some((part) => part.kind === 'withdrawn')) {
    throw invalidState('This transfer was withdrawn with its statement; there is nothing to reverse.')
  }
  if (transfer.parts.some((part) => part.kind === 'duplicate')) {
    throw invalidState(`It is the same money as transfer ${transfer.duplicateOf}: reverse that one.`)
  }
  const { id: transferId, requisiteId, currency } = transfer
  await refuseBeforeOpening(tx, [{ requisiteId, bookedAt: by.bookedAt, field: 'bookedAt' }])
  const amount = transfer.amount - transfer.reversedAmount
  await recordReversals(tx, [
    {
      ...{ requisiteId, currency, amount, bookedAt: by.bookedAt, bankReference: null, sender: null },
      source: by.actor,
      dedupeKey: `operator:${transferId}`,
      chosen: { transferId, by: by.actor, reason: by.reason },
    },
  ])
}

const lockOpen = async (tx: Tx, key: TransferKey): Promise<StoredReversal> => {
  const [reversal] = await tx.query(lockOpenReversal, key)
  if (!reversal) throw new Refusal('resource_not_found', 'No such reversal waits for a decision.')
  return reversal
}

/**
 * Says which transfer a reversal took back, or a part of it; its money leaves from where it went. Refuses
 * `resource_not_found`, and `invalid_state` for a transfer of which the bank has less left.
 */
export const assignReversal = async (
  tx: Tx,
  key: TransferKey,
  transferId: string,
  { actor, note }: Decider,
): Promise<void> => {
  const reversal = await lockOpen(tx, key)
  const { requisiteId } = key
  await lockTransfer(tx, { requisiteId, id: transferId })
  const [found] = await tx.query(findReversible, { requisiteId, id: transferId })
  if (!found || !canTakeBack(found, reversal.amount))
    throw invalidState('The transfer is of a smaller amount, or was taken back already.')
  if (found.isDuplicate)
    throw invalidState(`The transfer is the same money as transfer ${found.duplicateOf}: name that one.`)
  await tx.query(resolveReversal, { ...key, by: actor, note, now: tx.now })
  await carryOutReversal(tx, reversal, found, { actor, note })
}

/** Says that a reversal took back nothing that was recorded; the ledger stays as it is. Refuses `resource_not_found`. */
export const ignoreReversal = async (tx: Tx, key: TransferKey, { actor, note }: Decider): Promise<void> => {
  await lockOpen(tx, key)
  await tx.query(resolveReversal, { ...key, by: actor, note, now: tx.now })
}

/** Most reversals of one round, each in a transaction of its own. */
const mostPerRound = 100

type EarlyReversal = ReturnType<typeof listEarlyReversals.decode>

const carryOutOne = async (tx: Tx, { requisiteId, id, transferId }: EarlyReversal): Promise<boolean> => {
  const [reversal] = await tx.query(lockOpenReversal, { requisiteId, id })
  if (!reversal) return false
  await lockTransfer(tx, { requisiteId, id: transferId })
  const found = await findWithReference(tx, reversal, transferId)
  if (!found) return false
  await carryOutReversal(tx, reversal, found, { actor: 'bank', note: null })
  return true
}

/**
 * Carries out reversals that were reported before the transfer with their reference: channels do not keep an order.
 * Returns how many. One that cannot be carried out at the moment does not keep the others waiting.
 */
export const carryOutEarlyReversals = async (context: Context): Promise<number> => {
  let done = 0
  for (const early of await context.query(listEarlyReversals, { limit: mostPerRound })) {
    try {
      if (await context.transaction((tx) => carryOutOne(tx, early))) done++
    } catch (error) {
      if (error instanceof Refusal && error.code === 'database_unavailable') throw error
      context.log.warn({ err: error, reversalId: early.id }, 'a reversal cannot be carried out at the moment')
    }
  }
  return done
}
