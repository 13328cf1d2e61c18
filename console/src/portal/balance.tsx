import { Button, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { BalanceEntry } from '../../../src/operations/settlements.ts'
import { addressOf } from '../api/client.ts'
import { own, ownBalance } from '../api/portal.ts'
import { useLiveQuery } from '../live.ts'
import { CurrencyChoice } from '../parts/currency-choice.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { entryWords } from '../parts/entry-words.ts'
import { Icon } from '../parts/icon.tsx'
import { MoneyText } from '../parts/money-text.tsx'
import { Moment } from '../parts/moment.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import type { Column } from '../table/data-table.tsx'
import { ListPage } from '../table/list-page.tsx'
import './portal.css'
import { timeLanguage } from '../language.ts'

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

const monthOf = (back: number): { readonly value: string; readonly label: string } => {
  const now = new Date()
  const start = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back))
  const label = new Intl.DateTimeFormat(timeLanguage, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(start)
  return { value: start.toISOString(), label }
}
const months = Array.from({ length: 13 }, (_, back) => monthOf(back))

/** The account statement of a month, for the merchant's accountant. */
const StatementDownload = () => {
  const [from, setFrom] = useState(months[0]?.value ?? '')
  const start = new Date(from)
  const to = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1)).toISOString()
  const { data } = useQuery(ownBalance)
  const currencies = data === undefined ? [] : [data.currency, ...(data.others ?? []).map((each) => each.currency)]
  const [chosen, setChosen] = useState<string>()
  const balance = chosen ?? data?.currency
  const link = (format: string): string =>
    addressOf(own('/statement'), { from, to, format, ...(balance !== undefined && { balance }) })
  return (
    <>
      <CurrencyChoice label="Currency of the balance" currencies={currencies} value={balance} onChange={setChosen} />
      <Select
        aria-label="Month of the statement"
        data={months}
        value={from}
        w={150}
        allowDeselect={false}
        onChange={(value) => setFrom(value ?? from)}
      />
      {['csv', 'camt.053'].map((format) => (
        <Button
          key={format}
          component="a"
          variant="default"
          href={link(format)}
          download={`statement-${from.slice(0, 7)}.${format === 'csv' ? 'csv' : 'xml'}`}
          leftSection={<Icon name="download" size={14} />}
        >
          {format === 'csv' ? 'CSV' : format}
        </Button>
      ))}
    </>
  )
}

/** What the merchant is owed, and the movements of its balance. */
export const Balance = () => (
  <ListPage<BalanceEntry>
    title="Balance"
    path={own('/entries')}
    rowsName="entries"
    columns={columns}
    keyOf={({ id }) => id}
    actions={<StatementDownload />}
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
