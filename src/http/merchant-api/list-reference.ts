import { Type } from '../../operations/schema.ts'
import { bankIssuers } from '../../engine/requisites/bank-issuers.ts'
import { BankCode } from '../../operations/fields.ts'
import { routesForMerchants } from '../routes/routes.ts'

/** docs/contract.md §4.1. */
export const listCurrenciesRoute = routesForMerchants('payments').get('/payments/currencies', 'payments:read', {
  id: 'listCurrencies',
  summary: 'Read currency limits',
  description:
    'The currencies in which payments can be created, with the smallest and the largest amount of each. Other amounts are refused with `amount_below_min` or `amount_above_max`.',
  answer: {
    currencies: Type.Array(
      Type.Object({
        code: Type.Text('Currency code, lowercase.', 'rub'),
        min: Type.Number({ description: 'Smallest permitted payment amount.', examples: [100] }),
        max: Type.Number({ description: 'Largest permitted payment amount.', examples: [300000] }),
      }),
    ),
  },
  handle: (_context, request) => ({
    currencies: [...request.caller.profile.limits.values()].map((limits) => ({ ...limits, code: limits.currency })),
  }),
})

export const listBankIssuersRoute = routesForMerchants('payments').get('/payments/bankIssuers', 'payments:read', {
  id: 'listBankIssuers',
  summary: 'List bank issuers',
  description: 'The codes that `bankIssuer` may have.',
  answer: {
    bankIssuers: Type.Array(
      Type.Object({
        code: BankCode,
        name: Type.Text('Name to show to people.', 'Sberbank'),
        country: Type.Text('Country code (ISO 3166-1), lowercase.', 'ru'),
      }),
    ),
  },
  handle: async (context) => ({ bankIssuers: [...(await context.catalog.get(bankIssuers)).values()] }),
})
