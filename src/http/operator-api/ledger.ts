import { type Static, Type } from 'typebox'
import type { Context } from '../../context.ts'
import { currencyDecimals, quoteCurrency, quoteDecimals } from '../../domain/currency.ts'
import { formatDecimal } from '../../domain/decimal.ts'
import { getBalances } from '../../ledger/read.ts'
import type { App } from '../app.ts'
import { Id } from '../ids.ts'
import { problems } from '../problems.ts'
import { operation } from './operation.ts'

const BalancesAnswer = Type.Object({
  balances: Type.Array(
    Type.Object({
      account: Type.String({ examples: ['suspense'] }),
      currency: Type.String(),
      balance: Type.String({ description: 'Exact decimal text.', examples: ['-53.513514'] }),
    }),
  ),
})

/** Balances of the ledger. */
export type BalancesAnswer = Static<typeof BalancesAnswer>

/** `GET /ledger/balances`. */
export const registerLedger = (app: App, context: Context): void => {
  app.get(
    '/ledger/balances',
    {
      schema: {
        ...operation(
          'listBalances',
          'List the balances of the ledger',
          'Debits minus credits: what is owed to a merchant is below zero. The balances of a currency add up to zero.',
        ),
        querystring: Type.Object(
          { merchantId: Type.Optional({ ...Id, description: "Only this merchant's book." }) },
          { additionalProperties: false },
        ),
        response: { 200: BalancesAnswer, ...problems() },
      },
    },
    async (request) => ({
      balances: (await getBalances(context, request.query.merchantId ?? null)).map(
        ({ account, currency, balance }) => ({
          account,
          currency,
          balance: formatDecimal(balance, currency === quoteCurrency ? quoteDecimals : currencyDecimals(currency)),
        }),
      ),
    }),
  )
}
