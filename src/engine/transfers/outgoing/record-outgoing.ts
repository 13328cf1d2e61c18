import type { Tx } from '../../context.ts'
import { accountDigits } from '../../../rules/values/account-number.ts'
import type { OtherForm } from '../../../rules/transfers/other-form.ts'
import { maskSource } from '../../../rules/values/masking.ts'
import { postSent } from '../../../rules/transfers/outgoing.ts'
import type { ReportedTransfer } from '../../../rules/transfers/transfer.ts'
import { postEntries } from '../../ledger/post-entries.ts'
import type { FindReported } from '../duplicates/find-duplicates.ts'
import { onFirstRequisite } from '../on-first-requisite.ts'
import { bookAnnounced } from './book-announced.ts'
import { takeOut } from '../replace-sums.ts'
import { noteWords } from '../words/note-words.ts'
import { findAlikeOutgoing } from './duplicates/find-alike-outgoing.ts'
import { findReportedElsewhere } from './duplicates/find-reported-elsewhere.ts'
import { type PayeeDetails, sealPayeeDetails } from './payee-details.ts'
import { reverseRefunds } from './reverse-refunds.ts'
import { insertOutgoing, insertOutgoingKeys, listOutgoingByKey, lockOutgoing } from './store.ts'

/** Outgoing money as a bank's file reports it, or money that the bank gave back. Amounts are minor units. */
type ReportedOutgoing = Pick<
  ReportedTransfer,
  'requisiteId' | 'currency' | 'amount' | 'bookedAt' | 'earliestAt' | 'source' | 'bankReference' | 'documentNumber'
> & {
  readonly likeness: string | null
  readonly referenceKind: string | null
  readonly channel: string
  readonly dedupeKey: string
  readonly givenBack: boolean
  readonly bookedOn: string | null
  /** Whether its file also reports money of this amount that was taken back: by amount and day, it is not that. */
  readonly isBesideReversal?: boolean
  readonly payee: PayeeDetails
  readonly otherForm?: OtherForm
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
 * Records outgoing money, all or nothing; the answers are in the order of the reports. A known report changes nothing,
 * and one that another channel made before is the same money, one to one. Announced money is booked to the
 * announcement, and money given back to the refund with its reference; the rest waits. What an earlier file may have
 * reported with another text, or in another form, waits as a possible duplicate; `findReported` returns what the file
 * itself reports. `findBound`: how many millionths of USDT a person may explain alone within 24 hours.
 */
export const recordOutgoing = async (
  tx: Tx,
  reported: readonly ReportedOutgoing[],
  findReported: FindReported,
  findBound: (by: string) => Promise<bigint>,
) => {
  if (reported.length === 0) return []
  const reports = await onFirstRequisite(tx, reported)
  await tx.query(lockOutgoing, {})
  const found = await tx.query(listOutgoingByKey, { rows: reports })
  const known = new Map(found.map((row) => [keyOf(row), row.id]))
  const unknown = reports.filter((each) => !known.has(keyOf(each))).map((each) => prepare(tx, each))
  const { certain: elsewhere, possible } = await findReportedElsewhere(tx, unknown, findReported)
  const added = unknown.filter((each) => !elsewhere.has(each))
  const alike = new Map([...(await findAlikeOutgoing(tx, added, findReported)), ...possible])
  const inOtherForm = added.flatMap((each) =>
    each.otherForm?.isCertain ? [{ ...each, duplicateOf: each.otherForm.id }] : [],
  )
  const originalOf = (each: (typeof added)[number]): string | null =>
    each.otherForm?.isCertain ? each.otherForm.id : (alike.get(each) ?? each.otherForm?.id ?? null)
  if (added.length > 0) {
    const rows = added.map((each) => ({ ...each, duplicateOf: originalOf(each) }))
    await tx.query(insertOutgoing, { rows, recordedAt: tx.now })
    const worded = added.map(({ payee, payeeMasked: masked, bankReference: reference, documentNumber, ...each }) => ({
      ...each,
      ...{ ...payee, masked, reference, number: documentNumber ?? null },
    }))
    await noteWords(tx, 'outgoing', worded)
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
  await takeOut(tx, inOtherForm, { actor: 'service', reason: 'An earlier file has it in another form.' })
  const certain = added.filter((each) => originalOf(each) === null)
  await bookAnnounced(tx, certain, findBound)
  await reverseRefunds(tx, certain)
  const ids = new Map(unknown.map((each) => [each.key, elsewhere.get(each)?.id ?? each.id]))
  const addedIds = new Map(added.map((each) => [each.id, originalOf(each)]))
  const duplicates = new Set(inOtherForm.map(({ id }) => id))
  return reports.map((each) => {
    const id = ids.get(keyOf(each)) ?? known.get(keyOf(each))
    if (id === undefined) throw new Error(`outgoing transfer ${each.dedupeKey} was not recorded`)
    const duplicateOf = addedIds.get(id) ?? null
    const isDuplicate = duplicates.has(id)
    return { requisiteId: each.requisiteId, id, alreadyKnown: !addedIds.has(id), duplicateOf, isDuplicate }
  })
}
