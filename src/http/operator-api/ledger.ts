import { type Static, Type } from 'typebox'
import { currencyDecimals, quoteCurrency, quoteDecimals } from '../../domain/currency.ts'
import { formatDecimal } from '../../domain/decimal.ts'
import { getBalances } from '../../ledger/read.ts'
import { Id } from '../fields.ts'
import { routesForOperators } from '../routes.ts'

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

/** Balances of the ledger. */
export const ledgerRoute = routesForOperators().get('/ledger/balances', {
  id: 'listBalances',
  summary: 'List the balances of the ledger',
  description:
    'Debits minus credits: what is owed to a merchant is below zero. The balances of a currency add up to zero.',
  query: { merchantId: Type.Optional({ ...Id, description: "Only this merchant's book." }) },
  answer: BalancesAnswer,
  handle: async (context, request) => ({
    balances: (await getBalances(context, request.query.merchantId ?? null)).map(({ account, currency, balance }) => ({
      account,
      currency,
      balance: formatDecimal(balance, currency === quoteCurrency ? quoteDecimals : currencyDecimals(currency)),
    })),
  }),
})
