import { useSearch } from '@tanstack/react-router'
import type { Static } from 'typebox'
import type { PaymentDetails } from '../../../src/http/payment-details.ts'
import type { Query } from '../api/client.ts'
import { own } from '../api/portal.ts'
import { paymentFilters } from '../pages/payments/payment-filters.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Moment } from '../parts/moment.tsx'
import { amountColumns, wide } from '../parts/payment-columns.tsx'
import type { Column } from '../table/data-table.tsx'
import { ListPage } from '../table/list-page.tsx'
import { fromWithin } from '../table/within.ts'
import { OwnPaymentDrawer } from './own-payment-drawer.tsx'

type OwnPayment = Static<typeof PaymentDetails>

/** Table widths, in pixels, from which more columns are shown. */
const wider = 880

const columns: readonly Column<OwnPayment>[] = [
  {
    name: 'Order',
    width: 'minmax(104px, 1.3fr)',
    to: wide - 1,
    cell: ({ orderId, createdAt }) => (
      <>
        <span className="strong">{orderId}</span>
        <span className="second">
          <Moment at={createdAt} show="relative" />
        </span>
      </>
    ),
  },
  { name: 'Created', width: '112px', from: wide, cell: ({ createdAt }) => <Moment at={createdAt} /> },
  {
    name: 'Order',
    width: 'minmax(120px, 1.4fr)',
    from: wide,
    cell: ({ orderId }) => <span className="strong">{orderId}</span>,
  },
  { name: 'User', width: 'minmax(100px, 1fr)', from: wider, cell: ({ userId }) => userId },
  ...amountColumns,
  { name: 'Why', width: 'minmax(80px, 0.7fr)', from: wider, cell: ({ statusReason }) => statusReason },
  { name: 'Method', width: '128px', from: wider, cell: ({ method }) => method },
  {
    name: 'Acknowledged',
    width: '112px',
    from: 1040,
    cell: ({ acknowledgedAt }) => <Moment at={acknowledgedAt} show="relative" />,
  },
]

/** The merchant's payments. */
export const OwnPayments = () => {
  const given: Query = useSearch({ strict: false })
  const filters = paymentFilters([], given).filter(({ name }) => name !== 'merchantId')
  return (
    <ListPage<OwnPayment>
      title="Payments"
      path={own('/payments')}
      rowsName="payments"
      columns={columns}
      keyOf={({ orderId }) => orderId}
      filters={filters}
      toQuery={fromWithin}
      hasCount
      empty={
        <EmptyState title="No payments yet">
          Your shop creates them with its access token: <code>POST /api/v1/merchant/payments</code>. Each appears here
          immediately, with everything that happens to it.
        </EmptyState>
      }
      drawer={(open, onClose) => <OwnPaymentDrawer of={open} onClose={onClose} />}
    />
  )
}
