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
import type { Details } from '../../parts/side-drawer.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { SettledPayments } from './settled-payments.tsx'
import { SettlementActions } from './settlement-actions.tsx'
import { SettlementEntries } from './settlement-entries.tsx'
import { personName } from '../../parts/field-values.tsx'

type Props = { readonly settlement: SettlementWithEvents }

const words = { draft: 'Drafted', approved: 'Approved', paid: 'Paid out', failed: 'Failed' } as const

/** The steps of a settlement: those taken with who and when, those missing with who must take them. */
const Steps = ({ settlement: { events, status, secondPerson, draftedBy } }: Props) => {
  const way = status === 'failed' ? events.map((event) => event.status) : (['draft', 'approved', 'paid'] as const)
  return (
    <ol className="steps">
      {way.map((step) => {
        const event = events.find((each) => each.status === step)
        const isSecond = step === 'approved' && secondPerson
        return (
          <li key={step} className={event === undefined ? 'step missing' : 'step'}>
            <span className="step-mark">
              <Icon name={event === undefined ? 'minus' : 'check'} size={13} />
            </span>
            <span className="strong">{words[step]}</span>
            <span className="quiet small">
              {event !== undefined ? (
                <>
                  {personName(event.actor)} <Moment at={event.at} />
                </>
              ) : isSecond ? (
                `by somebody other than ${personName(draftedBy)}`
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
        {status === 'failed' && <SettlementEntries settlement={settlement} kind="release" />}
      </section>
      <SettledPayments settlement={settlement} />
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
