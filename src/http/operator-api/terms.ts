import { type Static, Type } from '../../operations/schema.ts'
import { noFeeCap } from '../../rules/merchants/fee.ts'
import {
  defaultTerms,
  equalAmounts,
  type MismatchPolicy,
  termAmounts,
  type Terms,
  termsBounds,
} from '../../rules/merchants/merchant.ts'
import { fastMethod, paymentMethods } from '../../rules/values/payment-method.ts'
import { day } from '../../rules/time.ts'
import { setLimits, setTerms } from '../../engine/merchants/merchant.ts'
import { type EndedPayment, type TriedTerms, tryTerms } from '../../engine/transfers/try-terms.ts'
import { getProfile } from '../../engine/merchants/merchant-directory.ts'
import { actOnBehalf } from '../act-on-behalf.ts'
import { Id, PaymentStatus, PositiveAmount, Time, wire } from '../../operations/fields.ts'
import { readBody } from '../read-body.ts'
import { amountRefusals } from '../../operations/operator-fields.ts'
import { routesForOperators } from '../routes.ts'
import { listLimits } from '../../engine/merchants/read.ts'
import { CurrencyParams, ofAnyMerchant } from '../../operations/operator-fields.ts'

const policies: readonly MismatchPolicy[] = ['credit-received', 'review']

const bounded = (name: keyof typeof termsBounds, description: string) => {
  const [minimum, maximum] = termsBounds[name]
  const examples = [Number(defaultTerms(fastMethod)[name])]
  return Type.Integer({ minimum: Number(minimum), maximum: Number(maximum), description, examples })
}

const fields = {
  timeToPayMs: bounded('timeToPayMs', 'Time to pay.'),
  graceMs: bounded('graceMs', 'How long after the time to pay the bank may book the money.'),
  lateWindowMs: bounded(
    'lateWindowMs',
    'How long after the grace the exact amount is still credited; default: 1 hour, by account transfer 24 hours. By account transfer, Saturdays and Sundays (UTC) do not count.',
  ),
  confirmDeadlineMs: bounded('confirmDeadlineMs', 'How long a payment waits for its money after "I have paid".'),
  coolDownMs: bounded('coolDownMs', 'How long the slot of a paid payment stays closed to other payments.'),
  toleranceMinor: bounded(
    'toleranceMinor',
    'Difference in minor units that still counts as right; at most 2 % of the amount of a payment.',
  ),
  mismatchPolicy: Type.OneOf(policies, 'What to do with money that differs by more than the tolerance.'),
  mismatchBoundPpm: bounded(
    'mismatchBoundPpm',
    'How far the money may be from the missing amount, in millionths of the amount; beyond that it waits in the inbox.',
  ),
  creditCapPpm: bounded(
    'creditCapPpm',
    'The most that a payment is credited without a person, in millionths of its amount; more waits in the inbox.',
  ),
  underpaidPolicy: Type.Optional(Type.OneOf(policies, 'The same for too little money; default: `mismatchPolicy`.')),
  overpaidPolicy: Type.Optional(Type.OneOf(policies, 'The same for too much money; default: `mismatchPolicy`.')),
  partialPolicy: Type.Optional(
    Type.OneOf(
      ['add-up', 'review'],
      'What to do with part of the money while there is time: `add-up` (default) waits for the rest.',
    ),
  ),
  latePolicy: Type.Optional(
    Type.OneOf(['credit', 'review'], 'What to do with the exact amount inside the late window; default: `credit`.'),
  ),
  ratePolicy: Type.Optional(
    Type.OneOf(
      ['worse', 'locked'],
      'The rate of money that exceeds the amount or comes late: the worse of the locked and the current one (default), or the locked one.',
    ),
  ),
  paidAgainPolicy: Type.Optional(
    Type.OneOf(
      ['overpayment', 'review'],
      'What to do with further money for a credited payment: `overpayment` (default) owes it to the payer.',
    ),
  ),
  equalAmounts: Type.Optional(
    Type.OneOf(
      equalAmounts,
      'Whether payments of one amount may wait on the same requisite if no other is free; default: `share` for staged payments, `refuse` for direct ones.',
    ),
  ),
  feePpm: bounded('feePpm', 'Fee in millionths of the credited amount, before the fixed part.'),
  feeFixedMicro: bounded('feeFixedMicro', 'Fixed part of the fee, in millionths of USDT.'),
  feeMinMicro: bounded('feeMinMicro', 'The whole fee is at least this, in millionths of USDT.'),
  feeMaxMicro: bounded(
    'feeMaxMicro',
    `The whole fee is at most this, in millionths of USDT; ${noFeeCap} means no limit.`,
  ),
}

/** Schema of the terms of a method, complete. */
export const TermsAnswer = Type.Object(fields, { title: 'Terms' })

export type TermsAnswer = Static<typeof TermsAnswer>

// What is left out follows the defaults.
const TermsBody = Type.Partial(Type.Object(fields), {
  title: 'TermsChange',
  additionalProperties: false,
  examples: [{ timeToPayMs: 1_800_000, feePpm: 10_000 }],
})

/** The wire form of terms. Their amounts have at most 15 digits, which JSON numbers hold exactly. */
export const toTermsAnswer = (terms: Terms): TermsAnswer => {
  const amounts = termAmounts.map((name) => [name, Number(terms[name])])
  return { ...terms, ...Object.fromEntries(amounts) } as TermsAnswer
}

const toTerms = (body: Static<typeof TermsBody>): Partial<Terms> => {
  const amounts = termAmounts.flatMap((name) => (body[name] === undefined ? [] : [[name, BigInt(body[name])]]))
  return { ...body, ...Object.fromEntries(amounts) } as Partial<Terms>
}

/** A merchant's terms for a method, and a replay of past transfers with other terms. */
export const termsRoutes = routesForOperators()

termsRoutes.put('/merchants/:id/terms/:method', 'configure', {
  id: 'setTerms',
  summary: "Set a merchant's terms for a method",
  description:
    'Replaces all earlier terms of the method; omitted fields follow the defaults. Existing payments keep their terms.',
  params: { id: Id, method: Type.OneOf(paymentMethods, 'The payment method that the terms are for.') },
  body: TermsBody,
  answer: { merchantId: Type.String(), method: Type.OneOf(paymentMethods), terms: TermsAnswer },
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const { id, method } = request.params
    const terms = toTerms(request.body)
    const act = { action: 'terms.set', subject: `merchant:${id}`, details: { method, terms: request.body } }
    await actOnBehalf(context, request, (tx) => setTerms(tx, id, method, terms), act)
    return { merchantId: id, method, terms: toTermsAnswer({ ...defaultTerms(method), ...terms }) }
  },
})

/** Longest span of a replay. */
const maxSpanMs = 31 * day
/** Most changed payments in a response. */
const maxShown = 200

const End = Type.Object({ status: PaymentStatus, statusReason: Type.String(), creditedAmount: Type.Number() })
const Counts = Type.Record(Type.String(), Type.Integer(), { description: 'Payments by status.' })

const TriedTermsAnswer = Type.Object({
  transfers: Type.Whole('Transfers that were replayed.'),
  payments: Type.Whole('Payments of the merchant with this method that were replayed.'),
  truncated: Type.Flag('Whether there were more than one replay accepts; only the oldest were replayed.'),
  now: Counts,
  tried: Counts,
  changed: Type.Array(Type.Object({ id: Id, orderId: Type.String(), currency: Type.String(), now: End, tried: End }), {
    description: 'The first 200 payments that would have ended differently.',
  }),
  changedCount: Type.Integer(),
})

/** The result of replaying past transfers with other terms. */
export type TriedTermsAnswer = Static<typeof TriedTermsAnswer>

const toEnd = ({ status, statusReason, credited }: EndedPayment, currency: string): Static<typeof End> => ({
  status,
  statusReason,
  creditedAmount: wire.amount(credited, currency),
})

const toAnswer = ({ transfers, payments, truncated, totals, changed }: TriedTerms): TriedTermsAnswer => ({
  transfers,
  payments,
  truncated,
  now: { ...totals.now },
  tried: { ...totals.tried },
  changed: changed.slice(0, maxShown).map(({ payment, now, tried }) => ({
    id: payment.id,
    orderId: payment.orderId,
    currency: payment.currency,
    now: toEnd(now, payment.currency),
    tried: toEnd(tried, payment.currency),
  })),
  changedCount: changed.length,
})

termsRoutes.post('/merchants/:id/terms/:method/try', 'read', {
  id: 'tryTerms',
  summary: 'Replay past transfers with other terms',
  description:
    'Matches the transfers of a span of at most 31 days again: with the terms that the payments have (`now`), and with these terms replacing some of them (`tried`). Changes nothing. Decisions of operators are ignored, and each payment keeps its requisite.',
  params: { id: Id, method: Type.OneOf(paymentMethods, 'The payment method that the terms are for.') },
  body: { since: Time, until: Time, terms: TermsBody },
  answer: TriedTermsAnswer,
  refusals: [...amountRefusals, 'resource_not_found'],
  handle: async (context, request) => {
    const { id: merchantId, method } = request.params
    await getProfile(context, merchantId)
    const span = readBody((read) => {
      const since = read.instant(request.body.since, 'since')
      const until = read.instant(request.body.until, 'until')
      if (until <= since || until - since > maxSpanMs)
        read.wrong('until', 'must be later than since, by at most 31 days.')
      return { since, until }
    })
    return toAnswer(await tryTerms(context, { merchantId, method, ...span, terms: toTerms(request.body.terms) }))
  },
})

const LimitsAnswer = Type.Titled('CurrencyLimits', {
  ...ofAnyMerchant('Absent: they apply to every merchant without its own limits.'),
  currency: Type.String(),
  min: Type.Number(),
  max: Type.Number(),
})

/** Bounds of a payment's amount in a currency. */
export type LimitsAnswer = Static<typeof LimitsAnswer>

/** Bounds of a payment's amount. */
export const limitRoutes = routesForOperators()

limitRoutes.put('/limits/:currency', 'configure', {
  id: 'setLimits',
  summary: "Set the bounds of a payment's amount in a currency",
  description: 'Setting limits also makes the currency supported.',
  params: CurrencyParams,
  body: Type.Exact(
    {
      min: PositiveAmount,
      max: PositiveAmount,
      merchantId: Type.Optional(Id, 'Only for this merchant.'),
    },
    { examples: [{ min: 100, max: 300000 }] },
  ),
  answer: LimitsAnswer,
  refusals: [...amountRefusals, 'resource_not_found'],
  handle: async (context, request) => {
    const { currency } = request.params
    const { merchantId, ...bounds } = request.body
    const { min, max } = readBody((read) => ({
      min: read.amount(request.body, 'min', currency),
      max: read.amount(request.body, 'max', currency),
    }))
    const act = { action: 'limits.set', subject: `currency:${currency}`, details: request.body }
    await actOnBehalf(context, request, (tx) => setLimits(tx, merchantId ?? null, { currency, min, max }), act)
    return { ...(merchantId === undefined ? {} : { merchantId }), currency, ...bounds }
  },
})

limitRoutes.get('/limits', 'read', {
  id: 'listLimits',
  summary: 'List the limits that are set',
  description: 'The smallest and largest amount of a payment by currency, and where set, by merchant.',
  answer: { limits: Type.Array(LimitsAnswer) },
  exports: 'limits',
  handle: async (context) => ({
    limits: (await listLimits(context)).map(({ merchantId, currency, min, max }) => ({
      ...(merchantId === null ? {} : { merchantId }),
      currency,
      min: wire.amount(min, currency),
      max: wire.amount(max, currency),
    })),
  }),
})
