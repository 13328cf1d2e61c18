import { Select, SegmentedControl, Skeleton } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import type { PaymentSummaryAnswer } from '../../../../src/operations/payment-summary.ts'
import { api, type Query } from '../../api/client.ts'
import { merchants } from '../../api/merchants.ts'
import { useLiveQuery } from '../../live.ts'
import { BarChart } from '../../parts/bar-chart.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { Breakdown } from './breakdown.tsx'
import { Funnel } from './funnel.tsx'
import { NeedsAttention } from './needs-attention.tsx'
import { PaymentTiles } from './payment-tiles.tsx'
import { type Period, periods, periodStart, type Step, stepsOf } from './period.ts'
import './overview.css'
import { language, say } from '../../language.ts'

const route = getRouteApi('/inside/')

const periodNames: Readonly<Record<Period, string>> = { '1d': 'Today', '7d': '7 days', '30d': '30 days' }
const isPeriod = (text: string | undefined): text is Period => text !== undefined && Object.hasOwn(periods, text)

/**
 * Whose payments are summed up: those of one merchant, or of all sandbox merchants. Default: what the service chooses.
 */
const scopeOf = (of: string | undefined): Query =>
  of === undefined ? {} : of === 'sandbox' ? { mode: of } : { merchantId: of }

const describeStep =
  (steps: readonly Step[], all: string) =>
  (index: number | undefined): string => {
    const step = index === undefined ? undefined : steps[index]
    if (step === undefined) return all
    return `${step.title}: ${step.created.toLocaleString(language)} created, ${step.paid.toLocaleString(language)} paid`
  }

const Figures = ({ summary, period, filters }: { summary: PaymentSummaryAnswer; period: Period; filters: Query }) => {
  const steps = stepsOf(summary.hours, period)
  const { created, paid } = summary.total
  return (
    <>
      <PaymentTiles summary={summary} steps={steps} filters={filters} />
      <div className="overview-panels">
        <section className="panel overview-panel" aria-labelledby="by-time">
          <header className="overview-head">
            <h3 id="by-time">{period === '1d' ? 'By the hour' : 'By the day'} of creation</h3>
            <span className="legend small">
              <span className="legend-part">paid</span> <span className="legend-whole">created</span>
            </span>
          </header>
          <BarChart
            label={`Payments created and paid, ${periodNames[period]}`}
            bars={steps.map((step) => ({ name: step.name, whole: step.created, part: step.paid }))}
            describe={describeStep(
              steps,
              `${created.toLocaleString(language)} created, ${paid.toLocaleString(language)} of them paid`,
            )}
          />
        </section>
        <Funnel total={summary.total} />
        <Breakdown
          title="By method"
          first="Method"
          rows={summary.methods.map((row) => ({
            ...row,
            key: say(row.method),
            filters: { ...filters, method: row.method },
          }))}
        />
        <Breakdown
          title="By bank"
          first="Bank"
          rows={summary.banks.map((row) => ({ ...row, key: row.bank, filters: { ...filters, bank: row.bank } }))}
        />
      </div>
    </>
  )
}

const NoPayments = ({ hasMerchants, hasFilters }: { readonly hasMerchants: boolean; readonly hasFilters: boolean }) => {
  if (hasFilters)
    return (
      <EmptyState title="No payments in this time">
        Choose a longer period above. A payment counts when it is created, whenever its money comes.
      </EmptyState>
    )
  return (
    <EmptyState title="Your first payment will be here">
      <ol className="first-steps">
        <li>
          {hasMerchants ? 'There is a merchant: ' : 'Add a merchant: '}
          <Link to="/merchants">{hasMerchants ? 'give its server a token' : 'the shop that asks for payments'}</Link>.
        </li>
        <li>
          Add <Link to="/requisites">requisites</Link>, the accounts to which payers pay, one by one or from a CSV file.
        </li>
        <li>
          See that there is a <Link to="/rates">rate</Link> for their currency.
        </li>
        <li>
          The shop creates a payment. Its money is matched when you drop a bank's file into{' '}
          <Link to="/statements">Statements</Link>, or a feed brings it.
        </li>
      </ol>
    </EmptyState>
  )
}

const Payments = () => {
  const search = route.useSearch()
  const navigate = useNavigate()
  const { data: known = [] } = useQuery(merchants)
  const period = isPeriod(search['within']) ? search['within'] : '1d'
  const scope = scopeOf(search['of'])
  const from = periodStart(period)
  const { data, error, refetch } = useLiveQuery({
    queryKey: ['payments', 'summary', from, scope],
    queryFn: () => api.get<PaymentSummaryAnswer>('/overview/payments', { from, ...scope }),
    placeholderData: keepPreviousData,
  })
  const change = (changed: Query) =>
    void navigate({ to: '/', search: (before: Query) => ({ ...before, ...changed }), replace: true })
  const filters: Query = { within: period, merchantId: scope['merchantId'] }
  const hasBoth = new Set(known.map(({ mode }) => mode)).size > 1
  return (
    <section aria-labelledby="payments">
      <header className="overview-head">
        <h2 id="payments">Payments{data?.mode === 'sandbox' && <span className="quiet"> of the sandbox</span>}</h2>
        <span className="overview-choices">
          {known.length > 1 && (
            <Select
              aria-label="Merchant"
              placeholder={hasBoth ? 'All live merchants' : 'All merchants'}
              w={180}
              data={[
                ...(hasBoth ? [{ value: 'sandbox', label: 'All of the sandbox' }] : []),
                ...known.map(({ id, name }) => ({ value: id, label: name })),
              ]}
              searchable
              clearable
              value={search['of'] ?? null}
              onChange={(of) => change({ of: of ?? undefined })}
            />
          )}
          <SegmentedControl
            aria-label="Time"
            size="xs"
            data={Object.entries(periodNames).map(([value, label]) => ({ value, label }))}
            value={period}
            onChange={(within) => change({ within: within === '1d' ? undefined : within })}
          />
        </span>
      </header>
      {error !== null && <ProblemMessage error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton height={320} radius={10} role="status" aria-label="Loading" />}
      {data?.total.created === 0 && (
        <div className="panel">
          <NoPayments hasMerchants={known.length > 0} hasFilters={period !== '30d'} />
        </div>
      )}
      {data !== undefined && data.total.created > 0 && <Figures summary={data} period={period} filters={filters} />}
    </section>
  )
}

/** What waits for people, and how business is going. */
export const Overview = () => (
  <>
    <PageHead title="Overview" />
    <div className="overview">
      <NeedsAttention />
      <Payments />
    </div>
  </>
)
