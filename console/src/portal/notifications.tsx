import { Link, useParams } from '@tanstack/react-router'
import { deliveryStatuses } from '../../../src/rules/notices/delivery.ts'
import type { EndpointAnswer } from '../../../src/operations/endpoints.ts'
import { DeliveryAnswer, type DeliveryLog } from '../../../src/operations/deliveries.ts'
import { own, ownEndpoints } from '../api/portal.ts'
import { useLiveQuery } from '../live.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { useScope } from '../session.ts'
import { columnsOf } from '../table/field-columns.tsx'
import { ListPage } from '../table/list-page.tsx'
import { deliveryDetails } from './delivery-drawer.tsx'
import { AddEndpoint, EndpointPanel } from './endpoint-panel.tsx'
import './portal.css'

const columns = columnsOf<DeliveryAnswer>(DeliveryAnswer, [
  {
    name: 'Event',
    width: 130,
    grows: 1.4,
    cell: ({ type, orderId }) => (
      <>
        <code>{type}</code>
        {orderId !== undefined && <span className="second">{orderId}</span>}
      </>
    ),
  },
  { field: 'status', name: 'Result', rank: 0 },
  'attempts',
  'queuedAt',
  'nextAttemptAt',
])

const filters = [{ name: 'status', label: 'Any result', options: deliveryStatuses, width: 132 }] as const

const Deliveries = ({ endpoints, endpoint }: { endpoints: readonly EndpointAnswer[]; endpoint: EndpointAnswer }) => {
  const mayChange = useScope('notifications:write')
  return (
    <ListPage<DeliveryAnswer, DeliveryLog>
      key={endpoint.id}
      title="Notifications"
      path={own(`/endpoints/${endpoint.id}/deliveries`)}
      rowsName="deliveries"
      columns={columns}
      keyOf={({ eventId }) => eventId}
      filters={filters}
      actions={mayChange && <AddEndpoint />}
      empty={
        <EmptyState title="Nothing has been sent here yet">
          Events of your payments are sent as they happen. Use “Send a test” to try the address now.
        </EmptyState>
      }
      details={deliveryDetails(endpoint.id)}
    >
      {endpoints.length > 1 && (
        <nav className="endpoint-tabs" aria-label="Endpoints">
          {endpoints.map(({ id, url }) => (
            <Link
              key={id}
              className="cut"
              to="/portal/notifications/$endpointId"
              params={{ endpointId: id }}
              aria-current={id === endpoint.id ? 'page' : undefined}
            >
              {url}
            </Link>
          ))}
        </nav>
      )}
      <EndpointPanel endpoint={endpoint} mayChange={mayChange} />
    </ListPage>
  )
}

/** The merchant's endpoints and their deliveries. */
export const Notifications = () => {
  const { endpointId } = useParams({ strict: false })
  const mayChange = useScope('notifications:write')
  const { data, error, refetch } = useLiveQuery(ownEndpoints)
  const endpoint = data?.find(({ id }) => id === endpointId) ?? data?.[0]
  if (data !== undefined && endpoint !== undefined) return <Deliveries endpoints={data} endpoint={endpoint} />
  return (
    <>
      <PageHead title="Notifications" />
      {error !== null && data === undefined && <ProblemMessage error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && (
        <div className="panel fill">
          <EmptyState
            title="Your shop is not notified yet"
            action={mayChange ? <AddEndpoint /> : 'Ask somebody at your shop who may make changes.'}
          >
            Add the address of your server: each event of a payment is posted there, signed, and repeated until your
            server accepts it. Every attempt is listed here.
          </EmptyState>
        </div>
      )}
    </>
  )
}
