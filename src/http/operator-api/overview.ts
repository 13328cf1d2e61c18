import { getWaiting } from '../../engine/attention/read.ts'
import { hourOf } from '../../rules/payments/payment-totals.ts'
import { refuseField } from '../../rules/refusal.ts'
import { successRate } from '../../rules/requisites/requisite-health.ts'
import { day, hour, type Instant } from '../../rules/time.ts'
import { getProfile } from '../../engine/merchants/merchant-directory.ts'
import { summarizePayments, type Totals } from '../../engine/payments/hours/read.ts'
import { readTime, wire } from '../../operations/fields.ts'
import { bindNoun } from '../routes/bind-noun.ts'
import { overview } from '../../operations/overview.ts'
import { mostDays, paymentSummary } from '../../operations/payment-summary.ts'

export const overviewRoute = bindNoun(overview, {
  today: async (context, { query: { mode = 'live' } }) => ({
    waiting: (await getWaiting(context, mode)).flatMap(({ kind, count, since, dueAt, amounts }) => {
      if (kind === 'part-paid' || count === 0) return []
      const money = amounts.map(({ currency, amount }) => ({ currency, amount: wire.sum(amount, currency) }))
      return wire.fields({ kind, count, since: wire.time(since), dueAt, amounts: money })
    }),
  }),
})

const readPeriod = (query: { readonly from?: string; readonly to?: string }, now: Instant) => {
  const from = hourOf(query.from === undefined ? now - day : readTime(query.from, 'from'))
  const to = query.to === undefined ? hourOf(now) + hour : hourOf(readTime(query.to, 'to'))
  if (from >= to) throw refuseField('validation_failed', 'from', 'must be before to.')
  if (to - from > mostDays * day)
    throw refuseField('validation_failed', 'from', `is more than ${mostDays} days before to.`)
  return { from, to }
}

const wireTotals = ({ credited, ...counts }: Totals) => ({
  ...wire.fields({ ...counts, successRate: successRate({ ...counts, payments: counts.created }) }),
  credited: credited.map(({ currency, amount }) => ({ currency, amount: wire.sum(amount, currency) })),
})

/** The outcomes of the payments of a period. */
export const paymentSummaryRoute = bindNoun(paymentSummary, {
  summary: async (context, { query }) => {
    const { merchantId = null, mode = null } = query
    const wanted = { ...readPeriod(query, context.clock()), merchantId, mode }
    if (merchantId !== null) await getProfile(context, merchantId)
    const { total, medianMs, hours, methods, banks, ...shown } = await summarizePayments(context, wanted)
    return {
      ...{ from: wire.time(wanted.from), to: wire.time(wanted.to), mode: shown.mode, total: wireTotals(total) },
      ...wire.fields({ medianMs }),
      hours: hours.map(({ at, ...each }) => ({ at: wire.time(at), ...wireTotals(each) })),
      methods: methods.map(({ method, ...each }) => ({ method, ...wireTotals(each) })),
      banks: banks.map(({ bank, ...each }) => ({ bank, ...wireTotals(each) })),
    }
  },
})
