import { Button, Kbd, SegmentedControl } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon } from '../../parts/icon.tsx'
import { PageHead } from '../../parts/page-head.tsx'

const shows = [
  { value: 'false', label: 'Waiting' },
  { value: 'true', label: 'Parked' },
]

type Props = {
  readonly count: { readonly matching: number; readonly isExact: boolean } | undefined
  readonly selectedCount: number
  readonly parked: string
  readonly onParked: (parked: string) => void
  readonly csv: string
  /** For those who may decide. */
  readonly decide?: {
    readonly onTakeExact?: () => void
    readonly onUndo: () => void
    readonly isUndoing: boolean
  }
  readonly children: ReactNode
}

/** The head of the page: how many wait, which are shown, and what concerns many of them. */
export const MatchingHead = ({ count, selectedCount, parked, onParked, csv, decide, children }: Props) => (
  <PageHead
    title="Matching"
    about={count && `${count.isExact ? '' : 'more than '}${count.matching.toLocaleString('en')} in the queue`}
  >
    {children}
    {selectedCount > 0 && <span className="selection">{selectedCount} selected</span>}
    <SegmentedControl aria-label="Which" data={shows} value={parked} onChange={onParked} />
    {decide !== undefined && (
      <>
        <Button variant="default" onClick={decide.onTakeExact} disabled={decide.onTakeExact === undefined}>
          Take all exact…
        </Button>
        <Button
          variant="default"
          loading={decide.isUndoing}
          onClick={decide.onUndo}
          leftSection={<Icon name="undo" size={14} />}
          rightSection={<Kbd size="xs">u</Kbd>}
        >
          Undo
        </Button>
      </>
    )}
    <Button
      component="a"
      variant="default"
      className="wide-only"
      href={csv}
      download="transfers.csv"
      leftSection={<Icon name="download" size={14} />}
    >
      CSV
    </Button>
  </PageHead>
)
