import {
  SettlementAnswer,
  SettlementStatus,
  type SettlementWithEvents,
} from '../../../../src/operations/settlements.ts'
import { settlement as readSettlement } from '../../api/settlements.ts'
import { FieldFacts } from '../../parts/field-facts.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Moment } from '../../parts/moment.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { PaymentLink } from '../../parts/payment-link.tsx'
import type { Details } from '../../parts/side-drawer.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { SettledPayments } from '../../parts/settled-payments.tsx'
import { SettlementActions } from './settlement-actions.tsx'
import { SettlementEntries } from './settlement-entries.tsx'
import { personName } from '../../parts/field-values.tsx'

type Props = { readonly settlement: SettlementWithEvents }

const words = {
  requested: 'Asked for',
  draft: 'Drafted',
  approved: 'Approved',
  paid: 'Paid out',
  failed: 'Failed',
  canceled: 'Canceled',
} as const

/** The steps on its way, those to come as well; or, if it has ended, those that were taken, each once. */
const wayOf = ({ events, status, requestedBy, secondPerson }: SettlementWithEvents) => {
  if (status === 'failed' || status === 'canceled')
    return [...new Set(events.map((event) => event.status))].filter((step) => step !== 'paid')
  const beginning = requestedBy === undefined ? (['draft'] as const) : (['requested'] as const)
  const taken = requestedBy !== undefined && secondPerson ? (['draft'] as const) : []
  return [...beginning, ...taken, 'approved', 'paid'] as const
}

/** The steps of a settlement: those taken with who and when, those missing with who must take them. */
const Steps = ({ settlement }: Props) => {
  const { events, status, secondPerson, requestedBy, draftedBy } = settlement
  return (
    <ol className="steps">
      {wayOf(settlement).map((step) => {
        // Outgoing money that paid it may have been unbooked.
        const isTaken = step !== 'paid' || status === 'paid'
        const event = isTaken ? events.findLast((each) => each.status === step) : undefined
        const otherThan = step === 'approved' && secondPerson ? draftedBy : undefined
        return (
          <li key={step} className={event === undefined ? 'step missing' : 'step'}>
            <span className="step-mark">
              <Icon name={event === undefined ? 'minus' : 'check'} size={13} />
            </span>
            <span className="strong">{step === 'draft' && requestedBy !== undefined ? 'Taken up' : words[step]}</span>
            <span className="quiet small">
              {event !== undefined ? (
                <>
                  {personName(event.actor)} <Moment at={event.at} />
                </>
              ) : otherThan !== undefined ? (
                `by somebody other than ${personName(otherThan)}`
              ) : (
                'not yet'
              )}
            </span>
          </li>
        )
      })}
    </ol>
  )
}

const Content = ({ settlement }: Props) => {
  const { status } = settlement
  return (
    <>
      <div className="drawer-amount">
        <MoneyText amount={settlement.amount} currency={settlement.currency} bold />
        <StatusBadge of={SettlementStatus} word={status} />
      </div>
      <SettlementActions settlement={settlement} />
      <Steps settlement={settlement} />
      <FieldFacts
        of={SettlementAnswer}
        value={settlement}
        without={['reference', 'status', 'amount', 'secondPerson']}
      />
      <section>
        <h2>Ledger</h2>
        <SettlementEntries settlement={settlement} kind="hold" />
        {status === 'paid' && <SettlementEntries settlement={settlement} kind="payout" />}
        {(status === 'failed' || status === 'canceled') && <SettlementEntries settlement={settlement} kind="release" />}
      </section>
      <SettledPayments
        at={`/settlements/${settlement.merchantId}/${settlement.id}/entries`}
        linkOf={({ paymentId = '', orderId }) => (
          <PaymentLink merchantId={settlement.merchantId} paymentId={paymentId} orderId={orderId} />
        )}
      />
    </>
  )
}

/** A settlement at the side of the list. */
export const settlementDetails: Details<SettlementWithEvents> = {
  read: readSettlement,
  name: 'Settlement',
  title: ({ reference }) => reference,
  content: (data) => <Content settlement={data} />,
}
