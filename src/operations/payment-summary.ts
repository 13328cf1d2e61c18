import { merchantModes } from '../rules/merchants/merchant.ts'
import { paymentMethods } from '../rules/values/payment-method.ts'
import { BankCode, ExactSum, Time, idOf } from './fields.ts'
import { operation } from './operation.ts'
import { inColumns, type Static, presented, Type } from './schema.ts'

export const mostDays = 32

const totals = {
  created: Type.Integer(),
  shown: Type.Whole('Those whose payer saw where to pay.'),
  claimed: Type.Whole('Those whose payer claimed to have paid, or for which money arrived.'),
  paid: Type.Whole('Those credited to their merchants.'),
  expired: Type.Whole('Those that were shown and expired without money.'),
  'successRate?': Type.Number({
    description: 'Paid payments as a share of paid and expired ones, 0 to 1.',
    examples: [0.83],
  }),
  credited: Type.Rows('Money credited for the paid ones, by currency.', { currency: Type.String(), amount: ExactSum }),
}

const PaymentSummaryAnswer = Type.Object({
  from: Time,
  to: Time,
  mode: Type.OneOf(merchantModes, 'Mode of the merchants whose payments these are.'),
  total: Type.Object(totals),
  'medianMs?': Type.Whole('Median time from creation to credit, of the newest 10,000 that are paid.'),
  hours: Type.Rows('By hour of creation, oldest first; hours without payments are left out.', { at: Time, ...totals }),
  methods: Type.Rows('By method, most used first.', { method: Type.OneOf(paymentMethods), ...totals }),
  banks: Type.Rows("By the requisite's bank, most used first.", { bank: BankCode, ...totals }),
})
export type PaymentSummaryAnswer = Static<typeof PaymentSummaryAnswer>

type Totals = PaymentSummaryAnswer['total']

const totalColumns = [
  ...(['created', 'shown', 'claimed', 'paid', 'expired'] as const),
  {
    heading: 'Success',
    show: ({ successRate }: Totals) => (successRate === undefined ? undefined : `${(successRate * 100).toFixed(1)} %`),
    kind: 'number',
  },
  {
    heading: 'Credited',
    show: ({ credited }: Totals) => credited.map(({ amount, currency }) => `${amount} ${currency}`).join('\n'),
    kind: 'number',
  },
] as const

export const OutcomeTables = {
  total: inColumns(Type.Array(Type.Object(totals)), totalColumns),
  methods: inColumns(PaymentSummaryAnswer.properties.methods, ['method', ...totalColumns]),
  banks: inColumns(PaymentSummaryAnswer.properties.banks, ['bank', ...totalColumns]),
}

export const paymentSummary = {
  summary: operation('GET /overview/payments', 'read', {
    id: 'summarizePayments',
    summary: 'Show the outcomes of the payments created in a period, by hour, method and bank',
    description: `Counts the payments in their current state. The times are rounded down to whole hours, at most ${mostDays} days apart.`,
    query: {
      'from?': presented(Time, 'Start of the period, inclusive. Default: 24 hours ago.'),
      'to?': presented(Time, 'End of the period, exclusive. Default: the end of this hour.'),
      'merchantId?': presented(idOf('merchant'), 'Only payments of this merchant.'),
      'mode?': Type.OneOf(
        merchantModes,
        'Only payments of merchants in this mode. Default: `live`, or `sandbox` if there are only sandbox merchants.',
      ),
    },
    answer: PaymentSummaryAnswer,
    refusals: ['resource_not_found'],
    command: { about: 'Show the outcomes of the payments of a period, by method and bank of the requisite.' },
  }),
}
