import './reconciliation.css'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { outgoingPurposes, outgoingStates, type OutgoingState } from '../../../../src/rules/transfers/outgoing.ts'
import type { OutgoingAnswer } from '../../../../src/operations/outgoing.ts'
import { outgoingTransfer } from '../../api/reconciliation.ts'
import { requisiteChoices, requisiteName } from '../../api/requisites.ts'
import { useLive } from '../../live.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Moment } from '../../parts/moment.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { SideDrawer } from '../../parts/side-drawer.tsx'
import { Badge, type Tone } from '../../parts/status-badge.tsx'
import { useMay } from '../../session.ts'
import type { Column } from '../../table/data-table.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { BookOutgoing, ProposedPurpose, Proposals, UnbookOutgoing } from './book-outgoing.tsx'

const tones: Readonly<Record<OutgoingState, Tone>> = {
  unexplained: 'wait',
  booked: 'good',
  duplicate: 'over',
  withdrawn: 'over',
}

const Amount = ({ outgoing }: { readonly outgoing: OutgoingAnswer }) => (
  <>
    {outgoing.givenBack ? '+' : '−'}
    <MoneyText amount={outgoing.amount} currency={outgoing.currency} />
  </>
)

const accountOf = ({ requisite, requisiteId }: OutgoingAnswer): string =>
  requisite === undefined ? requisiteId : requisiteName(requisite)

const columns: readonly Column<OutgoingAnswer>[] = [
  { name: 'Booked', width: 118, cell: ({ bookedAt }) => <Moment at={bookedAt} /> },
  { name: 'Amount', width: 120, grows: 'content', align: 'end', cell: (outgoing) => <Amount outgoing={outgoing} /> },
  { name: 'State', width: 110, rank: 460, cell: ({ state }) => <Badge tone={tones[state]}>{state}</Badge> },
  {
    name: 'For',
    width: 120,
    rank: 700,
    cell: ({ state, purpose, proposals, proposedBy }) => {
      if (state === 'booked') return purpose
      return proposals.length > 0 || proposedBy !== undefined ? <Badge tone="live">proposal</Badge> : null
    },
  },
  {
    name: 'To',
    width: 110,
    grows: 1,
    rank: 560,
    cell: ({ payeeName, payee }) => (
      <>
        {payeeName ?? payee}
        {payeeName !== undefined && <span className="second">{payee}</span>}
      </>
    ),
  },
  { name: 'Text', width: 120, grows: 1.4, rank: 860, cell: ({ text, reason }) => text ?? reason },
  { name: 'Account', width: 130, grows: 1, rank: 1040, cell: accountOf },
]

const Content = ({ outgoing }: { readonly outgoing: OutgoingAnswer }) => {
  const mayBook = useMay('reconcile')
  return (
    <>
      <div className="drawer-amount">
        <span className="strong">{outgoing.givenBack ? '+' : '−'}</span>
        <MoneyText amount={outgoing.amount} currency={outgoing.currency} bold />
        <Badge tone={tones[outgoing.state]}>{outgoing.state}</Badge>
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
  const { data = [] } = useQuery(requisiteChoices)
  return (
    <ListPage<OutgoingAnswer>
      title="Outgoing money"
      path="/outgoing"
      rowsName="outgoing"
      columns={columns}
      keyOf={({ requisiteId, id }) => `${requisiteId}/${id}`}
      filters={[
        { name: 'state', label: 'Any state', options: outgoingStates, width: 140 },
        { name: 'purpose', label: 'Any purpose', options: outgoingPurposes, width: 150 },
        {
          name: 'requisiteId',
          label: 'Any requisite',
          options: data.map((each) => ({ value: each.id, label: requisiteName(each) })),
          searchable: true,
          width: 220,
        },
      ]}
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
