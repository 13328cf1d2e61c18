import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { DeliveryLog } from '../../../src/operations/deliveries.ts'
import { api } from '../api/client.ts'
import { own, ownDelivery } from '../api/portal.ts'
import { FieldFacts } from '../parts/field-facts.tsx'
import { Moment } from '../parts/moment.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import type { Details } from '../parts/side-drawer.tsx'
import { Badge } from '../parts/status-badge.tsx'
import { useScope } from '../session.ts'
import { readableBody } from '../parts/readable-body.ts'

type Key = { readonly endpointId: string; readonly eventId: string }

const SendAgain = ({ endpointId, eventId }: Key) => {
  const queries = useQueryClient()
  const send = useMutation({
    mutationFn: () => api.post(own(`/endpoints/${endpointId}/deliveries/${eventId}/redeliver`), {}),
    onSuccess: async () => {
      notifications.show({ message: 'The event is sent again' })
      await queries.invalidateQueries({ queryKey: ['deliveries'] })
    },
  })
  return (
    <div className="portal-actions">
      <Button variant="default" loading={send.isPending} onClick={() => send.mutate()}>
        Send again
      </Button>
      {send.error !== null && <ProblemMessage error={send.error} />}
    </div>
  )
}

const Attempts = ({ log }: Pick<DeliveryLog, 'log'>) =>
  log.length === 0 ? (
    <p className="quiet">Nothing was sent yet.</p>
  ) : (
    <ol className="happenings">
      {log.map(({ attempt, at, status, error, latencyMs, excerpt }) => (
        <li key={attempt}>
          <span className="quiet small happening-time">
            <Moment at={at} />
          </span>
          <div>
            <Badge tone={status !== undefined && status < 300 ? 'good' : 'bad'}>{String(status ?? error)}</Badge>{' '}
            <span className="quiet small">
              attempt {attempt}, {latencyMs} ms
            </span>
            {excerpt !== '' && <p className="quiet small cut">{excerpt}</p>}
          </div>
        </li>
      ))}
    </ol>
  )

const Content = ({ delivery, endpointId }: { readonly delivery: DeliveryLog; readonly endpointId: string }) => {
  const mayChange = useScope('notifications:write')
  return (
    <>
      {mayChange && <SendAgain endpointId={endpointId} eventId={delivery.eventId} />}
      <FieldFacts
        of={DeliveryLog}
        value={delivery}
        facts={[
          { field: 'status', name: 'Result' },
          {
            name: 'Payment',
            cell: ({ orderId }) =>
              orderId && (
                <Link to="/portal/payments" search={{ open: orderId }}>
                  {orderId}
                </Link>
              ),
          },
          { field: 'queuedAt', name: 'Queued' },
          { field: 'nextAttemptAt', name: 'Next attempt' },
        ]}
      />
      <section>
        <h2>Attempts</h2>
        <Attempts log={delivery.log} />
      </section>
      <section>
        <h2>Body</h2>
        <pre className="delivery-body" tabIndex={0}>
          {readableBody(delivery.body)}
        </pre>
      </section>
    </>
  )
}

/** The delivery of an event to an endpoint: every attempt, the responses, and the body. */
export const deliveryDetails = (endpointId: string): Details<DeliveryLog> => ({
  read: (eventId) => ownDelivery(endpointId, eventId),
  name: 'Delivery',
  title: ({ type }) => type,
  content: (delivery) => <Content delivery={delivery} endpointId={endpointId} />,
})
