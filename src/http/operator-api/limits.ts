import { type Static, Type } from 'typebox'
import type { Context } from '../../context.ts'
import { listLimits } from '../../merchants/read.ts'
import { setLimits } from '../../merchants/set-limits.ts'
import type { App } from '../app.ts'
import { PositiveAmount, wireAmount } from '../amounts.ts'
import { Id } from '../ids.ts'
import { problems } from '../problems.ts'
import { operation } from './operation.ts'
import { CurrencyParams } from './operator-fields.ts'
import { actOnBehalf } from '../act-on-behalf.ts'
import { readBody } from '../read-body.ts'

const LimitsAnswer = Type.Object({
  merchantId: Type.Optional({ ...Id, description: 'Absent: for every merchant without limits of its own.' }),
  currency: Type.String(),
  min: Type.Number(),
  max: Type.Number(),
})

/** Bounds of a payment's amount in a currency. */
export type LimitsAnswer = Static<typeof LimitsAnswer>

/** `PUT /limits/{currency}`, `GET /limits`. */
export const registerLimits = (app: App, context: Context): void => {
  app.put(
    '/limits/:currency',
    {
      schema: {
        ...operation(
          'setLimits',
          "Set the bounds of a payment's amount in a currency",
          'This also makes the currency supported.',
        ),
        params: CurrencyParams,
        body: Type.Object(
          {
            min: PositiveAmount,
            max: PositiveAmount,
            merchantId: Type.Optional({ ...Id, description: 'Only for this merchant.' }),
          },
          { additionalProperties: false, examples: [{ min: 100, max: 300000 }] },
        ),
        response: { 200: LimitsAnswer, ...problems(422) },
      },
    },
    async (request) => {
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
  )

  app.get(
    '/limits',
    {
      schema: {
        ...operation('listLimits', 'List the limits that are set'),
        response: { 200: Type.Object({ limits: Type.Array(LimitsAnswer) }), ...problems() },
      },
    },
    async () => ({
      limits: (await listLimits(context)).map(({ merchantId, currency, min, max }) => ({
        ...(merchantId === null ? {} : { merchantId }),
        currency,
        min: wireAmount(min, currency),
        max: wireAmount(max, currency),
      })),
    }),
  )
}
