import type { ReactNode } from 'react'
import { fieldsOf, shownAlone } from '../../../src/operations/field.ts'
import { columnsOf, type Wanted } from '../table/field-columns.tsx'
import type { Column } from '../table/data-table.tsx'
import { Fact, Facts } from './facts.tsx'

/** What is known of a thing: these facts, declared like the columns of a table, or all its fields but some. */
export const FieldFacts = <Value extends object>({
  of,
  value,
  without = [],
  facts = shownAlone(fieldsOf(of))
    .filter(({ name, kind }) => kind !== 'rows' && !(without as readonly string[]).includes(name))
    .map(({ name }) => name as Extract<keyof Value, string>),
  children,
}: {
  /** The schema of what the service says of it. */
  readonly of: object
  readonly value: Value
  readonly without?: readonly Extract<keyof Value, string>[]
  readonly facts?: readonly (Wanted<Value> | Pick<Column<Value>, 'name' | 'cell'>)[]
  /** Further facts. */
  readonly children?: ReactNode
}) => (
  <Facts>
    {columnsOf<Value>(of, facts as readonly Wanted<Value>[]).map(({ name, cell }) => {
      const shown = cell(value, () => true)
      return shown === undefined ? null : <Fact key={name} name={name} children={shown} />
    })}
    {children}
  </Facts>
)
