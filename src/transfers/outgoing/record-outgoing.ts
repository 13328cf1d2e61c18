import type { Tx } from '../../context.ts'
import { accountDigits } from '../../domain/account-number.ts'
import { sameMoneyMs } from '../../domain/duplicate.ts'
import { maskSource } from '../../domain/masking.ts'
import { mayBeSameOutgoing, pairNearest, postSent } from '../../domain/outgoing.ts'
import type { ReportedTransfer } from '../../domain/transfer.ts'
import { day } from '../../domain/time.ts'
import { postEntries } from '../../ledger/post-entries.ts'
import { requisiteOffsets } from '../../requisites/read.ts'
import { onFirstRequisite } from '../on-first-requisite.ts'
import { bookAnnounced } from './book-announced.ts'
import { type PayeeDetails, sealPayeeDetails } from './payee-details.ts'
import { reverseRefunds } from './reverse-refunds.ts'
import { insertOutgoing, insertOutgoingKeys, listOutgoingByKey, listOutgoingElsewhere, lockOutgoing } from './store.ts'

/** Money that left an account as a bank's file reports it, or that it gave back. Amounts are minor units. */
export type ReportedOutgoing = Pick<
  ReportedTransfer,
  'requisiteId' | 'currency' | 'amount' | 'bookedAt' | 'source' | 'bankReference'
> & {
  readonly referenceKind: string | null
  readonly channel: string
  readonly dedupeKey: string
  readonly givenBack: boolean
  readonly payee: PayeeDetails
}

/** What a report was recorded as. */
export type RecordedOutgoing = { readonly requisiteId: string; readonly id: string; readonly alreadyKnown: boolean }

const keyOf = (row: { readonly requisiteId: string; readonly dedupeKey: string }): string =>
  `${row.requisiteId} ${row.dedupeKey}`

const prepare = (tx: Tx, { payee, ...report }: ReportedOutgoing & { readonly sharing?: readonly string[] }) => {
  const id = tx.newId()
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

/** An outgoing transfer that no report has brought before. */
export type NewOutgoing = ReturnType<typeof prepare>

/** Which reports are outgoing transfers that other channels have reported on the same day of the account, one to one. */
const findElsewhere = async (tx: Tx, reports: readonly NewOutgoing[]): Promise<Map<NewOutgoing, { id: string }>> => {
  if (reports.length === 0) return new Map()
  const known = await tx.query(listOutgoingElsewhere, {
    rows: reports.map((each) => ({
      ...each,
      since: each.bookedAt - sameMoneyMs,
      until: each.bookedAt + sameMoneyMs,
    })),
  })
  if (known.length === 0) return new Map()
  const offsets = await requisiteOffsets(tx, [...new Set(known.map((each) => each.requisiteId))])
  const dayOf = ({ requisiteId, bookedAt }: Pick<ReportedOutgoing, 'requisiteId' | 'bookedAt'>): number =>
    Math.floor((bookedAt + (offsets.get(requisiteId) ?? 0)) / day)
  const others = Map.groupBy(known, (each) => `${each.requisiteId} ${each.missing} ${each.amount}`)
  const groups = Map.groupBy(reports, (each) => `${each.requisiteId} ${each.channel} ${each.amount}`)
  const pairs = [...groups].map(([group, own]) =>
    pairNearest(
      own,
      others.get(group) ?? [],
      // A fee of every day is not that of the day before.
      (one, other) => dayOf(one) === dayOf(other) && mayBeSameOutgoing(one, other),
    ),
  )
  return new Map(pairs.flatMap((each) => [...each]))
}

/**
 * Records money that left accounts, all or nothing; the answers are in the order of the reports. What was reported before
 * changes nothing, and what another channel has reported is the same money, one to one. What an operator or a feed has
 * announced is booked to that, and what the bank gave back to the refund with its reference; all else waits until somebody
 * says what it was for.
 */
export const recordOutgoing = async (tx: Tx, reported: readonly ReportedOutgoing[]): Promise<RecordedOutgoing[]> => {
  if (reported.length === 0) return []
  const reports = await onFirstRequisite(tx, reported)
  await tx.query(lockOutgoing, {})
  const found = await tx.query(listOutgoingByKey, { rows: reports })
  const known = new Map(found.map((row) => [keyOf(row), row.id]))
  const unknown = reports.filter((each) => !known.has(keyOf(each))).map((each) => prepare(tx, each))
  const elsewhere = await findElsewhere(tx, unknown)
  const added = unknown.filter((each) => !elsewhere.has(each))
  if (added.length > 0) await tx.query(insertOutgoing, { rows: added, recordedAt: tx.now })
  if (unknown.length > 0) {
    await tx.query(insertOutgoingKeys, {
      rows: unknown.map((each) => ({ ...each, outgoingId: elsewhere.get(each)?.id ?? each.id })),
    })
  }
  await postEntries(
    tx,
    added.map((each) => [postSent(each)]),
  )
  await bookAnnounced(tx, added)
  await reverseRefunds(tx, added)
  const ids = new Map(unknown.map((each) => [each.key, elsewhere.get(each)?.id ?? each.id]))
  const addedIds = new Set(added.map(({ id }) => id))
  return reports.map((each) => {
    const id = ids.get(keyOf(each)) ?? known.get(keyOf(each))
    if (id === undefined) throw new Error(`outgoing transfer ${each.dedupeKey} was not recorded`)
    return { requisiteId: each.requisiteId, id, alreadyKnown: !addedIds.has(id) }
  })
}
