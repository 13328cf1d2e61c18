import { Type } from 'typebox'
import { wireAmount } from '../fields.ts'
import { routesForMerchants } from '../routes.ts'

const Currencies = Type.Object({
  currencies: Type.Array(
    Type.Object({
      code: Type.String({ description: 'Currency code, lowercase.', examples: ['rub'] }),
      min: Type.Number({ description: 'Smallest permitted payment amount.', examples: [100] }),
      max: Type.Number({ description: 'Largest permitted payment amount.', examples: [300000] }),
    }),
  ),
})

/** docs/contract.md §4.1. */
export const listCurrenciesRoute = routesForMerchants('payments').get('/payments/currencies', {
  id: 'listCurrencies',
  summary: 'Read currency limits',
  scope: 'payments:read',
  answer: Currencies,
  handle: (_context, request) => ({
    currencies: [...request.caller.profile.limits.values()].map(({ currency, min, max }) => ({
      code: currency,
      min: wireAmount(min, currency),
      max: wireAmount(max, currency),
    })),
  }),
})
