import './disputes.css'
import { Button, Checkbox } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { disputeStates } from '../../../../src/rules/payments/dispute.ts'
import { disputes, type ListedDispute, type OperatorDispute } from '../../../../src/operations/disputes.ts'
import type { Query } from '../../api/client.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { amountIfOther } from '../../parts/amount-if-other.tsx'
import { useMay } from '../../session.ts'
import type { Column } from '../../table/data-table.tsx'
import { columnsOf } from '../../table/field-columns.tsx'
import type { Filter } from '../../table/filter-bar.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { fromWithin, spans } from '../../table/within.ts'
import { DecideSelected } from './decide-selected.tsx'
import { reasonText } from './reason-text.ts'
import { detailsOfDispute } from './dispute-drawer.tsx'
import { Due } from './due.tsx'
import { personName } from '../../parts/field-values.tsx'
import { choicesOf, say } from '../../language.ts'

const keyOf = ({ merchantId, id }: ListedDispute): string => `${merchantId}/${id}`

const columns = columnsOf<ListedDispute>(disputes.operations.list, [
  {
    field: 'orderId',
    isStrong: true,
    second: ({ merchantName, dueAt, decidedAt }, isShown) =>
      isShown('Due') ? (
        merchantName
      ) : (
        <>
          due <Due at={dueAt} isDecided={decidedAt !== undefined} />
        </>
      ),
  },
  { field: 'amount', rank: 0, second: amountIfOther },
  {
    name: 'Due',
    width: 96,
    cell: ({ dueAt, decidedAt }) => <Due at={dueAt} isDecided={decidedAt !== undefined} />,
  },
  'state',
  {
    name: 'Reason',
    width: 140,
    grows: 1.6,
    cell: ({ claimant, reason, note }) => (
      <>
        {say(claimant)}: {reasonText(reason)}
        {note !== undefined && <span className="second">{note}</span>}
      </>
    ),
  },
  {
    name: 'Second person',
    width: 130,
    grows: 1,
    cell: ({ correction }) =>
      correction === undefined ? null : (
        <span className="quiet">
          {correction.confirmedBy === undefined ? 'missing, after ' : 'confirmed, after '}
          {personName(correction.by)}
        </span>
      ),
  },
])

const filtersOf = (hasCurrency: boolean): readonly (Filter | string)[] => [
  {
    name: 'state',
    label: 'State',
    options: [{ value: 'undecided', label: 'Undecided' }, ...choicesOf(disputeStates), { value: 'all', label: 'All' }],
    usual: 'undecided',
    width: 124,
  },
  { name: 'within', label: 'Any time', options: spans, width: 132 },
  'merchantId',
  {
    name: 'currency',
    label: 'Currency',
    pattern: /^[a-z]{3}$/,
    alsoChanges: (value) => (value === '' ? { sort: undefined } : {}),
    width: 84,
  },
  ...(hasCurrency
    ? [
        {
          name: 'sort',
          label: 'Order',
          options: [
            { value: '-amount', label: 'Largest first' },
            { value: 'amount', label: 'Smallest first' },
          ],
          width: 132,
        },
      ]
    : []),
]

const toQuery = ({ state = 'undecided', ...filters }: Query): Query => ({
  ...fromWithin(filters),
  state: state === 'all' ? undefined : state,
})

const tick = (
  chosen: ReadonlyMap<string, ListedDispute>,
  onChange: (chosen: ReadonlyMap<string, ListedDispute>) => void,
): Column<ListedDispute> => ({
  name: '✓',
  width: 20,
  cell: (row) =>
    row.decidedAt === undefined && (
      <Checkbox
        size="xs"
        aria-label={`Select ${row.orderId}`}
        checked={chosen.has(keyOf(row))}
        onClick={(event) => event.stopPropagation()}
        onChange={(event) => {
          const next = new Map(chosen)
          if (event.currentTarget.checked) next.set(keyOf(row), row)
          else next.delete(keyOf(row))
          onChange(next)
        }}
      />
    ),
})

/** Disputes: the queue by deadline, with one open at the side and several decided at once. */
export const Disputes = () => {
  const { currency }: Query = useSearch({ strict: false })
  const mayDecide = useMay('decide')
  const [chosen, setChosen] = useState<ReadonlyMap<string, ListedDispute>>(new Map())
  return (
    <ListPage<ListedDispute, OperatorDispute>
      title="Disputes"
      list={disputes.operations.list}
      columns={mayDecide ? [tick(chosen, setChosen), ...columns] : columns}
      keyOf={keyOf}
      filters={filtersOf(currency !== undefined)}
      toQuery={toQuery}
      hasCount
      actions={
        chosen.size > 0 && (
          <>
            <Button variant="subtle" onClick={() => setChosen(new Map())}>
              Select none
            </Button>
            <DecideSelected rows={[...chosen.values()]} onDecided={() => setChosen(new Map())} />
          </>
        )
      }
      empty={
        <EmptyState title="Nothing is disputed">
          A dispute opens when a merchant claims that money for a closed payment came, when a payer sends a receipt, or
          from a payment here. The nearest deadline comes first; the aim is three days.
        </EmptyState>
      }
      details={detailsOfDispute}
    />
  )
}
