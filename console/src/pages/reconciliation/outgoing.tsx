import './reconciliation.css'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type OutgoingAnswer, OutgoingState, outgoing as outgoingMoney } from '../../../../src/operations/outgoing.ts'
import { outgoingTransfer } from '../../api/reconciliation.ts'
import { requisiteName } from '../../api/requisites.ts'
import { useLive } from '../../live.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Moment } from '../../parts/moment.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { SideDrawer } from '../../parts/side-drawer.tsx'
import { Badge, StatusBadge } from '../../parts/status-badge.tsx'
import { useMay } from '../../session.ts'
import { columnsOf } from '../../table/field-columns.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { BookOutgoing, ProposedPurpose, Proposals, UnbookOutgoing } from './book-outgoing.tsx'

const Amount = ({ outgoing }: { readonly outgoing: OutgoingAnswer }) => (
  <>
    {outgoing.givenBack ? '+' : '−'}
    <MoneyText amount={outgoing.amount} currency={outgoing.currency} />
  </>
)

const accountOf = ({ requisite, requisiteId }: OutgoingAnswer): string =>
  requisite === undefined ? requisiteId : requisiteName(requisite)

const { list } = outgoingMoney.operations

const columns = columnsOf<OutgoingAnswer>(list, [
  { field: 'bookedAt', rank: 0 },
  { name: 'Amount', width: 120, grows: 'content', align: 'end', rank: 0, cell: (row) => <Amount outgoing={row} /> },
  'state',
  { field: 'payeeName', name: 'To', second: 'payee' },
  {
    name: 'For',
    width: 120,
    cell: ({ state, purpose, proposals, proposedBy }) => {
      if (state === 'booked') return purpose
      return proposals.length > 0 || proposedBy !== undefined ? <Badge tone="live">proposal</Badge> : null
    },
  },
  { field: 'text', second: 'reason' },
  { field: 'requisiteId', name: 'Account' },
])

const Content = ({ outgoing }: { readonly outgoing: OutgoingAnswer }) => {
  const mayBook = useMay('reconcile')
  return (
    <>
      <div className="drawer-amount">
        <span className="strong">{outgoing.givenBack ? '+' : '−'}</span>
        <MoneyText amount={outgoing.amount} currency={outgoing.currency} bold />
        <StatusBadge of={OutgoingState} word={outgoing.state} />
        {outgoing.proposedBy === undefined && <span className="quiet">{outgoing.purpose}</span>}
      </div>
      <ProposedPurpose outgoing={outgoing} />
      {mayBook && outgoing.state === 'unexplained' && <BookOutgoing outgoing={outgoing} />}
      {mayBook && outgoing.state === 'booked' && outgoing.decidedBy !== 'service' && (
        <UnbookOutgoing outgoing={outgoing} />
      )}
      <Facts>
        <Fact name="From">{accountOf(outgoing)}</Fact>
        <Fact name="To">
          {outgoing.payeeName ?? <span className="quiet">unknown</span>}
          <span className="quiet small">{outgoing.payee}</span>
        </Fact>
        <Fact name="Booked">
          <Moment at={outgoing.bookedAt} />
        </Fact>
        <Fact name="Reported by">{outgoing.source}</Fact>
        {outgoing.bankReference !== undefined && <Fact name="Reference">{outgoing.bankReference}</Fact>}
        {outgoing.text !== undefined && <Fact name="Text">{outgoing.text}</Fact>}
        {outgoing.decidedBy !== undefined && (
          <Fact name="Decided">
            {outgoing.decidedBy.replaceAll('operator:', '')}
            <span className="quiet small">
              <Moment at={outgoing.decidedAt} /> {outgoing.reason}
            </span>
          </Fact>
        )}
      </Facts>
      {outgoing.proposals.length > 0 && (
        <section>
          <h2>What it may be</h2>
          <Proposals outgoing={outgoing} mayBook={mayBook} />
        </section>
      )}
    </>
  )
}

const OutgoingDrawer = ({ of, onClose }: { readonly of: string | undefined; readonly onClose: () => void }) => {
  const { refetchInterval } = useLive()
  const query = useQuery({ ...outgoingTransfer(of ?? ''), enabled: of !== undefined, refetchInterval })
  return (
    <SideDrawer isOpen={of !== undefined} onClose={onClose} title="Outgoing money" query={query}>
      {(outgoing) => <Content outgoing={outgoing} />}
    </SideDrawer>
  )
}

/** Outgoing money of the accounts, and what it was for. */
export const Outgoing = () => {
  return (
    <ListPage<OutgoingAnswer>
      title="Outgoing money"
      list={list}
      columns={columns}
      keyOf={({ requisiteId, id }) => `${requisiteId}/${id}`}
      filters={['state', 'purpose', 'requisiteId']}
      actions={
        <Button variant="default" component={Link} to="/reconciliation">
          Reconciliation
        </Button>
      }
      empty={
        <EmptyState title="No money has left">
          Statements report it. Known refunds are booked automatically; for the rest, say here what it was for: a fee, a
          settlement, own accounts.
        </EmptyState>
      }
      drawer={(open, onClose) => <OutgoingDrawer of={open} onClose={onClose} />}
    />
  )
}
