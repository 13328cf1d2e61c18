import './reconciliation.css'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { DayAnswer } from '../../../../src/operations/reconciliation.ts'
import { requisiteChoices, requisiteName } from '../../api/requisites.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Moment } from '../../parts/moment.tsx'
import { modeFilter } from '../../parts/mode-choice.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import type { Column } from '../../table/data-table.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { DayDrawer } from './day-drawer.tsx'
import { Difference } from './difference.tsx'

const columns: readonly Column<DayAnswer>[] = [
  {
    name: 'Day',
    width: 92,
    rank: 560,
    cell: ({ day }) => <span className="strong figures">{day}</span>,
  },
  {
    name: 'Account',
    width: 110,
    grows: 2,
    cell: ({ day, requisite, requisiteId }, isShown) => (
      <>
        {requisite === undefined ? requisiteId : requisiteName(requisite)}
        {!isShown('Day') && <span className="second figures">{day}</span>}
      </>
    ),
  },
  {
    name: 'Bank',
    width: 120,
    grows: 'content',
    align: 'end',
    rank: 760,
    cell: ({ closing, currency }) => <MoneyText amount={closing} currency={currency} />,
  },
  {
    name: 'Ledger',
    width: 120,
    grows: 'content',
    align: 'end',
    rank: 760,
    cell: ({ ledger, currency }) => <MoneyText amount={ledger} currency={currency} />,
  },
  {
    name: 'Difference',
    width: 130,
    grows: 'content',
    align: 'end',
    cell: ({ difference, currency }) => <Difference amount={difference} currency={currency} />,
  },
  {
    name: 'Possible duplicates',
    width: 140,
    align: 'end',
    rank: 1020,
    cell: ({ possibleDuplicates, currency }) =>
      possibleDuplicates === 0 ? null : <MoneyText amount={possibleDuplicates} currency={currency} />,
  },
  { name: 'Source', width: 90, grows: 0.8, rank: 900, cell: ({ source }) => source },
  {
    name: 'Recorded',
    width: 100,
    rank: 1140,
    cell: ({ recordedAt }) => <Moment at={recordedAt} show="relative" />,
  },
]

/** The closing balances that banks report, next to the ledger. */
export const Reconciliation = () => {
  const { data = [] } = useQuery(requisiteChoices)
  return (
    <ListPage<DayAnswer>
      title="Reconciliation"
      path="/ledger/reconciliation"
      rowsName="days"
      isPaged={false}
      fixed={{ limit: '500' }}
      columns={columns}
      keyOf={({ requisiteId, day }) => `${requisiteId}/${day}`}
      filters={[
        modeFilter,
        {
          name: 'requisiteId',
          label: 'Any requisite',
          options: data.map((each) => ({ value: each.id, label: requisiteName(each) })),
          searchable: true,
          width: 240,
        },
        { name: 'day', label: 'Day: 2026-01-31', pattern: /^\d{4}-\d{2}-\d{2}$/, width: 140 },
      ]}
      actions={
        <Button variant="default" component={Link} to="/outgoing">
          Outgoing money
        </Button>
      }
      empty={
        <EmptyState title="No bank has closed a day yet">
          Statements bring a closing balance for each of their days. It is compared with the ledger: zero means that
          both are equal.
        </EmptyState>
      }
      drawer={(open, onClose) => <DayDrawer of={open} onClose={onClose} />}
    />
  )
}
