import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import {
  deliveries,
  type DeliveryAnswer,
  type DeliveryLog,
  DeliveryStatus,
} from '../../../../src/operations/deliveries.ts'
import { deliveryLog, endpointDeliveries } from '../../api/merchants.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Moment } from '../../parts/moment.tsx'
import { DeliveryContent, SendAgain } from '../../parts/delivery-content.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useMay } from '../../session.ts'
import { columnsOf } from '../../table/field-columns.tsx'
import { LastRows } from '../../table/last-rows.tsx'

const columns = columnsOf<DeliveryAnswer>(deliveries.deliveries, [
  {
    name: 'Event',
    width: 130,
    grows: 1.4,
    cell: ({ type, orderId }) => (
      <>
        <code>{type}</code>
        <span className="second">{orderId ?? 'about no payment'}</span>
      </>
    ),
  },
  { field: 'status', rank: 0 },
  'attempts',
  'queuedAt',
  {
    name: 'Finished',
    width: 140,
    cell: ({ finishedAt, nextAttemptAt }) =>
      nextAttemptAt === undefined ? (
        <Moment at={finishedAt} />
      ) : (
        <>
          next <Moment at={nextAttemptAt} show="relative" />
        </>
      ),
  },
])

type Props = { readonly merchantId: string; readonly endpointId: string }

const Log = ({ log, merchantId, endpointId }: Props & { readonly log: DeliveryLog }) => {
  const maySend = useMay('support')
  const path = `/merchants/${merchantId}/endpoints/${endpointId}/deliveries/${log.eventId}`
  return (
    <>
      <div className="drawer-amount">
        <StatusBadge of={DeliveryStatus} word={log.status} />
        {log.paymentId !== undefined && (
          <Link to="/payments" search={{ open: `${merchantId}/${log.paymentId}` }}>
            {log.orderId ?? 'The payment'}
          </Link>
        )}
      </div>
      {maySend && <SendAgain path={path} />}
      <DeliveryContent {...log} />
    </>
  )
}

/** The last deliveries of an endpoint, each with its attempts and a button to send it again. */
export const Deliveries = ({ merchantId, endpointId }: Props) => (
  <LastRows
    label="Deliveries"
    filter="status"
    options={[
      { value: 'pending', label: 'Pending' },
      { value: 'failed', label: 'Failed' },
      { value: 'delivered', label: 'Delivered' },
    ]}
    rows={(status) => endpointDeliveries(merchantId, endpointId, status)}
    path={`/merchants/${merchantId}/endpoints/${endpointId}/deliveries`}
    columns={columns}
    keyOf={({ eventId }) => eventId}
    empty={() => (
      <EmptyState title="Nothing was delivered">
        Every change of a payment is an event that is posted to the endpoint, and listed here with its attempts.
      </EmptyState>
    )}
    details={{
      read: (eventId) => deliveryLog(merchantId, endpointId, eventId),
      name: 'Delivery',
      title: ({ type }) => type,
      content: (log) => <Log log={log} merchantId={merchantId} endpointId={endpointId} />,
    }}
    openRow={useState<string>()}
  />
)
