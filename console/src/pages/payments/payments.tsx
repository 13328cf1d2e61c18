import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { OperatorPayment } from '../../../../src/http/operator-api/payments.ts'
import { merchants } from '../../api/merchants.ts'
import type { Query } from '../../api/client.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Moment } from '../../parts/moment.tsx'
import { amountColumns, wide } from '../../parts/payment-columns.tsx'
import type { Column } from '../../table/data-table.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { fromWithin } from '../../table/within.ts'
import { PaymentDrawer } from './payment-drawer.tsx'
import { paymentFilters } from './payment-filters.ts'

/** Table widths, in pixels, from which more columns are shown. */
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
    width: 'minmax(120px, 1fr)',
    from: wide,
    cell: ({ orderId }) => <span className="strong">{orderId}</span>,
  },
  {
    name: 'Merchant',
    width: 'minmax(100px, 1fr)',
    from: wider,
    cell: ({ merchantName, merchantId }) => merchantName ?? merchantId,
  },
  ...amountColumns,
  {
    name: 'Why',
    width: 'minmax(80px, 0.7fr)',
    from: widest,
    cell: ({ statusReason }) => <span className="quiet">{statusReason}</span>,
  },
  { name: 'Method', width: '128px', from: wider, cell: ({ method }) => method },
  {
    name: 'Account',
    width: 'minmax(110px, 1.3fr)',
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

/** All payments, newest first, with the filters in the address and one open at the side. */
export const Payments = () => {
  const { data = [] } = useQuery(merchants)
  const given: Query = useSearch({ strict: false })
  return (
    <ListPage<OperatorPayment>
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
      drawer={(open, onClose) => <PaymentDrawer of={open} onClose={onClose} />}
    />
  )
}
