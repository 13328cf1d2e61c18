import './import-csv.css'
import { Button, FileButton, Group, Modal } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type DragEvent, type ReactNode, useState } from 'react'
import { type CsvRow, readCsvTable } from '../../../src/rules/statements/csv-table.ts'
import { ApiProblem } from '../api/client.ts'
import { Icon } from './icon.tsx'
import { ProblemMessage } from './problem-message.tsx'
import { Badge } from './status-badge.tsx'
import { say } from '../language.ts'

/** A row of the file, with the item that is sent for it and what is wrong with it. */
export type FileRow = CsvRow & {
  readonly wanted: object
  readonly faults: readonly string[]
  /** What is to be said of a row that is ready. */
  readonly note?: string | undefined
}

type Props = {
  /** The label of the button that opens the dialog. */
  readonly text: string
  readonly title: string
  /** Counts what the rows stand for, such as `12 requisites`. */
  readonly count: (rows: number) => string
  /** The verb of the confirming button, such as `Add`. */
  readonly verb: string
  /** Columns that the file must have. */
  readonly needed: readonly string[]
  readonly optional?: readonly string[]
  readonly example: string
  /** Most rows that one request takes. */
  readonly most: number
  /** Reads rows, as far as that is possible without sending them. */
  readonly read: (rows: readonly CsvRow[]) => Promise<readonly FileRow[]>
  /** Sends items, all or none; says what is to be said of each, if anything. `isTried`: only checks them. */
  readonly send: (items: readonly object[], isTried: boolean) => Promise<readonly (string | undefined)[]>
  /** The columns of the preview: their headings, and what they show of the cells. */
  readonly columns: Readonly<Record<string, (cells: CsvRow['cells']) => ReactNode>>
  /** Fields below the preview, and whether they are filled in. */
  readonly children?: ReactNode
  readonly isReady?: boolean
  /** First parts of the keys of the queries to read again. */
  readonly changes: readonly string[]
}

const ofItem = /^\w+\.(\d+)\.?(.*)$/

/** Adds the service's refusals to the rows that they name; `sent` are the rows that it was asked about. */
const withRefusals = (rows: readonly FileRow[], sent: readonly FileRow[], error: ApiProblem): FileRow[] => {
  const faultsOf = new Map<FileRow, string[]>()
  for (const { field, message } of error.fields) {
    const [, index, name = ''] = ofItem.exec(field) ?? []
    const row = index === undefined ? undefined : sent[Number(index)]
    if (row !== undefined) faultsOf.set(row, [...(faultsOf.get(row) ?? []), `${name} ${message}`.trim()])
  }
  return rows.map((row) => ({ ...row, faults: [...row.faults, ...(faultsOf.get(row) ?? [])] }))
}

/**
 * Lets the service check the rows that may be right, and again without those that it refuses, until it accepts the
 * rest.
 */
const checkRows = async (rows: readonly FileRow[], send: Props['send']): Promise<readonly FileRow[]> => {
  const sent = rows.filter(({ faults }) => faults.length === 0)
  if (sent.length === 0) return rows
  try {
    const notes = await send(
      sent.map(({ wanted }) => wanted),
      true,
    )
    return rows.map((row) => ({ ...row, note: notes[sent.indexOf(row)] }))
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error
    const judged = withRefusals(rows, sent, error)
    // A refusal that names no row concerns all of them.
    if (judged.filter(({ faults }) => faults.length === 0).length === sent.length) throw error
    return checkRows(judged, send)
  }
}

const Preview = ({ rows, columns }: Pick<Props, 'columns'> & { readonly rows: readonly FileRow[] }) => (
  <div className="import-preview" tabIndex={0} role="region" aria-label="Rows of the file">
    <table>
      <thead>
        <tr>
          <th>Line</th>
          <th>Result</th>
          {Object.keys(columns).map((name) => (
            <th key={name}>{say(name)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ line, cells, faults, note }) => (
          <tr key={line}>
            <td className="figures quiet">{line}</td>
            <td>
              {faults.length === 0 ? (
                <Badge tone={note === undefined ? 'good' : 'wait'}>{note ?? 'ready'}</Badge>
              ) : (
                <span className="import-fault">{faults.join('; ')}</span>
              )}
            </td>
            {Object.entries(columns).map(([name, cell]) => (
              <td key={name} className="figures">
                {cell(cells)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

type DropProps = Pick<Props, 'needed' | 'optional' | 'example'> & {
  readonly onFile: (file: File) => void
  readonly isReading: boolean
}

const Drop = ({ needed, optional = [], example, onFile, isReading }: DropProps) => {
  const onDrop = (event: DragEvent): void => {
    event.preventDefault()
    const [file] = event.dataTransfer.files
    if (file !== undefined) onFile(file)
  }
  return (
    <div className="import-drop" onDragOver={(event) => event.preventDefault()} onDrop={onDrop}>
      <p className="strong">Drop a CSV file here</p>
      <FileButton
        onChange={(file) => file !== null && onFile(file)}
        accept=".csv,.txt,text/csv"
        inputProps={{ 'aria-label': 'CSV file' }}
      >
        {(props) => (
          <Button {...props} variant="default" loading={isReading}>
            Choose a file
          </Button>
        )}
      </FileButton>
      <p className="quiet small">
        The first line names the columns: {needed.join(', ')}
        {optional.length > 0 && `; optional: ${optional.join(', ')}`}. Commas, semicolons or tabs.
      </p>
      <pre className="quiet small">{example}</pre>
    </div>
  )
}

const Import = ({ onDone, ...props }: Props & { readonly onDone: () => void }) => {
  const { count, verb, needed, optional = [], most, send, changes, isReady = true } = props
  const queries = useQueryClient()
  const read = useMutation({
    mutationFn: async (file: File) => {
      const { parse } = await import('csv-parse/browser/esm/sync')
      const rows = readCsvTable(parse, await file.text(), needed, optional)
      if (typeof rows === 'string') throw new Error(rows)
      if (rows.length > most) throw new Error(`The file has ${rows.length} rows; one import takes ${most}.`)
      return checkRows(await props.read(rows), send)
    },
  })
  const rows = read.data ?? []
  const ready = rows.filter(({ faults }) => faults.length === 0)
  const counted = count(ready.length)
  const add = useMutation({
    mutationFn: () =>
      send(
        ready.map(({ wanted }) => wanted),
        false,
      ),
    onSuccess: async () => {
      notifications.show({ message: `Done: ${counted}` })
      onDone()
      await Promise.all(changes.map((name) => queries.invalidateQueries({ queryKey: [name] })))
    },
  })
  if (read.data === undefined)
    return (
      <>
        <Drop {...props} onFile={(file) => read.mutate(file)} isReading={read.isPending} />
        {read.error !== null && <ProblemMessage error={read.error} />}
      </>
    )
  return (
    <form
      className="act-form"
      onSubmit={(event) => {
        event.preventDefault()
        add.mutate()
      }}
    >
      <p>
        <span className="strong">{ready.length}</span> of {rows.length} rows are ready.{' '}
        {ready.length < rows.length && 'The others are left out.'}
      </p>
      <Preview rows={rows} columns={props.columns} />
      {props.children}
      {add.error !== null && <ProblemMessage error={add.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={() => read.reset()}>
          Another file
        </Button>
        <Button type="submit" loading={add.isPending} disabled={ready.length === 0 || !isReady} data-autofocus>
          {verb} {counted}
        </Button>
      </Group>
    </form>
  )
}

/** Takes the rows of a CSV file: reads it, shows a result for each row, then sends those that are ready. */
export const ImportCsv = (props: Props) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="default" leftSection={<Icon name="upload" size={14} />} onClick={() => setOpen(true)}>
        {props.text}
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={props.title}
        size={860}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {isOpen && <Import {...props} onDone={() => setOpen(false)} />}
      </Modal>
    </>
  )
}
