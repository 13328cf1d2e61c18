import { useState } from 'react'
import { destinationRules } from '../../../../src/rules/money/destination.ts'
import { type DestinationAnswer, DestinationStatus } from '../../../../src/operations/destinations.ts'
import type { ProfileAnswer } from '../../../../src/operations/merchants.ts'
import { api } from '../../api/client.ts'
import { destinationsOf } from '../../api/settlements.ts'
import { useLiveQuery } from '../../live.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { CsvButton } from '../../parts/csv-button.tsx'
import { DestinationFields, isDestination, noDestination } from '../../parts/destination-fields.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Moment } from '../../parts/moment.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useMay } from '../../session.ts'
import { personName } from '../../parts/field-values.tsx'

const changes = ['destinations']

const Propose = ({ merchant }: { readonly merchant: ProfileAnswer }) => {
  const [given, setGiven] = useState(noDestination)
  return (
    <ActButton
      text="Propose a destination…"
      variant="filled"
      title={`Where may settlements of ${merchant.name} be sent?`}
      confirm="Propose it"
      onOpen={() => setGiven(noDestination)}
      run={() => api.post('/destinations', { merchantId: merchant.id, ...given, label: given.label.trim() })}
      changes={changes}
      isReady={isDestination(given)}
      done="The destination is proposed: now somebody else must approve it"
    >
      <DestinationFields given={given} onChange={setGiven} />
    </ActButton>
  )
}

type Props = { readonly destination: DestinationAnswer }

const path = ({ merchantId, id }: DestinationAnswer, step: string): string =>
  `/destinations/${merchantId}/${id}/${step}`

const Approve = ({ destination }: Props) => (
  <ActButton
    text="Approve…"
    variant="filled"
    title={`Approve “${destination.label}”?`}
    confirm="Approve the destination"
    run={() => api.post<DestinationAnswer>(path(destination, 'approve'), {})}
    changes={changes}
    done={({ status }) =>
      status === 'proposed' ? 'Taken up: now somebody else must approve it' : `“${destination.label}” is approved`
    }
  >
    <p>
      You agree that money of {destination.merchantName} may be sent to <strong>{destination.address}</strong>. Compare
      it with what the merchant has given you in person, not with what{' '}
      {personName(destination.proposedBy ?? destination.requestedBy ?? '')} has sent you.
    </p>
  </ActButton>
)

const Retire = ({ destination }: Props) => (
  <ActButton
    text="Retire…"
    title={`Retire “${destination.label}”?`}
    confirm="Retire it now"
    run={() => api.post(path(destination, 'retire'), {})}
    changes={changes}
    done={`Nothing is sent to “${destination.label}” any more`}
    isGrave
  >
    <p>Settlements to it that are not approved yet can only be given up. This cannot be undone.</p>
  </ActButton>
)

const by = (actor: string): string => ` by ${personName(actor)}`

const Destination = ({ destination, mayChange }: Props & { readonly mayChange: boolean }) => {
  const { kind, address, label, status, requestedBy, proposedBy, proposedAt, approvedBy, readyAt, retiredBy } =
    destination
  return (
    <li className={status === 'retired' ? 'card-row over-row' : 'card-row'}>
      <div className="card-main">
        <span className="strong">{label}</span> <StatusBadge of={DestinationStatus} word={status} />
        <div className="small">
          <span className="quiet">{destinationRules[kind].name}</span> <code>{address}</code>
        </div>
        <div className="quiet small">
          {requestedBy === undefined ? 'proposed' : 'asked for'} <Moment at={proposedAt} show="relative" />
          {by(requestedBy ?? proposedBy ?? '')}
          {requestedBy !== undefined && proposedBy !== undefined && ` · taken up${by(proposedBy)}`}
          {approvedBy !== undefined && ` · approved${by(approvedBy)}`}
          {status === 'cooling' && readyAt !== undefined && (
            <>
              {' '}
              · usable from <Moment at={readyAt} />
            </>
          )}
          {retiredBy !== undefined && ` · retired${by(retiredBy)}`}
        </div>
      </div>
      {mayChange && status !== 'retired' && (
        <div className="card-actions">
          {(status === 'requested' || status === 'proposed') && <Approve destination={destination} />}
          <Retire destination={destination} />
        </div>
      )}
    </li>
  )
}

/** Where settlements of a merchant may be sent. */
export const Destinations = ({ merchant }: { readonly merchant: ProfileAnswer }) => {
  const mayChange = useMay('account')
  const { data, error, refetch } = useLiveQuery(destinationsOf(merchant.id))
  const sorted = data?.toSorted((a, b) => Number(a.status === 'retired') - Number(b.status === 'retired'))
  return (
    <>
      <div className="tab-head">
        <p className="quiet">
          Settlements go to these addresses only. One operator proposes an address, another one approves it, and some
          time later it may be used.
        </p>
        <CsvButton path="/destinations" query={{ merchantId: merchant.id }} />
        {mayChange && <Propose merchant={merchant} />}
      </div>
      {error !== null && data === undefined && <ProblemMessage error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && (
        <EmptyState title="No destination yet">Nothing can be paid out to the merchant. Propose the first.</EmptyState>
      )}
      <ul className="cards panel">
        {sorted?.map((destination) => (
          <Destination key={destination.id} destination={destination} mayChange={mayChange} />
        ))}
      </ul>
    </>
  )
}
