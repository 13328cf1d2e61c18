import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { OperatorPayment, Timeline } from '../../../../src/operations/payments.ts'
import { merchants } from '../../api/merchants.ts'
import type { Query } from '../../api/client.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Moment } from '../../parts/moment.tsx'
import { amountColumns } from '../../parts/payment-columns.tsx'
import type { Column } from '../../table/data-table.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { fromWithin } from '../../table/within.ts'
import { paymentDetails } from './payment-drawer.tsx'
import { paymentFilters } from './payment-filters.ts'

const columns: readonly Column<OperatorPayment>[] = [
  { name: 'Created', width: 112, rank: 1, cell: ({ createdAt }) => <Moment at={createdAt} /> },
  {
    name: 'Order',
    width: 104,
    grows: 1.3,
    cell: ({ orderId, merchantName, createdAt }, isShown) => (
      <>
        <span className="strong">{orderId}</span>
        {!isShown('Merchant') && (
          <span className="second">
            {merchantName} · <Moment at={createdAt} show="relative" />
          </span>
        )}
      </>
    ),
  },
  {
    name: 'Merchant',
    width: 100,
    grows: 1,
    rank: 3,
    cell: ({ merchantName, merchantId }) => merchantName ?? merchantId,
  },
  ...amountColumns,
  {
    name: 'Why',
    width: 80,
    grows: 0.7,
    rank: 4,
    cell: ({ statusReason }) => <span className="quiet">{statusReason}</span>,
  },
  { name: 'Method', width: 128, rank: 3, cell: ({ method }) => method },
  {
    name: 'Account',
    width: 110,
    grows: 1.3,
    rank: 4,
    cell: ({ requisite }) =>
      requisite === undefined ? null : (
        <>
          {requisite.label ?? requisite.bankIssuer} <span className="quiet">{requisite.number}</span>
        </>
      ),
  },
]

const keyOf = ({ merchantId, id }: OperatorPayment): string => `${merchantId}/${id}`

/** All payments, newest first, with the filters in the address and one open at the side. */
export const Payments = () => {
  const { data = [] } = useQuery(merchants)
  const given: Query = useSearch({ strict: false })
  return (
    <ListPage<OperatorPayment, Timeline>
      title="Payments"
      path="/payments"
      rowsName="payments"
      columns={columns}
      keyOf={keyOf}
      filters={paymentFilters(data, given)}
      toQuery={fromWithin}
      hasCount
      empty={
        <EmptyState title="No payments yet">
          A merchant creates them with its token; the service prints a command for that when it starts. They appear here
          immediately.
        </EmptyState>
      }
      details={paymentDetails}
    />
  )
}
