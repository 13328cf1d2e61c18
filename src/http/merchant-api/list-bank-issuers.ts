import { Type } from 'typebox'
import { bankIssuers } from '../../requisites/bank-issuers.ts'
import { routesForMerchants } from '../routes.ts'

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
