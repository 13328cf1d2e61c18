import './reconciliation.css'
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type DayAnswer, reconciliation, type WholeDay } from '../../../../src/operations/reconciliation.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { columnsOf } from '../../table/field-columns.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { useMay } from '../../session.ts'
import { BankStatement } from './bank-statement.tsx'
import { dayDetails } from './day-drawer.tsx'
import { Difference } from './difference.tsx'
import { ImportOpenings } from './import-openings.tsx'
import { say } from '../../language.ts'

const { reconcile } = reconciliation.operations

const columns = columnsOf<DayAnswer>(reconcile, [
  { field: 'day', width: 92, isStrong: true, rank: 1 },
  { field: 'requisiteId', name: 'Account', grows: 2, rank: 0, whenNarrow: 'day' },
  { field: 'closing', width: 120, grows: 'content', rank: 2 },
  { field: 'ledger', width: 120, grows: 'content', rank: 2 },
  {
    ...({ name: 'Difference', width: 130, grows: 'content', align: 'end', rank: 0 } as const),
    cell: ({ difference, even, currency }) => <Difference amount={difference} even={even} currency={currency} />,
  },
  {
    ...({ name: 'In transit', width: 110, align: 'end', rank: 3 } as const),
    cell: ({ inTransit, currency }) => (inTransit === 0 ? null : <MoneyText amount={inTransit} currency={currency} />),
  },
  {
    ...({ name: 'Possible duplicates', width: 140, align: 'end', rank: 4 } as const),
    cell: ({ possibleDuplicates, currency }) =>
      possibleDuplicates === 0 ? null : <MoneyText amount={possibleDuplicates} currency={currency} />,
  },
  {
    ...({ name: 'Not proven yet', width: 120, align: 'end', rank: 4 } as const),
    cell: ({ unproven, currency }) => (unproven === 0 ? null : <MoneyText amount={unproven} currency={currency} />),
  },
  { name: 'Source', width: 110, grows: 1, rank: 3, cell: ({ source }) => say(source) },
  { field: 'recordedAt', name: 'Recorded', rank: 5 },
])

const Actions = () => (
  <>
    <Button variant="default" component={Link} to="/outgoing">
      Outgoing money
    </Button>
    {useMay('reveal') && <BankStatement />}
    {useMay('reconcile') && <ImportOpenings />}
  </>
)

/** The closing balances that banks report, next to the ledger. */
export const Reconciliation = () => (
  <ListPage<DayAnswer, WholeDay>
    title="Reconciliation"
    list={reconcile}
    fixed={{ limit: '500' }}
    columns={columns}
    keyOf={({ requisiteId, day }) => `${requisiteId}/${day}`}
    filters={[
      'mode',
      'requisiteId',
      { name: 'day', label: 'Day: 2026-01-31', pattern: /^\d{4}-\d{2}-\d{2}$/, width: 140 },
    ]}
    actions={<Actions />}
    empty={
      <EmptyState title="No bank has closed a day yet">
        Statements bring a closing balance for each of their days. It is compared with the ledger: zero means that both
        are equal.
      </EmptyState>
    }
    details={dayDetails}
  />
)
