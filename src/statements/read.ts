import type { Context } from '../context.ts'
import { maskSource } from '../domain/masking.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Statement } from '../domain/statement-import.ts'
import { rowDetails } from './row-details.ts'
import { countOutcomes, findStatement, listRows, selectStatements, type StoredRow } from './store.ts'

/** What a row of a statement is: as it was found when the file was read, or since it was recorded. */
export const rowStates = ['new', 'possible-duplicate', 'already-known', 'recorded'] as const

/** A row of a statement for an operator; numbers of accounts, cards and phones are masked, also in the text. */
export type ListedRow = Pick<
  StoredRow,
  | 'position'
  | 'line'
  | 'kind'
  | 'requisiteId'
  | 'currency'
  | 'amount'
  | 'bookedAt'
  | 'bankReference'
  | 'transferId'
  | 'duplicateOf'
> & {
  readonly state: (typeof rowStates)[number]
  readonly sender: string
  readonly payerName: string | null
  readonly text: string | null
}

/** A statement; refuses `resource_not_found`. */
export const getStatement = async (context: Pick<Context, 'query'>, id: string): Promise<Statement> => {
  const [statement] = await context.query(findStatement, { id })
  if (!statement) throw new Refusal('resource_not_found', 'There is no such statement.')
  return statement
}

/** Uploaded statements from before an id, the newest first. */
export const listStatements = (
  context: Context,
  page: { readonly before: string | null; readonly limit: number },
): Promise<Statement[]> => context.query(selectStatements, page)

/** How many of the transfers that a statement has added were matched how, and where their money is. */
export const getOutcomes = (
  context: Context,
  statementId: string,
): Promise<{ readonly outcome: string; readonly kind: string; readonly transfers: number }[]> =>
  context.query(countOutcomes, { statementId })

const maskNumbers = (text: string | null): string | null => text?.replace(/\d[\d -]{7,}\d/g, maskSource) ?? null

const stateOf = ({ added, alreadyKnown, duplicateOf }: StoredRow): ListedRow['state'] => {
  if (added) return 'recorded'
  if (alreadyKnown || added === false) return 'already-known'
  return duplicateOf === null ? 'new' : 'possible-duplicate'
}

/** Rows of a statement after a position, in the order of the file. */
export const listStatementRows = async (
  context: Context,
  statementId: string,
  page: { readonly after: number; readonly limit: number },
): Promise<ListedRow[]> =>
  (await context.query(listRows, { statementId, ...page })).map((row) => {
    const { payerName, text } = rowDetails(context.vault, statementId, row.position, row.detailsSealed)
    return {
      ...row,
      state: stateOf(row),
      sender: row.senderMasked,
      payerName: maskNumbers(payerName),
      text: maskNumbers(text),
    }
  })
