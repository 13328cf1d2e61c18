import './table.css'
import { Skeleton } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { useKeys } from '../shell/use-keys.ts'
import { fitColumns, type Room, trackOf } from './fit-columns.ts'

/** Whether the table has room for the column with this name. */
export type IsShown = (name: string) => boolean

export type Column<Row> = Room & {
  readonly name: string
  readonly cell: (row: Row, isShown: IsShown) => ReactNode
  readonly align?: 'end'
}

type Props<Row> = {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  /** Undefined while the first page is being read. */
  readonly rows: readonly Row[] | undefined
  readonly keyOf: (row: Row) => string
  /** What a click or Enter does. Default: nothing. */
  readonly onOpen?: (row: Row) => void
  /** The row that is open next to the table. */
  readonly openKey?: string | undefined
  readonly error: Error | null
  readonly onRetry: () => void
  readonly empty: ReactNode
  /** Whether the list has another page, which `onMore` reads. Default: it has no pages. */
  readonly hasMore?: boolean
  readonly onMore?: () => void
  readonly foot: ReactNode
}

const rowHeight = 44

const Waiting = () => (
  <div className="table-wait" aria-busy="true">
    {Array.from({ length: 12 }, (_, index) => (
      <Skeleton key={index} height={16} radius="sm" width={`${94 - ((index * 7) % 30)}%`} />
    ))}
  </div>
)

/** Moves through rows with `j`, `k` and Enter, and remembers the row by its key, so that new rows do not move it. */
const useCurrentRow = <Row,>({ rows = [], keyOf, onOpen }: Props<Row>, show: (index: number) => void) => {
  const [currentKey, setCurrentKey] = useState<string>()
  const index = rows.findIndex((row) => keyOf(row) === currentKey)
  const move = (by: number): void => {
    const next = Math.min(Math.max(index + by, 0), rows.length - 1)
    const row = rows[next]
    if (row === undefined) return
    setCurrentKey(keyOf(row))
    show(next)
  }
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    Enter: () => {
      const row = rows[index]
      if (row !== undefined) onOpen?.(row)
    },
  })
  return { currentKey, setCurrentKey }
}

/** A table of many rows: only visible rows are in the page, and narrow screens have fewer columns. */
export const DataTable = <Row,>(props: Props<Row>) => {
  const { label, columns, rows, keyOf, onOpen, openKey, error, onRetry, empty, hasMore = false, onMore, foot } = props
  const { ref: sizeRef, width } = useElementSize()
  const scroll = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows?.length ?? 0,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  })
  const { currentKey, setCurrentKey } = useCurrentRow(props, (index) => virtual.scrollToIndex(index))
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  const isNearEnd = hasMore && rows !== undefined && last >= rows.length - 20
  useEffect(() => {
    if (isNearEnd) onMore?.()
  }, [isNearEnd, onMore])

  const shown = fitColumns(columns, width)
  const isShown: IsShown = (name) => shown.some((column) => column.name === name)
  const gridTemplateColumns = shown.map(trackOf).join(' ')
  const isEmpty = rows?.length === 0 && !hasMore
  return (
    <section className="table panel" ref={sizeRef} aria-label={label}>
      {error !== null && <ProblemMessage error={error} onRetry={onRetry} />}
      {rows === undefined && error === null && <Waiting />}
      {isEmpty && empty}
      {rows !== undefined && !isEmpty && (
        <div className="table-scroll" ref={scroll} tabIndex={0} role="grid" aria-label={label} aria-rowcount={-1}>
          <div className="table-row table-head" role="row" style={{ gridTemplateColumns }}>
            {shown.map(({ name, align }) => (
              <div key={name} role="columnheader" className={align === 'end' ? 'table-cell end' : 'table-cell'}>
                {name}
              </div>
            ))}
          </div>
          <div className="table-body" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
            {items.map(({ index, start, size }) => {
              const row = rows[index]
              if (row === undefined) return null
              const key = keyOf(row)
              return (
                <div
                  key={key}
                  role="row"
                  aria-rowindex={index + 2}
                  aria-selected={key === openKey}
                  className={key === currentKey || key === openKey ? 'table-row current' : 'table-row'}
                  style={{ gridTemplateColumns, height: size, transform: `translateY(${start}px)` }}
                  onClick={() => {
                    setCurrentKey(key)
                    onOpen?.(row)
                  }}
                >
                  {shown.map(({ name, cell, align }) => (
                    <div key={name} role="gridcell" className={align === 'end' ? 'table-cell end' : 'table-cell'}>
                      {cell(row, isShown)}
                    </div>
                  ))}
                </div>
              )
            })}
          </div>
        </div>
      )}
      <footer className="table-foot">{foot}</footer>
    </section>
  )
}
