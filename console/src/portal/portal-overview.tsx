import { Skeleton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Static } from 'typebox'
import type { PaymentDetails } from '../../../src/operations/payments.ts'
import { api, type Query } from '../api/client.ts'
import { own, ownBalance, ownCount, ownEndpoints } from '../api/portal.ts'
import { useLiveQuery } from '../live.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { MoneyText } from '../parts/money-text.tsx'
import { Moment } from '../parts/moment.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { PaymentBadge, type Tone } from '../parts/status-badge.tsx'
import { fromWithin } from '../table/within.ts'
import './portal.css'
import { language } from '../language.ts'

type Counted = { readonly title: string; readonly filters: Query; readonly why?: string; readonly tone?: Tone }

const today: readonly Counted[] = [
  { title: 'Created', filters: { within: '24h' } },
  { title: 'Paid', filters: { within: '24h', status: 'paid' } },
  { title: 'Waiting for money', filters: { within: '24h', status: 'new' } },
  { title: 'Expired', filters: { within: '24h', status: 'expired' } },
]

const attention: readonly Counted[] = [
  {
    title: 'Not acknowledged',
    why: 'Paid, but not acknowledged by your shop.',
    filters: { acknowledged: 'false' },
    tone: 'wait',
  },
  {
    title: 'In dispute',
    why: 'Add a receipt: it helps the operator decide.',
    filters: { status: 'disput' },
    tone: 'bad',
  },
]

const useCount = (filters: Query): string | undefined => {
  const { data } = useLiveQuery(ownCount(fromWithin(filters)))
  return data === undefined
    ? undefined
    : data === null
      ? '–'
      : `${data.matching.toLocaleString(language)}${data.isExact ? '' : '+'}`
}

const Tile = ({ title, filters }: Counted) => {
  const count = useCount(filters)
  return (
    <li>
      <Link className="tile panel" to="/portal/payments" search={filters}>
        <span className="tile-name">{title}</span>
        <span className="tile-value">{count ?? <Skeleton height={28} width={48} />}</span>
      </Link>
    </li>
  )
}

const Attention = ({ title, why, filters, tone }: Counted) => {
  const count = useCount(filters)
  if (count === undefined || count === '0') return null
  return (
    <li>
      <Link className={`attention panel tone-${tone}`} to="/portal/payments" search={filters}>
        <span className="tile-value">{count}</span>
        <span>
          <span className="strong">{title}</span>
          <span className="quiet small attention-why">{why}</span>
        </span>
      </Link>
    </li>
  )
}

const FailingEndpoints = () => {
  const { data = [] } = useLiveQuery(ownEndpoints)
  return data
    .filter(({ enabled, failingSince }) => !enabled || failingSince !== undefined)
    .map(({ id, url, enabled, failingSince }) => (
      <li key={id}>
        <Link className="attention panel tone-bad" to="/portal/notifications/$endpointId" params={{ endpointId: id }}>
          <span>
            <span className="strong">{enabled ? 'Notifications fail' : 'Notifications are off'}</span>
            <span className="quiet small attention-why">
              {url}
              {failingSince !== undefined && (
                <>
                  , since <Moment at={failingSince} show="relative" />
                </>
              )}
            </span>
          </span>
        </Link>
      </li>
    ))
}

const Money = () => {
  const { data, error, refetch } = useLiveQuery(ownBalance)
  if (error !== null && data === undefined) return <ProblemMessage error={error} onRetry={() => void refetch()} />
  return (
    <Link className="tile panel tile-wide" to="/portal/balance">
      <span className="tile-name">Available</span>
      <span className="tile-value">
        {data === undefined ? (
          <Skeleton height={28} width={120} />
        ) : (
          <MoneyText amount={data.available} currency={data.currency} />
        )}
      </span>
      {data?.others?.map(({ currency, available }) => (
        <span key={currency} className="tile-value">
          <MoneyText amount={available} currency={currency} />
        </span>
      ))}
      {data !== undefined && data.held > 0 && (
        <span className="quiet small">
          and <MoneyText amount={data.held} currency={data.currency} /> on its way to you
        </span>
      )}
    </Link>
  )
}

const Latest = () => {
  const { data, error, refetch } = useLiveQuery({
    queryKey: ['payments', 'latest'],
    queryFn: () => api.get<{ payments: Static<typeof PaymentDetails>[] }>(own('/payments'), { limit: '8' }),
  })
  if (error !== null && data === undefined) return <ProblemMessage error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton height={200} radius={10} role="status" aria-label="Loading" />
  if (data.payments.length === 0)
    return (
      <div className="panel">
        {' '}
        <EmptyState title="No payments yet">
          Your shop creates them with its access token. The first one appears here within a second.
        </EmptyState>
      </div>
    )
  return (
    <ul className="latest panel">
      {data.payments.map(({ id, orderId, amount, currency, status, createdAt }) => (
        <li key={id}>
          <Link to="/portal/payments" search={{ open: orderId }}>
            <span className="strong cut">{orderId}</span>
            <span className="quiet small latest-time">
              <Moment at={createdAt} show="relative" />
            </span>
            <MoneyText amount={amount} currency={currency} />
            <PaymentBadge status={status} />
          </Link>
        </li>
      ))}
    </ul>
  )
}

/** The merchant's day: its balance, today's payments, and what needs its attention. */
export const PortalOverview = () => (
  <>
    <PageHead title="Overview" about="The last 24 hours" />
    <ul className="attention-list" aria-label="Needs attention">
      {attention.map((each) => (
        <Attention key={each.title} {...each} />
      ))}
      <FailingEndpoints />
    </ul>
    <div className="tiles">
      <Money />
      <ul className="tile-row" aria-label="Payments of the last 24 hours">
        {today.map((each) => (
          <Tile key={each.title} {...each} />
        ))}
      </ul>
    </div>
    <h2 className="section-title">Latest payments</h2>
    <Latest />
  </>
)
