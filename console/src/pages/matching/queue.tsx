import { Skeleton } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, type MouseEvent, type ReactNode, useEffect, useMemo, useRef } from 'react'
import { isCertainAmount } from '../../../../src/rules/transfers/evidence-words.ts'
import type { ListedTransfer } from '../../../../src/operations/transfers.ts'
import { keyText } from '../../api/transfers.ts'
import { Icon } from '../../parts/icon.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { Moment } from '../../parts/moment.tsx'
import { describeAct, lastActOf } from './decided-by.ts'
import { waitingOf } from './waiting-of.ts'

type Props = {
  readonly rows: readonly ListedTransfer[] | undefined
  readonly current: string | undefined
  readonly selected: ReadonlySet<string>
  readonly onChoose: (key: string, event: MouseEvent) => void
  readonly hasMore: boolean
  readonly onMore: () => void
  readonly empty: ReactNode
}

const rowHeight = 56

/** Drawn once, although scrolling draws the list often. */
const Row = memo(({ row }: { readonly row: ListedTransfer }) => {
  const best = row.suggestions[0]
  const act = lastActOf(row)
  const said = act && describeAct(act)
  return (
    <>
      <span className="queue-line">
        <MoneyText amount={waitingOf(row)} currency={row.currency} bold />
        <span className="quiet small queue-end">
          <Moment at={row.bookedAt} show="relative" day={row.bookedOn} />
        </span>
      </span>
      <span className="queue-line small">
        <span className="quiet cut" title={said}>
          {[said, row.senderName ?? row.sender ?? row.bankReference ?? row.source].filter(Boolean).join(' · ')}
        </span>
        <span className="queue-end">
          {row.duplicateOf !== undefined && <span className="badge wait">duplicate?</span>}
          {row.duplicateOf === undefined && best !== undefined && (
            <span className={isCertainAmount(best.evidence) ? 'badge good' : 'badge over'}>
              {best.split === undefined ? best.orderId : `${best.split.length} payments`}
            </span>
          )}
        </span>
      </span>
    </>
  )
})

/** The transfers that wait. Only visible rows are in the page, so that a hundred thousand scroll like ten. */
export const Queue = ({ rows, current, selected, onChoose, hasMore, onMore, empty }: Props) => {
  const scroll = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows?.length ?? 0,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  })
  const items = virtual.getVirtualItems()
  const isNearEnd = hasMore && (items.at(-1)?.index ?? 0) >= (rows?.length ?? 0) - 40
  useEffect(() => {
    if (isNearEnd) onMore()
  }, [isNearEnd, onMore])
  const index = useMemo(() => rows?.findIndex((row) => keyText(row) === current) ?? -1, [rows, current])
  useEffect(() => {
    if (index >= 0) virtual.scrollToIndex(index)
    // Scroll when another row is chosen, not whenever the list is drawn.
  }, [index])
  if (rows === undefined)
    return (
      <div className="table-wait" aria-busy="true">
        {Array.from({ length: 8 }, (_, each) => (
          <Skeleton key={each} height={36} />
        ))}
      </div>
    )
  if (rows.length === 0) return empty
  return (
    <div
      ref={scroll}
      className="queue-scroll"
      role="listbox"
      tabIndex={0}
      aria-label="Transfers that wait"
      aria-multiselectable="true"
      aria-activedescendant={index >= 0 ? `transfer-${rows[index]?.id}` : undefined}
    >
      <div className="queue-rows" role="presentation" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index: at, start }) => {
          const row = rows[at]
          if (row === undefined) return null
          const key = keyText(row)
          const isSelected = selected.has(key)
          return (
            <div
              key={key}
              id={`transfer-${row.id}`}
              role="option"
              aria-selected={isSelected || key === current}
              aria-setsize={hasMore ? -1 : rows.length}
              aria-posinset={at + 1}
              className={`queue-row${key === current ? ' current' : ''}${isSelected ? ' selected' : ''}`}
              style={{ height: rowHeight, transform: `translateY(${start}px)` }}
              onClick={(event) => onChoose(key, event)}
            >
              {isSelected && (
                <span className="queue-check">
                  <Icon name="check" size={13} />
                </span>
              )}
              <Row row={row} />
            </div>
          )
        })}
      </div>
    </div>
  )
}
