import { Type } from '../../operations/schema.ts'
import { account } from '../../rules/money/ledger.ts'
import { getBalances, listMovements, readUnproven } from '../../engine/ledger/read.ts'
import { getProfile } from '../../engine/merchants/merchant-directory.ts'
import { sendAccountStatement, StatementFile, StatementQuery } from '../answers/account-statement.ts'
import { ReportFile, ReportQuery, sendReport } from '../answers/merchant-report.ts'
import { BalanceEntry } from '../../operations/settlements.ts'
import { readPage } from '../routes/lists.ts'
import { pageOf, ShortPageQuery } from '../../operations/lists.ts'
import { routesForMerchants } from '../routes/routes.ts'

/** A movement of the available balance, as its merchant sees it. */
export const toEntry = (row: Awaited<ReturnType<typeof listMovements>>[number]) => ({ ...row, amount: row.change })

const balance = {
  currency: Type.String({ examples: ['USDT'] }),
  available: Type.Number({
    description: 'Below zero when banks took back money that was already settled.',
    examples: [1204.553513],
  }),
  'waiting?': Type.Number({
    description:
      'Credits that settlements do not take yet: a dispute about their payment is open; or, by your terms, a bank has only sent a message about their money, and its statement is still to come. Absent if there are none.',
    examples: [53.513513],
  }),
  held: Type.Number({ description: 'Reserved by settlements in progress.', examples: [53.513513] }),
  paidOut: Type.Number({ description: 'Paid out by settlements so far.', examples: [8800] }),
}

/** The merchant's balance, and what moved it. */
export const moneyRoutes = routesForMerchants('balance')

moneyRoutes.get('/balance', 'balance:read', {
  id: 'getBalance',
  summary: 'Read the balance',
  description:
    'What you are owed for credited payments, in your quote currency, after fees, payouts and amounts reserved for payouts.',
  answer: {
    ...balance,
    'others?': Type.Rows(
      'What you are owed in other currencies, in which you were credited before. Absent if there is none.',
      balance,
    ),
  },
  handle: async (context, request) => {
    const { merchantId } = request.caller
    const [balances, unproven, { merchant }] = await Promise.all([
      getBalances(context, { merchantId, mode: 'live' }),
      readUnproven(context, [merchantId]),
      getProfile(context, merchantId),
    ])
    const names = { available: account.available, held: account.held, paidOut: account.paidOut }
    const own = balances.filter((row) => Object.values(names).some((name) => name(merchantId) === row.account))
    const balanceIn = (currency: string) => {
      const waiting = unproven(merchantId, currency)?.waiting ?? 0n
      // Balances are debits less credits: what the merchant is owed is negative.
      const owed = (name: string): bigint =>
        -(own.find((row) => row.account === name && row.currency === currency)?.balance ?? 0n)
      return {
        currency,
        available: owed(names.available(merchantId)),
        waiting: waiting === 0n ? null : waiting,
        held: owed(names.held(merchantId)),
        paidOut: owed(names.paidOut(merchantId)),
      }
    }
    const { quoteCurrency } = merchant.settings
    const others = new Set(own.map(({ currency }) => currency)).difference(new Set([quoteCurrency]))
    return { ...balanceIn(quoteCurrency), others: others.size === 0 ? null : [...others].map(balanceIn) }
  },
})

moneyRoutes.get('/entries', 'balance:read', {
  id: 'listEntries',
  summary: 'List movements of the available balance',
  description: 'Newest first.',
  takesTurns: true,
  query: ShortPageQuery,
  answer: pageOf('entries', BalanceEntry),
  handle: (context, { caller: { merchantId }, query }) =>
    readPage('entries', query, (span) => listMovements(context, { merchantId, ...span }), toEntry),
})

moneyRoutes.get('/statement', 'balance:read', {
  id: 'getAccountStatement',
  summary: 'Export the account statement',
  description: 'CSV, or camt.053 for accounting software.',
  takesTurns: true,
  query: StatementQuery,
  answerContent: StatementFile,
  refusals: ['resource_not_found'],
  handle: (context, request, reply) => sendAccountStatement(context, reply, request.caller.merchantId, request.query),
})

moneyRoutes.get('/report', 'balance:read', {
  id: 'getReport',
  summary: 'Report a day or a month',
  description: 'Sums of the account statement, as a page or CSV.',
  takesTurns: true,
  query: ReportQuery,
  answerContent: ReportFile,
  refusals: ['resource_not_found'],
  handle: (context, request, reply) => sendReport(context, reply, request.caller.merchantId, request.query),
})
