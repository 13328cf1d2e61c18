import type { Context } from '../context.ts'
import { maskSource } from '../domain/masking.ts'
import type { Instant } from '../domain/time.ts'
import { rowDetails } from './row-details.ts'
import { listRows } from './store.ts'

/** A row of a statement as an operator sees it; numbers of accounts, cards and phones are masked, also in the text. */
export type ListedRow = {
  readonly position: number
  readonly line: number
  /** What it was found to be: when the file was read, or since it was recorded. */
  readonly state: 'new' | 'duplicate' | 'recorded' | 'possible-repeat'
  readonly kind: 'booked' | 'reversal'
  readonly requisiteId: string
  readonly currency: string
  readonly amount: bigint
  readonly bookedAt: Instant
  readonly bankReference: string | null
  readonly sender: string
  readonly payerName: string | null
  readonly text: string | null
  readonly transferId: string | null
  /** The transfer of another channel that it was found to be possibly, when the file was read. */
  readonly repeatOf: string | null
}

const maskNumbers = (text: string | null): string | null => text?.replace(/\d[\d -]{7,}\d/g, maskSource) ?? null

const stateOf = ({
  duplicate,
  repeated,
  repeatOf,
}: Pick<ReturnType<typeof listRows.decode>, 'duplicate' | 'repeated' | 'repeatOf'>): ListedRow['state'] => {
  if (repeated !== null) return repeated ? 'duplicate' : 'recorded'
  if (duplicate) return 'duplicate'
  return repeatOf === null ? 'new' : 'possible-repeat'
}

/** Rows of a statement in the order of the file, after a position. */
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
