import { useSearch } from '@tanstack/react-router'
import type { Static } from 'typebox'
import type { OwnTimeline } from '../../../src/http/merchant-api/payment-timeline.ts'
import type { PaymentDetails } from '../../../src/operations/payments.ts'
import type { Query } from '../api/client.ts'
import { own } from '../api/portal.ts'
import { paymentFilters } from '../pages/payments/payment-filters.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Moment } from '../parts/moment.tsx'
import { amountColumns } from '../parts/payment-columns.tsx'
import type { Column } from '../table/data-table.tsx'
import { ListPage } from '../table/list-page.tsx'
import { fromWithin } from '../table/within.ts'
import { ownPaymentDetails } from './own-payment-drawer.tsx'

type OwnPayment = Static<typeof PaymentDetails>

const columns: readonly Column<OwnPayment>[] = [
  { name: 'Created', width: 112, rank: 1, cell: ({ createdAt }) => <Moment at={createdAt} /> },
  {
    name: 'Order',
    width: 104,
    grows: 1.4,
    cell: ({ orderId, createdAt }, isShown) => (
      <>
        <span className="strong">{orderId}</span>
        {!isShown('Created') && (
          <span className="second">
            <Moment at={createdAt} show="relative" />
          </span>
        )}
      </>
    ),
  },
  { name: 'User', width: 100, grows: 1, rank: 3, cell: ({ userId }) => userId },
  ...amountColumns,
  { name: 'Why', width: 80, grows: 0.7, rank: 3, cell: ({ statusReason }) => statusReason },
  { name: 'Method', width: 128, rank: 3, cell: ({ method }) => method },
  {
    name: 'Acknowledged',
    width: 112,
    rank: 1040,
    cell: ({ acknowledgedAt }) => <Moment at={acknowledgedAt} show="relative" />,
  },
]

/** The merchant's payments. */
export const OwnPayments = () => {
  const given: Query = useSearch({ strict: false })
  const filters = paymentFilters([], given).filter(({ name }) => name !== 'merchantId')
  return (
    <ListPage<OwnPayment, OwnTimeline>
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
      details={ownPaymentDetails}
    />
  )
}
