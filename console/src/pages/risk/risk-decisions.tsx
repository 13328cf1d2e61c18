import { Link } from '@tanstack/react-router'
import { type DecisionAnswer, risk } from '../../../../src/operations/risk.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Badge } from '../../parts/status-badge.tsx'
import { formatSpan } from '../../span.ts'
import { columnsOf } from '../../table/field-columns.tsx'
import { ListPage } from '../../table/list-page.tsx'
import { RiskTabs } from './risk-tabs.tsx'

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
    name: 'Why',
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
      <Badge tone={decision.outcome === 'refused' ? 'bad' : 'wait'}>{decision.outcome}</Badge>
      <span className="strong">{reasonOf(decision)}</span>
    </div>
    <Facts>
      <Fact name="Payment">
        <Link to="/payments" search={{ open: `${decision.merchantId}/${decision.paymentId}` }}>
          {decision.orderId ?? decision.paymentId}
        </Link>
      </Fact>
      <Fact name="Decided">
        <Moment at={decision.decidedAt} />
        <span className="quiet small">{places[decision.checkpoint]}</span>
      </Fact>
      <Fact name="By">
        <Link to={decision.rule === 'block' ? '/risk/blocks' : '/risk/rules'} search={{}}>
          a {decision.rule === 'block' ? 'block' : 'limit'} of a {decision.kind}
        </Link>
      </Fact>
      {Object.entries(decision.explanation).map(([name, value]) => (
        <Fact key={name} name={name}>
          {name.endsWith('Ms') && typeof value === 'number' ? formatSpan(value) : String(value)}
        </Fact>
      ))}
    </Facts>
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
