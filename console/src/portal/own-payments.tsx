import { useSearch } from '@tanstack/react-router'
import type { Static } from 'typebox'
import type { OwnTimeline } from '../../../src/http/merchant-api/payment-timeline.ts'
import { PaymentDetails } from '../../../src/operations/payments.ts'
import type { Query } from '../api/client.ts'
import { own } from '../api/portal.ts'
import { paymentFilters } from '../pages/payments/payment-filters.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Moment } from '../parts/moment.tsx'
import { amountColumns } from '../parts/payment-columns.tsx'
import { columnsOf } from '../table/field-columns.tsx'
import { ListPage } from '../table/list-page.tsx'
import { fromWithin } from '../table/within.ts'
import { ownPaymentDetails } from './own-payment-drawer.tsx'
import { say } from '../language.ts'

type OwnPayment = Static<typeof PaymentDetails>

const columns = columnsOf<OwnPayment>(PaymentDetails, [
  { field: 'createdAt', rank: 1 },
  {
    field: 'orderId',
    isStrong: true,
    rank: 0,
    grows: 1.4,
    second: ({ createdAt }, isShown) => (isShown('Created') ? undefined : <Moment at={createdAt} show="relative" />),
  },
  { field: 'userId', rank: 3 },
  ...amountColumns,
  { name: 'Reason', width: 110, grows: 1, rank: 3, cell: ({ statusReason }) => say(statusReason) },
  { field: 'method', rank: 3 },
  { field: 'acknowledgedAt', rank: 1040 },
])

/** The merchant's payments. */
export const OwnPayments = () => {
  const given: Query = useSearch({ strict: false })
  const filters = paymentFilters(given).filter((filter) => filter !== 'merchantId')
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
