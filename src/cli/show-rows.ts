import type { FieldKind, Forms, Summary } from '../operations/schema.ts'
import { type Field, fieldsOf, shownAlone } from '../operations/field.ts'
import { namedThings } from '../operations/named.ts'
import { printSpan } from '../rules/time.ts'
import { kinds, printPerson } from './field-kinds.ts'
import {
  type Cell,
  printAccount,
  printAmount,
  type Printed,
  printLines,
  printQuote,
  printRows,
  printSections,
  printTime,
  render,
  type TableColumn,
} from './print-table.ts'
import { isName, say, sayUnlessName, sayWord, sayWritten } from './say.ts'
import { shortenIds } from '../rules/values/short-ids.ts'

type Row = Readonly<Record<string, unknown>>

export const forms: Forms = {
  account: printAccount,
  amount: printAmount,
  person: printPerson,
  quote: printQuote,
  span: printSpan,
  time: printTime,
}

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** What the fields of a group say, in one line: `by anna; at 2026-01-31 12:30:00Z`. Counts of 0 are left out. */
const printGroup = (fields: readonly Field[], row: Row): string => {
  const shown = shownAlone(fields)
  return shown
    .filter(({ kind, name }) => !(kind === 'whole' && row[name] === 0))
    .map((field) => [shown.length > 1 ? say(field.heading).toLowerCase() : '', showField(field, fields).cell(row)])
    .filter(([, said]) => said !== undefined)
    .map((said) => said.join(' ').trim())
    .join('; ')
}

/** Kinds that the service words; a text may also be a name. */
const worded = new Set<FieldKind>(['word', 'evidence', 'quote', 'span', 'text', 'threshold'])

const sayValue = ({ name, kind, choices = [] }: Field, said: Cell): Cell => {
  // Nobody could type the rule of an alert, or the value of a setting, if it were said.
  if (/^(rule|value)$|name$/i.test(name) || !worded.has(kind)) return said
  if (kind === 'word') return sayWord(String(said), choices)
  return kind === 'text' && !isName(said) ? sayWritten(String(said)) : sayUnlessName(said)
}

const printSeveral = (field: Field, values: readonly never[]): string => {
  if (field.kind === 'id') return shortenIds(values).join(' ')
  const print = kinds[field.kind].print ?? String
  return values.map((each) => sayValue(field, print(each))).join(field.kind === 'account' ? '\n' : ', ')
}

const printField = (field: Field, value: unknown, row: Row): Cell => {
  const { kind, isSeveral, currency, fields } = field
  if (kind === 'group' && fields !== undefined)
    return printGroup(fields, { currency: row['currency'], ...(value as Row) })
  const code = currency && row[currency]
  const unit = typeof code === 'string' ? code : currency
  if (unit) return typeof value === 'string' ? `${value} ${unit}` : printAmount(Number(value), unit)
  if (isSeveral && kind !== 'rows') return printSeveral(field, value as readonly never[])
  const { print } = kinds[kind]
  return sayValue(field, print === undefined ? (value as Cell) : print(value as never))
}

const markOf = ({ kind, of, currency, isSeveral }: Field): string => {
  if (currency !== undefined) return '>'
  if (isSeveral) return '~'
  // Ids of one bank file start alike.
  return kind === 'id' && of && namedThings[of].of === 'requisite' ? '%' : (kinds[kind].mark ?? '')
}

const showField = (field: Field, fields: readonly Field[]): TableColumn => {
  const { name, heading, absent } = field
  const instead = fields.find((each) => each.name === field.shownAs)
  if (instead !== undefined) {
    const { mark, cell } = showField(instead, fields)
    return { heading, mark, cell: (row) => cell(row) ?? (row[name] as Cell) ?? (absent && say(absent)) }
  }
  const cell = (row: Row): Cell => (isNothing(row[name]) ? absent && say(absent) : printField(field, row[name], row))
  return { heading, mark: markOf(field), cell }
}

const showSummary = ({ heading, show, kind = 'text' }: Summary<never>): TableColumn => ({
  heading,
  mark: kind === 'id' ? '%' : (kinds[kind].mark ?? ''),
  cell: (row) => sayUnlessName(show(row as never, forms)),
})

/** The columns of a table of such rows: of these fields, and of what several say together. */
export const columnsOfRows = (
  fields: readonly Field[] = [],
  wanted: readonly (string | Summary<never>)[] = shownAlone(fields).map(({ name }) => name),
): TableColumn[] =>
  wanted.map((each) => {
    const field = fields.find(({ name }) => name === each)
    if (typeof each === 'string' && field === undefined) throw new Error(`no field ${each}`)
    return field ? showField(field, fields) : showSummary(each as Summary<never>)
  })

/** Rows in an answer as tables, with titles unless one is alone; amounts may be in the currency of the answer. */
export const printTables = (fields: readonly Field[], whole: Row, isFirst = true): readonly Printed[] => {
  const shown = fields.filter(({ kind, name }) => kind === 'rows' && !isNothing(whole[name]))
  const isTitled = shown.length > 1 || !isFirst
  return shown.map(({ name, heading, fields: inner, columns }) => {
    const rows = (whole[name] as readonly Row[]).map((each) => ({ currency: whole['currency'], ...each }))
    const table = printRows(rows, columnsOfRows(inner, columns))
    return isTitled ? (screen) => `${say(heading)}:\n${render(table, screen)}` : table
  })
}

/** What the service says of one thing, field by field, those of a group among them; lists in it are tables below. */
export const printRow = (answer: object, whole: Row): Printed => {
  const all = fieldsOf(answer)
  const names = all.flatMap(({ name, kind, fields: inner = [] }) => [
    name,
    ...(kind === 'group' ? inner : []).map((each) => each.name),
  ])
  const isOnly = ({ name }: Field): boolean => names.indexOf(name) === names.lastIndexOf(name)
  const isOpen = ({ kind, hasOwnHeading, fields: inner = [] }: Field): boolean =>
    kind === 'group' && !hasOwnHeading && inner.length > 0 && inner.every(isOnly)
  const fields = all.flatMap((field) => (isOpen(field) ? (field.fields ?? []) : [field]))
  const row = Object.assign({}, whole, ...all.filter(isOpen).map(({ name }) => whole[name])) as Row
  const alone = shownAlone(fields)
  return printSections(
    printLines(
      alone.flatMap((field) => (field.kind === 'rows' ? [] : [[field.heading, showField(field, fields).cell(row)]])),
    ),
    ...printTables(alone, row),
  )
}
