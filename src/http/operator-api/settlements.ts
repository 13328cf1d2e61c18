import { type Static, Type } from 'typebox'
import { Readable } from 'node:stream'
import type { Context } from '../../context.ts'
import { quoteDecimals } from '../../domain/currency.ts'
import { csvLine } from '../../domain/csv.ts'
import { formatDecimal } from '../../domain/decimal.ts'
import type { Settlement, SettlementStep } from '../../domain/settlement.ts'
import { formatInstant } from '../../domain/time.ts'
import { findMerchant } from '../../merchants/read.ts'
import { advanceSettlement } from '../../ledger/settlements/advance-settlement.ts'
import { createSettlement } from '../../ledger/settlements/create-settlement.ts'
import { getSettlement, listSettlements } from '../../ledger/settlements/read.ts'
import type { App } from '../app.ts'
import { SettlementDetails, SettlementStatus, toSettlementDetails } from '../settlement-details.ts'
import { PositiveAmount } from '../amounts.ts'
import { NoBody, PrintableText, Time } from '../fields.ts'
import { Id } from '../ids.ts'
import { cutPage, NextCursor, PageQuery, pageSize } from '../paging.ts'
import { problems } from '../problems.ts'
import { operation } from './operation.ts'
import { Csv, MerchantAndId, Reason, Reference } from './operator-fields.ts'
import { actOnBehalf, actorOf } from '../act-on-behalf.ts'
import { readBody } from '../read-body.ts'

const SettlementAnswer = Type.Object({
  merchantId: Id,
  ...SettlementDetails.properties,
  secondPerson: Type.Boolean({ description: 'Whether an operator other than its author must approve it.' }),
  draftedBy: Type.String({ examples: ['operator:anna'] }),
  approvedBy: Type.Optional(Type.String({ examples: ['operator:boris'] })),
})

/** A settlement as operators see it. */
export type SettlementAnswer = Static<typeof SettlementAnswer>

const toAnswer = (settlement: Settlement): SettlementAnswer => ({
  merchantId: settlement.merchantId,
  ...toSettlementDetails(settlement),
  secondPerson: settlement.secondPerson,
  draftedBy: settlement.draftedBy,
  ...(settlement.approvedBy === null ? {} : { approvedBy: settlement.approvedBy }),
})

const registerDraft = (app: App, context: Context): void => {
  app.post(
    '/settlements',
    {
      schema: {
        ...operation(
          'createSettlement',
          'Draft a settlement',
          'Holds the amount at once, so that nothing else can settle it. 201, or 200 for a known reference.',
        ),
        body: Type.Object(
          {
            merchantId: Id,
            reference: Reference,
            amount: Type.Optional({
              ...PositiveAmount,
              description: 'Exact amount in USDT. Default: all that is available.',
              examples: [53.513513],
            }),
            destination: PrintableText(500, { description: 'Where the money goes.', examples: ['TRC20 TXyz…'] }),
          },
          { additionalProperties: false },
        ),
        response: { 200: SettlementAnswer, 201: SettlementAnswer, ...problems(409, 422) },
      },
    },
    async (request, reply) => {
      const { merchantId, reference, destination, amount } = request.body
      const read = readBody()
      const wanted = amount === undefined ? null : read.quote(request.body, 'amount')
      read.finish()
      const draftedBy = actorOf(request)
      const { settlement, created } = await actOnBehalf(
        context,
        request,
        {
          action: 'settlement.create',
          subject: (made: { settlement: Settlement }) => `settlement:${merchantId}/${made.settlement.id}`,
          details: (made: { settlement: Settlement; created: boolean }) => ({
            reference,
            amount: formatDecimal(made.settlement.amount, quoteDecimals),
            destination,
            created: made.created,
          }),
        },
        async (tx) => {
          await findMerchant(tx, merchantId)
          const draft = { merchantId, reference, amount: wanted, destination, draftedBy }
          return createSettlement(tx, draft, context.settings.secondPersonAbove)
        },
      )
      return reply.code(created ? 201 : 200).send(toAnswer(settlement))
    },
  )
}

const registerSteps = (app: App, context: Context): void => {
  const answers = { 200: SettlementAnswer, ...problems(409) }
  const path = '/settlements/:merchantId/:id'
  const take = async (
    request: Parameters<typeof actorOf>[0] & Parameters<typeof actOnBehalf>[1],
    key: Static<typeof MerchantAndId>,
    step: SettlementStep,
  ) => {
    const { step: name, actor, ...details } = step
    const act = { action: `settlement.${name}`, subject: `settlement:${key.merchantId}/${key.id}`, details }
    return toAnswer(await actOnBehalf(context, request, act, (tx) => advanceSettlement(tx, key, step)))
  }

  const approving = operation(
    'approveSettlement',
    'Approve a settlement',
    'Large ones need an operator other than the author.',
  )
  app.post(
    `${path}/approve`,
    { schema: { ...approving, params: MerchantAndId, body: NoBody, response: answers } },
    (request) => take(request, request.params, { step: 'approve', actor: actorOf(request) }),
  )

  const Payout = Type.Object(
    { externalReference: PrintableText(200, { description: 'What identifies the payout.', examples: ['0x5f…'] }) },
    { additionalProperties: false },
  )
  const paying = operation('paySettlement', 'Record that a settlement was paid out', 'The merchant is notified.')
  app.post(
    `${path}/pay`,
    { schema: { ...paying, params: MerchantAndId, body: Payout, response: answers } },
    (request) => take(request, request.params, { step: 'pay', actor: actorOf(request), ...request.body }),
  )

  const Failed = Type.Object({ reason: Reason }, { additionalProperties: false })
  const failing = operation('failSettlement', 'Fail a settlement', 'Its amount is available again.')
  app.post(
    `${path}/fail`,
    { schema: { ...failing, params: MerchantAndId, body: Failed, response: answers } },
    (request) => take(request, request.params, { step: 'fail', actor: actorOf(request), failure: request.body.reason }),
  )
}

const registerReads = (app: App, context: Context): void => {
  const Filter = { merchantId: Type.Optional(Id), status: Type.Optional(SettlementStatus) }
  app.get(
    '/settlements',
    {
      schema: {
        ...operation('listAllSettlements', 'List settlements of all merchants or of one', 'Newest first.'),
        querystring: Type.Object({ ...Filter, ...PageQuery }, { additionalProperties: false }),
        response: {
          200: Type.Object({ settlements: Type.Array(SettlementAnswer), nextCursor: NextCursor }),
          ...problems(),
        },
      },
    },
    async (request) => {
      const { merchantId = null, status = null, cursor: before = null, limit } = request.query
      const size = pageSize(limit)
      const rows = await listSettlements(context, { merchantId, status, before, limit: size + 1 })
      const { page, next } = cutPage(rows, size)
      return { settlements: page.map(toAnswer), ...next }
    },
  )

  app.get(
    '/settlements/:merchantId/:id',
    {
      schema: {
        ...operation('getSettlement', 'Read a settlement with its events'),
        params: MerchantAndId,
        response: {
          200: Type.Object({
            ...SettlementAnswer.properties,
            events: Type.Array(
              Type.Object({ sequence: Type.Integer(), status: SettlementStatus, actor: Type.String(), at: Time }),
            ),
          }),
          ...problems(),
        },
      },
    },
    async (request) => {
      const { merchantId, id } = request.params
      const { settlement, events } = await getSettlement(context, merchantId, id)
      return { ...toAnswer(settlement), events: events.map((event) => ({ ...event, at: formatInstant(event.at) })) }
    },
  )

  app.get(
    '/settlements.csv',
    {
      schema: {
        ...operation('exportSettlements', 'Export settlements as CSV', 'Newest first.'),
        querystring: Type.Object(Filter, { additionalProperties: false }),
        produces: ['text/csv'],
        response: { 200: Csv, ...problems() },
      },
    },
    (request, reply) => {
      const { merchantId = null, status = null } = request.query
      const lines = settlementLines(context, { merchantId, status })
      const name = 'attachment; filename="settlements.csv"'
      return reply.type('text/csv; charset=utf-8').header('content-disposition', name).send(Readable.from(lines))
    },
  )
}

const headers = [
  ...['id', 'merchantId', 'reference', 'status', 'currency', 'amount', 'destination', 'externalReference', 'failure'],
  ...['draftedBy', 'approvedBy', 'createdAt', 'changedAt'],
]

async function* settlementLines(
  context: Context,
  filter: Pick<Parameters<typeof listSettlements>[1], 'merchantId' | 'status'>,
): AsyncGenerator<string> {
  const limit = 500
  yield csvLine(headers)
  for (let before: string | null = null; ; ) {
    const page: Settlement[] = await listSettlements(context, { ...filter, before, limit })
    for (const row of page) {
      const { id, merchantId, reference, status, currency, destination, externalReference, failure } = row
      const amount = formatDecimal(row.amount, quoteDecimals)
      const times = [formatInstant(row.createdAt), formatInstant(row.changedAt)]
      yield csvLine([
        ...[id, merchantId, reference, status, currency, amount, destination, externalReference, failure],
        ...[row.draftedBy, row.approvedBy, ...times],
      ])
    }
    before = page.at(-1)?.id ?? null
    if (page.length < limit) return
  }
}

/** Everything about settlements: draft, approve, pay, fail, list, read, export. */
export const registerSettlements = (app: App, context: Context): void => {
  registerDraft(app, context)
  registerSteps(app, context)
  registerReads(app, context)
}
