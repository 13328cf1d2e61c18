import type { Command } from 'commander'
import { addPageOptions } from './describe-command.ts'
import { findOptionalMerchantId } from './find-merchant-id.ts'
import { type Columns, printNext, printRows } from './print-table.ts'
import { inSession, type Query } from './session.ts'

type Options = Readonly<Record<string, string | undefined>>

/** What a list shows, and where its rows come from. */
export type PagedList<Row> = {
  readonly path: string
  /** Field of the answer that holds the rows. */
  readonly field: string
  readonly columns: Columns<Row>
  /** What to print when there are no rows. */
  readonly none: string | ((options: Options) => string)
  /** The query, where it is not the options under their own names; `--merchant` is always sent as `merchantId`. */
  readonly query?: (options: Options) => Query
  /** Text below the table. */
  readonly notes?: (rows: readonly Row[]) => string
}

/** Makes a command print one page of a list, with `--limit` and `--cursor`. */
export const pagedList = <Row>(command: Command, list: PagedList<Row>): Command =>
  addPageOptions(command).action(
    inSession(async (session, { merchant, ...options }: Options) => {
      const merchantId = await findOptionalMerchantId(session, merchant)
      const query = { ...(list.query?.(options) ?? options), merchantId }
      const answer = await session.get<Readonly<Record<string, unknown>>>(list.path, query)
      session.show(answer, (body) => {
        const rows = body[list.field] as readonly Row[]
        if (rows.length === 0) return typeof list.none === 'string' ? list.none : list.none(options)
        const next = printNext(body['nextCursor'] as string | undefined)
        return printRows(rows, list.columns) + (list.notes?.(rows) ?? '') + next
      })
    }),
  )
