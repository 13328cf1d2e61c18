import type { Context, Tx } from '../../context.ts'
import { maskSource } from '../../../rules/values/masking.ts'
import { invalidState, Refusal } from '../../../rules/refusal.ts'
import type { Instant } from '../../../rules/time.ts'
import { firstKeyOf, type ReportedTransfer } from '../../../rules/transfers/transfer.ts'
import { refuseBeforeOpening } from '../../ledger/reconciliation/set-opening-balance.ts'
import { isReal, requisiteOffsets } from '../../requisites/read.ts'
import { type Assigner, lockTransfer, refuseOtherSide, refuseUnconfirmed, type TransferKey } from '../transfer-parts.ts'
import { onFirstRequisite } from '../on-first-requisite.ts'
import { agreeWithinBound, type Explainer } from '../outgoing/agree-on-purpose.ts'
import { carryOutReversal, refuseTaking } from './carry-out-reversal.ts'
import { canTakeBack } from '../../../rules/transfers/reversal.ts'
import { findReversedTransfer, findWithReference } from './find-reversed-transfer.ts'
import {
  deleteOpenReversals,
  deleteReversal,
  findAnnouncedAlone,
  findReversible,
  insertReversals,
  listEarlyReversals,
  listReversalsByKey,
  lockOpenReversal,
  resolveReversal,
  sumIgnoredAlone,
} from './store.ts'

/** A bank's booking that reverses an earlier transfer; its reference is that of the transfer, if it has one. */
type ReportedReversal = ReportedTransfer & {
  readonly dedupeKey: string
  readonly chosen?: { readonly transferId: string; readonly by: string; readonly reason: string | null }
}

const keyOf = (row: { readonly requisiteId: string; readonly dedupeKey: string }): string =>
  `${row.requisiteId} ${row.dedupeKey}`

/**
 * Gives a report a new key if its channel has reported a part before, on another day: equal parts of a transfer are
 * reversed on several days under its one reference.
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

/** Begins the key of a reversal that only the maker of a key reports, so that the bank's own report is another one. */
const aloneMark = 'alone:'

/** Gives reversals that stand on one person's word keys of their own, unless the bank has reported them. */
const asAlone = async (tx: Tx, reports: readonly ReportedReversal[]): Promise<ReportedReversal[]> => {
  const known = new Set((await tx.query(listReversalsByKey, { rows: reports })).map(keyOf))
  return reports.map((each) => (known.has(keyOf(each)) ? each : { ...each, dedupeKey: aloneMark + each.dedupeKey }))
}

/** Forgets what only the maker of a key had reported, and nobody has decided about: now the bank reports it. */
const forgetAlone = async (tx: Tx, reports: readonly ReportedReversal[]): Promise<void> => {
  const rows = reports.map(({ requisiteId, dedupeKey }) => ({ requisiteId, dedupeKey: aloneMark + dedupeKey }))
  await tx.query(deleteOpenReversals, { rows })
}

/**
 * Records what a bank reversed, and corrects the ledger by reversing entries; the answers are in the order of the
 * reports. A known report changes nothing; an announced reversal that the bank then reports is one. A bank's report is
 * accepted whatever was decided about the money; if it fits no transfer, or several, it moves nothing and waits. So
 * does one that stands on one person's word (`isAlone`), until the bank's own report takes its place.
 */
export const recordReversals = async (tx: Tx, reported: readonly ReportedReversal[], isAlone = false) => {
  if (reported.length === 0) return []
  const onFirst = await onFirstRequisite(tx, reported)
  // An operator chooses a transfer on the requisite that it is on.
  const reports = reported.map((report, index) => (report.chosen ? report : (onFirst[index] ?? report)))
  const withKeys = await withOwnKeys(tx, reports)
  if (!isAlone) await forgetAlone(tx, withKeys)
  const reversals = (isAlone ? await asAlone(tx, withKeys) : withKeys).map((report) => ({
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
    // Of two equal rows of a file under one reference, it is unclear whether the bank means one reversal or two.
    if (isAlone || firstKeyOf(reversal.dedupeKey) !== undefined) continue
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

type Announcing = Omit<Assigner, 'note'> & {
  readonly reason: string | null
  readonly bookedAt: Instant
  readonly needsSecond: boolean
}

/** Notes who has announced a reversal, once nobody else has to agree: the books no longer wait for the bank's report. */
const agreeOnReversal = async (
  tx: Tx,
  { requisiteId, id: transferId }: TransferKey,
  { actor, reason: note, needsSecond, refuseOnePerson }: Announcing,
): Promise<void> => {
  const [announced] = await tx.query(findAnnouncedAlone, { requisiteId, transferId })
  if (!announced || (needsSecond && announced.source === actor)) return
  const { id, source } = announced
  if (source !== actor) await refuseOnePerson(tx, source)
  const resolvedBy = source === actor ? actor : `${source}, ${actor}`
  await tx.query(resolveReversal, { requisiteId, id, resolvedBy, note, resolvedAt: tx.now })
}

/**
 * Records, on an operator's word, that the bank reversed what it had left of a transfer; the bank may still report it.
 * Where two people move money, it is in transit until then, or until another operator says the same. Repeating the
 * call changes nothing. Refuses `resource_not_found`, `invalid_state` if the transfer was withdrawn, is a
 * duplicate, waits for a second person or came from an own account, `validation_failed` before an opening balance, and
 * `second_person_required` as `refuseTaking` does.
 */
export const reverseTransfer = async (tx: Tx, key: TransferKey, by: Announcing): Promise<void> => {
  const transfer = await lockTransfer(tx, key)
  if (transfer.reversedAt !== null) return agreeOnReversal(tx, key, by)
  if (transfer.parts.some((part) => part.kind === 'withdrawn')) {
    throw invalidState('This transfer was withdrawn with its statement; there is nothing to reverse.')
  }
  if (transfer.parts.some((part) => part.kind === 'duplicate')) {
    throw invalidState(`It is the same money as transfer ${transfer.duplicateOf}: reverse that one.`)
  }
  await refuseUnconfirmed(tx, transfer, by)
  await refuseOtherSide(tx, transfer)
  const { id: transferId, requisiteId, currency } = transfer
  await refuseBeforeOpening(tx, [{ requisiteId, bookedAt: by.bookedAt, field: 'bookedAt' }])
  const amount = transfer.amount - transfer.reversedAmount
  await refuseTaking(tx, transfer, amount, by)
  await recordReversals(tx, [
    {
      ...{ requisiteId, currency, amount, bookedAt: by.bookedAt, bankReference: null, sender: null },
      source: by.actor,
      dedupeKey: `operator:${transferId}`,
      chosen: { transferId, by: by.actor, reason: by.reason },
    },
  ])
  await agreeOnReversal(tx, key, by)
}

const lockOpen = async (tx: Tx, key: TransferKey) => {
  const [reversal] = await tx.query(lockOpenReversal, key)
  if (!reversal) throw new Refusal('resource_not_found', 'No such reversal waits for a decision.')
  return reversal
}

/**
 * Takes back a transfer on the word of an operator who names it for a reversal that only the maker of a key reports: an
 * announcement. Refuses as `reverseTransfer` does, and `invalid_state` unless it is all that the bank has left.
 */
const announce = async (
  tx: Tx,
  { requisiteId, id, amount, bookedAt }: Awaited<ReturnType<typeof lockOpen>>,
  transferId: string,
  { note: reason, ...decider }: Assigner & { readonly needsSecond: boolean },
): Promise<void> => {
  const transfer = await lockTransfer(tx, { requisiteId, id: transferId })
  if (transfer.amount - transfer.reversedAmount !== amount)
    throw invalidState(
      'Nobody else has approved the key of the source that reports this, so it can only mean a whole transfer: let another operator approve the source, and have the reversal pushed again.',
    )
  await tx.query(deleteReversal, { requisiteId, id })
  await reverseTransfer(tx, { requisiteId, id: transferId }, { ...decider, reason, bookedAt })
}

/**
 * Sets which transfer a reversal reversed, wholly or in part; the money leaves from where it went. Refuses
 * `resource_not_found`, `invalid_state` if the bank has less left, or as `reverseTransfer` does, and
 * `second_person_required`.
 */
export const assignReversal = async (
  tx: Tx,
  key: TransferKey,
  transferId: string,
  decider: Assigner & { readonly needsSecond: boolean },
): Promise<void> => {
  const reversal = await lockOpen(tx, key)
  if (reversal.dedupeKey.startsWith(aloneMark)) return announce(tx, reversal, transferId, decider)
  const { requisiteId } = key
  const transfer = await lockTransfer(tx, { requisiteId, id: transferId })
  await refuseUnconfirmed(tx, transfer, decider)
  await refuseOtherSide(tx, transfer)
  const [found] = await tx.query(findReversible, { requisiteId, id: transferId })
  if (!found || !canTakeBack(found, reversal.amount))
    throw invalidState('The transfer is smaller than the reversal, or was already taken back.')
  if (found.isDuplicate)
    throw invalidState(`The transfer is the same money as transfer ${found.duplicateOf}: name that one.`)
  if (found.announcedId === null) await refuseTaking(tx, transfer, reversal.amount, decider)
  await tx.query(resolveReversal, { ...key, resolvedBy: decider.actor, note: decider.note, resolvedAt: tx.now })
  await carryOutReversal(tx, reversal, found, decider)
}

/**
 * Decides that a reversal concerns nothing that was recorded: merchants keep what they have. What one operator may not
 * decide alone is a proposal until another one decides the same. Returns whether it is decided. Refuses
 * `resource_not_found` and `second_person_required`.
 */
export const ignoreReversal = async (
  tx: Tx,
  key: TransferKey,
  by: Explainer & { readonly reason: string },
): Promise<boolean> => {
  const reversal = await lockOpen(tx, key)
  const bounded = { acts: 'ignored reversals', before: sumIgnoredAlone, money: [reversal], author: reversal.proposedBy }
  const agreed = (await isReal(tx, key.requisiteId)) ? await agreeWithinBound(tx, bounded, by) : by.actor
  const decision = { resolvedBy: agreed ?? by.actor, note: by.reason, resolvedAt: agreed === null ? null : tx.now }
  await tx.query(resolveReversal, { ...key, ...decision })
  return agreed !== null
}

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

/** Carries out reversals that came before their transfers; returns how many. One that fails holds up no others. */
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
