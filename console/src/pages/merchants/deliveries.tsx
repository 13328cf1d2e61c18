import { Button, Group, SegmentedControl } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import {
  deliveries,
  type DeliveryAnswer,
  type DeliveryLog,
  DeliveryStatus,
} from '../../../../src/operations/deliveries.ts'
import { api } from '../../api/client.ts'
import { deliveryLog, endpointDeliveries } from '../../api/merchants.ts'
import { useLive } from '../../live.ts'
import { CsvButton } from '../../parts/csv-button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Moment } from '../../parts/moment.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { SideDrawer } from '../../parts/side-drawer.tsx'
import { Badge, StatusBadge } from '../../parts/status-badge.tsx'
import { useMay } from '../../session.ts'
import { DataTable } from '../../table/data-table.tsx'
import { columnsOf } from '../../table/field-columns.tsx'
import { readableBody } from '../../parts/readable-body.ts'

const columns = columnsOf<DeliveryAnswer>(deliveries.operations.deliveries, [
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

const Log = ({
  log,
  merchantId,
  onAgain,
}: {
  readonly log: DeliveryLog
  readonly merchantId: string
  readonly onAgain: (() => void) | undefined
}) => (
  <>
    <div className="drawer-amount">
      <StatusBadge of={DeliveryStatus} word={log.status} />
      {log.paymentId !== undefined && (
        <Link to="/payments" search={{ open: `${merchantId}/${log.paymentId}` }}>
          {log.orderId ?? 'The payment'}
        </Link>
      )}
    </div>
    {onAgain !== undefined && (
      <div className="drawer-actions">
        <Button variant="default" onClick={onAgain}>
          Send it again
        </Button>
      </div>
    )}
    <section>
      <h2>Attempts</h2>
      {log.log.length === 0 && <p className="quiet">None yet.</p>}
      <ol className="happenings">
        {log.log.map(({ attempt, at, status, error, latencyMs, excerpt }) => (
          <li key={attempt}>
            <span className="quiet small happening-time">
              <Moment at={at} />
            </span>
            <div>
              <div>
                <Badge tone={status !== undefined && status < 300 ? 'good' : 'bad'}>
                  {status === undefined ? (error ?? 'no answer') : String(status)}
                </Badge>{' '}
                <span className="quiet figures">{latencyMs} ms</span>
              </div>
              {excerpt !== '' && <pre className="excerpt small">{excerpt}</pre>}
            </div>
          </li>
        ))}
      </ol>
    </section>
    <section>
      <h2>What was sent</h2>
      <pre className="excerpt small" tabIndex={0}>
        {readableBody(log.body)}
      </pre>
    </section>
  </>
)

type Props = { readonly merchantId: string; readonly endpointId: string }

/** The last deliveries of an endpoint, each with its attempts and a button to send it again. */
export const Deliveries = ({ merchantId, endpointId }: Props) => {
  const [status, setStatus] = useState('')
  const [open, setOpen] = useState<string>()
  const { refetchInterval } = useLive()
  const maySend = useMay('support')
  const queries = useQueryClient()
  const list = useQuery({ ...endpointDeliveries(merchantId, endpointId, status || undefined), refetchInterval })
  const log = useQuery({
    ...deliveryLog(merchantId, endpointId, open ?? ''),
    enabled: open !== undefined,
    refetchInterval,
  })
  const again = useMutation({
    mutationFn: () =>
      api.post(`/merchants/${merchantId}/endpoints/${endpointId}/deliveries/${open ?? ''}/redeliver`, {}),
    onSuccess: async () => {
      notifications.show({ message: 'It is sent again' })
      await queries.invalidateQueries({ queryKey: ['deliveries'] })
    },
  })
  return (
    <>
      <Group justify="space-between">
        <SegmentedControl
          aria-label="Deliveries"
          data={[
            { value: '', label: 'All' },
            { value: 'pending', label: 'Pending' },
            { value: 'failed', label: 'Failed' },
            { value: 'delivered', label: 'Delivered' },
          ]}
          value={status}
          onChange={setStatus}
        />
        <CsvButton path={`/merchants/${merchantId}/endpoints/${endpointId}/deliveries`} query={{ status }} />
      </Group>
      <div className="deliveries">
        <DataTable
          label="Deliveries"
          columns={columns}
          rows={list.data}
          keyOf={({ eventId }) => eventId}
          onOpen={({ eventId }) => setOpen(eventId)}
          openKey={open}
          error={list.data === undefined ? list.error : null}
          onRetry={() => void list.refetch()}
          empty={
            <EmptyState title="Nothing was delivered">
              Every change of a payment is an event that is posted to the endpoint, and listed here with its attempts.
            </EmptyState>
          }
          foot={<span>The last {list.data?.length ?? 0}</span>}
        />
      </div>
      <SideDrawer
        isOpen={open !== undefined}
        onClose={() => setOpen(undefined)}
        title={log.data === undefined ? 'Delivery' : log.data.type}
        query={log}
      >
        {(data) => (
          <>
            <Log log={data} merchantId={merchantId} onAgain={maySend ? () => again.mutate() : undefined} />
            {again.error !== null && <ProblemMessage error={again.error} />}
          </>
        )}
      </SideDrawer>
    </>
  )
}
