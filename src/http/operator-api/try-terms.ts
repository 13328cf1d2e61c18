import { type Static, Type } from 'typebox'
import { paymentMethods } from '../../domain/payment-method.ts'
import { Refusal } from '../../domain/refusal.ts'
import { day } from '../../domain/time.ts'
import { merchantDirectory } from '../../merchants/merchant-directory.ts'
import { type EndedPayment, type TriedTerms, tryTerms } from '../../transfers/try-terms.ts'
import { Id, OneOf, PaymentStatus, Time, wireAmount } from '../fields.ts'
import { readBody } from '../read-body.ts'
import { routesForOperators } from '../routes.ts'
import { TermsBody, toTerms } from './terms.ts'

/** Longest span of a replay. */
const maxSpanMs = 31 * day
/** Most changed payments of an answer. */
const maxShown = 200

const End = Type.Object({ status: PaymentStatus, statusReason: Type.String(), creditedAmount: Type.Number() })
const Counts = Type.Record(Type.String(), Type.Integer(), { description: 'Payments by status.' })

const TriedTermsAnswer = Type.Object({
  transfers: Type.Integer({ description: 'Transfers that were played.' }),
  payments: Type.Integer({ description: 'Payments of the merchant by the method that were played.' }),
  truncated: Type.Boolean({ description: 'There were more than one replay accepts; the oldest were played.' }),
  now: Counts,
  tried: Counts,
  changed: Type.Array(Type.Object({ id: Id, orderId: Type.String(), currency: Type.String(), now: End, tried: End }), {
    description: 'The first 200 payments that would have ended otherwise.',
  }),
  changedCount: Type.Integer(),
})

/** What other terms would have made of past transfers. */
export type TriedTermsAnswer = Static<typeof TriedTermsAnswer>

const toEnd = ({ status, statusReason, credited }: EndedPayment, currency: string): Static<typeof End> => ({
  status,
  statusReason,
  creditedAmount: wireAmount(credited, currency),
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

/** What other terms would have made of past transfers. */
export const tryTermsRoute = routesForOperators().post('/merchants/:id/terms/:method/try', {
  id: 'tryTerms',
  summary: 'Show what other terms would have made of past transfers',
  description:
    'Plays the transfers of a span of at most 31 days again, with the terms that the payments have (`now`) and with these in place of some (`tried`). Changes nothing. Decisions of operators are left out, and so is which other requisite a payment would have found.',
  params: { id: Id, method: OneOf(paymentMethods) },
  body: { since: Time, until: Time, terms: TermsBody },
  answer: TriedTermsAnswer,
  handle: async (context, request) => {
    const { id: merchantId, method } = request.params
    const merchants = await context.catalog.get(merchantDirectory)
    if (!merchants.has(merchantId)) throw new Refusal('resource_not_found', 'There is no such merchant.')
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
