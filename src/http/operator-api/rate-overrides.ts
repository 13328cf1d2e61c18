import { type Static, Type } from 'typebox'
import { endOverride, listOverrides, setOverride } from '../../merchants/rates/sources/source.ts'
import { actOnBehalf, actorOf } from '../act-on-behalf.ts'
import { Time, Titled, wireFields, wirePrice } from '../fields.ts'
import { readBody } from '../read-body.ts'
import { routesForOperators } from '../routes.ts'
import { CurrencyParams, Reason } from './operator-fields.ts'

const OverrideAnswer = Titled('RateOverride', {
  currency: Type.String(),
  price: Type.Number(),
  endsAt: Time,
  reason: Type.String(),
  setBy: Type.String(),
})

/** An operator's own rate of a currency until a time. */
export type OverrideAnswer = Static<typeof OverrideAnswer>

/** Overrides of rates. */
export const rateOverrideRoutes = routesForOperators()

rateOverrideRoutes.get('/rate-overrides', {
  id: 'listRateOverrides',
  duty: 'read',
  summary: 'List the overrides of rates that are in force',
  description: 'Each with its end.',
  answer: { overrides: Type.Array(OverrideAnswer) },
  handle: async (context) => ({
    overrides: (await listOverrides(context)).map((row) => wireFields({ ...row, price: wirePrice(row.price) })),
  }),
})

rateOverrideRoutes.put('/rates/:currency/override', {
  id: 'setRateOverride',
  duty: 'account',
  summary: 'Set the rate of a currency until a time, whatever its sources say',
  description: 'It ends automatically; then the sources set the rate again.',
  params: CurrencyParams,
  body: {
    price: Type.Number({ exclusiveMinimum: 0, description: 'Price of 1 USDT, at most 8 decimals.' }),
    until: Time,
    reason: Reason,
    outsideBand: Type.Optional(Type.Boolean({ description: 'As of `setRate`.' })),
  },
  answer: OverrideAnswer,
  refusals: ['amount_above_max', 'amount_precision', 'rate_outside_band'],
  handle: async (context, request) => {
    const { currency } = request.params
    const { reason, outsideBand = false } = request.body
    const { price, endsAt } = readBody((read) => ({
      price: read.price(request.body, 'price'),
      endsAt: read.instant(request.body.until, 'until'),
    }))
    const override = { currency, price, endsAt, reason, setBy: actorOf(request) }
    const act = { action: 'rate.override', subject: `currency:${currency}`, details: request.body }
    await actOnBehalf(context, request, (tx) => setOverride(tx, override, outsideBand), act)
    return wireFields({ ...override, price: wirePrice(price) })
  },
})

rateOverrideRoutes.delete('/rates/:currency/override', {
  id: 'endRateOverride',
  duty: 'account',
  summary: 'End the override of a rate',
  description:
    'The sources set the rate again. Without sources the rate of the override lasts until another one is set.',
  params: CurrencyParams,
  answer: { currency: Type.String() },
  refusals: ['rate_outside_band', 'resource_not_found'],
  handle: async (context, request) => {
    const { currency } = request.params
    const act = { action: 'rate.override-end', subject: `currency:${currency}`, details: {} }
    await actOnBehalf(context, request, (tx) => endOverride(tx, currency), act)
    return { currency }
  },
})
