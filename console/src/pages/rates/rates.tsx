import { SegmentedControl, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { day } from '../../../../src/rules/time.ts'
import type { RateSourceAnswer } from '../../../../src/operations/rate-sources.ts'
import type { RateAnswer } from '../../../../src/operations/rates.ts'
import { demoRateSource } from '../../../../src/rules/money/rate.ts'
import { rateHistory, rates } from '../../api/rates.ts'
import { useLive, useLiveQuery } from '../../live.ts'
import { CsvButton } from '../../parts/csv-button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { LineChart } from '../../parts/line-chart.tsx'
import { Moment } from '../../parts/moment.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { Badge, type Tone } from '../../parts/status-badge.tsx'
import { useMay } from '../../session.ts'
import { useNow } from '../../time.ts'
import { Limits } from './limits.tsx'
import { EndOverride, HeldPrice, Override } from './rate-actions.tsx'
import { ProposedRate } from './proposed-rate.tsx'
import { RateBadge } from './rate-badge.tsx'
import { AddRateSource, RateSourceActs } from './rate-source-acts.tsx'
import './rates.css'
import { language, say } from '../../language.ts'
import { formatNumber } from '../../money.ts'

const route = getRouteApi('/inside/rates')

const spans = { '1d': day, '7d': 7 * day, '31d': 31 * day }
type Span = keyof typeof spans

const percent = (ppm: number): string => `${formatNumber(ppm / 10_000)} %`

const stateOf = (source: RateSourceAnswer, now: number): readonly [string, Tone] => {
  if (!source.enabled) return ['off', 'over']
  if (source.heldPrice !== undefined) return ['waits for you', 'bad']
  if (source.failingSince !== undefined) return ['failing', 'bad']
  if (source.pricedAt === undefined) return ['no price yet', 'wait']
  return now - Date.parse(source.pricedAt) > source.maxAgeMs ? ['too old', 'wait'] : ['working', 'good']
}

const Source = ({ source }: { readonly source: RateSourceAnswer }) => {
  const [state, tone] = stateOf(source, useNow())
  const mayDecide = useMay('account')
  const mayChange = useMay('configure')
  return (
    <li className="card-line">
      <span>
        <span className="quiet figures">{source.rank}</span> <span className="strong">{source.name}</span>{' '}
        <Badge tone={tone}>{state}</Badge>
        <span className="second-line quiet small">
          {say(source.kind)} · spread {percent(source.spreadPpm)} · steps up to {percent(source.maxStepPpm)}
          {source.pricedAt !== undefined && (
            <>
              {' '}
              · priced <Moment at={source.pricedAt} show="relative" />
            </>
          )}
          {source.lastError !== undefined && source.failingSince !== undefined && <> · {source.lastError}</>}
        </span>
      </span>
      <span className="rate-side">
        <span className="figures strong">{source.price === undefined ? '–' : formatNumber(source.price)}</span>
        {source.heldPrice !== undefined && mayDecide && <HeldPrice source={source} />}
        {mayChange && <RateSourceActs source={source} />}
      </span>
    </li>
  )
}

const History = ({ currency, within }: { readonly currency: string; readonly within: Span }) => {
  const now = useNow()
  const { refetchInterval } = useLive()
  const { data } = useQuery({
    ...rateHistory(currency, within),
    refetchInterval: refetchInterval && refetchInterval * 6,
  })
  if (data === undefined) return <Skeleton height={160} role="status" aria-label="Loading" />
  return (
    <LineChart
      label={`1 USDT in ${currency.toUpperCase()}`}
      points={data.points.map(({ at, price, source }) => ({ at: Date.parse(at), value: price, note: source }))}
      from={now - spans[within]}
      until={now}
      format={(value) => value.toLocaleString(language, { maximumFractionDigits: 4 })}
    />
  )
}

const Currency = ({ rate, within }: { readonly rate: RateAnswer; readonly within: Span }) => {
  const { data } = useQuery(rates)
  const maySet = useMay('account')
  const { currency } = rate
  const override = data?.overrides.find((each) => each.currency === currency)
  const sources = data?.sources.filter((each) => each.currency === currency) ?? []
  return (
    <section className="panel rate" aria-label={currency.toUpperCase()}>
      <header className="rate-head">
        <span>
          <span className="rate-price">{formatNumber(rate.price)}</span>{' '}
          <span className="currency">{currency.toUpperCase()} for 1 USDT</span>
        </span>
        <RateBadge rate={rate} />
        <span className="quiet small">
          {rate.source}, <Moment at={rate.createdAt} show="relative" />
          {rate.validUntil !== undefined && (
            <>
              , until <Moment at={rate.validUntil} />
            </>
          )}
        </span>
        {maySet && (
          <span className="rate-acts">
            <Override currency={currency} price={rate.price} />
            {override !== undefined && <EndOverride currency={currency} hasSources={sources.length > 0} />}
          </span>
        )}
      </header>
      {rate.usable && rate.source === demoRateSource && (
        <p className="late">
          An invented price for the sandbox: payments of live merchants in {currency.toUpperCase()} are refused until
          you set a rate.
        </p>
      )}
      {!rate.usable && (
        <p className="late">New payments in {currency.toUpperCase()} are refused until there is a rate.</p>
      )}
      {override !== undefined && (
        <p className="override">
          Overridden by {override.setBy} until <Moment at={override.endsAt} />: {override.reason}
        </p>
      )}
      <History currency={currency} within={within} />
      {sources.length === 0 ? (
        <p className="quiet small">
          {rate.validUntil === undefined
            ? 'No source sets it: it stays until somebody sets another.'
            : 'No source renews it: it expires unless somebody sets another before.'}
        </p>
      ) : (
        <ul>
          {sources.map((source) => (
            <Source key={source.id} source={source} />
          ))}
        </ul>
      )}
    </section>
  )
}

/** The rates with their sources and overrides, how they have moved, and the limits of amounts. */
export const Rates = () => {
  const { within: wanted } = route.useSearch()
  const within: Span = wanted === '7d' || wanted === '31d' ? wanted : '1d'
  const navigate = useNavigate({ from: '/rates' })
  const mayAdd = useMay('configure')
  const { data, error, refetch } = useLiveQuery(rates)
  return (
    <>
      <PageHead title="Rates and limits" about="Locked into each payment when it is created">
        {mayAdd && <AddRateSource />}
        <CsvButton path="/rates" />
        <SegmentedControl
          aria-label="Span of the charts"
          data={[
            { value: '1d', label: 'Day' },
            { value: '7d', label: 'Week' },
            { value: '31d', label: 'Month' },
          ]}
          value={within}
          onChange={(chosen) =>
            void navigate({ search: () => ({ within: chosen === '1d' ? undefined : chosen }), replace: true })
          }
        />
      </PageHead>
      {error !== null && data === undefined && <ProblemMessage error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton height={260} radius={10} role="status" aria-label="Loading" />}
      {data?.rates.length === 0 && (
        <EmptyState title="No rates yet">
          A payment needs the rate of its currency, unless its merchant is credited in that. Add a source, or set a
          rate: <code>payin rates set rub 92.5</code>
        </EmptyState>
      )}
      {data?.proposals.map((proposal) => (
        <ProposedRate key={proposal.currency} proposal={proposal} />
      ))}
      <div className="rates">
        {data?.rates.map((rate) => (
          <Currency key={rate.currency} rate={rate} within={within} />
        ))}
      </div>
      <Limits />
    </>
  )
}
