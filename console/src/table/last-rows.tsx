import { Group, SegmentedControl } from '@mantine/core'
import { type UseQueryOptions } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useLiveQuery } from '../live.ts'
import { CsvButton } from '../parts/csv-button.tsx'
import { DetailDrawer, type Details } from '../parts/side-drawer.tsx'
import { type Column, DataTable } from './data-table.tsx'
import { sayWord } from '../language.ts'

type Props<Row, Data> = {
  readonly label: string
  /** The name of the parameter by which the rows may be limited, and its values; empty for all. */
  readonly filter: string
  readonly options: readonly (string | { readonly value: string; readonly label: string })[]
  readonly rows: (chosen: string | undefined) => UseQueryOptions<Row[], Error, Row[], (string | undefined)[]>
  /** The path of their export, without `.csv`. */
  readonly path: string
  readonly columns: readonly Column<Row>[]
  readonly keyOf: (row: Row) => string
  readonly empty: (chosen: string) => ReactNode
  readonly details: Details<Data, Row>
  /** The key of the row that is open, and how another one is opened. */
  readonly openRow: readonly [string | undefined, (key: string | undefined) => void]
}

/** The last rows of something that belongs to the thing of the page, with one open at the side. */
export const LastRows = <Row, Data>(props: Props<Row, Data>) => {
  const { label, filter, path, columns, keyOf, empty, details } = props
  const [open, setOpen] = props.openRow
  const words = props.options.filter((each) => typeof each === 'string')
  const [chosen, setChosen] = useState('')
  const { data, error, refetch } = useLiveQuery(props.rows(chosen || undefined))
  return (
    <>
      <Group justify="space-between">
        <SegmentedControl
          aria-label={label}
          data={[
            { value: '', label: 'All' },
            ...props.options.map((each) =>
              typeof each === 'string' ? { value: each, label: sayWord(each, words) } : each,
            ),
          ]}
          value={chosen}
          onChange={setChosen}
        />
        <CsvButton path={path} query={{ [filter]: chosen }} />
      </Group>
      <div className="deliveries">
        <DataTable
          label={label}
          columns={columns}
          rows={data}
          keyOf={keyOf}
          onOpen={(row) => setOpen(keyOf(row))}
          openKey={open}
          error={data === undefined ? error : null}
          onRetry={() => void refetch()}
          empty={empty(chosen)}
          foot={<span>The last {data?.length ?? 0}</span>}
        />
      </div>
      <DetailDrawer details={details} of={open} onClose={() => setOpen(undefined)} />
    </>
  )
}
