import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { DeliveryLog } from '../../../src/operations/deliveries.ts'
import { api } from '../api/client.ts'
import { own, ownDelivery } from '../api/portal.ts'
import { useLive } from '../live.ts'
import { Fact, Facts } from '../parts/facts.tsx'
import { Moment } from '../parts/moment.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { SideDrawer } from '../parts/side-drawer.tsx'
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
      <Facts>
        <Fact name="Result">{delivery.status}</Fact>
        {delivery.orderId !== undefined && (
          <Fact name="Payment">
            <Link to="/portal/payments" search={{ open: delivery.orderId }}>
              {delivery.orderId}
            </Link>
          </Fact>
        )}
        <Fact name="Queued">
          <Moment at={delivery.queuedAt} />
        </Fact>
        {delivery.nextAttemptAt !== undefined && (
          <Fact name="Next attempt">
            <Moment at={delivery.nextAttemptAt} show="relative" />
          </Fact>
        )}
      </Facts>
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

type Props = { readonly endpointId: string; readonly eventId: string | undefined; readonly onClose: () => void }

/** The delivery of an event to an endpoint: every attempt, the responses, and the body. */
export const DeliveryDrawer = ({ endpointId, eventId, onClose }: Props) => {
  const { refetchInterval } = useLive()
  const query = useQuery({ ...ownDelivery(endpointId, eventId ?? ''), enabled: eventId !== undefined, refetchInterval })
  return (
    <SideDrawer isOpen={eventId !== undefined} onClose={onClose} title={query.data?.type ?? 'Delivery'} query={query}>
      {(delivery) => <Content delivery={delivery} endpointId={endpointId} />}
    </SideDrawer>
  )
}
