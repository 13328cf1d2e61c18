import { parse } from 'csv-parse/sync'
import type { Field } from '../operations/field.ts'
import { namedThings } from '../operations/named.ts'
import { readCsvTable } from '../rules/statements/csv-table.ts'
import { Failure } from './failure.ts'
import { bodyOf, keyed, readField } from './field-inputs.ts'
import type { Values } from './inputs.ts'
import { resolveKey } from './named-inputs.ts'
import { checkDocument } from './read-arguments.ts'
import { resolveId, resolveName } from './resolve-name.ts'
import type { Session } from './session.ts'
import { readText } from './surroundings.ts'

/** The items of a file as JSON and, of a CSV, the line of each. */
export type ItemsOfFile = { readonly json: string; readonly lines?: readonly number[] }

/** Columns of a CSV by the names of their fields, if they are not called the same. */
type Cells = Readonly<Partial<Record<string, string>>>

const columnOf = ({ name, of, owner, kind }: Field, cells: Cells): string =>
  cells[name] ?? (owner === undefined ? (of && kind === 'id' ? name.replace(/Id$/, '') : name) : (of ?? name))

/** The columns of a CSV of such items. */
const columnsOf = (fields: readonly Field[], cells: Cells): { needed: string[]; optional: string[] } => {
  const owners = new Set(fields.map(({ owner }) => owner))
  const isNeeded = ({ name, isRequired }: Field): boolean => isRequired && !owners.has(name)
  const [needed = [], optional = []] = [true, false].map((wanted) =>
    fields.filter((field) => isNeeded(field) === wanted).map((field) => columnOf(field, cells)),
  )
  return { needed, optional }
}

/** What the help says of such a file. */
export const aboutItems = (list: Field, cells: Cells): string => {
  const { needed, optional } = columnsOf(keyed(list.fields), cells)
  const may = optional.length > 0 ? `; optional: ${optional.join(', ')}` : ''
  return `CSV, whose first line names the columns ${needed.join(', ')}${may}; or JSON array as the API takes it; - for standard input`
}

const readCell = async (session: Session, field: Field, cell: string, given: Values): Promise<Values> => {
  const { name, kind, of, owner, isSeveral } = field
  if (of === undefined) return { [name]: readField(field, cell) }
  const ownerId = `${namedThings[of].of}Id`
  const within = { [ownerId]: given[ownerId] }
  if (isSeveral) {
    const resolve = kind === 'rows' ? resolveKey.bind(null, session, field) : resolveId.bind(null, session, of)
    return { [name]: await Promise.all(cell.split(' + ').map((each) => resolve(each, within))) }
  }
  if (owner === undefined) return { [name]: await resolveId(session, of, cell, within) }
  const found = await resolveName(session, of, cell, within)
  return { [owner]: found[owner as 'merchantId' | 'requisiteId'], [name]: found.id }
}

/** The items of a file: JSON, which is sent unchanged, or a CSV, whose cells are read like options. */
export const readItems = async (session: Session, path: string, list: Field, cells: Cells): Promise<ItemsOfFile> => {
  const text = await readText(session.surroundings, path)
  if (path.endsWith('.json') || /^\s*[[{]/.test(text)) return { json: checkDocument(path, text, true) }
  const fields = keyed(list.fields)
  const { needed, optional } = columnsOf(fields, cells)
  const rows = readCsvTable(parse, text, needed, optional)
  if (typeof rows === 'string') throw new Failure([`${path} cannot be read. ${rows}`], 2)
  const items: object[] = []
  for (const { line, cells: typed } of rows) {
    const given: Record<string, unknown> = {}
    try {
      for (const field of fields) {
        const cell = typed[columnOf(field, cells)]
        if (cell !== undefined) Object.assign(given, await readCell(session, field, cell, given))
      }
    } catch (error) {
      if (error instanceof Failure) throw error.with({ detail: `line ${line}: ${error.problem.detail}` })
      throw new Failure([`line ${line}: ${(error as Error).message}`], 2)
    }
    items.push(bodyOf(list.fields, given))
  }
  return { json: JSON.stringify(items), lines: rows.map(({ line }) => line) }
}
