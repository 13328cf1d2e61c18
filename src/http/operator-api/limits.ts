import { type Static, Type } from 'typebox'
import { listLimits } from '../../merchants/read.ts'
import { setLimits } from '../../merchants/merchant.ts'
import { Exact, Id, PositiveAmount, Titled, wireAmount } from '../fields.ts'
import { CurrencyParams, ofAnyMerchant } from './operator-fields.ts'
import { actOnBehalf } from '../act-on-behalf.ts'
import { readBody } from '../read-body.ts'
import { routesForOperators } from '../routes.ts'

const LimitsAnswer = Titled('CurrencyLimits', {
  ...ofAnyMerchant('Absent: for every merchant without limits of its own.'),
  currency: Type.String(),
  min: Type.Number(),
  max: Type.Number(),
})

/** Bounds of a payment's amount in a currency. */
export type LimitsAnswer = Static<typeof LimitsAnswer>

/** Bounds of a payment's amount. */
export const limitRoutes = routesForOperators()

limitRoutes.put('/limits/:currency', {
  id: 'setLimits',
  duty: 'configure',
  summary: "Set the bounds of a payment's amount in a currency",
  description: 'This also makes the currency supported.',
  params: CurrencyParams,
  body: Exact(
    {
      min: PositiveAmount,
      max: PositiveAmount,
      merchantId: Type.Optional({ ...Id, description: 'Only for this merchant.' }),
    },
    { examples: [{ min: 100, max: 300000 }] },
  ),
  answer: LimitsAnswer,
  refusals: ['amount_above_max', 'amount_precision', 'resource_not_found'],
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

limitRoutes.get('/limits', {
  id: 'listLimits',
  duty: 'read',
  summary: 'List the limits that are set',
  description: 'The smallest and the largest amount of a payment, by currency, and for single merchants.',
  answer: { limits: Type.Array(LimitsAnswer) },
  handle: async (context) => ({
    limits: (await listLimits(context)).map(({ merchantId, currency, min, max }) => ({
      ...(merchantId === null ? {} : { merchantId }),
      currency,
      min: wireAmount(min, currency),
      max: wireAmount(max, currency),
    })),
  }),
})
