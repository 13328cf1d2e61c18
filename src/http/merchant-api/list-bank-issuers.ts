import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { bankIssuers } from '../../requisites/bank-issuers.ts'
import type { App } from '../app.ts'
import { problems } from '../problems.ts'

/** `GET /payments/bankIssuers`: the codes that `bankIssuer` may have. */
export const registerListBankIssuers = (app: App, context: Context): void => {
  app.get(
    '/payments/bankIssuers',
    {
      config: { scope: 'payments:read' },
      schema: {
        tags: ['payments'],
        summary: 'List bank issuers',
        description: 'The codes that `bankIssuer` may have.',
        operationId: 'listBankIssuers',
        security: [{ merchant: [] }],
        response: {
          200: Type.Object({
            bankIssuers: Type.Array(Type.Object({ code: Type.String(), name: Type.String(), country: Type.String() })),
          }),
          ...problems(),
        },
      },
    },
    async () => ({
      bankIssuers: [...(await context.catalog.get(bankIssuers)).values()].map(({ code, name, country }) => ({
        code,
        name,
        country,
      })),
    }),
  )
}
