import { useState } from 'react'
import type { Static } from 'typebox'
import { DestinationStatus, type DestinationDetails } from '../../../src/operations/destinations.ts'
import { destinationRules } from '../../../src/rules/money/destination.ts'
import { ownActs, ownDestinations } from '../api/portal.ts'
import { useLiveQuery } from '../live.ts'
import { ActButton } from '../parts/act-button.tsx'
import { DestinationFields, isDestination, noDestination } from '../parts/destination-fields.tsx'
import { Moment } from '../parts/moment.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { useScope } from '../session.ts'

type OwnDestination = Static<typeof DestinationDetails>

const changes = ['destinations']

const AskForDestination = () => {
  const [given, setGiven] = useState(noDestination)
  return (
    <ActButton
      text="Ask for a destination…"
      title="Where may your money be sent?"
      confirm="Ask for it"
      onOpen={() => setGiven(noDestination)}
      run={() => ownActs.requestDestination({ ...given, label: given.label.trim() })}
      changes={changes}
      isReady={isDestination(given)}
      done="The operator must approve it; some hours later it can be used"
    >
      <DestinationFields given={given} onChange={setGiven} />
    </ActButton>
  )
}

const Destination = ({ destination, mayAsk }: { readonly destination: OwnDestination; readonly mayAsk: boolean }) => {
  const { id, kind, address, label, status, readyAt } = destination
  return (
    <li>
      <div>
        <span className="strong">{label}</span> <StatusBadge of={DestinationStatus} word={status} />
        <div className="small">
          <span className="quiet">{destinationRules[kind].name}</span> <code>{address}</code>
          {status === 'cooling' && readyAt !== undefined && (
            <span className="quiet">
              {' '}
              from <Moment at={readyAt} />
            </span>
          )}
        </div>
      </div>
      {mayAsk && (
        <ActButton
          text="Retire…"
          title={`Retire “${label}”?`}
          confirm="Retire it now"
          run={() => ownActs.retireDestination(id)}
          changes={changes}
          done={`Nothing is sent to “${label}” any more`}
          isGrave
        >
          <p>Settlements to it that are not approved yet can only be given up. This cannot be undone.</p>
        </ActButton>
      )}
    </li>
  )
}

/** Where the merchant's money may be sent: whoever knows that an address is wrong has until it is ready to say so. */
export const OwnDestinations = () => {
  const { data } = useLiveQuery(ownDestinations)
  const mayAsk = useScope('settlements:write')
  if (data === undefined) return null
  const inUse = data.filter(({ status }) => status !== 'retired')
  if (inUse.length === 0 && !mayAsk) return null
  return (
    <section className="panel destinations">
      <div className="destinations-head">
        <h2>Where your money may go</h2>
        {mayAsk && <AskForDestination />}
      </div>
      <p className="quiet small">
        {inUse.length === 0
          ? 'Name a wallet or a bank account of yours first: the operator of the service approves it.'
          : 'Ask the operator of the service at once about an address that you do not know, or retire it.'}
      </p>
      <ul>
        {inUse.map((destination) => (
          <Destination key={destination.id} destination={destination} mayAsk={mayAsk} />
        ))}
      </ul>
    </section>
  )
}
