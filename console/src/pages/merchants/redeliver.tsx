import { Checkbox, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ProfileAnswer } from '../../../../src/operations/merchants.ts'
import type { Redelivered } from '../../../../src/operations/redelivery.ts'
import { api } from '../../api/client.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { fromWithin, spans } from '../../table/within.ts'

type Answer = { readonly endpoints: readonly Redelivered[] }

/** Sends many events to a merchant's endpoints again, after showing how many. */
export const Redeliver = ({ merchant }: { readonly merchant: ProfileAnswer }) => {
  const [isOpen, setOpen] = useState(false)
  const [within, setWithin] = useState('24h')
  const [delivered, setDelivered] = useState(false)
  const send = (preview: boolean) =>
    api.post<Answer>(`/merchants/${merchant.id}/redeliver`, {
      ...{ since: fromWithin({ within })['from'], delivered, preview },
    })
  const preview = useQuery({
    queryKey: ['deliveries', 'preview', merchant.id, within, delivered],
    queryFn: () => send(true),
    enabled: isOpen,
  })
  const endpoints = preview.data?.endpoints ?? []
  const total = endpoints.reduce((sum, { events }) => sum + events, 0)
  return (
    <ActButton
      text="Send again…"
      title={`Send events to ${merchant.name} again`}
      confirm={total === 1 ? 'Send 1 event' : `Send ${total} events`}
      onOpen={() => setOpen(true)}
      run={() => send(false)}
      changes={['deliveries']}
      isReady={total > 0 && !preview.isFetching}
      done={({ endpoints: sent }) => `${sent.reduce((sum, { events }) => sum + events, 0)} events are sent again`}
    >
      <Select
        label="Events of"
        data={spans}
        value={within}
        allowDeselect={false}
        onChange={(chosen) => setWithin(chosen ?? '24h')}
      />
      <Checkbox
        size="xs"
        label="Also delivered ones"
        checked={delivered}
        onChange={({ currentTarget }) => setDelivered(currentTarget.checked)}
      />
      {preview.error !== null && <ProblemMessage error={preview.error} />}
      <ul className="redeliver-preview" aria-live="polite">
        {endpoints.map(({ endpointId, url, state, events, more, message }) => (
          <li key={endpointId}>
            <span className="cut">{url}</span>
            <span className="figures strong">
              {state === 'refused' ? (message ?? 'refused') : `${events}${more ? ' and more' : ''}`}
            </span>
          </li>
        ))}
      </ul>
      <p className="quiet small">The same bytes under the same ids: a server that ignores known ids is not affected.</p>
    </ActButton>
  )
}
