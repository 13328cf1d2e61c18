import type { Context } from '../context.ts'
import { bookedTimeOf, type ListedTime, listedFor } from '../domain/booked-time.ts'
import type { StatementCounts } from '../domain/statement-import.ts'
import { findBank } from '../domain/statement.ts'
import { firstKeyOf } from '../domain/transfer.ts'
import { bankIssuers } from '../requisites/bank-issuers.ts'
import { type ChannelReport, findDuplicates } from '../transfers/duplicates/find-duplicates.ts'
import { type ChannelOutgoing, findReportedElsewhere } from '../transfers/outgoing/record-outgoing.ts'
import type { CheckedRow } from './check-row.ts'
import { separateMoney } from './duplicates/separate-money.ts'
import { countRecordedElsewhere, setAlreadyKnown, setDuplicates } from './duplicates/store.ts'
import { findOtherForms, type OtherForms } from './duplicates/find-other-forms.ts'
import type { Neighbours } from './totals/find-neighbours.ts'
import { findSameTotals } from './totals/find-same-totals.ts'
import { reportedInStatement } from './duplicates/reported-in-statement.ts'
import { sealDetails } from './row-details.ts'
import { sourcesOfSameMoney } from './sources/sources.ts'
import { insertRows } from './store.ts'

/** The findings about inserted rows. */
type InsertedRows = {
  readonly counts: Pick<StatementCounts, 'new' | 'alreadyKnown' | 'duplicates' | 'possibleDuplicates' | 'replaced'>
  /** Incoming rows that a statement has already brought for another requisite, if the requisite was chosen. */
  readonly elsewhere:
    | { readonly rows: number; readonly requisiteId: string | null; readonly fileName: string | null }
    | undefined
}

/**
 * The file so far: the time that it lists, by requisite, the outgoing transfers that its rows are, and the sums that they
 * replace.
 */
type SaidBefore = {
  readonly listed: ReadonlyMap<string, ListedTime>
  readonly outgoing: Set<string>
  readonly replaced: Set<string>
}

/** An inserted row, with its ordinal among equal ones and, if it is known, when it was booked. */
type InsertedRow = ReturnType<typeof insertRows.decode> & { readonly row: CheckedRow }

/** A set of rows of a statement. */
type RowSet = {
  readonly statementId: string
  readonly neighbours: Neighbours
  /** The position of its first row. */
  readonly first: number
  /** Whether these are all rows of the statement. */
  readonly isWhole: boolean
}

/** Inserts a set of rows of a statement. */
const insertSet = async (context: Context, set: RowSet, given: readonly CheckedRow[]): Promise<InsertedRow[]> => {
  const { statementId, first } = set
  const banks = await context.catalog.get(bankIssuers)
  const referred = given.flatMap(({ row, fingerprint, ...each }, index) => {
    const { counterparty: payer, text } = row
    return row.reference === null ? [] : [{ ...each, position: first + index, dedupeKey: fingerprint, payer, text }]
  })
  const separate = await separateMoney(context, { ...set, neighbours: set.neighbours.all }, referred)
  const rows = given.map((row, index) => ({ ...row, fingerprint: separate.get(first + index) ?? row.fingerprint }))
  const inserted = await context.query(insertRows, {
    ...{ statementId, first, neighbours: set.neighbours.all },
    rows: rows.map(({ row, booking, ...checked }, index) => ({
      ...checked,
      position: first + index,
      bookingReference: booking?.reference ?? null,
      bookingAmount: booking?.amount ?? null,
      bookingPayments: booking?.payments ?? null,
      detailsSealed: sealDetails(context.vault, statementId, first + index, {
        payerNumber: row.counterparty.number,
        payerName: row.counterparty.name,
        senderBank: findBank(row.counterparty.bank, banks.values()) ?? null,
        text: row.text,
        number: row.number,
      }),
    })),
  })
  return inserted.flatMap((each) => {
    const row = rows[each.position - first]
    return row ? [{ ...each, row }] : []
  })
}

/** Inserts a set of rows of a statement, and compares them with known ones. */
export const insertCheckedRows = async (
  context: Context,
  set: RowSet,
  rows: readonly CheckedRow[],
  before: SaidBefore,
): Promise<InsertedRows> => {
  const { statementId, first } = set
  const found = await insertSet(context, set, rows)
  const fresh = found.filter(({ knownAt }) => knownAt === null)
  const related = await sourcesOfSameMoney(context, rows[0]?.channel ?? '')
  const reports = fresh
    .filter(({ row }) => row.kind === 'booked')
    .map(({ position, ordinal, row }) => ({
      ...row,
      position,
      isFurther: row.bankReference !== null && (ordinal > 0 || firstKeyOf(row.fingerprint) !== undefined),
      ...bookedTimeOf(row, context.clock()),
      source: `statement:${statementId}`,
      sender: row.row.counterparty.number,
      senderName: row.row.counterparty.name,
      text: row.row.text,
      sameMoneySources: related,
      ...listedFor(before.listed, row.requisiteId),
    }))
  const others = await findOtherForms(
    context,
    statementId,
    fresh.map(({ position, row: { booking, row, ...checked } }) => ({
      ...{ ...checked, position },
      bookingReference: booking?.reference ?? null,
      bookingAmount: booking?.amount ?? null,
      bookingPayments: booking?.payments ?? null,
      isNamed: row.counterparty.number !== null || row.counterparty.name !== null,
    })),
    { first, replaced: before.replaced },
  )
  for (const { id } of others.replaced) before.replaced.add(id)
  const incoming = await findRowDuplicates(context, set, reports, others.forms)
  const parts = new Set(others.replaced.flatMap((sum) => sum.parts))
  const unpaired = reports.filter(({ position }) => !incoming.paired.has(position) && !parts.has(position))
  const totals = set.isWhole
    ? await findSameTotals(context, { statementId, neighbours: set.neighbours.all }, unpaired)
    : new Map<number, string>()
  const divided = await noteDuplicates(
    context,
    statementId,
    [...totals].map(([position, duplicateOf]) => ({ position, duplicateOf, duplicateCertain: false })),
  )
  const sent = fresh.flatMap(({ position, row }) =>
    row.kind === 'outgoing' || row.kind === 'outgoing-reversal'
      ? [{ ...row, position, givenBack: row.kind === 'outgoing-reversal' }]
      : [],
  )
  const outgoing = await findSentDuplicates(context, statementId, sent, before.outgoing, others.forms)
  const known = found.length - fresh.length + outgoing.alreadyKnown
  const duplicates = incoming.duplicates + outgoing.duplicates
  const possibleDuplicates = incoming.possibleDuplicates + outgoing.possibleDuplicates + divided.possibleDuplicates
  const last = first + rows.length - 1
  const [elsewhere] = rows.some((row) => row.chosen)
    ? await context.query(countRecordedElsewhere, { statementId, first, last })
    : []
  return {
    counts: {
      ...{ new: found.length - known - duplicates, alreadyKnown: known, duplicates, possibleDuplicates },
      replaced: others.replaced.length,
    },
    elsewhere,
  }
}

/** Records, for the preview, which rows duplicate other transfers, or may; returns how many. */
const noteDuplicates = async (
  sql: Pick<Context, 'query'>,
  statementId: string,
  found: readonly { readonly position: number; readonly duplicateOf: string; readonly duplicateCertain: boolean }[],
): Promise<Pick<StatementCounts, 'duplicates' | 'possibleDuplicates'>> => {
  if (found.length > 0) await sql.query(setDuplicates, { statementId, rows: found })
  const duplicates = found.filter((each) => each.duplicateCertain).length
  return { duplicates, possibleDuplicates: found.length - duplicates }
}

/**
 * Finds and records, for the preview, which new rows are outgoing transfers that other channels have reported, or in
 * another form; returns how many. The transfers of other channels are added to `taken`, because each is one row of the
 * file.
 */
const findSentDuplicates = async (
  sql: Pick<Context, 'query'>,
  statementId: string,
  rows: readonly (ChannelOutgoing & { readonly position: number })[],
  taken: Set<string>,
  forms: OtherForms['forms'],
): Promise<Pick<StatementCounts, 'alreadyKnown' | 'duplicates' | 'possibleDuplicates'>> => {
  const found = await findReportedElsewhere(sql, rows, taken)
  for (const { id } of found.values()) taken.add(id)
  if (found.size > 0)
    await sql.query(setAlreadyKnown, { statementId, rows: [...found.keys()].map(({ position }) => ({ position })) })
  const duplicates = rows.flatMap((row) => {
    const form = found.has(row) ? undefined : forms.get(row.position)
    return form ? [{ position: row.position, duplicateOf: form.id, duplicateCertain: form.isCertain }] : []
  })
  return { alreadyKnown: found.size, ...(await noteDuplicates(sql, statementId, duplicates)) }
}

/**
 * Finds and records, for the preview, which new rows are, or may be, transfers of other reports; returns how many. A
 * row that `isFurther` may repeat an earlier row of its file. All of them are `paired`.
 */
const findRowDuplicates = async (
  sql: Pick<Context, 'query' | 'vault'>,
  set: RowSet,
  rows: readonly (ChannelReport & { readonly position: number; readonly isFurther: boolean })[],
  forms: OtherForms['forms'],
): Promise<Pick<StatementCounts, 'duplicates' | 'possibleDuplicates'> & { readonly paired: ReadonlySet<number> }> => {
  const pairs = await findDuplicates(
    sql,
    rows,
    reportedInStatement(sql, { ...set, neighbours: set.neighbours.certain, paired: true }),
  )
  const found = rows.flatMap(({ position }, index) => {
    const pair = pairs.get(index)
    const form = forms.get(position)
    const other = pair && (pair.isCertain || !form?.isCertain) ? { ...pair, id: pair.other.id } : form
    return other ? [{ position, duplicateOf: other.id, duplicateCertain: other.isCertain }] : []
  })
  const { duplicates, possibleDuplicates } = await noteDuplicates(sql, set.statementId, found)
  const paired = new Set(found.map(({ position }) => position))
  const further = rows.filter(({ isFurther, position }) => isFurther && !paired.has(position))
  for (const { position } of further) paired.add(position)
  return { duplicates, possibleDuplicates: possibleDuplicates + further.length, paired }
}
