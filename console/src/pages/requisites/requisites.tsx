import { Button, Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { merchantModes } from '../../../../src/rules/merchants/merchant.ts'
import { requisiteStatuses } from '../../../../src/rules/requisites/requisite.ts'
import { paymentMethods } from '../../../../src/rules/values/payment-method.ts'
import { type HealthAnswer, requisiteHealth } from '../../../../src/operations/requisite-health.ts'
import { bankIssuers } from '../../api/requisites.ts'
import { formatAmount } from '../../money.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Badge } from '../../parts/status-badge.tsx'
import { UsageBar } from '../../parts/usage-bar.tsx'
import { useMay } from '../../session.ts'
import type { Column } from '../../table/data-table.tsx'
import type { Filter } from '../../table/filter-bar.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { formatTime, useNow } from '../../time.ts'
import { AddRequisite } from './add-requisite.tsx'
import { ImportRequisites } from './import-requisites.tsx'
import { requisiteDetails } from './requisite-drawer.tsx'
import { healthReasons, nameOf, rateText, toneOf } from './requisite-words.ts'
import { SetStatus } from './set-status.tsx'
import './requisites.css'
import { say } from '../../language.ts'

const Reason = ({ row }: { readonly row: HealthAnswer }) => {
  const [reason, ...others] = healthReasons(row, useNow())
  if (reason === undefined) return null
  return (
    <span className="second reason" title={[reason, ...others].join('. ')}>
      {reason}
    </span>
  )
}

const NextLimit = ({ row: { nextLimit } }: { readonly row: HealthAnswer }) => {
  const now = useNow()
  if (nextLimit === undefined) return <span className="quiet">–</span>
  const at = Date.parse(nextLimit.at)
  return (
    <>
      <span className="figures">{at <= now ? 'used up' : formatTime(at, now)}</span>
      <span className="second">{nextLimit.limit.startsWith('day') ? 'of the day' : 'of the month'}</span>
    </>
  )
}

const usageColumn = (
  name: string,
  rank: number,
  usedOf: (row: HealthAnswer) => number,
  limitOf: (row: HealthAnswer) => number | null,
): Column<HealthAnswer> => ({
  name,
  width: 140,
  grows: 1,
  rank,
  cell: (row) => {
    const limit = limitOf(row)
    return (
      <UsageBar used={usedOf(row)} limit={limit}>
        <span className="figures cut">
          {formatAmount(Math.round(usedOf(row)), 'jpy')}
          {limit !== null && <span className="quiet"> of {formatAmount(Math.round(limit), 'jpy')}</span>}
        </span>
      </UsageBar>
    )
  },
})

const columns: readonly Column<HealthAnswer>[] = [
  {
    name: 'Requisite',
    width: 110,
    grows: 1.6,
    cell: (row) => (
      <>
        <span className="strong">{nameOf(row)}</span>
        <span className="second">
          {row.label === undefined ? row.holder : `${row.bankIssuer} ${row.number} · ${row.holder}`}
        </span>
      </>
    ),
  },
  {
    name: 'Method',
    width: 150,
    grows: 0.7,
    rank: 2,
    cell: ({ method, currency, merchantName }) => (
      <>
        {say(method)} <span className="currency">{currency.toUpperCase()}</span>
        <span className="second">{merchantName ?? 'shared'}</span>
      </>
    ),
  },
  {
    name: 'State',
    width: 96,
    grows: 1.3,
    cell: (row) => (
      <>
        <Badge tone={toneOf(row)}>{row.status}</Badge>
        <Reason row={row} />
      </>
    ),
  },
  usageColumn(
    'Today',
    2,
    ({ turnover }) => turnover.dayAmount,
    ({ limits }) => limits.dayAmount,
  ),
  usageColumn(
    'This month',
    3,
    ({ turnover }) => turnover.monthAmount,
    ({ limits }) => limits.monthAmount,
  ),
  {
    name: 'Open',
    width: 64,
    align: 'end',
    rank: 3,
    cell: ({ turnover, limits }) => (
      <span className="figures">
        {turnover.open}
        {limits.openPayments !== null && <span className="quiet"> / {limits.openPayments}</span>}
      </span>
    ),
  },
  {
    name: 'Paid, 24 h',
    width: 88,
    align: 'end',
    rank: 4,
    cell: ({ lastDay }) => <span className="figures">{rateText(lastDay)}</span>,
  },
  {
    name: 'Limit reached',
    width: 96,
    align: 'end',
    rank: 4,
    cell: (row) => <NextLimit row={row} />,
  },
]

const useFilters = (): readonly (Filter | string)[] => {
  const { data: banks = [] } = useQuery(bankIssuers)
  return [
    { name: 'status', label: 'In use', options: requisiteStatuses, width: 112 },
    { name: 'method', label: 'Any method', options: paymentMethods, width: 148 },
    {
      name: 'bankIssuer',
      label: 'Any bank',
      options: banks.map(({ code, name }) => ({ value: code, label: name })),
      searchable: true,
      width: 150,
    },
    'merchantId',
    { name: 'mode', label: 'Live and sandbox', options: merchantModes, width: 158 },
    { name: 'currency', label: 'Currency', pattern: /^[a-z]{3}$/, width: 84 },
  ]
}

/** Requisites: how much of their limits is used, and how their payments end. */
export const Requisites = () => {
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const mayDecide = useMay('decide')
  const mayAdd = useMay('configure')
  const filters = useFilters()
  const toggle = (id: string): void =>
    setPicked((before) => {
      const after = new Set(before)
      if (!after.delete(id)) after.add(id)
      return after
    })
  const pick: Column<HealthAnswer> = {
    name: '✓',
    width: 20,
    cell: (row) => (
      <Checkbox
        size="xs"
        aria-label={`Pick ${nameOf(row)}`}
        checked={picked.has(row.id)}
        onChange={() => toggle(row.id)}
        onClick={(event) => event.stopPropagation()}
      />
    ),
  }
  return (
    <ListPage<HealthAnswer, HealthAnswer | null>
      title="Requisites"
      list={requisiteHealth.health}
      columns={mayDecide ? [pick, ...columns] : columns}
      keyOf={({ id }) => id}
      filters={filters}
      details={requisiteDetails}
      foot="By label; j k to move, Enter to open"
      actions={
        <>
          <Button variant="default" component={Link} to="/requisites/explain">
            Explain an allocation
          </Button>
          {mayAdd && <ImportRequisites />}
          {mayAdd && <AddRequisite />}
        </>
      }
      empty={
        <EmptyState title="No requisites yet" action={mayAdd && <AddRequisite />}>
          Receiving accounts, cards and phone numbers are listed here, with their turnover and how their payments end.
          Add the first one, or many from a CSV file: without any, payments are refused.
        </EmptyState>
      }
    >
      {picked.size > 0 && (
        <div className="picked" role="region" aria-label="Picked requisites">
          <span className="strong">{picked.size} picked</span>
          {(['paused', 'active'] as const).map((to) => (
            <SetStatus
              key={to}
              to={to}
              ids={[...picked]}
              name="the picked requisite"
              onDone={() => setPicked(new Set())}
            />
          ))}
          <Button variant="subtle" onClick={() => setPicked(new Set())}>
            Pick none
          </Button>
        </div>
      )}
    </ListPage>
  )
}
