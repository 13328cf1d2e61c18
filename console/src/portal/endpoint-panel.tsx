import { MultiSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { notificationKinds, type NotificationKind } from '../../../src/rules/notices/notification.ts'
import type { EndpointAnswer, EndpointWithSecret } from '../../../src/operations/endpoints.ts'
import { api } from '../api/client.ts'
import { own } from '../api/portal.ts'
import { ActButton } from '../parts/act-button.tsx'
import { CopyText } from '../parts/copy-text.tsx'
import { Moment } from '../parts/moment.tsx'
import { Badge } from '../parts/status-badge.tsx'
import { typedInto } from '../parts/typed.ts'

const changes = ['endpoints', 'deliveries']

type Given = { readonly url: string; readonly description: string; readonly kinds: readonly NotificationKind[] }

const Fields = ({ given, onChange }: { readonly given: Given; readonly onChange: (given: Given) => void }) => (
  <>
    <TextInput
      label="Address"
      description="Where events are posted; https only"
      placeholder="https://shop.example.com/payin"
      type="url"
      {...typedInto(given, onChange)('url')}
      required
      withAsterisk={false}
      data-autofocus
    />
    <TextInput label="Description" maxLength={200} {...typedInto(given, onChange)('description')} />
    <MultiSelect
      label="Events"
      placeholder={given.kinds.length === 0 ? 'All events' : ''}
      data={[...notificationKinds]}
      value={[...given.kinds]}
      onChange={(kinds) => onChange({ ...given, kinds })}
      clearable
    />
  </>
)

const Secret = ({ endpoint }: { readonly endpoint: EndpointWithSecret }) => (
  <div className="one-time-link" role="status">
    <p className="strong">Keep the secret now: it is not shown again.</p>
    <CopyText text={endpoint.secret} />
    <p className="quiet small">Your server checks the signature of each notification with it.</p>
  </div>
)

/** Adds an endpoint, and shows its secret once. */
export const AddEndpoint = () => {
  const [given, setGiven] = useState<Given>({ url: '', description: '', kinds: [] })
  return (
    <ActButton
      text="Add an endpoint…"
      title="Add an endpoint"
      confirm="Add the endpoint"
      variant="filled"
      run={() => api.post<EndpointWithSecret>(own('/endpoints'), given)}
      changes={changes}
      isReady={given.url.startsWith('https://')}
      result={(endpoint) => <Secret endpoint={endpoint} />}
      onOpen={() => setGiven({ url: '', description: '', kinds: [] })}
    >
      <Fields given={given} onChange={setGiven} />
    </ActButton>
  )
}

const EditEndpoint = ({ endpoint, path }: { readonly endpoint: EndpointAnswer; readonly path: string }) => {
  const { url, description, kinds } = endpoint
  const [given, setGiven] = useState<Given>({ url, description, kinds })
  return (
    <ActButton
      text="Edit…"
      title="Change the endpoint"
      confirm="Save"
      run={() => api.patch(path, given)}
      changes={changes}
      isReady={given.url.startsWith('https://')}
      done="The endpoint is changed"
      onOpen={() => setGiven({ url, description, kinds })}
    >
      <Fields given={given} onChange={setGiven} />
    </ActButton>
  )
}

const Acts = ({ endpoint }: { readonly endpoint: EndpointAnswer }) => {
  const path = own(`/endpoints/${endpoint.id}`)
  const { enabled } = endpoint
  return (
    <div className="portal-actions">
      {enabled && (
        <ActButton
          text="Send a test…"
          title="Send a test?"
          confirm="Send a test"
          run={() => api.post(`${path}/test`, {})}
          changes={changes}
          done="The test is on its way"
        >
          <p>
            An event <code>endpoint.test</code> is posted to {endpoint.url}.
          </p>
        </ActButton>
      )}
      <EditEndpoint endpoint={endpoint} path={path} />
      <ActButton
        text="New secret…"
        title="Replace the secret?"
        confirm="Make a new secret"
        run={() => api.post<EndpointWithSecret>(`${path}/rotate`, {})}
        changes={changes}
        result={(answer) => <Secret endpoint={answer} />}
      >
        <p>For a day notifications are signed with both secrets; then only with the new one.</p>
      </ActButton>
      <ActButton
        text={enabled ? 'Turn off…' : 'Turn on…'}
        title={enabled ? 'Turn the endpoint off?' : 'Turn the endpoint on?'}
        confirm={enabled ? 'Turn off' : 'Turn on'}
        run={() => api.patch(path, { enabled: !enabled })}
        changes={changes}
        done={enabled ? 'The endpoint is off' : 'The endpoint is on'}
      >
        <p>{enabled ? 'Nothing is sent until it is on again.' : 'It receives what is waiting, and new events.'}</p>
      </ActButton>
      <ActButton
        text="Remove…"
        title="Remove the endpoint?"
        confirm="Remove the endpoint"
        isGrave
        run={() => api.delete(path)}
        changes={changes}
        done="The endpoint is removed"
      >
        <p>Its deliveries are no longer shown. This cannot be undone.</p>
      </ActButton>
    </div>
  )
}

const stateOf = ({ enabled, failingSince }: EndpointAnswer) => {
  if (!enabled) return <Badge tone="over">off</Badge>
  return failingSince === undefined ? <Badge tone="good">on</Badge> : <Badge tone="bad">failing</Badge>
}

/** One endpoint: its state, and what can be done about it. */
export const EndpointPanel = ({ endpoint, mayChange }: { endpoint: EndpointAnswer; mayChange: boolean }) => (
  <section className="endpoint panel" aria-label="Endpoint">
    <div>
      <p className="endpoint-url">
        {stateOf(endpoint)} <code>{endpoint.url}</code>
      </p>
      <p className="quiet small">
        {endpoint.description !== '' && `${endpoint.description} · `}
        {endpoint.kinds.length === 0 ? 'all events' : endpoint.kinds.join(', ')}
        {endpoint.failingSince !== undefined && (
          <>
            {' '}
            · failing since <Moment at={endpoint.failingSince} show="relative" />
          </>
        )}
        {endpoint.previousSecretUntil !== undefined && (
          <>
            {' '}
            · also signed with the previous secret until <Moment at={endpoint.previousSecretUntil} />
          </>
        )}
      </p>
    </div>
    {mayChange && <Acts endpoint={endpoint} />}
  </section>
)
