import type { ReactNode } from 'react'
import type { Field, FieldKind } from '../../../src/operations/field.ts'
import { type AnyList, rowFieldsOf } from '../../../src/operations/operation.ts'
import { requisiteName } from '../api/requisites.ts'
import { Moment } from '../parts/moment.tsx'
import { MoneyText } from '../parts/money-text.tsx'
import { Badge } from '../parts/status-badge.tsx'
import { formatSpan } from '../span.ts'
import type { Column, IsShown } from './data-table.tsx'
import type { Room } from './fit-columns.ts'

type Kind = Room & { readonly align?: 'end'; readonly show: (value: never, field: Field) => ReactNode }

/** How the console shows values, and how much room they need. */
const kinds: Readonly<Record<FieldKind, Kind>> = {
  account: { width: 130, grows: 1, show: requisiteName },
  deadline: { width: 112, show: (at: string) => <Moment at={at} /> },
  flag: { width: 64, show: (value: boolean) => (value ? 'yes' : 'no') },
  group: { width: 130, grows: 1, show: (value: object) => <span className="quiet">{JSON.stringify(value)}</span> },
  id: { width: 110, show: (id: string) => <code>{id}</code> },
  number: { width: 80, align: 'end', show: (value: number) => <span className="figures">{value}</span> },
  percent: { width: 80, align: 'end', show: (millionths: number) => `${millionths / 10_000} %` },
  person: { width: 100, show: (actor: string) => actor.replace(/^operator:/, '') },
  rows: { width: 64, align: 'end', show: ({ length }: readonly unknown[]) => length },
  secret: { width: 100, show: String },
  span: { width: 84, align: 'end', show: formatSpan },
  text: { width: 110, grows: 1, show: String },
  time: { width: 112, show: (at: string) => <Moment at={at} /> },
  whole: { width: 72, align: 'end', show: (value: number) => <span className="figures">{value}</span> },
  word: {
    width: 104,
    show: (word: string, { tones }) => (tones ? <Badge tone={tones[word] ?? 'over'}>{word}</Badge> : word),
  },
  words: { width: 120, grows: 1, show: (words: readonly string[]) => words.join(', ') },
}

type AnyRow = Readonly<Record<string, unknown>>

/** What the console shows of a field, within a table or outside. */
const showField = (field: Field, fields: readonly Field[], row: AnyRow): ReactNode => {
  const { name, currency, absent } = field
  const shownAs = fields.find((each) => each.name === field.shownAs)
  const value = (shownAs && row[shownAs.name]) ?? row[name]
  if (value === undefined || value === null || value === '')
    return absent === undefined ? undefined : <span className="quiet">{absent}</span>
  if (currency !== undefined)
    return <MoneyText amount={value as number} currency={String(row[currency] ?? currency)} inColumn />
  const shown = shownAs !== undefined && row[shownAs.name] !== undefined ? shownAs : field
  return kinds[shown.kind].show(value as never, shown)
}

/** A column of a field, where it is not shown as its kind usually is. */
type Placed<Row> = Partial<Room> & {
  readonly field: Extract<keyof Row, string>
  /** Default: the heading of the field. */
  readonly name?: string
  readonly isStrong?: true
  /** A quiet second line: of another field, or of several. */
  readonly second?: Extract<keyof Row, string> | ((row: Row, isShown: IsShown) => ReactNode)
  /** The field that is the second line while its own column has no room. */
  readonly whenNarrow?: Extract<keyof Row, string>
}

/** A field by its name, a field shown otherwise than usual, or a column of its own. */
type Wanted<Row> = Extract<keyof Row, string> | Placed<Row> | Column<Row>

const columnOf = (wanted: Wanted<AnyRow>, fields: readonly Field[], index: number): Column<AnyRow> => {
  if (typeof wanted === 'object' && 'cell' in wanted) return { rank: index, ...wanted }
  const placed: Placed<AnyRow> = typeof wanted === 'string' ? { field: wanted } : wanted
  const find = (name: string): Field => {
    const found = fields.find((each) => each.name === name)
    if (found === undefined) throw new Error(`no field ${name}`)
    return found
  }
  const { field: name, second, whenNarrow, isStrong, ...room } = placed
  const field = find(name)
  const { show: _, ...usual } = kinds[field.kind]
  const money = field.currency === undefined ? {} : ({ width: 140, align: 'end' } as const)
  const secondOf = (row: AnyRow, isShown: IsShown): ReactNode => {
    if (whenNarrow !== undefined)
      return isShown(find(whenNarrow).heading) ? undefined : showField(find(whenNarrow), fields, row)
    if (typeof second === 'function') return second(row, isShown)
    return second === undefined ? undefined : showField(find(second), fields, row)
  }
  const cell = (row: AnyRow, isShown: IsShown): ReactNode => {
    const below = secondOf(row, isShown)
    const shown = showField(field, fields, row)
    return (
      <>
        {isStrong ? <span className="strong">{shown}</span> : shown}
        {below !== undefined && <span className="second">{below}</span>}
      </>
    )
  }
  return { name: field.heading, rank: index, ...usual, ...money, ...room, cell }
}

/** Columns of a list, the first always shown and the last one left out first when there is no room. */
export const columnsOf = <Row extends object>(
  list: AnyList,
  wanted: readonly Wanted<Row>[],
): readonly Column<Row>[] => {
  const fields = rowFieldsOf(list)
  return wanted.map((each, index) => columnOf(each as never, fields, index)) as never
}
