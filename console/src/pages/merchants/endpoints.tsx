import { Select, TextInput } from '@mantine/core'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ProfileAnswer } from '../../../../src/operations/merchants.ts'
import type { EndpointAnswer, EndpointWithSecret } from '../../../../src/operations/endpoints.ts'
import { api } from '../../api/client.ts'
import { merchantEndpoints } from '../../api/merchants.ts'
import { useLiveQuery } from '../../live.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { CsvButton } from '../../parts/csv-button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Moment } from '../../parts/moment.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { Badge, type Tone } from '../../parts/status-badge.tsx'
import { useMay } from '../../session.ts'
import { Deliveries } from './deliveries.tsx'
import { Redeliver } from './redeliver.tsx'
import { typed } from '../../parts/typed.ts'

const changes = ['endpoints', 'deliveries']

const Add = ({ merchant }: { readonly merchant: ProfileAnswer }) => {
  const [url, setUrl] = useState('')
  return (
    <ActButton
      text="Add an endpoint"
      title="Add an endpoint"
      confirm="Add it"
      onOpen={() => setUrl('')}
      run={() => api.post<EndpointWithSecret>(`/merchants/${merchant.id}/endpoints`, { url: url.trim() })}
      changes={changes}
      isReady={url.trim() !== ''}
      result={({ secret }) => <SecretOnce title="The secret that signs its notifications" secret={secret} />}
    >
      <TextInput
        label="Address"
        description="Every change of a payment is posted there from now on"
        placeholder="https://shop.example.com/payin"
        data-autofocus
        {...typed(url, setUrl)}
      />
    </ActButton>
  )
}

const stateOf = ({
  enabled,
  disabledReason,
  failingSince,
  listeningUntil,
}: EndpointAnswer): readonly [string, Tone] => {
  if (!enabled) return [`disabled${disabledReason === undefined ? '' : `: ${disabledReason}`}`, 'over']
  if (listeningUntil !== undefined) return ['listening', 'good']
  return failingSince === undefined ? ['working', 'good'] : ['failing', 'bad']
}

const Enable = ({ endpoint, path }: { readonly endpoint: EndpointAnswer; readonly path: string }) =>
  endpoint.enabled ? (
    <ActButton
      text="Disable…"
      title="Disable the endpoint?"
      confirm="Disable it"
      run={() => api.patch(path, { enabled: false })}
      changes={changes}
      done="The endpoint is disabled"
      isGrave
    >
      <p>Nothing is sent to it until it is enabled again. What it misses can be sent later.</p>
    </ActButton>
  ) : (
    <ActButton
      text="Enable again…"
      variant="filled"
      title="Enable the endpoint again?"
      confirm="Enable it"
      run={() => api.patch(path, { enabled: true })}
      changes={changes}
      done="The endpoint is enabled. Use “Send again” for what it missed."
    >
      <p>It receives what is still pending, and new events. Use “Send again” for what it missed meanwhile.</p>
    </ActButton>
  )

const Endpoint = ({ endpoint, merchant }: { readonly endpoint: EndpointAnswer; readonly merchant: ProfileAnswer }) => {
  const [state, tone] = stateOf(endpoint)
  const mayChange = useMay('configure')
  const maySend = useMay('support')
  const path = `/merchants/${merchant.id}/endpoints/${endpoint.id}`
  return (
    <div className="card-row">
      <div className="card-main">
        <span className="strong">
          {endpoint.listeningUntil === undefined ? endpoint.url : 'a program of the merchant'}
        </span>{' '}
        <Badge tone={tone}>{state}</Badge>
        <div className="quiet small">
          {endpoint.description !== '' && <>{endpoint.description} · </>}
          {endpoint.kinds.length === 0 ? 'every event' : endpoint.kinds.join(', ')}
          {endpoint.failingSince !== undefined && (
            <>
              {' '}
              · every attempt has failed since <Moment at={endpoint.failingSince} />
            </>
          )}
          {endpoint.disabledAt !== undefined && (
            <>
              {' '}
              · disabled <Moment at={endpoint.disabledAt} show="relative" />
            </>
          )}
        </div>
      </div>
      <div className="card-actions">
        {maySend && endpoint.enabled && (
          <ActButton
            text="Send a test"
            title="Send a test?"
            confirm="Send it"
            run={() => api.post(`${path}/test`, {})}
            changes={changes}
            done="The test is on its way; its result is in the deliveries"
          >
            <p>An event endpoint.test is delivered like any other. It is about no payment.</p>
          </ActButton>
        )}
        {mayChange && <Enable endpoint={endpoint} path={path} />}
      </div>
    </div>
  )
}

const route = getRouteApi('/inside/merchants/$merchantId')

/** A merchant's endpoints, what was delivered to them, and what to send again. */
export const Endpoints = ({ merchant }: { readonly merchant: ProfileAnswer }) => {
  const { endpoint: wanted } = route.useSearch()
  const navigate = useNavigate()
  const mayAdd = useMay('configure')
  const maySend = useMay('support')
  const { data, error, refetch } = useLiveQuery(merchantEndpoints(merchant.id))
  const shown = data?.find(({ id }) => id === wanted) ?? data?.[0]
  const show = (id: string | null): void =>
    void navigate({
      to: '/merchants/$merchantId',
      params: { merchantId: merchant.id },
      search: { tab: 'endpoints', endpoint: id ?? undefined },
      replace: true,
    })
  return (
    <>
      <div className="tab-head">
        <p className="quiet">The merchant's servers that are notified of every change of a payment.</p>
        <CsvButton path={`/merchants/${merchant.id}/endpoints`} />
        {maySend && data !== undefined && data.length > 0 && <Redeliver merchant={merchant} />}
        {mayAdd && <Add merchant={merchant} />}
      </div>
      {error !== null && data === undefined && <ProblemMessage error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && (
        <EmptyState title="No endpoint yet">
          Add the address of the merchant's server, or let the merchant add it through the API. Until then the server
          can only poll the status of its payments.
        </EmptyState>
      )}
      {data !== undefined && data.length > 1 && (
        <Select
          label="Endpoint"
          data={data.map(({ id, url }) => ({ value: id, label: url }))}
          value={shown?.id ?? null}
          allowDeselect={false}
          onChange={show}
        />
      )}
      {shown !== undefined && (
        <>
          <div className="cards panel">
            <Endpoint endpoint={shown} merchant={merchant} />
          </div>
          <Deliveries key={shown.id} merchantId={merchant.id} endpointId={shown.id} />
        </>
      )}
    </>
  )
}
