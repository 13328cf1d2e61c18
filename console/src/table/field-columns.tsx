import type { ReactNode } from 'react'
import { type Field, fieldsOf } from '../../../src/operations/field.ts'
import { type AnyList, rowFieldsOf } from '../../../src/operations/operation.ts'
import { isSchema } from '../../../src/operations/schema.ts'
import { type AnyRow, kindOf, showField } from '../parts/field-values.tsx'
import type { Column, IsShown } from './data-table.tsx'
import type { Room } from './fit-columns.ts'
import { say } from '../language.ts'

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
export type Wanted<Row> = Extract<keyof Row, string> | Placed<Row> | Column<Row>

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
  const { show: _, ...usual } = kindOf(field)
  const money = field.currency === undefined ? {} : ({ width: 140, align: 'end' } as const)
  const secondOf = (row: AnyRow, isShown: IsShown): ReactNode => {
    if (whenNarrow !== undefined)
      return isShown(say(find(whenNarrow).heading)) ? undefined : showField(find(whenNarrow), fields, row)
    if (typeof second === 'function') return second(row, isShown)
    return second === undefined ? undefined : showField(find(second), fields, row)
  }
  const cell = (row: AnyRow, isShown: IsShown): ReactNode => {
    const below = secondOf(row, isShown)
    const shown = showField(field, fields, row)
    if (shown === undefined && below === undefined) return undefined
    return (
      <>
        {isStrong ? <span className="strong">{shown}</span> : shown}
        {below !== undefined && <span className="second">{below}</span>}
      </>
    )
  }
  return { name: say(field.heading), rank: index, ...usual, ...money, ...room, cell }
}

/** Columns of a declared list, or of rows with this schema. When space runs out, the last column is dropped first. */
export const columnsOf = <Row extends object>(
  of: AnyList | object,
  wanted: readonly Wanted<Row>[],
): readonly Column<Row>[] => {
  const fields = isSchema(of) ? fieldsOf(of) : rowFieldsOf(of)
  return wanted.map((each, index) => columnOf(each as never, fields, index)) as never
}
