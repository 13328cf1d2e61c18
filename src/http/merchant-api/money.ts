import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { quoteCurrency } from '../../domain/currency.ts'
import { account } from '../../domain/ledger.ts'
import { formatInstant } from '../../domain/time.ts'
import { getBalances, listMovements } from '../../ledger/read.ts'
import { getSettlement, listSettlements } from '../../ledger/settlements/read.ts'
import { sendAccountStatement, StatementFile, StatementQuery } from '../account-statement.ts'
import type { App } from '../app.ts'
import { SettlementDetails, SettlementStatus, toSettlementDetails } from '../settlement-details.ts'
import { wireQuote } from '../amounts.ts'
import { Time } from '../fields.ts'
import { Id } from '../ids.ts'
import { cutPage, pageSize, ShortPageQuery } from '../paging.ts'
import { problems } from '../problems.ts'
import { operation } from './operation.ts'

const config = { scope: 'balance:read' } as const

const refusals = problems()

const registerBalance = (app: App, context: Context): void => {
  app.get(
    '/balance',
    {
      config,
      schema: {
        ...operation('balance', 'getBalance', 'Read the balance', 'In the quote currency.'),
        response: {
          200: Type.Object({
            currency: Type.String({ examples: [quoteCurrency] }),
            available: Type.Number({ description: 'Below zero when banks took back money that was already settled.' }),
            held: Type.Number({ description: 'Reserved by settlements in progress.' }),
            paidOut: Type.Number({ description: 'Paid out by settlements so far.' }),
          }),
          ...refusals,
        },
      },
    },
    async (request) => {
      const { merchantId } = request.caller
      const balances = await getBalances(context, merchantId)
      // Debits less credits: what is owed is below zero.
      const owed = (name: string): number => wireQuote(-(balances.find((row) => row.account === name)?.balance ?? 0n))
      return {
        currency: quoteCurrency,
        available: owed(account.available(merchantId)),
        held: owed(account.held(merchantId)),
        paidOut: owed(account.paidOut(merchantId)),
      }
    },
  )
}

const Entry = Type.Object({
  id: Id,
  kind: Type.String({
    description: 'One of credit, assign, reverse, hold, release, adjust; more may be added.',
    examples: ['credit'],
  }),
  currency: Type.String({ examples: [quoteCurrency] }),
  amount: Type.Number({ description: 'Change of the available balance; below zero for a decrease.' }),
  deducted: Type.Number({ description: 'Fee that was deducted; not part of `amount`.' }),
  paymentId: Type.Optional(Id),
  orderId: Type.Optional(Type.String()),
  reference: Type.Optional(Type.String({ description: 'Reference of the settlement, decision or adjustment.' })),
  postedAt: Time,
})

const registerEntries = (app: App, context: Context): void => {
  app.get(
    '/entries',
    {
      config,
      schema: {
        ...operation('balance', 'listEntries', 'List movements of the available balance', 'Newest first.'),
        querystring: Type.Object(ShortPageQuery, { additionalProperties: false }),
        response: {
          200: Type.Object({ entries: Type.Array(Entry), nextCursor: Type.Optional(Type.String()) }),
          ...refusals,
        },
      },
    },
    async (request) => {
      const { cursor: before = null, limit } = request.query
      const { merchantId } = request.caller
      const size = pageSize(limit)
      const { page, next } = cutPage(await listMovements(context, { merchantId, before, limit: size + 1 }), size)
      return {
        entries: page.map(({ id, kind, change, deducted, paymentId, orderId, reference, postedAt }) => ({
          ...{ id, kind, currency: quoteCurrency, amount: wireQuote(change), deducted: wireQuote(deducted) },
          ...(paymentId === null ? {} : { paymentId }),
          ...(orderId === null ? {} : { orderId }),
          ...(reference === null ? {} : { reference }),
          postedAt: formatInstant(postedAt),
        })),
        ...next,
      }
    },
  )

  app.get(
    '/statement',
    {
      config,
      schema: {
        ...operation(
          'balance',
          'getAccountStatement',
          'Export the account statement',
          'CSV, or camt.053 for accounting software.',
        ),
        querystring: StatementQuery,
        produces: ['text/csv', 'application/xml'],
        response: {
          200: StatementFile,
          ...refusals,
        },
      },
    },
    (request, reply) => sendAccountStatement(context, reply, request.caller.merchantId, request.query),
  )
}

const registerSettlements = (app: App, context: Context): void => {
  app.get(
    '/settlements',
    {
      config,
      schema: {
        ...operation('balance', 'listSettlements', 'List settlements', 'Newest first.'),
        querystring: Type.Object(
          { ...ShortPageQuery, status: Type.Optional(SettlementStatus) },
          { additionalProperties: false },
        ),
        response: {
          200: Type.Object({ settlements: Type.Array(SettlementDetails), nextCursor: Type.Optional(Type.String()) }),
          ...refusals,
        },
      },
    },
    async (request) => {
      const { cursor: before = null, limit, status = null } = request.query
      const { merchantId } = request.caller
      const size = pageSize(limit)
      const rows = await listSettlements(context, { merchantId, status, before, limit: size + 1 })
      const { page, next } = cutPage(rows, size)
      return { settlements: page.map(toSettlementDetails), ...next }
    },
  )

  app.get(
    '/settlements/:id',
    {
      config,
      schema: {
        ...operation('balance', 'readSettlement', 'Read a settlement', 'With its current status.'),
        params: Type.Object({ id: Id }),
        response: { 200: SettlementDetails, ...refusals },
      },
    },
    async (request) =>
      toSettlementDetails((await getSettlement(context, request.caller.merchantId, request.params.id)).settlement),
  )
}

/** `GET /balance`, `/entries`, `/statement`, `/settlements`, `/settlements/{id}`. */
export const registerMoney = (app: App, context: Context): void => {
  registerBalance(app, context)
  registerEntries(app, context)
  registerSettlements(app, context)
}
