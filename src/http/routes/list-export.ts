import type { FastifyReply } from 'fastify'
import { csvLine } from '../../rules/values/csv.ts'
import { sendCsvLines } from './lists.ts'
import { describedAs, type JsonSchema } from '../../operations/schema.ts'

type Fields = Readonly<Record<string, unknown>>

/** A column: a field of a row, or of an object in it. */
type Column = { readonly name: string; readonly path: readonly string[] }

/** Query parameters that choose a page. */
const pageParameters = new Set(['cursor', 'after', 'before', 'limit', 'count'])

/** The query of a list's export, which has all pages: the filters of the list. */
export const filtersOf = <Query extends object>(query: Query): Query =>
  Object.fromEntries(Object.entries(query).filter(([name]) => !pageParameters.has(name))) as Query

const columnsOf = ({ properties = {} }: JsonSchema): string[] =>
  Object.entries(properties).flatMap(([name, schema]) =>
    schema.properties === undefined ? name : Object.keys(schema.properties).map((field) => `${name}.${field}`),
  )

/** The columns of the export of a list: the fields of its rows, and of objects in them. */
export const exportColumns = (answer: JsonSchema, rows: string, wanted?: string): readonly Column[] => {
  const names = columnsOf(answer.properties?.[rows]?.items ?? {})
  const strange = wanted?.split(',').filter((name) => !names.includes(name)) ?? []
  if (names.length === 0 || strange.length > 0) throw new Error(`no fields of ${rows}: ${strange.join()}`)
  return (wanted?.split(',') ?? names).map((name) => ({ name, path: name.split('.') }))
}

/** The query of the largest page of a list that takes such a query. */
export const largestPage = (query: Readonly<Record<string, JsonSchema>>): { readonly limit?: string } => {
  const limit = describedAs(query['limit']?.pattern) as { readonly maximum: number } | undefined
  return limit ? { limit: String(limit.maximum) } : {}
}

const valueAt = (row: unknown, path: readonly string[]): unknown =>
  path.reduce((value, name) => (value as Fields | undefined)?.[name], row)

/** Lists and objects without fixed fields are one cell, as JSON. */
const toCell = (value: unknown): string | number | null => {
  if (typeof value === 'string' || typeof value === 'number') return value
  return value === undefined || value === null ? null : JSON.stringify(value)
}

/** The parameter of the next page, which a response names: `nextCursor` becomes `cursor`. */
const nextOf = (answer: Fields): Fields | undefined => {
  const { nextCursor: cursor, nextAfter: after, nextBefore: before } = answer
  const next = Object.entries({ cursor, after, before }).find(([, value]) => value !== undefined)
  return next && { [next[0]]: String(next[1]) }
}

/** Sends all pages of a list as CSV. `read` takes the query of a page; the first, which may refuse, is read at once. */
export const sendPages = async (
  reply: FastifyReply,
  fileName: string,
  name: string,
  columns: readonly Column[],
  read: (page: Fields) => Promise<Fields>,
): Promise<FastifyReply> => {
  const first = await read({})
  const lines = async function* (): AsyncGenerator<string> {
    yield csvLine(columns.map((column) => column.name))
    for (let answer = first; ; ) {
      for (const row of answer[name] as readonly unknown[])
        yield csvLine(columns.map(({ path }) => toCell(valueAt(row, path))))
      const next = nextOf(answer)
      if (!next) return
      answer = await read(next)
    }
  }
  return sendCsvLines(reply, fileName, lines())
}
