import { type Field, type FieldKind, fieldsOf, shownAlone } from '../operations/field.ts'
import type { Forms, Summary } from '../operations/operation.ts'
import { formatMinuteOfDay } from '../rules/time.ts'
import type { AccountName } from '../operations/operator-fields.ts'
import { describeEvidence } from '../rules/transfers/evidence-words.ts'
import { namedThings } from '../operations/named.ts'
import {
  type Cell,
  type Columns,
  printAccount,
  printAmount,
  printDetails,
  type Printed,
  printLines,
  printQuote,
  printRows,
  printSections,
  printSpan,
  printTime,
  render,
} from './print-table.ts'
import { shortenIds } from './short-ids.ts'

type Row = Readonly<Record<string, unknown>>

const printPerson = (actor: string): string => actor.replace(/^operator:/, '')

const printFlag = (value: boolean): string => (value ? 'yes' : 'no')

const printHours = ({ from, to, zone }: { from: number; to: number; zone: string }): string =>
  `${formatMinuteOfDay(from)}-${formatMinuteOfDay(to)} ${zone}`

/** How the terminal writes values. */
export const forms: Forms = {
  account: printAccount,
  amount: printAmount,
  person: printPerson,
  span: printSpan,
  time: printTime,
}

/** How a table marks the column of a field, see `Columns`, and what it writes. */
const kinds: Readonly<Record<FieldKind, readonly [mark: string, print?: (value: never) => Cell]>> = {
  account: ['~', (value: AccountName) => printAccount(value)],
  accounts: ['~', (value: readonly AccountName[]) => value.map((each) => printAccount(each)).join('\n')],
  counts: [
    '~',
    (counts: Row) => printDetails(Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0))),
  ],
  deadline: ['', printTime],
  document: ['~', printDetails],
  evidence: ['~', describeEvidence],
  flag: ['', printFlag],
  group: ['~', printDetails],
  hours: ['', printHours],
  id: ['#'],
  ids: ['~', (values: readonly string[]) => shortenIds(values).join(' ')],
  'ledger-account': ['~'],
  minutes: ['', ([from, to]: readonly [number, number]) => `${formatMinuteOfDay(from)}-${formatMinuteOfDay(to)}`],
  number: ['>'],
  percent: ['>', (millionths: number) => `${millionths / 10_000} %`],
  person: ['', printPerson],
  phone: [''],
  quote: ['>', printQuote],
  rows: ['~', printDetails],
  secret: [''],
  span: ['>', printSpan],
  switch: ['', printFlag],
  text: ['~'],
  time: ['', printTime],
  whole: ['>'],
  word: [''],
  words: ['~', (values: readonly string[]) => values.join(', ')],
}

/** How a terminal shows what one or several fields say: its heading, as a table marks it, and its content. */
type Shown = { readonly heading: string; readonly mark: string; readonly cell: (row: Row) => Cell }

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** What the fields of a group say, in one line: `by anna; at 2026-01-31 12:30:00Z`. */
const printGroup = (fields: readonly Field[], row: Row): string =>
  shownAlone(fields)
    .map((field) => [field.heading.toLowerCase(), showField(field, fields).cell(row)])
    .filter(([, said]) => said !== undefined)
    .map((said) => said.join(' '))
    .join('; ')

const showField = (field: Field, fields: readonly Field[]): Shown => {
  const { name, kind, heading, absent, currency, fields: inner } = field
  const shownAs = fields.find((each) => each.name === field.shownAs)
  if (shownAs !== undefined) {
    const { mark, cell } = showField({ ...shownAs, heading }, fields)
    return { heading, mark, cell: (row) => cell(row) ?? (row[name] as Cell) ?? absent }
  }
  const [mark, print] = kinds[kind]
  const write = (value: unknown, row: Row): Cell => {
    if (kind === 'group' && inner !== undefined)
      return printGroup(inner, { currency: row['currency'], ...(value as Row) })
    const code = currency && row[currency]
    if (currency !== undefined) return printAmount(Number(value), typeof code === 'string' ? code : currency)
    return print === undefined ? (value as Cell) : print(value as never)
  }
  const cell = (row: Row): Cell => {
    const value = row[name]
    return isNothing(value) ? absent : write(value, row)
  }
  if (currency !== undefined) return { heading, mark: '>', cell }
  // Ids of one bank file start alike.
  const isReported = kind === 'id' && field.of !== undefined && namedThings[field.of].of === 'requisite'
  return { heading, mark: isReported ? '%' : mark, cell }
}

const showSummary = ({ heading, show, alignsRight, isId }: Summary<never>): Shown => ({
  heading,
  mark: isId ? '%' : alignsRight ? '>' : '~',
  cell: (row) => show(row as never, forms),
})

/** The columns of a table of such rows: of these fields, and of what several say together. */
export const columnsOfRows = (
  fields: readonly Field[],
  names: readonly (string | Summary<never>)[] = fields.map(({ name }) => name),
): Columns<Row> =>
  Object.fromEntries(
    names.map((each) => {
      const field = fields.find(({ name }) => name === each)
      if (typeof each === 'string' && field === undefined) throw new Error(`no field ${each}`)
      const { heading, mark, cell } = field ? showField(field, fields) : showSummary(each as Summary<never>)
      return [`${heading.toUpperCase()}${mark}`, cell]
    }),
  )

const titled =
  (title: string | undefined, table: Printed): Printed =>
  (screen) =>
    title === undefined ? render(table, screen) : `${title}\n${render(table, screen)}`

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
  const isTable = ({ kind, name }: Field): boolean => kind === 'rows' && ((row[name] as unknown[])?.length ?? 0) > 0
  const cells = alone
    .filter(({ kind }) => kind !== 'rows')
    .map((field) => [field.heading, showField(field, fields).cell(row)] as const)
  const tables = alone.filter(isTable)
  return printSections(
    printLines(cells),
    ...tables.map(({ name, heading, fields: inner = [] }) =>
      titled(
        tables.length > 1 ? `${heading}:` : undefined,
        printRows(
          // Amounts in them are in the currency of the answer.
          (row[name] as readonly Row[]).map((each) => ({ currency: row['currency'], ...each })),
          columnsOfRows(
            inner,
            shownAlone(inner).map((each) => each.name),
          ),
        ),
      ),
    ),
  )
}
