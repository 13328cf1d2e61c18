import { type TArray, type TSchema, Type } from 'typebox'
import { Id, NumberText, PatternText } from './fields.ts'

const defaultPageSize = 50

const pageQuery = (most: 100 | 500) => ({
  cursor: Type.Optional({ ...Id, description: '`nextCursor` of the previous page.' }),
  limit: Type.Optional(
    NumberText(
      `must be a whole number from 1 to ${most}.`,
      { type: 'integer', minimum: 1, maximum: most },
      {
        pattern: most === 100 ? '^([1-9][0-9]?|100)$' : '^([1-9][0-9]?|[1-4][0-9]{2}|500)$',
        description: `Rows per page. Default: ${defaultPageSize}.`,
        examples: [String(defaultPageSize)],
      },
    ),
  ),
})

/** Query of a page of a list. */
export const PageQuery = pageQuery(500)

/** Query of a page of a list whose rows are large: at most 100. */
export const ShortPageQuery = pageQuery(100)

/** Rows of a page. */
export const pageSize = (limit: string | undefined): number => Number(limit ?? defaultPageSize)

/** The page out of one row more than it has, and the cursor of the next page where there is one. */
export const cutPage = <Row extends { readonly id: string }>(
  rows: readonly Row[],
  size: number,
): { page: Row[]; next: { nextCursor?: string } } => {
  const page = rows.slice(0, size)
  const last = page.at(-1)
  return { page, next: rows.length > size && last ? { nextCursor: last.id } : {} }
}

type PageWanted = { readonly cursor?: string; readonly limit?: string }

/** What a page reads: one row more than it has, to know whether there are more. */
export type PageSpan = { readonly before: string | null; readonly limit: number }

/** The page that a query asks for, as `pageOf` describes it. */
export const readPage = async <Name extends string, Row extends { readonly id: string }, Wire>(
  name: Name,
  query: PageWanted,
  read: (span: PageSpan) => readonly Row[] | Promise<readonly Row[]>,
  toWire: (row: Row) => Wire | Promise<Wire>,
): Promise<Record<Name, Wire[]> & { nextCursor?: string }> => {
  const size = pageSize(query.limit)
  const { page, next } = cutPage(await read({ before: query.cursor ?? null, limit: size + 1 }), size)
  const rows = { [name]: await Promise.all(page.map(toWire)) } as Record<Name, Wire[]>
  return { ...rows, ...next }
}

/** Schema of the cursor that `readPage` gives. */
export const NextCursor = Type.Optional({ ...Id, description: 'Present when there are more rows.' })

/** Answer of a page of a list: its rows under their name, and the cursor of the next page. */
export const pageOf = <Name extends string, Row extends TSchema>(name: Name, row: Row) =>
  Type.Object({ ...({ [name]: Type.Array(row) } as Record<Name, TArray<Row>>), nextCursor: NextCursor })

/** Schema of a sequence number in a query or as a cursor: text, because it may exceed what a double holds. */
export const SequenceNumber = (options: object) =>
  PatternText('must be a whole number, as in an earlier answer.', { pattern: '^(0|[1-9][0-9]{0,17})$', ...options })
