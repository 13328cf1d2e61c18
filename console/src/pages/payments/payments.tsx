import './payments.css'
import { Button } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { OperatorPayment } from '../../../../src/http/operator-api/payments.ts'
import type { Query } from '../../api/client.ts'
import { paymentCount, paymentsCsv, readPayments } from '../../api/payments.ts'
import { useLive } from '../../live.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Icon } from '../../parts/icon.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { Moment } from '../../parts/moment.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { PaymentBadge } from '../../parts/status-badge.tsx'
import { ViewMenu } from '../../parts/view-menu.tsx'
import { type Column, DataTable } from '../../table/data-table.tsx'
import { PaymentDrawer } from './payment-drawer.tsx'
import { PaymentFilters } from './payment-filters.tsx'

const route = getRouteApi('/inside/payments')

/** Widths of the table, in pixels, from which it shows more. */
const wide = 620
const wider = 860
const widest = 1120

const columns: readonly Column<OperatorPayment>[] = [
  {
    name: 'Order',
    width: 'minmax(104px, 1.3fr)',
    to: wide - 1,
    cell: ({ orderId, merchantName, createdAt }) => (
      <>
        <span className="strong">{orderId}</span>
        <span className="second">
          {merchantName} · <Moment at={createdAt} show="relative" />
        </span>
      </>
    ),
  },
  {
    name: 'Created',
    width: '112px',
    from: wide,
    cell: ({ createdAt }) => <Moment at={createdAt} />,
  },
  {
    name: 'Order',
    width: 'minmax(120px, 1.4fr)',
    from: wide,
    cell: ({ orderId }) => <span className="strong">{orderId}</span>,
  },
  {
    name: 'Merchant',
    width: 'minmax(100px, 1fr)',
    from: wider,
    cell: ({ merchantName, merchantId }) => merchantName ?? merchantId,
  },
  {
    name: 'Amount',
    width: 'minmax(112px, max-content)',
    align: 'end',
    cell: ({ amount, currency, status, receivedAmount }) => (
      <>
        <MoneyText amount={amount} currency={currency} />
        {receivedAmount !== amount && receivedAmount > 0 && (
          <span className="second" title={`Received, while the payment is ${status}`}>
            got <MoneyText amount={receivedAmount} currency={currency} />
          </span>
        )}
      </>
    ),
  },
  { name: 'Status', width: '104px', cell: ({ status }) => <PaymentBadge status={status} /> },
  {
    name: 'Why',
    width: 'minmax(80px, 0.7fr)',
    from: widest,
    cell: ({ statusReason }) => <span className="quiet">{statusReason}</span>,
  },
  { name: 'Method', width: '128px', from: wider, cell: ({ method }) => method },
  {
    name: 'Account',
    width: 'minmax(110px, 1fr)',
    from: widest,
    cell: ({ requisite }) =>
      requisite === undefined ? null : (
        <>
          {requisite.label ?? requisite.bankIssuer} <span className="quiet">{requisite.number}</span>
        </>
      ),
  },
]

const keyOf = ({ merchantId, id }: OperatorPayment): string => `${merchantId}/${id}`

const NoPayments = ({ hasFilters }: { readonly hasFilters: boolean }) =>
  hasFilters ? (
    <EmptyState title="No payment has these filters" action={<Link to="/payments">Show all payments</Link>}>
      Amounts and digits must be exact. The search above finds a payment by whatever you know of it.
    </EmptyState>
  ) : (
    <EmptyState title="No payments yet">
      A merchant creates them with its token: the start of the service prints a command that makes one. It appears here
      at once.
    </EmptyState>
  )

const usePayments = (filters: Query) => {
  const { refetchInterval } = useLive()
  const list = useInfiniteQuery({
    queryKey: ['payments', 'list', filters],
    queryFn: ({ pageParam }) => readPayments(filters, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // Who has scrolled far reads what was; asking for all these pages again and again would be much.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 2 ? false : refetchInterval),
  })
  const count = useQuery({ ...paymentCount(filters), refetchInterval: refetchInterval && refetchInterval * 4 })
  return { ...list, rows: list.data?.pages.flatMap(({ payments }) => payments), count: count.data }
}

/** All payments: filtered by the address, newest first, one of them open at the side. */
export const Payments = () => {
  const { open, ...filters } = route.useSearch()
  const navigate = useNavigate({ from: '/payments' })
  const { rows, count, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = usePayments(filters)
  const change = useCallback(
    (changed: Query): void => void navigate({ search: (before: Query) => ({ ...before, ...changed }), replace: true }),
    [navigate],
  )
  const onMore = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage()
  }, [isFetchingNextPage, fetchNextPage])
  const hasFilters = Object.values(filters).some(Boolean)
  return (
    <>
      <PageHead
        title="Payments"
        about={count && `${count.isExact ? '' : 'more than '}${count.matching.toLocaleString('en')}`}
      >
        <ViewMenu
          list="payments"
          filters={filters}
          onChoose={(view) => void navigate({ search: () => ({ ...view }) })}
        />
        <Button
          component="a"
          variant="default"
          href={paymentsCsv(filters)}
          download="payments.csv"
          leftSection={<Icon name="download" size={14} />}
        >
          CSV
        </Button>
      </PageHead>
      <PaymentFilters filters={filters} onChange={change} />
      <DataTable
        label="Payments"
        columns={columns}
        rows={rows}
        keyOf={keyOf}
        onOpen={(row) => change({ open: keyOf(row) })}
        openKey={open}
        error={rows === undefined ? error : null}
        onRetry={() => void refetch()}
        empty={<NoPayments hasFilters={hasFilters} />}
        hasMore={hasNextPage}
        onMore={onMore}
        foot={
          <>
            <span>{rows === undefined ? 'Reading…' : `${rows.length.toLocaleString('en')} shown`}</span>
            <span className="foot-keys">j k to move, Enter to open</span>
          </>
        }
      />
      <PaymentDrawer of={open} onClose={() => change({ open: undefined })} />
    </>
  )
}
