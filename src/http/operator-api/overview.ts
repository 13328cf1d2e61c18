import { type Static, Type } from '../../operations/schema.ts'
import { getWaiting } from '../../engine/attention/read.ts'
import { merchantModes } from '../../rules/merchants/merchant.ts'
import { paymentMethods } from '../../rules/values/payment-method.ts'
import { hourOf } from '../../rules/payments/payment-totals.ts'
import { refuseField } from '../../rules/refusal.ts'
import { successRate } from '../../rules/requisites/requisite-health.ts'
import { day, hour, type Instant } from '../../rules/time.ts'
import { getProfile } from '../../engine/merchants/merchant-directory.ts'
import { summarizePayments, type Totals } from '../../engine/payments/hours/read.ts'
import { BankCode, ExactSum, Id, readTime, Time, wire } from '../../operations/fields.ts'
import { bindNoun } from '../routes/bind-noun.ts'
import { overview } from '../../operations/overview.ts'
import { routesForOperators } from '../routes/routes.ts'

export const overviewRoute = bindNoun(overview, {
  today: async (context, { query: { mode = 'live' } }) => ({
    waiting: (await getWaiting(context, mode)).flatMap(({ kind, count, since, dueAt, amounts }) => {
      if (kind === 'part-paid' || count === 0) return []
      const money = amounts.map(({ currency, amount }) => ({ currency, amount: wire.sum(amount, currency) }))
      return wire.fields({ kind, count, since: wire.time(since), dueAt, amounts: money })
    }),
  }),
})

const mostDays = 32

const totals = {
  created: Type.Integer(),
  shown: Type.Whole('Those of which the payer saw where to pay.'),
  claimed: Type.Whole('Those of which the payer claimed to have paid, or money arrived.'),
  paid: Type.Whole('Those credited to their merchants.'),
  expired: Type.Whole('Those that were shown and expired without money.'),
  successRate: Type.Optional(
    Type.Number({ description: 'Paid payments as a share of paid and expired ones, 0 to 1.', examples: [0.83] }),
  ),
  credited: Type.Array(Type.Object({ currency: Type.String(), amount: ExactSum }), {
    description: 'Money credited for the paid ones, by currency.',
  }),
}

const PaymentSummaryAnswer = Type.Object({
  from: Time,
  to: Time,
  mode: Type.OneOf(merchantModes, 'Mode of the merchants whose payments these are.'),
  total: Type.Object(totals),
  medianMs: Type.Optional(Type.Whole('Median time from creation to credit, of the newest 10,000 that are paid.')),
  hours: Type.Array(Type.Object({ at: Time, ...totals }), {
    description: 'By hour of creation, oldest first; hours without payments are left out.',
  }),
  methods: Type.Array(Type.Object({ method: Type.OneOf(paymentMethods), ...totals }), {
    description: 'By method, most used first.',
  }),
  banks: Type.Array(Type.Object({ bank: BankCode, ...totals }), {
    description: "By the requisite's bank, most used first.",
  }),
})

/** The outcomes of the payments created in a period. */
export type PaymentSummaryAnswer = Static<typeof PaymentSummaryAnswer>

const readHour = (text: string, field: string): Instant => {
  const value = readTime(text, field)
  if (value !== hourOf(value)) throw refuseField('validation_failed', field, 'must be a whole hour, such as 09:00:00Z.')
  return value
}

const readPeriod = (query: { readonly from: string; readonly to?: string }, now: Instant) => {
  const from = readHour(query.from, 'from')
  const to = query.to === undefined ? hourOf(now) + hour : readHour(query.to, 'to')
  if (from >= to) throw refuseField('validation_failed', 'from', 'must be before to.')
  if (to - from > mostDays * day)
    throw refuseField('validation_failed', 'from', `is more than ${mostDays} days before to.`)
  return { from, to }
}

const wireTotals = ({ credited, ...counts }: Totals) => ({
  ...wire.fields({ ...counts, successRate: successRate({ ...counts, payments: counts.created }) }),
  credited: credited.map(({ currency, amount }) => ({ currency, amount: wire.sum(amount, currency) })),
})

export const paymentSummaryRoute = routesForOperators().get('/overview/payments', 'read', {
  id: 'summarizePayments',
  summary: 'Show the outcomes of the payments created in a period, by hour, method and bank',
  description: `Counts the payments in their current state. The times are whole hours, at most ${mostDays} days apart.`,
  query: {
    from: { ...Time, description: 'Start of the period, inclusive.' },
    to: Type.Optional(Time, 'End of the period, exclusive. Default: the end of this hour.'),
    merchantId: Type.Optional(Id, 'Only payments of this merchant.'),
    mode: Type.Optional(
      Type.OneOf(
        merchantModes,
        'Only payments of merchants in this mode. Default: `live`, or `sandbox` if there are only sandbox merchants.',
      ),
    ),
  },
  answer: PaymentSummaryAnswer,
  refusals: ['resource_not_found'],
  handle: async (context, { query }) => {
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
