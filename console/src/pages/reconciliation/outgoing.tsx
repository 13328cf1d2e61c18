import './reconciliation.css'
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { OutgoingAnswer, OutgoingState, outgoing as outgoingMoney } from '../../../../src/operations/outgoing.ts'
import { outgoingTransfer } from '../../api/reconciliation.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { FieldFacts } from '../../parts/field-facts.tsx'
import { Moment } from '../../parts/moment.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { Badge, StatusBadge } from '../../parts/status-badge.tsx'
import { useMay } from '../../session.ts'
import { columnsOf } from '../../table/field-columns.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { BookOutgoing, ProposedPurpose, Proposals, UnbookOutgoing } from './book-outgoing.tsx'
import { personName } from '../../parts/field-values.tsx'
import { say } from '../../language.ts'

const Amount = ({ outgoing }: { readonly outgoing: OutgoingAnswer }) => (
  <>
    {outgoing.givenBack ? '+' : '−'}
    <MoneyText amount={outgoing.amount} currency={outgoing.currency} />
  </>
)

const { list } = outgoingMoney.operations

/** Who reported it: a file of the bank, which opens, or a feed. */
const Source = ({ source }: Pick<OutgoingAnswer, 'source'>) => {
  const [, id] = /^statement:(.+)$/.exec(source) ?? []
  if (id === undefined) return source
  return (
    <Link to="/statements/$id" params={{ id }} search={{}}>
      the bank’s file
    </Link>
  )
}

const booked = {
  name: 'Booked',
  cell: ({ bookedAt, bookedOn }: OutgoingAnswer) => <Moment at={bookedAt} day={bookedOn} />,
}

const columns = columnsOf<OutgoingAnswer>(list, [
  { ...booked, width: 110, rank: 2 },
  { name: 'Amount', width: 120, grows: 'content', align: 'end', rank: 0, cell: (row) => <Amount outgoing={row} /> },
  { field: 'state', width: 150, rank: 1 },
  {
    ...({ field: 'payeeName', name: 'To', rank: 0 } as const),
    second: ({ payee, text }, isShown) => (isShown('Text') ? payee : text),
  },
  {
    name: 'For',
    width: 120,
    rank: 3,
    cell: ({ state, purpose, proposals, proposedBy }) => {
      if (state === 'booked') return purpose && say(purpose)
      return proposals.length > 0 || proposedBy !== undefined ? <Badge tone="live">proposal</Badge> : null
    },
  },
  { field: 'text', second: 'reason', rank: 3 },
  { field: 'requisiteId', name: 'Account', rank: 4 },
])

const Content = ({ outgoing }: { readonly outgoing: OutgoingAnswer }) => {
  const mayBook = useMay('reconcile')
  return (
    <>
      <div className="drawer-amount">
        <span className="strong">{outgoing.givenBack ? '+' : '−'}</span>
        <MoneyText amount={outgoing.amount} currency={outgoing.currency} bold />
        <StatusBadge of={OutgoingState} word={outgoing.state} />
        {outgoing.proposedBy === undefined && (
          <span className="quiet">{outgoing.purpose && say(outgoing.purpose)}</span>
        )}
      </div>
      <ProposedPurpose outgoing={outgoing} />
      {mayBook && outgoing.state === 'unexplained' && <BookOutgoing outgoing={outgoing} />}
      {mayBook && outgoing.state === 'booked' && outgoing.decidedBy !== 'service' && (
        <UnbookOutgoing outgoing={outgoing} />
      )}
      <FieldFacts
        of={OutgoingAnswer}
        value={outgoing}
        facts={[
          { field: 'requisiteId', name: 'From' },
          { field: 'payeeName', name: 'To', second: 'payee' },
          booked,
          { name: 'Reported by', cell: ({ source }) => <Source source={source} /> },
          { field: 'bankReference', name: 'Reference' },
          'text',
          {
            ...({ field: 'decidedAt', name: 'Decided' } as const),
            second: ({ decidedBy, reason }) => [personName(decidedBy), reason].filter(Boolean).join(': ') || undefined,
          },
        ]}
      />
      {outgoing.proposals.length > 0 && (
        <section>
          <h2>What it may be</h2>
          <Proposals outgoing={outgoing} mayBook={mayBook} />
        </section>
      )}
    </>
  )
}

/** Outgoing money of the accounts, and what it was for. */
export const Outgoing = () => {
  return (
    <ListPage<OutgoingAnswer, OutgoingAnswer>
      title="Outgoing money"
      list={list}
      columns={columns}
      keyOf={({ requisiteId, id }) => `${requisiteId}/${id}`}
      filters={['state', 'purpose', 'requisiteId']}
      actions={
        <>
          <Button variant="default" component={Link} to="/outgoing/rules">
            Rules
          </Button>
          <Button variant="default" component={Link} to="/reconciliation">
            Reconciliation
          </Button>
        </>
      }
      empty={
        <EmptyState title="No money has left">
          Statements report it. Known refunds are booked automatically; for the rest, say here what it was for: a fee, a
          settlement, own accounts.
        </EmptyState>
      }
      details={{
        read: outgoingTransfer,
        name: 'Outgoing money',
        title: () => 'Outgoing money',
        content: (outgoing) => <Content outgoing={outgoing} />,
      }}
    />
  )
}
