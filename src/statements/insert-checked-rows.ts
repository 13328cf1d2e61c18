import type { Context } from '../context.ts'
import { bookedTimeOf, type ListedTime, listedFor } from '../domain/booked-time.ts'
import { findBank, type LineFault } from '../domain/statement.ts'
import type { StatementCounts } from '../domain/statement-import.ts'
import { sameBookingMs } from '../domain/transfer.ts'
import { bankIssuers } from '../requisites/bank-issuers.ts'
import type { CheckedRow } from './check-row.ts'
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

/**
 * Inserts a set of rows of a statement from position `first`, and compares them with what is known already; `listed` is the
 * time that the file has listed so far, by requisite.
 */
export const insertCheckedRows = async (
  context: Context,
  statementId: string,
  first: number,
  rows: readonly CheckedRow[],
  listed: ReadonlyMap<string, ListedTime>,
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
      ...listedFor(listed, row.requisiteId),
    }))
  const { duplicates, possibleDuplicates } = await findRowDuplicates(context, statementId, reports)
  const last = first + rows.length - 1
  const [elsewhere] = rows.some((row) => row.chosen)
    ? await context.query(countRecordedElsewhere, { statementId, first, last })
    : []
  return {
    counts: {
      ...{ new: fresh.length - duplicates, alreadyKnown: found.length - fresh.length, duplicates, possibleDuplicates },
    },
    faults: found.flatMap(({ row, ...each }) => {
      const reason = findReferenceFault(row, each)
      return reason === undefined ? [] : [{ line: row.line, reason }]
    }),
    elsewhere,
  }
}
