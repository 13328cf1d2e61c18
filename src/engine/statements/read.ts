import type { TypedName } from '../../rules/values/id-text.ts'
import type { Context, Tx } from '../context.ts'
import { maskNumbers } from '../../rules/values/masking.ts'
import { requireRow } from '../../rules/refusal.ts'
import type { StatementState } from '../../rules/statements/statement-import.ts'
import { countDuplicates, listDecidedDuplicates, listDoubtful } from './duplicates/store.ts'
import { documentNumberOf, rowDetails } from './row-details.ts'
import {
  countOutcomes,
  findStatement,
  findStatements,
  listMoneyOfRows,
  listReporting,
  listRows,
  selectStatements,
  type StoredRow,
} from './store.ts'

export type Statement = ReturnType<typeof findStatement.decode>

/** The state of a row of a statement: as found when the file was read, or since it was recorded. */
export const rowStates = ['new', 'duplicate', 'possible-duplicate', 'already-known', 'recorded'] as const

type RowState = (typeof rowStates)[number]

const recordedStates = new Set<StatementState>(['imported', 'withdrawing', 'withdrawn'])

/** Imported statements with row counts that include later decisions; see `StatementCounts`. */
const withDecided = async (context: Pick<Context, 'query'>, statements: readonly Statement[]): Promise<Statement[]> => {
  const recorded = statements.filter(({ state }) => recordedStates.has(state))
  if (recorded.length === 0) return [...statements]
  const rows = await context.query(countDuplicates, { statementIds: recorded.map(({ id }) => id) })
  const found = new Map(rows.map((row) => [row.statementId, row]))
  return statements.map((statement) => {
    if (!recordedStates.has(statement.state)) return statement
    const { duplicates = 0, possibleDuplicates = 0 } = found.get(statement.id) ?? {}
    const counts = { ...statement.counts, new: statement.counts.new - duplicates, duplicates, possibleDuplicates }
    return { ...statement, counts }
  })
}

/** One statement; refuses `resource_not_found`. */
export const getStatement = async (context: Pick<Context, 'query'>, id: string): Promise<Statement> => {
  return requireRow(await withDecided(context, await context.query(findStatement, { id })), 'statement')
}

/** Uploaded statements from before an id, the newest first. */
export const listStatements = async (
  context: Context,
  page: { readonly before: string | null; readonly limit: number },
): Promise<Statement[]> => withDecided(context, await context.query(selectStatements, page))

/** How many of a statement's transfers were matched how, and where their money is. */
export const getOutcomes = (context: Context, statementId: string) => context.query(countOutcomes, { statementId })

/** The first transfers of a statement that wait as possible duplicates, in the order of the file. */
export const listDoubtfulTransfers = (context: Pick<Context, 'query'>, statementId: string, limit: number) =>
  context.query(listDoubtful, { statementId, limit })

type DecidedDuplicate = ReturnType<typeof listDecidedDuplicates.decode>

const stateOf = (
  { added, alreadyKnown, duplicateOf, duplicateCertain }: StoredRow,
  decided: DecidedDuplicate | undefined,
): RowState => {
  if (added) {
    if (decided?.isDuplicate) return 'duplicate'
    return decided?.isDoubtful ? 'possible-duplicate' : 'recorded'
  }
  if (alreadyKnown || added === false) return 'already-known'
  if (duplicateOf === null) return 'new'
  return duplicateCertain ? 'duplicate' : 'possible-duplicate'
}

const readSpan = async (context: Context, statementId: string, after: number, limit: number) => {
  const rows = await context.query(listRows, { statementId, after, limit })
  const span = { first: after + 1, last: rows.at(-1)?.position ?? 0 }
  const decided = await context.query(listDecidedDuplicates, { statementId, ...span })
  const byPosition = new Map(decided.map((each) => [each.position, each]))
  return rows.map((row) => ({ ...row, state: stateOf(row, byPosition.get(row.position)) }))
}

/** Rows that are scanned for a page of rows in one state. */
const lookedAt = { atOnce: 1000, most: 10_000 }

const findPage = async (
  context: Context,
  statementId: string,
  { after, limit, state }: { readonly after: number; readonly limit: number; readonly state: RowState | null },
) => {
  const page: Awaited<ReturnType<typeof readSpan>> = []
  const atOnce = state === null ? limit + 1 : lookedAt.atOnce
  let from = after
  while (from < after + lookedAt.most) {
    const rows = await readSpan(context, statementId, from, atOnce)
    for (const row of rows) {
      if (state !== null && row.state !== state) continue
      if (page.length === limit) return { page, next: page.at(-1)?.position ?? after }
      page.push(row)
    }
    const last = rows.at(-1)?.position
    if (last === undefined || rows.length < atOnce) return { page, next: null }
    from = last
  }
  return { page, next: from }
}

/**
 * Rows of a statement after a position, and the position after which there may be more. A page of rows in one state may
 * be shorter than its limit, because it scans a limited number.
 */
export const listStatementRows = async (
  context: Context,
  statementId: string,
  wanted: { readonly after: number; readonly limit: number; readonly state: RowState | null },
) => {
  const { page, next } = await findPage(context, statementId, wanted)
  const positions = page.flatMap(({ position, transferId }) => (transferId === null ? [] : [position]))
  const money = await context.query(listMoneyOfRows, { statementId, positions })
  const went = new Map(money.map(({ position, kind, ...payment }) => [position, { went: kind, ...payment }]))
  const rows = page.map((row) => {
    const { senderName, number, text } = rowDetails(context.vault, statementId, row.position, row.detailsSealed)
    const said = { sender: row.senderMasked, payerName: maskNumbers(senderName), number, text: maskNumbers(text) }
    return { ...row, ...said, ...went.get(row.position) }
  })
  return { rows, next }
}

/** The numbers that the rows of statements give transfers, without the dates of 1C documents; by transfer. */
export const listNumbers = async (
  { query, vault }: Pick<Tx, 'query' | 'vault'>,
  transfers: readonly { readonly requisiteId: string; readonly id: string }[],
): Promise<ReadonlyMap<string, string>> => {
  const rows = await query(listReporting, { rows: transfers })
  return new Map(
    rows.flatMap(({ id, statementId, position, detailsSealed }) => {
      const number = documentNumberOf(rowDetails(vault, statementId, position, detailsSealed))
      return number === null ? [] : [[id, number] as const]
    }),
  )
}

/** Statements that a file name or a shortened id may mean; only a few of them, the newest first. */
export const findStatementsByName = (context: Context, wanted: TypedName) => context.query(findStatements, wanted)
