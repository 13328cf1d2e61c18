import type { Context } from '../context.ts'
import type { StatementAccount, StatementCounts } from '../../rules/statements/statement-import.ts'
import { firstKeyOf } from '../../rules/transfers/transfer.ts'
import { findDuplicates } from '../transfers/duplicates/find-duplicates.ts'
import { findAlikeOutgoing } from '../transfers/outgoing/duplicates/find-alike-outgoing.ts'
import { findKeysGivingWay } from '../transfers/lone-reports/give-way.ts'
import { findReportedElsewhere } from '../transfers/outgoing/duplicates/find-reported-elsewhere.ts'
import { assignKeys, doubtsOf } from './row-keys/assign-keys.ts'
import { findOtherForms, type OtherForms, reportedInStatement } from './duplicates/find-other-forms.ts'
import { countRecordedElsewhere, setDuplicates, setReplacing } from './duplicates/store.ts'
import { asOutgoing, asReports, type OpenRow, openRows } from './open-rows.ts'
import { listRows, type StoredRow } from './store.ts'
import { findNeighbours, type Neighbours } from './totals/find-neighbours.ts'
import { findProven } from './totals/find-proven.ts'
import { markSameTotals } from './totals/mark-same-totals.ts'

const rowsAtOnce = 1000

type Counted = Pick<
  StatementCounts,
  'new' | 'alreadyKnown' | 'duplicates' | 'possibleDuplicates' | 'replaced' | 'replacing'
>

/** What the rows so far are: outgoing transfers, sums that they replace, parts of these, and what may repeat a row. */
const startFound = () => ({
  outgoing: new Set<string>(),
  replaced: new Set<string>(),
  parts: new Set<number>(),
  further: new Set<number>(),
})

type Preview = ReturnType<typeof startFound> & {
  readonly statementId: string
  readonly accounts: readonly StatementAccount[]
  readonly neighbours: Neighbours
}

type Sql = Pick<Context, 'query' | 'vault'>

type Noted = Parameters<typeof setDuplicates.encode>[0]['rows'][number]

/** Finds which outgoing rows others have reported, each once, or in another form. */
const previewOutgoing = async (
  sql: Sql,
  { statementId, neighbours, outgoing }: Preview,
  rows: readonly ReturnType<typeof asOutgoing<OpenRow>>[],
  forms: OtherForms['forms'],
): Promise<Noted[]> => {
  const reported = reportedInStatement(sql, { statementId, neighbours, paired: false })
  const { certain, possible } = await findReportedElsewhere(sql, rows, reported, outgoing)
  const others = rows.filter((row) => !certain.has(row))
  const paired = reportedInStatement(sql, { statementId, neighbours, paired: true })
  const alike = await findAlikeOutgoing(sql, others, paired)
  for (const { id } of certain.values()) outgoing.add(id)
  return rows.flatMap((row) => {
    const { position } = row
    const known = certain.get(row)
    const form = forms.get(position)
    const isForm = known === undefined && form?.isCertain === true
    const duplicateOf = known?.id ?? (isForm ? form.id : (possible.get(row) ?? alike.get(row) ?? form?.id))
    return duplicateOf === undefined
      ? []
      : [{ position, duplicateOf, duplicateCertain: isForm, alreadyKnown: known !== undefined }]
  })
}

/** Finds which new rows are, or may be, transfers of other reports, and how many may repeat an earlier row. */
const previewIncoming = async (
  sql: Sql,
  { statementId, accounts, neighbours, further }: Preview,
  rows: Awaited<ReturnType<typeof asReports<OpenRow>>>,
  forms: OtherForms['forms'],
) => {
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
  return { found, further: waiting.length }
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
  const noted: readonly Noted[] = [...received.found, ...(await previewOutgoing(context, preview, sent, forms))]
  if (noted.length > 0) await context.query(setDuplicates, { statementId, rows: noted })
  const known = rows.filter(({ kind, knownAt }) => kind === 'booked' && knownAt !== null)
  // Known only because one person alone has reported them: they take the place of that if two agree on the file.
  const keys = await findKeysGivingWay(context, known)
  const replacing = [
    ...known.filter(({ requisiteId, dedupeKey }) => keys.has(`${requisiteId} ${dedupeKey}`)),
    ...received.found.filter(({ isReplacing }) => isReplacing),
  ].map(({ position }) => position)
  if (replacing.length > 0) await context.query(setReplacing, { statementId, positions: replacing })
  const isKnown = noted.filter((each) => each.alreadyKnown).length
  const duplicates = noted.filter((each) => each.duplicateCertain).length
  const alreadyKnown = rows.length - fresh.length + isKnown
  return {
    ...{ new: rows.length - alreadyKnown - duplicates, alreadyKnown, duplicates },
    possibleDuplicates: noted.length - isKnown - duplicates + received.further,
    ...{ replaced: others.replaced.length, replacing: replacing.length },
  }
}

/**
 * Records what the rows of a statement would be if it was imported now; returns how many are what. Incoming rows that
 * were recorded for another requisite are passed to `noteElsewhere`.
 */
export const previewRows = async (
  context: Context,
  { statementId, accounts }: Pick<Preview, 'statementId' | 'accounts'>,
  noteElsewhere: (elsewhere: ReturnType<typeof countRecordedElsewhere.decode>) => Promise<void>,
): Promise<Counted> => {
  const neighbours = await findNeighbours(context, statementId, accounts)
  const found = startFound()
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
