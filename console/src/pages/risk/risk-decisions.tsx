import { Link } from '@tanstack/react-router'
import { DecisionAnswer, risk } from '../../../../src/operations/risk.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { FieldFacts } from '../../parts/field-facts.tsx'
import { paymentFact } from '../../parts/payment-link.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { formatSpan } from '../../span.ts'
import { columnsOf } from '../../table/field-columns.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { RiskTabs } from './risk-tabs.tsx'
import { say } from '../../language.ts'

const places = { create: 'when it was created', page: 'on the payer’s page', transfer: 'when the money came' } as const

/** The reason in a few words: what was found and what is allowed. */
const reasonOf = ({ rule, explanation }: DecisionAnswer): string => {
  const { reason, count, maxCount, windowMs, currency } = explanation
  const span = typeof windowMs === 'number' ? ` within ${formatSpan(windowMs)}` : ''
  if (rule === 'velocity' && count !== undefined) return `${count} payments${span}, ${maxCount} are allowed: ${reason}`
  if (rule === 'velocity') return `more ${String(currency ?? '')} than allowed${span}: ${reason}`
  return `blocked: ${String(reason ?? '')}`
}

const { decisions } = risk.operations

const columns = columnsOf<DecisionAnswer>(decisions, [
  { field: 'orderId', isStrong: true, second: 'merchantName' },
  { field: 'outcome', rank: 0 },
  {
    name: 'Reason',
    width: 180,
    grows: 3,
    cell: (row) => (
      <>
        {reasonOf(row)}
        <span className="second">
          {row.kind}, {places[row.checkpoint]}
        </span>
      </>
    ),
  },
  { field: 'decidedAt', name: 'When' },
])

const Details = ({ decision }: { readonly decision: DecisionAnswer }) => (
  <>
    <div className="drawer-amount">
      <StatusBadge of={DecisionAnswer.properties.outcome} word={decision.outcome} />
      <span className="strong">{reasonOf(decision)}</span>
    </div>
    <FieldFacts
      of={DecisionAnswer}
      value={decision}
      facts={[
        paymentFact,
        { field: 'decidedAt', name: 'Decided', second: ({ checkpoint }) => places[checkpoint] },
        {
          name: 'By',
          cell: ({ rule, kind }) => (
            <Link to={rule === 'block' ? '/risk/blocks' : '/risk/rules'} search={{}}>
              a {rule === 'block' ? 'block' : 'limit'} of a {say(kind)}
            </Link>
          ),
        },
        ...Object.entries(decision.explanation).map(([name, value]) => ({
          name,
          cell: () => (name.endsWith('Ms') && typeof value === 'number' ? formatSpan(value) : String(value)),
        })),
      ]}
    />
    <p className="quiet small">
      {decision.outcome === 'refused'
        ? 'The payment failed with the reason “risk”. Neither the merchant nor the payer learns the rule.'
        : 'The money has come and is credited: check the payment and decide about the payer.'}
    </p>
  </>
)

/** What was decided about payers, and why. */
export const RiskDecisions = () => {
  return (
    <ListPage<DecisionAnswer>
      title="Risk"
      list={decisions}
      columns={columns}
      keyOf={({ id }) => id}
      filters={['merchantId']}
      empty={
        <EmptyState title="Nobody was refused">
          A payer who is blocked, or who exceeds a limit, is refused before money moves; money from a blocked number is
          credited and flagged. Each such decision is listed here with its reason.
        </EmptyState>
      }
      details={{ title: ({ orderId = 'Decision' }) => orderId, content: (decision) => <Details decision={decision} /> }}
      tabs={<RiskTabs />}
    />
  )
}
