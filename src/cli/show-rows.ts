import { meaningOf } from '../operations/meaning.ts'
import type { Row as RowSchema } from '../operations/operation.ts'
import { type Cell, type Columns, printAmount, type Printed, printFields, printTime } from './print-table.ts'

type Row = Readonly<Record<string, unknown>>

type FieldSchema = {
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly string[]
  readonly items?: object
}

/** How a terminal shows a field: its heading, as a table marks it, and its content. */
type Shown = { readonly heading: string; readonly mark: string; readonly cell: (row: Row) => Cell }

/** The heading of a field: `draftedBy` is `Drafted by`, `changedAt` is `Changed`, `merchantId` is `Merchant`. */
const headingOf = (name: string): string => {
  const words = name.replace(/(?<=.)(At|Id)$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const markOf = (name: string, { type, format, enum: words }: FieldSchema): string => {
  if (name === 'id') return '#'
  if (type === 'number' || type === 'integer') return '>'
  return type === 'string' && format === undefined && words === undefined && !name.endsWith('By') ? '~' : ''
}

const print = (value: unknown, { format, items }: FieldSchema): Cell => {
  if (value === undefined) return undefined
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (items !== undefined) return (value as readonly unknown[]).join(', ')
  return format === 'date-time' ? printTime(value as string) : (value as string | number)
}

const showField = (name: string, fields: Readonly<Record<string, object>>): Shown => {
  const schema = fields[name] as FieldSchema
  const { currency, absent, heading = headingOf(name) } = meaningOf(schema)
  const nameField = name.replace(/Id$/, 'Name')
  if (nameField !== name && fields[nameField])
    return { heading, mark: '~', cell: (row) => print(row[nameField] ?? row[name], schema) }
  if (currency !== undefined) {
    const cell = (row: Row): Cell =>
      row[name] === undefined ? undefined : printAmount(Number(row[name]), String(row[currency]))
    return { heading, mark: '>', cell }
  }
  return { heading, mark: markOf(name, schema), cell: (row) => print(row[name], schema) ?? absent }
}

/** The columns of a table of such rows. */
export const columnsOfRows = ({ properties }: RowSchema, names: readonly string[]): Columns<Row> =>
  Object.fromEntries(
    names.map((name) => {
      const { heading, mark, cell } = showField(name, properties)
      return [`${heading.toUpperCase()}${mark}`, cell]
    }),
  )

/** Fields that stand with others: the currency of an amount, the name of what an id means, the id of what is described. */
const besideOthers = (properties: Readonly<Record<string, object>>): ReadonlySet<string> =>
  new Set(
    Object.entries(properties).flatMap(([name, schema]) => {
      const { currency = '' } = meaningOf(schema)
      const about = name.replace(/Id$/, '')
      return [currency, `${about}Name`, ...(about !== name && about in properties ? [name] : [])]
    }),
  )

/** A row, field by field. */
export const printRow = ({ properties }: RowSchema, row: Row): Printed => {
  const hidden = besideOthers(properties)
  const shown = Object.keys(properties).filter((name) => !hidden.has(name))
  return printFields(
    Object.fromEntries(
      shown.map((name) => {
        const { heading, cell } = showField(name, properties)
        return [heading, cell(row)]
      }),
    ),
  )
}
