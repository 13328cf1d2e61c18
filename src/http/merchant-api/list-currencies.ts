import { Type } from 'typebox'
import type { App } from '../app.ts'
import { wireAmount } from '../amounts.ts'
import { problems } from '../problems.ts'

const Currencies = Type.Object({
  currencies: Type.Array(
    Type.Object({
      code: Type.String({ description: 'Currency code, lowercase.', examples: ['rub'] }),
      min: Type.Number({ description: 'Smallest permitted payment amount.', examples: [100] }),
      max: Type.Number({ description: 'Largest permitted payment amount.', examples: [300000] }),
    }),
  ),
})

/** `GET /payments/currencies` (docs/contract.md §4.1). */
export const registerListCurrencies = (app: App): void => {
  app.get(
    '/payments/currencies',
    {
      config: { scope: 'payments:read' },
      schema: {
        tags: ['payments'],
        summary: 'Read currency limits',
        operationId: 'listCurrencies',
        security: [{ merchant: [] }],
        response: { 200: Currencies, ...problems() },
      },
    },
    (request) => ({
      currencies: [...request.caller.profile.limits.values()].map(({ currency, min, max }) => ({
        code: currency,
        min: wireAmount(min, currency),
        max: wireAmount(max, currency),
      })),
    }),
  )
}
