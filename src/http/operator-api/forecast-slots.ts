import { type Static, Type } from 'typebox'
import { paymentMethods } from '../../domain/payment-method.ts'
import { Refusal } from '../../domain/refusal.ts'
import { merchantDirectory } from '../../merchants/merchant-directory.ts'
import { forecastSlots } from '../../requisites/forecast-slots.ts'
import { BankCode, Currency, Id, OneOf, PositiveAmount, Time, wireAmount, wireTime } from '../fields.ts'
import { readBody } from '../read-body.ts'
import { routesForOperators } from '../routes.ts'

/** Most amounts that one forecast is made for. */
const maxAmounts = 20

const Forecast = Type.Object({
  method: OneOf(paymentMethods),
  bankIssuer: BankCode,
  amount: Type.Number(),
  requisites: Type.Integer({ description: 'Requisites of this method and bank for this merchant.' }),
  free: Type.Integer({ description: 'Those that could take a payment of this amount now.' }),
  refused: Type.Record(Type.String(), Type.Integer(), {
    description: 'The others by reason.',
    examples: [{ 'slot-taken': 3, 'day-limit': 1 }],
  }),
  nextFreeAt: Type.Optional({
    ...Time,
    description: 'When the next slot of this amount is free again, unless its payment is closed earlier.',
  }),
})

/** How many requisites of a method and bank could take an amount now. */
export type Forecast = Static<typeof Forecast>

/** How many requisites could take given amounts now, by method and bank. */
export const forecastRoute = routesForOperators().post('/requisites/forecast', {
  id: 'forecastSlots',
  summary: 'Forecast the free slots of a merchant by method, bank and amount',
  description: 'Changes nothing. Follows the same rules as the allocation.',
  body: {
    merchantId: Id,
    currency: Currency,
    amounts: Type.Array(PositiveAmount, { minItems: 1, maxItems: maxAmounts }),
    method: Type.Optional(OneOf(paymentMethods)),
  },
  answer: { forecast: Type.Array(Forecast) },
  refusals: [422],
  handle: async (context, request) => {
    const { merchantId, currency, amounts: asked, method } = request.body
    const amounts = readBody((read) =>
      asked.map((_, index) => read.amount(asked, String(index), currency, `amounts.${index}`)),
    )
    const profile = (await context.catalog.get(merchantDirectory)).get(merchantId)
    if (!profile) throw new Refusal('resource_not_found', 'There is no such merchant.')
    const methods = method === undefined ? paymentMethods : [method]
    const wanted = { methods, currency, amounts: [...new Set(amounts)] }
    const rows = await forecastSlots(context, { merchantId, mode: profile.merchant.mode }, wanted)
    return {
      forecast: rows.map(({ amount, refused, nextFreeAt, ...row }) => ({
        ...row,
        amount: wireAmount(amount, currency),
        refused: Object.fromEntries(refused),
        ...(nextFreeAt === null ? {} : { nextFreeAt: wireTime(nextFreeAt) }),
      })),
    }
  },
})
