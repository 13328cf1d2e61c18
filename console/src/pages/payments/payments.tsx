import { useSearch } from '@tanstack/react-router'
import { type OperatorPayment, payments, type Timeline } from '../../../../src/operations/payments.ts'
import type { Query } from '../../api/client.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Moment } from '../../parts/moment.tsx'
import { amountColumns } from '../../parts/payment-columns.tsx'
import { columnsOf } from '../../table/field-columns.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { fromWithin } from '../../table/within.ts'
import { paymentDetails } from './payment-drawer.tsx'
import { paymentFilters } from './payment-filters.ts'
import { say } from '../../language.ts'

const { list } = payments.operations

const columns = columnsOf<OperatorPayment>(list, [
  { field: 'createdAt', rank: 1 },
  {
    field: 'orderId',
    isStrong: true,
    rank: 0,
    grows: 1.3,
    second: ({ merchantName, createdAt }, isShown) =>
      isShown('Merchant') ? undefined : (
        <>
          {merchantName} · <Moment at={createdAt} show="relative" />
        </>
      ),
  },
  { field: 'merchantId', rank: 3 },
  ...amountColumns,
  { name: 'Reason', width: 110, grows: 1, rank: 4, cell: ({ statusReason }) => say(statusReason) },
  { field: 'method', rank: 3 },
  { field: 'requisiteId', name: 'Account', rank: 4 },
])

const keyOf = ({ merchantId, id }: OperatorPayment): string => `${merchantId}/${id}`

/** All payments, newest first, with the filters in the address and one open at the side. */
export const Payments = () => {
  const given: Query = useSearch({ strict: false })
  return (
    <ListPage<OperatorPayment, Timeline>
      title="Payments"
      list={list}
      columns={columns}
      keyOf={keyOf}
      filters={paymentFilters(given)}
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
