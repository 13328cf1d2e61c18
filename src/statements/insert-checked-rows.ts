import type { Context } from '../context.ts'
import { bookedTimeOf, type ListedTime, listedFor } from '../domain/booked-time.ts'
import { findBank, type LineFault } from '../domain/statement.ts'
import type { StatementCounts } from '../domain/statement-import.ts'
import { sameBookingMs } from '../domain/transfer.ts'
import { bankIssuers } from '../requisites/bank-issuers.ts'
import type { CheckedRow } from './check-row.ts'
import { findKnownOutgoing } from './duplicates/find-known-outgoing.ts'
import { findRowDuplicates } from './duplicates/find-row-duplicates.ts'
import { countRecordedElsewhere } from './duplicates/store.ts'
import { sealDetails } from './row-details.ts'
import { sourcesOfSameMoney } from './sources/sources.ts'
import { insertRows } from './store.ts'

/** What is found out about rows that were inserted. */
export type InsertedRows = {
  readonly counts: Pick<StatementCounts, 'new' | 'alreadyKnown' | 'duplicates' | 'possibleDuplicates'>
  readonly faults: readonly LineFault[]
  /** Rows of a chosen requisite that a statement has brought for another one, if any. */
  readonly elsewhere:
    | { readonly rows: number; readonly requisiteId: string | null; readonly statementId: string | null }
    | undefined
}

/** Why a row with the bank's own reference cannot be imported next to what is known already. */
const findReferenceFault = (
  { kind, bankReference, bookedAt }: CheckedRow,
  { knownAt }: ReturnType<typeof insertRows.decode>,
): string | undefined => {
  if (bankReference === null || (kind !== 'booked' && kind !== 'reversal')) return undefined
  if (knownAt !== null && Math.abs(knownAt - bookedAt) > sameBookingMs)
    return `The bank's reference ${bankReference} was reported before, with the same amount, for another day.`
  return undefined
}

/** What a file has said so far: the time that it lists, by requisite, and the outgoing transfers that its rows are. */
export type SaidBefore = { readonly listed: ReadonlyMap<string, ListedTime>; readonly outgoing: Set<string> }

/** Inserts a set of rows of a statement from position `first`, and compares them with what is known already. */
export const insertCheckedRows = async (
  context: Context,
  statementId: string,
  first: number,
  rows: readonly CheckedRow[],
  before: SaidBefore,
): Promise<InsertedRows> => {
  const banks = await context.catalog.get(bankIssuers)
  const inserted = await context.query(insertRows, {
    ...{ statementId, first },
    rows: rows.map(({ row, booking, ...checked }, index) => ({
      ...checked,
      position: first + index,
      bookingReference: booking?.reference ?? null,
      bookingAmount: booking?.amount ?? null,
      detailsSealed: sealDetails(context.vault, statementId, first + index, {
        payerNumber: row.counterparty.number,
        payerName: row.counterparty.name,
        senderBank: findBank(row.counterparty.bank, banks.values()) ?? null,
        text: row.text,
        number: row.number,
      }),
    })),
  })
  const found = inserted.flatMap((each) => {
    const row = rows[each.position - first]
    return row ? [{ ...each, row }] : []
  })
  const fresh = found.filter(({ knownAt }) => knownAt === null)
  const related = await sourcesOfSameMoney(context, rows[0]?.channel ?? '')
  const reports = fresh
    .filter(({ row }) => row.kind === 'booked')
    .map(({ position, ordinal, row }) => ({
      ...row,
      position,
      isFurther: row.bankReference !== null && ordinal > 0,
      ...bookedTimeOf(row, context.clock()),
      source: `statement:${statementId}`,
      sender: row.row.counterparty.number,
      senderName: row.row.counterparty.name,
      text: row.row.text,
      sameMoneySources: related,
      ...listedFor(before.listed, row.requisiteId),
    }))
  const { duplicates, possibleDuplicates } = await findRowDuplicates(context, statementId, reports)
  const sent = fresh.flatMap(({ position, row }) =>
    row.kind === 'outgoing' || row.kind === 'outgoing-reversal'
      ? [{ ...row, position, givenBack: row.kind === 'outgoing-reversal' }]
      : [],
  )
  const known = found.length - fresh.length + (await findKnownOutgoing(context, statementId, sent, before.outgoing))
  const last = first + rows.length - 1
  const [elsewhere] = rows.some((row) => row.chosen)
    ? await context.query(countRecordedElsewhere, { statementId, first, last })
    : []
  return {
    counts: {
      ...{ new: found.length - known - duplicates, alreadyKnown: known, duplicates, possibleDuplicates },
    },
    faults: found.flatMap(({ row, ...each }) => {
      const reason = findReferenceFault(row, each)
      return reason === undefined ? [] : [{ line: row.line, reason }]
    }),
    elsewhere,
  }
}
