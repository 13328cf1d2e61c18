import './portal.css'
import type { Static } from 'typebox'
import { settlementStatuses } from '../../../src/rules/money/settlement.ts'
import { SettlementDetails, SettlementStatus } from '../../../src/operations/settlements.ts'
import { Link } from '@tanstack/react-router'
import { own, ownActs } from '../api/portal.ts'
import { ActButton } from '../parts/act-button.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { FieldFacts } from '../parts/field-facts.tsx'
import { MoneyText } from '../parts/money-text.tsx'
import { SettledPayments } from '../parts/settled-payments.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { columnsOf } from '../table/field-columns.tsx'
import { ListPage } from '../table/list-page.tsx'
import { useScope } from '../session.ts'
import { AskForSettlement } from './ask-for-settlement.tsx'
import { OwnDestinations } from './own-destinations.tsx'

type OwnSettlement = Static<typeof SettlementDetails>

const columns = columnsOf<OwnSettlement>(SettlementDetails, [
  { field: 'reference', isStrong: true, second: 'createdAt' },
  { field: 'destination', name: 'To', rank: 3 },
  { field: 'amount', rank: 0, whenNarrow: 'status' },
  { field: 'status', rank: 2 },
  'changedAt',
])

const Cancel = ({ settlement: { id, reference, status, requestedBy } }: { readonly settlement: OwnSettlement }) => {
  const mayCancel =
    useScope('settlements:write') && (status === 'requested' || (status === 'draft' && requestedBy !== undefined))
  if (!mayCancel) return null
  return (
    <div className="drawer-actions portal-actions">
      <ActButton
        text="Cancel the settlement…"
        title={`Cancel ${reference}?`}
        confirm="Cancel the settlement"
        run={() => ownActs.cancelSettlement(id)}
        changes={['settlements', 'balance']}
        done={`${reference} is canceled`}
      >
        <p>Its amount is available again.</p>
      </ActButton>
    </div>
  )
}

const Details = ({ settlement }: { readonly settlement: OwnSettlement }) => (
  <>
    <div className="drawer-amount">
      <MoneyText amount={settlement.amount} currency={settlement.currency} bold />
      <StatusBadge of={SettlementStatus} word={settlement.status} />
    </div>
    <Cancel settlement={settlement} />
    <FieldFacts
      of={SettlementDetails}
      value={settlement}
      facts={[
        { field: 'destination', name: 'To' },
        'requestedBy',
        { field: 'createdAt', name: 'Created' },
        { field: 'changedAt', name: 'Changed' },
        'externalReference',
        { field: 'failure', name: 'Why it failed' },
        { field: 'id', name: 'Settlement' },
      ]}
    />
    <SettledPayments
      at={own(`/settlements/${settlement.id}/entries`)}
      linkOf={({ orderId }) => (
        <Link to="/portal/payments" search={{ open: orderId }}>
          {orderId}
        </Link>
      )}
    />
  </>
)

/** Payouts to the merchant, paid and in progress. */
export const OwnSettlements = () => {
  const mayAsk = useScope('settlements:write')
  return (
    <ListPage<OwnSettlement>
      title="Settlements"
      path={own('/settlements')}
      rowsName="settlements"
      columns={columns}
      keyOf={({ id }) => id}
      actions={mayAsk && <AskForSettlement />}
      filters={[{ name: 'status', label: 'Any status', options: settlementStatuses, width: 132 }]}
      empty={
        <EmptyState title="Nothing was paid out yet">
          Ask for a settlement, and the operator of the service pays out your balance to one of your destinations. Each
          settlement is here from its beginning, and shows when it is paid.
        </EmptyState>
      }
      details={{ title: ({ reference }) => reference, content: (settlement) => <Details settlement={settlement} /> }}
    >
      <OwnDestinations />
    </ListPage>
  )
}
