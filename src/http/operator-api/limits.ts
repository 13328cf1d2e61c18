import { type Static, Type } from 'typebox'
import { listLimits } from '../../merchants/read.ts'
import { setLimits } from '../../merchants/set-limits.ts'
import { Id, PositiveAmount, wireAmount } from '../fields.ts'
import { CurrencyParams } from './operator-fields.ts'
import { actOnBehalf } from '../act-on-behalf.ts'
import { readBody } from '../read-body.ts'
import { routesForOperators } from '../routes.ts'

const LimitsAnswer = Type.Object({
  merchantId: Type.Optional({ ...Id, description: 'Absent: for every merchant without limits of its own.' }),
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
  summary: "Set the bounds of a payment's amount in a currency",
  description: 'This also makes the currency supported.',
  params: CurrencyParams,
  body: Type.Object(
    {
      min: PositiveAmount,
      max: PositiveAmount,
      merchantId: Type.Optional({ ...Id, description: 'Only for this merchant.' }),
    },
    { additionalProperties: false, examples: [{ min: 100, max: 300000 }] },
  ),
  answer: LimitsAnswer,
  refusals: [422],
  handle: async (context, request) => {
    const { currency } = request.params
    const { merchantId, ...bounds } = request.body
    const read = readBody()
    const min = read.amount(request.body, 'min', currency)
    const max = read.amount(request.body, 'max', currency)
    read.finish()
    const act = { action: 'limits.set', subject: `currency:${currency}`, details: request.body }
    await actOnBehalf(context, request, act, (tx) => setLimits(tx, merchantId ?? null, { currency, min, max }))
    return { ...(merchantId === undefined ? {} : { merchantId }), currency, ...bounds }
  },
})

limitRoutes.get('/limits', {
  id: 'listLimits',
  summary: 'List the limits that are set',
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
