import './portal.css'
import { useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import { destinationRules } from '../../../src/rules/money/destination.ts'
import { settlementStatuses } from '../../../src/rules/money/settlement.ts'
import type { SettlementDetails } from '../../../src/operations/settlements.ts'
import { own, ownDestinations } from '../api/portal.ts'
import { useLive } from '../live.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { CopyText } from '../parts/copy-text.tsx'
import { Fact, Facts } from '../parts/facts.tsx'
import { MoneyText } from '../parts/money-text.tsx'
import { Moment } from '../parts/moment.tsx'
import { SideDrawer } from '../parts/side-drawer.tsx'
import { Badge, type Tone } from '../parts/status-badge.tsx'
import type { Column } from '../table/data-table.tsx'
import { ListPage } from '../table/list-page.tsx'

type OwnSettlement = Static<typeof SettlementDetails>

const tones: Readonly<Record<string, Tone>> = { paid: 'good', failed: 'bad', approved: 'live' }

const columns: readonly Column<OwnSettlement>[] = [
  {
    name: 'Reference',
    width: 100,
    grows: 1.2,
    cell: ({ reference, createdAt }) => (
      <>
        <span className="strong">{reference}</span>
        <span className="second">
          <Moment at={createdAt} show="relative" />
        </span>
      </>
    ),
  },
  { name: 'To', width: 120, grows: 1.4, rank: 620, cell: ({ destination }) => destination },
  {
    name: 'Amount',
    width: 150,
    align: 'end',
    cell: ({ amount, currency, status }, isShown) => (
      <>
        <MoneyText amount={amount} currency={currency} inColumn />
        {!isShown('Status') && <span className="second">{status}</span>}
      </>
    ),
  },
  {
    name: 'Status',
    width: 104,
    rank: 460,
    cell: ({ status }) => <Badge tone={tones[status] ?? 'wait'}>{status}</Badge>,
  },
  { name: 'Changed', width: 120, rank: 760, cell: ({ changedAt }) => <Moment at={changedAt} /> },
]

const Details = ({ settlement }: { readonly settlement: OwnSettlement }) => (
  <>
    <div className="drawer-amount">
      <MoneyText amount={settlement.amount} currency={settlement.currency} bold />
      <Badge tone={tones[settlement.status] ?? 'wait'}>{settlement.status}</Badge>
    </div>
    <Facts>
      <Fact name="To">{settlement.destination}</Fact>
      <Fact name="Created">
        <Moment at={settlement.createdAt} />
      </Fact>
      <Fact name="Changed">
        <Moment at={settlement.changedAt} />
      </Fact>
      {settlement.externalReference !== undefined && (
        <Fact name="Payout">
          <CopyText text={settlement.externalReference} />
        </Fact>
      )}
      {settlement.failure !== undefined && <Fact name="Why it failed">{settlement.failure}</Fact>}
      <Fact name="Settlement">
        <CopyText text={settlement.id} />
      </Fact>
    </Facts>
  </>
)

/** Where the merchant's money may be sent: whoever knows that an address is wrong has until it is ready to say so. */
const OwnDestinations = () => {
  const { refetchInterval } = useLive()
  const { data = [] } = useQuery({ ...ownDestinations, refetchInterval })
  const inUse = data.filter(({ status }) => status !== 'retired')
  if (inUse.length === 0) return null
  return (
    <section className="panel destinations">
      <h2>Where your money may go</h2>
      <p className="quiet small">Ask the operator of the service at once about an address that you do not know.</p>
      <ul>
        {inUse.map(({ id, kind, address, label, status, readyAt }) => (
          <li key={id}>
            <span className="strong">{label}</span> <Badge tone={status === 'ready' ? 'good' : 'wait'}>{status}</Badge>
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
    drawer={(open, onClose, row) => (
      <SideDrawer
        isOpen={open !== undefined}
        onClose={onClose}
        title={row?.reference ?? 'Settlement'}
        query={{ data: row, error: null, refetch: () => Promise.reject(new Error('It is a row of the list.')) }}
      >
        {(settlement) => <Details settlement={settlement} />}
      </SideDrawer>
    )}
  >
    <OwnDestinations />
  </ListPage>
)
