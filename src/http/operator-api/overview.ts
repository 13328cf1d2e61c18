import { getWaiting } from '../../engine/attention/read.ts'
import { hourOf } from '../../rules/payments/payment-totals.ts'
import { refuseField } from '../../rules/refusal.ts'
import { successRate } from '../../rules/requisites/requisite-health.ts'
import { day, hour, type Instant } from '../../rules/time.ts'
import { getProfile } from '../../engine/merchants/merchant-directory.ts'
import { summarizePayments, type Totals } from '../../engine/payments/hours/read.ts'
import { readTime } from '../../operations/fields.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { overview } from '../../operations/overview.ts'
import { mostDays, paymentSummary } from '../../operations/payment-summary.ts'

export const overviewRoute = bindOperations(overview, {
  today: async (context, { query: { mode = 'live' } }) => ({
    waiting: (await getWaiting(context, mode)).flatMap(({ kind, ...each }) =>
      kind === 'part-paid' || each.count === 0 ? [] : { kind, ...each },
    ),
  }),
})

const readPeriod = (query: { readonly from?: string; readonly to?: string }, now: Instant) => {
  const from = hourOf(query.from === undefined ? now - day : readTime(query.from, 'from'))
  const to = query.to === undefined ? hourOf(now) + hour : hourOf(readTime(query.to, 'to'))
  if (from >= to) throw refuseField('from', 'must be before to.')
  if (to - from > mostDays * day) throw refuseField('from', `is more than ${mostDays} days before to.`)
  return { from, to }
}

const withRate = <Row extends Totals>(row: Row) => ({
  ...row,
  successRate: successRate({ ...row, payments: row.created }),
})

/** The outcomes of the payments of a period. */
export const paymentSummaryRoute = bindOperations(paymentSummary, {
  summary: async (context, { query }) => {
    const { merchantId = null, mode = null } = query
    const wanted = { ...readPeriod(query, context.clock()), merchantId, mode }
    if (merchantId !== null) await getProfile(context, merchantId)
    const { total, hours, methods, banks, ...shown } = await summarizePayments(context, wanted)
    return {
      ...{ ...shown, from: wanted.from, to: wanted.to, total: withRate(total) },
      ...{ hours: hours.map(withRate), methods: methods.map(withRate), banks: banks.map(withRate) },
    }
  },
})
