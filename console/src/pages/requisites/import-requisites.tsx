import { Button, FileButton, Group, Modal } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type DragEvent, useState } from 'react'
import { readCsvTable } from '../../../../src/rules/statements/csv-table.ts'
import { ApiProblem } from '../../api/client.ts'
import { merchants } from '../../api/merchants.ts'
import { addRequisites } from '../../api/requisites.ts'
import { Icon } from '../../parts/icon.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { Badge } from '../../parts/status-badge.tsx'
import { type FileRow, neededColumns, optionalColumns, readRow, withRefusals } from './requisite-file.ts'

const example = `method;currency;bank;holder;number;label;dayAmount
sbp;rub;sberbank;Ivan Petrov;79991234567;Main phone;300000`

/** Most rows that one request adds. */
const mostRows = 1000

/**
 * Lets the service check the rows that may be right, and again without those that it refuses, until it accepts the
 * rest.
 */
const checkRows = async (rows: readonly FileRow[]): Promise<readonly FileRow[]> => {
  const sent = rows.filter(({ faults }) => faults.length === 0)
  if (sent.length === 0) return rows
  try {
    await addRequisites(
      sent.map(({ wanted }) => wanted),
      true,
    )
    return rows
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error
    const judged = withRefusals(rows, sent, error)
    // A refusal that names no row concerns all of them.
    if (judged.filter(({ faults }) => faults.length === 0).length === sent.length) throw error
    return checkRows(judged)
  }
}

const Preview = ({ rows }: { readonly rows: readonly FileRow[] }) => (
  <div className="import-preview" tabIndex={0} role="region" aria-label="Rows of the file">
    <table>
      <thead>
        <tr>
          <th>Line</th>
          <th>Result</th>
          <th>Method</th>
          <th>Bank</th>
          <th>Number</th>
          <th>Holder</th>
          <th>Label</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ line, cells, faults }) => (
          <tr key={line}>
            <td className="figures quiet">{line}</td>
            <td>
              {faults.length === 0 ? (
                <Badge tone="good">ready</Badge>
              ) : (
                <span className="import-fault">{faults.join('; ')}</span>
              )}
            </td>
            <td>{cells['method']}</td>
            <td>{cells['bank']}</td>
            <td className="figures">{`•••• ${(cells['number'] ?? '').slice(-4)}`}</td>
            <td>{cells['holder']}</td>
            <td>{cells['label']}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const Drop = ({ onFile, isReading }: { readonly onFile: (file: File) => void; readonly isReading: boolean }) => {
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
        The first line names the columns: {neededColumns.join(', ')}; optional: {optionalColumns.join(', ')}. Commas,
        semicolons or tabs.
      </p>
      <pre className="quiet small">{example}</pre>
    </div>
  )
}

const Import = ({ onDone }: { readonly onDone: () => void }) => {
  const queries = useQueryClient()
  const owners = useQuery(merchants)
  const read = useMutation({
    mutationFn: async (file: File) => {
      const { parse } = await import('csv-parse/browser/esm/sync')
      const rows = readCsvTable(parse, await file.text(), neededColumns, optionalColumns)
      if (typeof rows === 'string') throw new Error(rows)
      if (rows.length > mostRows) throw new Error(`The file has ${rows.length} rows; one import takes ${mostRows}.`)
      return checkRows(rows.map((row) => readRow(row, owners.data ?? [])))
    },
  })
  const rows = read.data ?? []
  const ready = rows.filter(({ faults }) => faults.length === 0)
  const add = useMutation({
    mutationFn: () => addRequisites(ready.map(({ wanted }) => wanted)),
    onSuccess: async ({ ids }) => {
      notifications.show({ message: `${ids.length} requisites added` })
      onDone()
      await queries.invalidateQueries({ queryKey: ['requisites'] })
    },
  })
  if (read.data === undefined)
    return (
      <>
        <Drop onFile={(file) => read.mutate(file)} isReading={read.isPending} />
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
        <span className="strong">{ready.length}</span> of {rows.length} rows can be added.{' '}
        {ready.length < rows.length && 'The others are left out.'}
      </p>
      <Preview rows={rows} />
      {add.error !== null && <ProblemMessage error={add.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={() => read.reset()}>
          Another file
        </Button>
        <Button type="submit" loading={add.isPending} disabled={ready.length === 0} data-autofocus>
          Add {ready.length} requisites
        </Button>
      </Group>
    </form>
  )
}

/** Adds the requisites of a CSV file: reads it, shows a result for each row, then adds them. */
export const ImportRequisites = () => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="default" leftSection={<Icon name="upload" size={14} />} onClick={() => setOpen(true)}>
        Import CSV
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title="Import requisites"
        size={860}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {isOpen && <Import onDone={() => setOpen(false)} />}
      </Modal>
    </>
  )
}
