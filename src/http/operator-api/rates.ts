import { type Static, Type } from 'typebox'
import { isRateUsable, type Rate, rateBandPercent } from '../../domain/rate.ts'
import { day, second } from '../../domain/time.ts'
import { currentRates, listRateHistory } from '../../merchants/rates/rate.ts'
import { setRateByHand } from '../../merchants/rates/sources/source.ts'
import { OneOf, PrintableText, Time, Titled, wirePrice, wireTime } from '../fields.ts'
import { CurrencyParams } from './operator-fields.ts'
import { actOnBehalf } from '../act-on-behalf.ts'
import { readBody } from '../read-body.ts'
import { routesForOperators } from '../routes.ts'

const RateAnswer = Titled('Rate', {
  currency: Type.String(),
  price: Type.Number({ description: 'Price of 1 USDT in the currency.', examples: [92.5] }),
  source: Type.String(),
  createdAt: Time,
  validUntil: Type.Optional({ ...Time, description: 'Absent: until the next one.' }),
  usable: Type.Boolean({ description: 'Whether new payments use it now.' }),
})

/** The current rate of a currency. */
export type RateAnswer = Static<typeof RateAnswer>

const toAnswer = (rate: Rate, now: number): RateAnswer => ({
  currency: rate.currency,
  price: wirePrice(rate.price),
  source: rate.source,
  createdAt: wireTime(rate.createdAt),
  ...(rate.validUntil === null ? {} : { validUntil: wireTime(rate.validUntil) }),
  usable: isRateUsable(rate, now),
})

/** Rates. */
export const rateRoutes = routesForOperators()

rateRoutes.put('/rates/:currency', {
  id: 'setRate',
  duty: 'account',
  summary: 'Set the rate of a currency',
  description: 'It holds for payments that are created from now on; those that exist keep theirs.',
  params: CurrencyParams,
  body: {
    price: Type.Number({
      exclusiveMinimum: 0,
      description: 'Price of 1 USDT, at most 8 decimals.',
      examples: [92.5],
    }),
    source: Type.Optional(PrintableText(100, { description: 'Where it comes from. Default: `manual`.' })),
    maxAgeMs: Type.Optional(
      Type.Union([Type.Integer({ minimum: second, maximum: 366 * day }), Type.Null()], {
        description: 'How long it is used; absent or `null`: until the next one.',
      }),
    ),
    outsideBand: Type.Optional(
      Type.Boolean({
        description: `Accept a price that differs from the last one by more than ${rateBandPercent} %.`,
      }),
    ),
  },
  answer: RateAnswer,
  refusals: ['amount_above_max', 'amount_precision', 'rate_outside_band'],
  handle: async (context, request) => {
    const { currency } = request.params
    const { source = 'manual', maxAgeMs = null, outsideBand = false } = request.body
    const price = readBody((read) => read.price(request.body, 'price'))
    const wanted = { currency, price, source, maxAgeMs, outsideBand }
    const act = { action: 'rate.set', subject: `currency:${currency}`, details: request.body }
    const rate = await actOnBehalf(context, request, (tx) => setRateByHand(tx, wanted), act)
    return toAnswer(rate, context.clock())
  },
})

rateRoutes.get('/rates', {
  id: 'listRates',
  duty: 'read',
  summary: 'List the current rates',
  description: 'By currency, with their age.',
  answer: { rates: Type.Array(RateAnswer) },
  handle: async (context) => {
    const rates = await context.catalog.get(currentRates)
    return { rates: [...rates.values()].map((rate) => toAnswer(rate, context.clock())) }
  },
})

const historySpans = { '1d': day, '7d': 7 * day, '31d': 31 * day }

const HistoryAnswer = Type.Object({
  currency: Type.String(),
  points: Type.Array(Type.Object({ at: Time, price: Type.Number(), source: Type.String() }), {
    description: 'The oldest first. The first may be older than the span: it was in force when the span began.',
  }),
})

/** How the rate of a currency has moved. */
export type RateHistory = Static<typeof HistoryAnswer>

rateRoutes.get('/rates/:currency/history', {
  id: 'listRateHistory',
  duty: 'read',
  summary: 'Show how the rate of a currency has moved',
  description: 'At most some 240 points: of more rates the last of each span of equal length.',
  params: CurrencyParams,
  query: { within: Type.Optional(OneOf(['1d', '7d', '31d'], { description: 'Default: `1d`.' })) },
  answer: HistoryAnswer,
  handle: async (context, request) => {
    const { currency } = request.params
    const since = context.clock() - historySpans[request.query.within ?? '1d']
    const points = await listRateHistory(context, currency, since)
    return {
      currency,
      points: points.map(({ createdAt, price, source }) => ({
        at: wireTime(createdAt),
        price: wirePrice(price),
        source,
      })),
    }
  },
})
