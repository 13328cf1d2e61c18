import type { Tx } from '../../context.ts'
import type { Queryable } from 'payin-database'
import { accountDigits } from '../../../rules/values/account-number.ts'
import type { OtherForm } from '../../../rules/transfers/booking.ts'
import { sameMoneyMs } from '../../../rules/transfers/duplicate.ts'
import { account } from '../../../rules/money/ledger.ts'
import { maskSource } from '../../../rules/values/masking.ts'
import {
  type ComparableOutgoing,
  mayBeSameOutgoing,
  type OutgoingMoney,
  pairNearest,
  postBooked,
  postSent,
} from '../../../rules/transfers/outgoing.ts'
import { findReversedRefunds, type SentRefund } from '../../../rules/transfers/refund-reversal.ts'
import { day, type Instant } from '../../../rules/time.ts'
import type { ReportedTransfer } from '../../../rules/transfers/transfer.ts'
import { postEntries } from '../../ledger/post-entries.ts'
import { requisiteOffsets } from '../../requisites/read.ts'
import type { FindReported } from '../duplicates/find-duplicates.ts'
import { mergeSpans } from '../duplicates/merge-spans.ts'
import { onFirstRequisite } from '../on-first-requisite.ts'
import { reverseRefund } from '../overpayments/decide-overpayment.ts'
import { bookAnnounced } from './book-announced.ts'
import { reversibleMs } from './candidates/list-candidates.ts'
import { listSentRefunds } from './candidates/store.ts'
import { takeOut } from '../replace-sums.ts'
import { noteWords } from '../words/note-words.ts'
import { findAlikeOutgoing } from './duplicates/find-alike-outgoing.ts'
import { type PayeeDetails, sealPayeeDetails } from './payee-details.ts'
import {
  insertOutgoing,
  insertOutgoingKeys,
  listOutgoingByKey,
  listOutgoingElsewhere,
  lockOutgoing,
  markDecided,
} from './store.ts'

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

export type ChannelOutgoing = ComparableOutgoing & { readonly channel: string }

/**
 * Which reports are outgoing transfers that other channels reported on the same day of the account, one to one; never
 * one of those in `taken`, nor for certain one that `findReported` returns.
 */
export const findReportedElsewhere = async <T extends ChannelOutgoing>(
  sql: Queryable,
  reports: readonly T[],
  findReported: FindReported,
  taken: ReadonlySet<string> = new Set(),
) => {
  const none = { certain: new Map<T, { readonly id: string }>(), possible: new Map<T, string>() }
  if (reports.length === 0) return none
  const around = reports.map((each) => {
    return { ...each, since: each.bookedAt - sameMoneyMs, until: each.bookedAt + sameMoneyMs }
  })
  const found = await sql.query(listOutgoingElsewhere, { rows: mergeSpans(around) })
  const known = found.filter(({ id }) => !taken.has(id))
  if (known.length === 0) return none
  const reported = await findReported(known.map((each) => ({ ...each, dedupeKey: '' })))
  const offsets = await requisiteOffsets(sql, [...new Set(known.map((each) => each.requisiteId))])
  const dayOf = ({ requisiteId, bookedAt }: Pick<ChannelOutgoing, 'requisiteId' | 'bookedAt'>): number =>
    Math.floor((bookedAt + (offsets.get(requisiteId) ?? 0)) / day)
  const pairs = (asked: readonly T[], isCertain: boolean) => {
    const left = known.filter(({ id }) => reported.get(id) !== true && reported.has(id) !== isCertain)
    const others = Map.groupBy(left, (each) => `${each.requisiteId} ${each.missing} ${each.amount}`)
    const groups = Map.groupBy(asked, (each) => `${each.requisiteId} ${each.channel} ${each.amount}`)
    return [...groups].flatMap(([group, own]) => [
      ...pairNearest(
        own,
        others.get(group) ?? [],
        // A daily fee is not the fee of the day before.
        (one, other) => dayOf(one) === dayOf(other) && mayBeSameOutgoing(one, other),
      ),
    ])
  }
  const certain = new Map(pairs(reports, true))
  const unpaired = reports.filter((each) => !certain.has(each))
  return { certain, possible: new Map(pairs(unpaired, false).map(([each, { id }]) => [each, id])) }
}

type GivenBack = OutgoingMoney & Parameters<typeof findReversedRefunds>[0] & { readonly bookedAt: Instant }

/** Which refunds money given back by the bank may have been, and the certain one, if any. */
export const findRefunds = async (sql: Queryable, money: GivenBack) => {
  const { id: moneyId, requisiteId, amount, bookedAt } = money
  const span = { since: bookedAt - reversibleMs, until: bookedAt + day }
  return findReversedRefunds(
    money,
    await sql.query(listSentRefunds, { rows: [{ moneyId, requisiteId, amount, ...span }] }),
  )
}

/** Books money that came back as a refund that did not reach its payer, who is owed it again. */
export const bookAsRefundReversal = async (
  tx: Tx,
  money: OutgoingMoney,
  { id: documentId, merchantId, paymentId, decisionId }: SentRefund,
  { actor: decidedBy, reason }: { readonly actor: string; readonly reason: string | null },
): Promise<void> => {
  const paidFrom = await reverseRefund(tx, merchantId, decisionId)
  const { requisiteId, id } = money
  const booking = { state: 'booked', purpose: 'refund-reversal', merchantId, paymentId, documentId, reason } as const
  await tx.query(markDecided, { rows: [{ requisiteId, id, ...booking, decidedBy, decidedAt: tx.now }] })
  // Reversing the refund has put its money on the account a second time.
  await postEntries(tx, [[postBooked(money, account.bank(paidFrom))]])
}

/** Books new money that the bank gave back to the refunds with its reference: their payers are owed it again. */
const reverseRefunds = async (tx: Tx, added: readonly GivenBack[]): Promise<void> => {
  for (const money of added) {
    if (!money.givenBack || money.bankReference === null) continue
    const { certain } = await findRefunds(tx, money)
    if (certain) await bookAsRefundReversal(tx, money, certain, { actor: 'service', reason: null })
  }
}
