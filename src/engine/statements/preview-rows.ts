import type { Context } from '../context.ts'
import type { StatementAccount, StatementCounts } from '../../rules/statements/statement-import.ts'
import { firstKeyOf } from '../../rules/transfers/transfer.ts'
import { findDuplicates } from '../transfers/duplicates/find-duplicates.ts'
import { findAlikeOutgoing } from '../transfers/outgoing/duplicates/find-alike-outgoing.ts'
import { findKeysGivingWay } from '../transfers/lone-reports/give-way.ts'
import { findReportedElsewhere } from '../transfers/outgoing/record-outgoing.ts'
import { assignKeys, doubtsOf } from './row-keys/assign-keys.ts'
import { findOtherForms, type OtherForms } from './duplicates/find-other-forms.ts'
import { reportedInStatement } from './duplicates/reported-in-statement.ts'
import { countRecordedElsewhere, setDuplicates, setReplacing } from './duplicates/store.ts'
import { asOutgoing, asReports, type OpenRow, openRows } from './open-rows.ts'
import { listRows, type StoredRow } from './store.ts'
import { findNeighbours, type Neighbours } from './totals/find-neighbours.ts'
import { findProven } from './totals/find-proven.ts'
import { markSameTotals } from './totals/mark-same-totals.ts'

/** Most rows of a set. */
const rowsAtOnce = 1000

type Counted = Pick<
  StatementCounts,
  'new' | 'alreadyKnown' | 'duplicates' | 'possibleDuplicates' | 'replaced' | 'replacing'
>

/** A statement, and what its rows so far are: outgoing transfers, and parts of sums that they replace. */
type Preview = {
  readonly statementId: string
  readonly accounts: readonly StatementAccount[]
  readonly neighbours: Neighbours
  readonly outgoing: Set<string>
  readonly replaced: Set<string>
  readonly parts: Set<number>
  /** Rows that may repeat an earlier row of the file. */
  readonly further: Set<number>
}

type Sql = Pick<Context, 'query' | 'vault'>

type Noted = Parameters<typeof setDuplicates.encode>[0]['rows'][number]

/** Records which rows duplicate other transfers, or may; returns how many. */
const noteDuplicates = async (
  sql: Sql,
  statementId: string,
  found: readonly Noted[],
): Promise<Pick<Counted, 'duplicates' | 'possibleDuplicates'>> => {
  if (found.length > 0) await sql.query(setDuplicates, { statementId, rows: found })
  const unknown = found.filter((each) => !each.alreadyKnown)
  const duplicates = unknown.filter((each) => each.duplicateCertain).length
  return { duplicates, possibleDuplicates: unknown.length - duplicates }
}

/**
 * Finds and records which new rows are outgoing transfers that other channels have reported, or in another form;
 * returns how many. Each of those transfers is one row of the file.
 */
const previewOutgoing = async (
  sql: Sql,
  { statementId, neighbours, outgoing }: Preview,
  rows: readonly ReturnType<typeof asOutgoing<OpenRow>>[],
  forms: OtherForms['forms'],
): Promise<Pick<Counted, 'alreadyKnown' | 'duplicates' | 'possibleDuplicates'>> => {
  const reported = reportedInStatement(sql, { statementId, neighbours, paired: false })
  const { certain, possible } = await findReportedElsewhere(sql, rows, reported, outgoing)
  const others = rows.filter((row) => !certain.has(row))
  const paired = reportedInStatement(sql, { statementId, neighbours, paired: true })
  const alike = await findAlikeOutgoing(sql, others, paired)
  for (const { id } of certain.values()) outgoing.add(id)
  const duplicates = rows.flatMap((row): Noted[] => {
    const { position } = row
    const known = certain.get(row)
    const form = forms.get(position)
    const isForm = known === undefined && form?.isCertain === true
    const duplicateOf = known?.id ?? (isForm ? form.id : (possible.get(row) ?? alike.get(row) ?? form?.id))
    return duplicateOf === undefined
      ? []
      : [{ position, duplicateOf, duplicateCertain: isForm, alreadyKnown: known !== undefined }]
  })
  return { alreadyKnown: certain.size, ...(await noteDuplicates(sql, statementId, duplicates)) }
}

/**
 * Records which rows are known, or are duplicates, only because one person alone has reported them; returns how many. They
 * take the place of those reports if two agree on the file.
 */
const noteReplacing = async (
  sql: Sql,
  statementId: string,
  known: readonly { readonly position: number; readonly requisiteId: string; readonly dedupeKey: string }[],
  duplicates: readonly number[],
): Promise<number> => {
  const keys = await findKeysGivingWay(sql, known)
  const ofKeys = known.filter(({ requisiteId, dedupeKey }) => keys.has(`${requisiteId} ${dedupeKey}`))
  const positions = [...ofKeys.map(({ position }) => position), ...duplicates]
  if (positions.length > 0) await sql.query(setReplacing, { statementId, positions })
  return positions.length
}

/**
 * Finds and records which new rows are, or may be, transfers of other reports; returns how many. Further rows under one
 * reference may repeat the first one.
 */
const previewIncoming = async (
  sql: Sql,
  { statementId, accounts, neighbours, further }: Preview,
  rows: Awaited<ReturnType<typeof asReports<OpenRow>>>,
  forms: OtherForms['forms'],
): Promise<Pick<Counted, 'duplicates' | 'possibleDuplicates'> & { readonly replacing: readonly number[] }> => {
  const pairs = await findDuplicates(sql, rows, reportedInStatement(sql, { statementId, neighbours, paired: true }))
  const found = rows.flatMap(({ position }, index) => {
    const pair = pairs.get(index)
    const form = forms.get(position)
    const isPair = pair !== undefined && (pair.isCertain || !form?.isCertain)
    const other = isPair ? { ...pair, id: pair.other.id } : form
    const isReplacing = isPair && pair.isCertain && pair.other.givesWay === true
    const { id: duplicateOf, isCertain: duplicateCertain } = other ?? {}
    return duplicateOf && duplicateCertain !== undefined
      ? [{ position, duplicateOf, duplicateCertain, alreadyKnown: false, isReplacing }]
      : []
  })
  const paired = new Set(found.map(({ position }) => position))
  const doubtful = rows.filter(
    ({ position, dedupeKey }) => !paired.has(position) && firstKeyOf(dedupeKey) !== undefined,
  )
  const proven = await findProven(sql, statementId, accounts, doubtful)
  const waiting = doubtful.filter(({ position }) => !proven.has(position))
  for (const { position } of waiting) further.add(position)
  const { duplicates, possibleDuplicates } = await noteDuplicates(sql, statementId, found)
  const replacing = found.filter((each) => each.isReplacing).map(({ position }) => position)
  return { duplicates, possibleDuplicates: possibleDuplicates + waiting.length, replacing }
}

const previewSet = async (context: Context, preview: Preview, stored: readonly StoredRow[]): Promise<Counted> => {
  const { statementId, accounts, neighbours, replaced } = preview
  const opened = openRows(context.vault, statementId, stored)
  const rows = await assignKeys(context, { statementId, neighbours }, opened)
  const fresh = rows.filter(({ knownAt }) => knownAt === null)
  const others = await findOtherForms(context, statementId, fresh, { first: rows[0]?.position ?? 0, replaced })
  for (const sum of others.replaced) {
    replaced.add(sum.id)
    for (const position of sum.parts) preview.parts.add(position)
  }
  const incoming = fresh.filter(({ kind }) => kind === 'booked')
  const booked = await asReports(context, { id: statementId, accounts }, incoming, context.clock())
  const forms = new Map([...doubtsOf(fresh), ...others.forms])
  const received = await previewIncoming(context, preview, booked, forms)
  const sent = fresh.flatMap((row) =>
    row.kind.startsWith('outgoing') ? [asOutgoing(row, statementId, context.clock())] : [],
  )
  const left = await previewOutgoing(context, preview, sent, forms)
  const alreadyKnown = rows.length - fresh.length + left.alreadyKnown
  const duplicates = received.duplicates + left.duplicates
  const possibleDuplicates = received.possibleDuplicates + left.possibleDuplicates
  const counted = { new: rows.length - alreadyKnown - duplicates, alreadyKnown, duplicates, possibleDuplicates }
  const known = rows.filter(({ kind, knownAt }) => kind === 'booked' && knownAt !== null)
  const replacing = await noteReplacing(context, statementId, known, received.replacing)
  return { ...counted, replaced: others.replaced.length, replacing }
}

/**
 * Compares the rows of a statement that was read with what is known, and records what they would be if it was imported
 * now; returns how many. Incoming rows that were recorded for another requisite are passed to `noteElsewhere`.
 */
export const previewRows = async (
  context: Context,
  { statementId, accounts }: Pick<Preview, 'statementId' | 'accounts'>,
  noteElsewhere: (elsewhere: ReturnType<typeof countRecordedElsewhere.decode>) => Promise<void>,
): Promise<Counted> => {
  const neighbours = await findNeighbours(context, statementId, accounts)
  const found = {
    outgoing: new Set<string>(),
    replaced: new Set<string>(),
    parts: new Set<number>(),
    further: new Set<number>(),
  }
  const counts = { new: 0, alreadyKnown: 0, duplicates: 0, possibleDuplicates: 0, replaced: 0, replacing: 0 }
  for (let after = 0; ; ) {
    const rows = await context.query(listRows, { statementId, after, limit: rowsAtOnce })
    const [first, last] = [rows[0], rows.at(-1)]
    if (!first || !last) break
    const counted = await previewSet(context, { statementId, accounts, neighbours, ...found }, rows)
    for (const each of ['new', 'alreadyKnown', 'duplicates', 'possibleDuplicates', 'replaced', 'replacing'] as const)
      counts[each] += counted[each]
    const set = { statementId, first: first.position, last: last.position }
    const [elsewhere] = await context.query(countRecordedElsewhere, set)
    if (elsewhere && elsewhere.rows > 0) await noteElsewhere(elsewhere)
    after = last.position
  }
  const marked = await markSameTotals(context, { id: statementId, accounts, neighbours }, found)
  counts.possibleDuplicates += marked.filter((position) => !found.further.has(position)).length
  return counts
}
