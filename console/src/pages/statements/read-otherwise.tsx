import { Checkbox, FileInput, Select, type SelectProps, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { csvDateOrders, type CsvRole, csvRoles, statementCharsets } from 'bank-files/pure'
import type { StatementAnswer } from '../../../../src/operations/statements.ts'
import { api } from '../../api/client.ts'
import { type GivenReading, uploadStatement } from '../../api/statements.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { RequisiteField } from '../../parts/requisite-field.tsx'
import { fileOf } from '../../uploads.ts'
import { typedInto } from '../../parts/typed.ts'

type Mapping = NonNullable<StatementAnswer['mapping']>
type Columns = Readonly<Partial<Record<CsvRole, string>>>

const dateOrders = { dmy: 'day, month, year', mdy: 'month, day, year', ymd: 'year, month, day' } as const

const columnWords: Readonly<Partial<Record<CsvRole, string>>> = {
  date: 'Day of booking',
  amount: 'Amount, signed',
  account: 'Account of the row',
  credit: 'Money in',
  debit: 'Money out',
  direction: 'Word for in or out',
  payerName: 'Name of the payer',
  payerNumber: 'Number of the payer',
  payerBank: 'Bank of the payer',
  payeeName: 'Name of the payee',
  payeeNumber: 'Number of the payee',
  payeeBank: 'Bank of the payee',
}

const decimalMarks = { ',': 'comma: 1.650,00', '.': 'point: 1,650.00' } as const

/** What is typed about a table, besides its columns. */
const nothing = { dateOrder: '', decimalMark: '', headerLine: '', credit: '', debit: '' }

const wordsOf = (text: string): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')

/** The mapping in the form as JSON; whole numbers are column numbers. An empty text if nothing was filled in. */
const toMapping = (columns: Columns, table: typeof nothing): string => {
  const { dateOrder, decimalMark, headerLine } = table
  const directions = { credit: wordsOf(table.credit), debit: wordsOf(table.debit) }
  const given = Object.entries(columns).filter(([, column]) => column.trim() !== '')
  const named = Object.fromEntries(
    given.map(([role, column]) => [role, /^\d{1,4}$/.test(column.trim()) ? Number(column) : column.trim()]),
  )
  const mapping: Mapping = {
    ...(given.length > 0 ? { columns: named } : {}),
    ...(dateOrder === '' ? {} : { dateOrder: dateOrder as NonNullable<Mapping['dateOrder']> }),
    ...(decimalMark === '' ? {} : { decimalMark: decimalMark as NonNullable<Mapping['decimalMark']> }),
    ...(/^\d{1,4}$/.test(headerLine.trim()) ? { headerLine: Number(headerLine) } : {}),
    ...(directions.credit.length + directions.debit.length === 0 ? {} : { directions }),
  }
  return Object.keys(mapping).length === 0 ? '' : JSON.stringify(mapping)
}

const ColumnFields = ({
  columns,
  found,
  onChange,
}: {
  readonly columns: Columns
  /** The columns that were found in the file. */
  readonly found: Mapping['columns']
  readonly onChange: (changed: Columns) => void
}) => (
  <details className="columns-details" open={found === undefined}>
    <summary className="strong">Columns of the table</summary>
    <p className="quiet small">
      By their names in the file, or their numbers from 1. The day and the amount are required; the rest is detected if
      possible.
    </p>
    <div className="columns-form">
      {csvRoles.map((role) => (
        <TextInput
          key={role}
          size="xs"
          label={columnWords[role] ?? role.charAt(0).toUpperCase() + role.slice(1)}
          placeholder={String(found?.[role] ?? '')}
          value={columns[role] ?? ''}
          onChange={(event) => onChange({ ...columns, [role]: event.currentTarget.value })}
        />
      ))}
    </div>
  </details>
)

type ChoiceProps = Pick<SelectProps, 'label' | 'placeholder' | 'data'> & {
  /** Empty if nothing is chosen. */
  readonly value: string
  readonly onChange: (value: string) => void
}

const ChoiceField = ({ value, onChange, ...props }: ChoiceProps) => (
  <Select
    {...props}
    value={value === '' ? null : value}
    onChange={(chosen) => onChange(chosen ?? '')}
    clearable
    comboboxProps={{ zIndex: 400 }}
  />
)

const TableFields = ({
  table,
  found,
  onChange,
}: {
  readonly table: typeof nothing
  /** What was found in the file. */
  readonly found: Mapping | undefined
  readonly onChange: (changed: typeof nothing) => void
}) => {
  const field = typedInto(table, onChange)
  return (
    <>
      <ChoiceField
        label="Dates are written as"
        placeholder="As recognised"
        data={csvDateOrders.map((order) => ({ value: order, label: dateOrders[order] }))}
        value={table.dateOrder}
        onChange={(dateOrder) => onChange({ ...table, dateOrder })}
      />
      <ChoiceField
        label="Decimals come after a"
        placeholder="As recognised"
        data={Object.entries(decimalMarks).map(([value, label]) => ({ value, label }))}
        value={table.decimalMark}
        onChange={(decimalMark) => onChange({ ...table, decimalMark })}
      />
      <TextInput
        label="Line with the names of the columns"
        description="0 if there is none."
        placeholder={String(found?.headerLine ?? 'As recognised')}
        inputMode="numeric"
        {...field('headerLine')}
      />
      <TextInput label="Further words for money in" description="With commas between them." {...field('credit')} />
      <TextInput label="Further words for money out" description="With commas between them." {...field('debit')} />
    </>
  )
}

/** Reads the same file again, with the person's corrections. */
export const ReadOtherwise = ({ statement }: { readonly statement: StatementAnswer }) => {
  const known = fileOf(statement.id)
  const [chosen, setChosen] = useState<File | null>(null)
  const [requisiteId, setRequisite] = useState(known?.given.requisiteId ?? '')
  const [charset, setCharset] = useState<string>(known?.given.charset ?? '')
  const [isAllIn, setAllIn] = useState(known?.given.allCredits === 'true')
  const [table, setTable] = useState(nothing)
  const [columns, setColumns] = useState<Columns>({})
  const navigate = useNavigate()
  const file = known?.file ?? chosen
  const isTable = statement.format === undefined || statement.format === 'csv' || statement.format === 'xlsx'
  const read = async (): Promise<void> => {
    if (file === null) return
    const given: GivenReading = {
      requisiteId,
      charset,
      allCredits: isAllIn ? 'true' : '',
      mapping: toMapping(columns, table),
    }
    const { id } = await uploadStatement(file, given, () => undefined)
    if (id !== statement.id && statement.state === 'ready') await api.post(`/statements/${statement.id}/discard`, {})
    void navigate({ to: '/statements/$id', params: { id }, search: {} })
  }
  return (
    <ActButton
      text="Read differently…"
      title={`Read ${statement.fileName} differently`}
      confirm="Read it again"
      run={read}
      changes={['statements']}
      isReady={file !== null}
      size="lg"
    >
      {known === undefined && (
        <FileInput
          label="The file"
          description="The service does not keep it: choose it again."
          placeholder={statement.fileName}
          value={chosen}
          onChange={setChosen}
        />
      )}
      <RequisiteField
        label="Requisite"
        description="If no requisite has the account in the file."
        placeholder="As the file says"
        value={requisiteId}
        onChange={setRequisite}
        clearable
      />
      <ChoiceField
        label="Encoding"
        placeholder={statement.charset === undefined ? 'As recognised' : `As recognised: ${statement.charset}`}
        data={[...statementCharsets]}
        value={charset}
        onChange={setCharset}
      />
      {isTable && (
        <>
          <TableFields table={table} found={statement.mapping} onChange={setTable} />
          <Checkbox
            label="Amounts without a sign or a word for it are money in"
            checked={isAllIn}
            onChange={(event) => setAllIn(event.currentTarget.checked)}
          />
          <ColumnFields columns={columns} found={statement.mapping?.columns} onChange={setColumns} />
        </>
      )}
    </ActButton>
  )
}
