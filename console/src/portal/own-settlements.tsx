import './portal.css'
import type { Static } from 'typebox'
import { destinationRules } from '../../../src/rules/money/destination.ts'
import { settlementStatuses } from '../../../src/rules/money/settlement.ts'
import { DestinationStatus } from '../../../src/operations/destinations.ts'
import { SettlementDetails, SettlementStatus } from '../../../src/operations/settlements.ts'
import { own, ownDestinations } from '../api/portal.ts'
import { useLiveQuery } from '../live.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { FieldFacts } from '../parts/field-facts.tsx'
import { MoneyText } from '../parts/money-text.tsx'
import { Moment } from '../parts/moment.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { columnsOf } from '../table/field-columns.tsx'
import { ListPage } from '../table/list-page.tsx'

type OwnSettlement = Static<typeof SettlementDetails>

const columns = columnsOf<OwnSettlement>(SettlementDetails, [
  { field: 'reference', isStrong: true, second: 'createdAt' },
  { field: 'destination', name: 'To', rank: 3 },
  { field: 'amount', rank: 0, whenNarrow: 'status' },
  { field: 'status', rank: 2 },
  'changedAt',
])

const Details = ({ settlement }: { readonly settlement: OwnSettlement }) => (
  <>
    <div className="drawer-amount">
      <MoneyText amount={settlement.amount} currency={settlement.currency} bold />
      <StatusBadge of={SettlementStatus} word={settlement.status} />
    </div>
    <FieldFacts
      of={SettlementDetails}
      value={settlement}
      facts={[
        { field: 'destination', name: 'To' },
        { field: 'createdAt', name: 'Created' },
        { field: 'changedAt', name: 'Changed' },
        'externalReference',
        { field: 'failure', name: 'Why it failed' },
        { field: 'id', name: 'Settlement' },
      ]}
    />
  </>
)

/** Where the merchant's money may be sent: whoever knows that an address is wrong has until it is ready to say so. */
const OwnDestinations = () => {
  const { data = [] } = useLiveQuery(ownDestinations)
  const inUse = data.filter(({ status }) => status !== 'retired')
  if (inUse.length === 0) return null
  return (
    <section className="panel destinations">
      <h2>Where your money may go</h2>
      <p className="quiet small">Ask the operator of the service at once about an address that you do not know.</p>
      <ul>
        {inUse.map(({ id, kind, address, label, status, readyAt }) => (
          <li key={id}>
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
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Payouts to the merchant, paid and in progress. */
export const OwnSettlements = () => (
  <ListPage<OwnSettlement>
    title="Settlements"
    path={own('/settlements')}
    rowsName="settlements"
    columns={columns}
    keyOf={({ id }) => id}
    filters={[{ name: 'status', label: 'Any status', options: settlementStatuses, width: 132 }]}
    empty={
      <EmptyState title="Nothing was paid out yet">
        The operator of the service pays out your balance. Each settlement appears here when it is created, and shows
        when it is paid.
      </EmptyState>
    }
    details={{ title: ({ reference }) => reference, content: (settlement) => <Details settlement={settlement} /> }}
  >
    <OwnDestinations />
  </ListPage>
)
