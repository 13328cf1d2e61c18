import type { FastifyReply } from 'fastify'
import type { Context } from '../../context.ts'
import { cutPage, type PageSpan, sendCsv } from '../lists.ts'
import { nameAnswer } from './name-answers.ts'

/** The names of merchants and requisites, which `nameAnswer` adds to rows with their ids. */
type Named = {
  readonly merchantName?: string
  readonly requisite?: { readonly label?: string; readonly bankIssuer?: string; readonly number?: string }
}

/** The cells of an export by their names in its header. */
export type CsvColumns<Wire> = Readonly<Record<string, (row: Wire & Named) => string | number | null | undefined>>

type Export<Row, Wire> = {
  /** Name of the file, without its ending. */
  readonly name: string
  readonly columns: CsvColumns<Wire>
  readonly read: (span: PageSpan) => readonly Row[] | Promise<readonly Row[]>
  /** The wire form of the rows of a page, as in the list. */
  readonly toWire: (rows: readonly Row[]) => readonly Wire[] | Promise<readonly Wire[]>
}

/** The column of the requisite's name: its label, or its bank with the masked number. */
export const requisiteName = ({ requisite }: Named): string | undefined =>
  requisite?.label ?? (requisite && `${requisite.bankIssuer} ${requisite.number}`)

/** Sends all pages of a list that `readPage` pages as CSV; its rows have the names of merchants and requisites. */
export const exportPages = <Row extends { readonly id: string }, Wire>(
  context: Context,
  reply: FastifyReply,
  { name, columns, read, toWire }: Export<Row, Wire>,
): Promise<FastifyReply> => {
  const cells = Object.fromEntries(
    Object.entries(columns).map(([column, cell]) => [column, (row: Wire & Named) => cell(row) ?? undefined]),
  )
  return sendCsv(reply, name, 'newest', cells, async ({ after, limit }) => {
    const { page, next } = cutPage(await read({ before: after?.id ?? null, limit: limit + 1 }), limit)
    const rows = (await nameAnswer(context, await toWire(page))) as (Wire & Named)[]
    return { rows, next: next.nextCursor === undefined ? null : { id: next.nextCursor, value: null } }
  })
}
