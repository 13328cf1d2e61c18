import type { Tx } from '../../context.ts'
import { accountDigits } from '../../domain/account-number.ts'
import { maskSource } from '../../domain/masking.ts'
import { postSent } from '../../domain/outgoing.ts'
import type { ReportedTransfer } from '../../domain/transfer.ts'
import { postEntries } from '../../ledger/post-entries.ts'
import type { FindReported } from '../duplicates/find-duplicates.ts'
import { onFirstRequisite } from '../on-first-requisite.ts'
import { bookAnnounced } from './book-announced.ts'
import { findAlike } from './duplicates/find-alike.ts'
import { findReportedElsewhere } from './find-reported-elsewhere.ts'
import { type PayeeDetails, sealPayeeDetails } from './payee-details.ts'
import { reverseRefunds } from './reverse-refunds.ts'
import { insertOutgoing, insertOutgoingKeys, listOutgoingByKey, lockOutgoing } from './store.ts'

/** Money that left an account as a bank's file reports it, or that it gave back. Amounts are minor units. */
export type ReportedOutgoing = Pick<
  ReportedTransfer,
  'requisiteId' | 'currency' | 'amount' | 'bookedAt' | 'earliestAt' | 'source' | 'bankReference'
> & {
  /** As of a transfer. */
  readonly likeness: string | null
  readonly referenceKind: string | null
  readonly channel: string
  readonly dedupeKey: string
  readonly givenBack: boolean
  readonly payee: PayeeDetails
}

/** What a report was recorded as. */
export type RecordedOutgoing = {
  readonly requisiteId: string
  readonly id: string
  readonly alreadyKnown: boolean
  /** The outgoing transfer that a new one may be with another text. */
  readonly duplicateOf: string | null
}

const keyOf = (row: { readonly requisiteId: string; readonly dedupeKey: string }): string =>
  `${row.requisiteId} ${row.dedupeKey}`

const prepare = (tx: Tx, report: ReportedOutgoing & { readonly sharing?: readonly string[] }) => {
  const id = tx.newId()
  const { payee } = report
  const { number } = payee
  return {
    ...report,
    ...{ id, key: keyOf(report) },
    payeeMasked: maskSource(number ?? ''),
    senderMasked: maskSource(number ?? ''),
    payeeIndex: number === null ? null : tx.vault.blindIndex('payer', accountDigits(number)),
    detailsSealed: sealPayeeDetails(tx.vault, id, payee),
  }
}

/**
 * Records money that left accounts, all or nothing; the answers are in the order of the reports. What was reported before
 * changes nothing, and what another channel has reported is the same money, one to one. What an operator or a feed has
 * announced is booked to that, and what the bank gave back to the refund with its reference; all else waits until somebody
 * says what it was for. What an earlier file may have reported with another text waits with the transfer that it may be;
 * `findReported` tells which transfers the file reports itself.
 */
export const recordOutgoing = async (
  tx: Tx,
  reported: readonly ReportedOutgoing[],
  findReported: FindReported,
): Promise<RecordedOutgoing[]> => {
  if (reported.length === 0) return []
  const reports = await onFirstRequisite(tx, reported)
  await tx.query(lockOutgoing, {})
  const found = await tx.query(listOutgoingByKey, { rows: reports })
  const known = new Map(found.map((row) => [keyOf(row), row.id]))
  const unknown = reports.filter((each) => !known.has(keyOf(each))).map((each) => prepare(tx, each))
  const elsewhere = await findReportedElsewhere(tx, unknown)
  const added = unknown.filter((each) => !elsewhere.has(each))
  const alike = await findAlike(tx, added, findReported)
  if (added.length > 0) {
    const rows = added.map((each) => ({ ...each, duplicateOf: alike.get(each) ?? null }))
    await tx.query(insertOutgoing, { rows, recordedAt: tx.now })
  }
  if (unknown.length > 0) {
    await tx.query(insertOutgoingKeys, {
      rows: unknown.map((each) => ({ ...each, outgoingId: elsewhere.get(each)?.id ?? each.id })),
    })
  }
  await postEntries(
    tx,
    added.map((each) => [postSent(each)]),
  )
  const certain = added.filter((each) => !alike.has(each))
  await bookAnnounced(tx, certain)
  await reverseRefunds(tx, certain)
  const ids = new Map(unknown.map((each) => [each.key, elsewhere.get(each)?.id ?? each.id]))
  const addedIds = new Map(added.map((each) => [each.id, alike.get(each) ?? null]))
  return reports.map((each) => {
    const id = ids.get(keyOf(each)) ?? known.get(keyOf(each))
    if (id === undefined) throw new Error(`outgoing transfer ${each.dedupeKey} was not recorded`)
    const duplicateOf = addedIds.get(id) ?? null
    return { requisiteId: each.requisiteId, id, alreadyKnown: !addedIds.has(id), duplicateOf }
  })
}
