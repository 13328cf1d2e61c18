import type { TProperties, TUnsafe } from 'typebox'
import { noFeeCap } from '../rules/merchants/fee.ts'
import { defaultTerms, equalAmounts, type MismatchPolicy, termsBounds } from '../rules/merchants/merchant.ts'
import { fastMethod, paymentMethods } from '../rules/values/payment-method.ts'
import { PositiveAmount, idOf, ofAnyMerchant, ofMerchant } from './fields.ts'
import { type Noun, operation } from './operation.ts'
import { type FieldKind, type Forms, inColumns, presented, type Static, Type } from './schema.ts'

const policies: readonly MismatchPolicy[] = ['credit-received', 'review']

const bounded = (name: keyof typeof termsBounds, kind: FieldKind, description: string) => {
  const [minimum, maximum] = termsBounds[name]
  const examples = [Number(defaultTerms(fastMethod)[name])]
  const schema = Type.Bounded(Number(minimum), Number(maximum), { description, examples })
  return presented(schema, { kind })
}

/** A policy that may be left out; `absent` is what then applies. */
const policy = <T extends string>(words: readonly T[], absent: string, heading: string, description: string) =>
  Type.OneOf(words, { description, absent, heading })

const fields = {
  timeToPayMs: bounded('timeToPayMs', 'span', 'Time to pay.'),
  graceMs: bounded('graceMs', 'span', 'How long after the time to pay the bank may book the money.'),
  lateWindowMs: bounded(
    'lateWindowMs',
    'span',
    'How long after the grace the exact amount is still credited; default: 1 hour, by account transfer 24 hours. By account transfer, Saturdays and Sundays (UTC) do not count.',
  ),
  confirmDeadlineMs: bounded(
    'confirmDeadlineMs',
    'span',
    'How long a payment waits for its money after "I have paid".',
  ),
  coolDownMs: bounded('coolDownMs', 'span', 'How long the slot of a paid payment stays closed to other payments.'),
  toleranceMinor: bounded(
    'toleranceMinor',
    'minor',
    'Difference that still counts as right; at most 2 % of the amount of a payment.',
  ),
  mismatchPolicy: Type.OneOf(policies, {
    description: 'What to do with money that differs by more than the tolerance.',
    heading: 'Mismatch',
  }),
  mismatchBoundPpm: bounded(
    'mismatchBoundPpm',
    'percent',
    'How far the money may be from the missing amount, in millionths of the amount; beyond that it waits in the inbox.',
  ),
  creditCapPpm: bounded(
    'creditCapPpm',
    'percent',
    'The most that a payment is credited without a person, in millionths of its amount; more waits in the inbox.',
  ),
  'underpaidPolicy?': policy(
    policies,
    'as a mismatch',
    'Underpaid',
    'The same for too little money; default: `mismatchPolicy`.',
  ),
  'overpaidPolicy?': policy(
    policies,
    'as a mismatch',
    'Overpaid',
    'The same for too much money; default: `mismatchPolicy`.',
  ),
  'partialPolicy?': policy(
    ['add-up', 'review'],
    'add-up',
    'Partial',
    'What to do with part of the money while there is time: `add-up` (default) waits for the rest.',
  ),
  'latePolicy?': policy(
    ['credit', 'review'],
    'credit',
    'Late',
    'What to do with the exact amount inside the late window; default: `credit`.',
  ),
  'ratePolicy?': policy(
    ['worse', 'locked'],
    'worse',
    'Rate of late and further money',
    'The rate of money that exceeds the amount or comes late: the worse of the locked and the current one (default), or the locked one.',
  ),
  'paidAgainPolicy?': policy(
    ['overpayment', 'review'],
    'overpayment',
    'Paid again',
    'What to do with further money for a credited payment: `overpayment` (default) owes it to the payer.',
  ),
  'payoutPolicy?': policy(
    ['all', 'proven'],
    'all',
    'Payout',
    'Which credits settlements pay out: `all` of them (default), or only `proven` ones, whose money a statement or a feed has reported and not only a message on a phone.',
  ),
  'refundFee?': policy(
    ['kept', 'returned'],
    'kept',
    'Fee of refunds',
    'Whether the service keeps the fee of what the merchant refunds (`kept`, default), or returns its part (`returned`).',
  ),
  'equalAmounts?': policy(
    equalAmounts,
    'share if staged',
    'Equal amounts',
    'Whether payments of one amount may wait on the same requisite if no other is free; default: `share` for staged payments, `refuse` for direct ones.',
  ),
  feePpm: bounded('feePpm', 'percent', 'Fee of the credited amount, in millionths of it, before the fixed part.'),
  feeFixedMicro: bounded('feeFixedMicro', 'quote', 'Fixed part of the fee, in millionths of the quote currency.'),
  feeMinMicro: bounded('feeMinMicro', 'quote', 'The whole fee is at least this, in millionths of the quote currency.'),
  feeMaxMicro: bounded(
    'feeMaxMicro',
    'quote',
    `The whole fee is at most this, in millionths of the quote currency; default: ${noFeeCap}.`,
  ),
}

export const TermsAnswer = Type.Titled('Terms', fields)
export type TermsAnswer = Static<typeof TermsAnswer>

/** A fee plan in one line, such as `1.25 % + 0.5, at least 1, at most 20`. */
const describeFee = ({ feePpm, feeFixedMicro, feeMinMicro, feeMaxMicro }: TermsAnswer, { quote }: Forms): string =>
  [
    `${feePpm / 10_000} %${feeFixedMicro > 0 ? ` + ${quote(feeFixedMicro)}` : ''}`,
    ...(feeMinMicro > 0 ? [`at least ${quote(feeMinMicro)}`] : []),
    ...(feeMaxMicro < noFeeCap ? [`at most ${quote(feeMaxMicro)}`] : []),
  ].join(', ')

export const TermsTable = {
  terms: inColumns(Type.Rows('', { method: Type.String({ kind: 'word' }), ...fields }), [
    'method',
    { heading: 'Fee', show: describeFee },
    ...(['timeToPayMs', 'graceMs', 'lateWindowMs', 'confirmDeadlineMs', 'toleranceMinor', 'mismatchPolicy'] as const),
  ]),
}

/** What is left out stays; `null` follows the default. */
export type TermsChange = { readonly [Name in keyof TermsAnswer]?: TermsAnswer[Name] | null }

const changes = Object.entries(TermsAnswer.properties).map(([name, schema]) => [`${name}?`, Type.OrNull(schema)])

const TermsBody = Type.Exact(Object.fromEntries(changes) as TProperties, {
  title: 'TermsChange',
  examples: [{ timeToPayMs: 1_800_000, feePpm: 10_000, feeMaxMicro: null }],
}) as unknown as TUnsafe<TermsChange>

const options = {
  confirmDeadlineMs: '--confirm-within',
  mismatchPolicy: '--mismatch',
  underpaidPolicy: '--underpaid',
  overpaidPolicy: '--overpaid',
  partialPolicy: '--partial',
  latePolicy: '--late',
  ratePolicy: '--rate',
  paidAgainPolicy: '--paid-again',
  payoutPolicy: '--payout',
  refundFee: '--refund-fee',
}

const params = {
  id: idOf('merchant'),
  method: Type.OneOf(paymentMethods, 'The payment method that the terms are for.'),
}

export const merchantTerms = {
  about: 'Windows, tolerance, policies and fee of a merchant, by method.',
  examples: [
    'payin terms set "Demo Shop" sbp --time-to-pay 15m --late-window 6h --fee 1.25 --fee-fixed 0.1 --fee-max 20',
    'payin terms set "Demo Shop" card-to-card --payout proven',
  ],
  operations: {
    set: operation('PATCH /merchants/{id}/terms/{method}', 'configure', {
      id: 'setTerms',
      summary: "Set a merchant's terms for a method",
      description:
        'Omitted terms stay as they are, and `null` follows the default; existing payments keep their terms.',
      params,
      body: TermsBody,
      answer: { ...ofMerchant, method: Type.OneOf(paymentMethods), terms: TermsAnswer },
      command: { options },
    }),
  },
} satisfies Noun<unknown>

const LimitsAnswer = Type.Titled('CurrencyLimits', {
  ...ofAnyMerchant('Absent: they apply to every merchant without its own limits.', 'all others'),
  currency: Type.String(),
  min: Type.Number({ heading: 'Smallest' }),
  max: Type.Number({ heading: 'Largest' }),
})
export type LimitsAnswer = Static<typeof LimitsAnswer>

export const limits = {
  about: "Bounds of a payment's amount, by currency.",
  examples: [
    'payin limits set rub --min 100 --max 300000',
    'payin limits set rub --min 10 --max 1000 --merchant "Demo Shop"',
  ],
  operations: {
    set: operation('PUT /limits/{currency}', 'configure', {
      id: 'setLimits',
      summary: "Set the bounds of a payment's amount in a currency",
      description: 'For every merchant, or for one; setting them also makes the currency supported.',
      body: Type.Exact(
        {
          min: { ...PositiveAmount, description: 'Smallest amount.' },
          max: { ...PositiveAmount, description: 'Largest amount.' },
          'merchantId?': presented(
            idOf('merchant'),
            'Only for this merchant. Default: every merchant without its own limits.',
          ),
        },
        { examples: [{ min: 100, max: 300000 }] },
      ),
      answer: LimitsAnswer,
    }),
    list: operation('GET /limits', 'read', {
      id: 'listLimits',
      summary: 'List the limits that are set',
      description: 'The smallest and largest amount of a payment by currency, and where set, by merchant.',
      answer: { limits: Type.Array(LimitsAnswer) },
      exports: 'limits',
      command: {
        columns: ['currency', 'min', 'max', 'merchantId'],
        empty: 'No limits yet, so no currency is supported. Set some: payin limits set rub --min 100 --max 300000',
      },
    }),
  },
} satisfies Noun<unknown>
