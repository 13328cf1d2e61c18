import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { BalanceEntry } from '../../../src/operations/settlements.ts'
import { own, ownBalance } from '../api/portal.ts'
import { useLiveQuery } from '../live.ts'
import { BalanceFiles } from '../parts/balance-files.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { entryWords } from '../parts/entry-words.ts'
import { MoneyText } from '../parts/money-text.tsx'
import { Moment } from '../parts/moment.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import type { Column } from '../table/data-table.tsx'
import { ListPage } from '../table/list-page.tsx'
import './portal.css'

const columns: readonly Column<BalanceEntry>[] = [
  { name: 'Posted', width: 112, rank: 480, cell: ({ postedAt }) => <Moment at={postedAt} /> },
  {
    name: 'What',
    width: 130,
    grows: 1,
    cell: ({ kind, orderId, reference, postedAt }, isShown) => (
      <>
        {entryWords[kind] ?? kind}
        <span className="second">
          {isShown('Order') ? reference : (orderId ?? reference ?? <Moment at={postedAt} show="relative" />)}
        </span>
      </>
    ),
  },
  {
    name: 'Order',
    width: 110,
    grows: 1,
    rank: 660,
    cell: ({ orderId }) =>
      orderId === undefined ? (
        ''
      ) : (
        <Link to="/portal/payments" search={{ open: orderId }}>
          {orderId}
        </Link>
      ),
  },
  {
    name: 'Fee',
    width: 96,
    grows: 'content',
    align: 'end',
    rank: 660,
    cell: ({ deducted, currency }) =>
      deducted === 0 ? '' : <MoneyText amount={deducted} currency={currency} inColumn />,
  },
  {
    name: 'Change',
    width: 120,
    grows: 'content',
    align: 'end',
    cell: ({ amount, currency }) => <MoneyText amount={amount} currency={currency} bold inColumn />,
  },
]

const Amounts = () => {
  const { data, error, refetch } = useLiveQuery(ownBalance)
  if (data === undefined) return error === null ? null : <ProblemMessage error={error} onRetry={() => void refetch()} />
  return [data, ...(data.others ?? [])].map(({ currency, available, waiting, held, paidOut }) => {
    const parts = [
      ['Available', available, 'yours, not yet in a settlement'],
      ...(waiting === undefined
        ? []
        : [['Waits', waiting, 'of what is available, for the statement of the bank or the end of a dispute'] as const]),
      ['Held', held, 'in settlements on their way'],
      ['Paid out', paidOut, 'by settlements so far'],
    ] as const
    return (
      <dl key={currency} className="amounts">
        {parts.map(([name, amount, about]) => (
          <div key={name} className="tile panel">
            <dt className="tile-name">{name}</dt>
            <dd className="tile-value">
              <MoneyText amount={amount} currency={currency} />
            </dd>
            <dd className="quiet small">{about}</dd>
          </div>
        ))}
      </dl>
    )
  })
}

const OwnFiles = () => {
  const { data } = useQuery(ownBalance)
  const currencies = data === undefined ? [] : [data.currency, ...(data.others ?? []).map((each) => each.currency)]
  return <BalanceFiles pathOf={(file) => own(`/${file}`)} currencies={currencies} />
}

/** What the merchant is owed, and the movements of its balance. */
export const Balance = () => (
  <ListPage<BalanceEntry>
    title="Balance"
    path={own('/entries')}
    rowsName="entries"
    columns={columns}
    keyOf={({ id }) => id}
    actions={<OwnFiles />}
    empty={
      <EmptyState title="Nothing has moved yet">
        Your first paid payment will be credited here, less its fee. Settlements pay out the balance.
      </EmptyState>
    }
    foot="Newest first"
  >
    <Amounts />
  </ListPage>
)
