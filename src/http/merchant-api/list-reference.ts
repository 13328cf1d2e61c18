import { Type } from 'typebox'
import { bankIssuers } from '../../requisites/bank-issuers.ts'
import { wireAmount } from '../fields.ts'
import { routesForMerchants } from '../routes.ts'

/** docs/contract.md §4.1. */
export const listCurrenciesRoute = routesForMerchants('payments').get('/payments/currencies', {
  id: 'listCurrencies',
  summary: 'Read currency limits',
  scope: 'payments:read',
  answer: {
    currencies: Type.Array(
      Type.Object({
        code: Type.String({ description: 'Currency code, lowercase.', examples: ['rub'] }),
        min: Type.Number({ description: 'Smallest permitted payment amount.', examples: [100] }),
        max: Type.Number({ description: 'Largest permitted payment amount.', examples: [300000] }),
      }),
    ),
  },
  handle: (_context, request) => ({
    currencies: [...request.caller.profile.limits.values()].map(({ currency, min, max }) => ({
      code: currency,
      min: wireAmount(min, currency),
      max: wireAmount(max, currency),
    })),
  }),
})

/** The codes that `bankIssuer` may have. */
export const listBankIssuersRoute = routesForMerchants('payments').get('/payments/bankIssuers', {
  id: 'listBankIssuers',
  summary: 'List bank issuers',
  description: 'The codes that `bankIssuer` may have.',
  scope: 'payments:read',
  answer: {
    bankIssuers: Type.Array(Type.Object({ code: Type.String(), name: Type.String(), country: Type.String() })),
  },
  handle: async (context) => ({
    bankIssuers: [...(await context.catalog.get(bankIssuers)).values()].map(({ code, name, country }) => ({
      code,
      name,
      country,
    })),
  }),
})
