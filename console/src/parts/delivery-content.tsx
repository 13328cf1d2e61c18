import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { DeliveryLog } from '../../../src/operations/deliveries.ts'
import { api } from '../api/client.ts'
import { Happenings } from './happenings.tsx'
import { ProblemMessage } from './problem-message.tsx'
import { readableBody } from './readable-body.ts'
import { Badge } from './status-badge.tsx'

/** Sends the delivery at this path again. */
export const SendAgain = ({ path }: { readonly path: string }) => {
  const queries = useQueryClient()
  const send = useMutation({
    mutationFn: () => api.post(`${path}/redeliver`, {}),
    onSuccess: async () => {
      notifications.show({ message: 'The event is sent again' })
      await queries.invalidateQueries({ queryKey: ['deliveries'] })
    },
  })
  return (
    <div className="drawer-actions">
      <Button variant="default" loading={send.isPending} onClick={() => send.mutate()}>
        Send again
      </Button>
      {send.error !== null && <ProblemMessage error={send.error} />}
    </div>
  )
}

/** The attempts of a delivery, and what was sent. */
export const DeliveryContent = ({ log, body }: Pick<DeliveryLog, 'log' | 'body'>) => (
  <>
    <section>
      <h2>Attempts</h2>
      {log.length === 0 && <p className="quiet">Nothing was sent yet.</p>}
      <Happenings
        of={log.map(({ attempt, at, status, error, latencyMs, excerpt }) => ({
          ...{ key: attempt, at },
          what: (
            <>
              <Badge tone={status !== undefined && status < 300 ? 'good' : 'bad'}>
                {String(status ?? error ?? 'no answer')}
              </Badge>{' '}
              <span className="quiet small">
                attempt {attempt}, {latencyMs} ms
              </span>
            </>
          ),
          details: excerpt !== '' && <pre className="excerpt small">{excerpt}</pre>,
        }))}
      />
    </section>
    <section>
      <h2>What was sent</h2>
      <pre className="excerpt small" tabIndex={0}>
        {readableBody(body)}
      </pre>
    </section>
  </>
)
