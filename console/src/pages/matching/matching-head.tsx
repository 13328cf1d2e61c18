import { Button, Kbd, SegmentedControl } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Query } from '../../api/client.ts'
import { CsvButton } from '../../parts/csv-button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { ModeChoice } from '../../parts/mode-choice.tsx'
import { language } from '../../language.ts'

const shows = [
  { value: 'false', label: 'Waiting' },
  { value: 'true', label: 'Parked' },
]

type Count = { readonly matching: number; readonly isExact: boolean } | undefined

/** How many wait, as the overview counts them, and how many of these are parked. */
const describeCounts = (waiting: Count, parked: Count): string | undefined => {
  if (waiting === undefined) return undefined
  const all = `${waiting.isExact ? '' : 'more than '}${waiting.matching.toLocaleString(language)} waiting`
  return parked?.matching ? `${all}, ${parked.matching.toLocaleString(language)} of them parked` : all
}

type Props = {
  readonly counts: { readonly waiting: Count; readonly parked: Count }
  readonly selectedCount: number
  readonly parked: string
  readonly onParked: (parked: string) => void
  /** The filters of the export. */
  readonly filters: Query
  /** For those who may decide. */
  readonly decide?: {
    readonly onAssignExact?: () => void
    readonly onUndo: () => void
    readonly isUndoing: boolean
  }
  readonly children: ReactNode
}

/** The head of the page: how many wait, which are shown, and what concerns many of them. */
export const MatchingHead = ({ counts, selectedCount, parked, onParked, filters, decide, children }: Props) => (
  <PageHead title="Matching" about={describeCounts(counts.waiting, counts.parked)}>
    {children}
    <ModeChoice />
    {selectedCount > 0 && <span className="selection">{selectedCount} selected</span>}
    <SegmentedControl aria-label="Which" data={shows} value={parked} onChange={onParked} />
    {decide !== undefined && (
      <>
        <Button variant="default" onClick={decide.onAssignExact} disabled={decide.onAssignExact === undefined}>
          Assign all exact…
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
    <CsvButton path="/transfers" query={filters} />
  </PageHead>
)
