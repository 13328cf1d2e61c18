import { type Static, Type } from 'typebox'
import type { Context } from '../../context.ts'
import { payerKinds, type RiskBlock } from '../../domain/risk.ts'
import { formatInstant } from '../../domain/time.ts'
import { addBlock } from '../../risk/add-block.ts'
import { endBlock } from '../../risk/end-block.ts'
import { listBlocks } from '../../risk/read.ts'
import type { App } from '../app.ts'
import { NoBody, OneOf, PrintableText, Time } from '../fields.ts'
import { Id, IdParams } from '../ids.ts'
import { cutPage, NextCursor, PageQuery, pageSize } from '../paging.ts'
import { problems } from '../problems.ts'
import { operation } from './operation.ts'
import { actOnBehalf, actorOf } from '../act-on-behalf.ts'
import { readBody } from '../read-body.ts'

const Kind = OneOf(payerKinds, {
  description: "`user`: the merchant's id of its user. The others are the payer's own numbers, in any notation.",
  examples: ['phone'],
})

const Value = PrintableText(128, { description: 'Stored encrypted; never shown again.', examples: ['+79991234567'] })

/** Schema of the reason for a rule. */
export const Reason = PrintableText(500, { examples: ['Chargebacks in January'] })

const BlockAnswer = Type.Object({
  id: Id,
  kind: Kind,
  value: Type.String({ description: 'Masked.', examples: ['•••• 4567'] }),
  merchantId: Type.Optional({ ...Id, description: 'Absent: at every merchant.' }),
  reason: Type.String(),
  createdBy: Type.String({ examples: ['operator:operator'] }),
  createdAt: Time,
  endsAt: Type.Optional(Time),
  endedAt: Type.Optional({ ...Time, description: 'When an operator lifted it.' }),
})

/** A blocked payer. */
export type BlockAnswer = Static<typeof BlockAnswer>

const toAnswer = (block: RiskBlock): BlockAnswer => ({
  id: block.id,
  kind: block.kind,
  value: block.valueMasked,
  ...(block.merchantId === null ? {} : { merchantId: block.merchantId }),
  reason: block.reason,
  createdBy: block.createdBy,
  createdAt: formatInstant(block.createdAt),
  ...(block.endsAt === null ? {} : { endsAt: formatInstant(block.endsAt) }),
  ...(block.endedAt === null ? {} : { endedAt: formatInstant(block.endedAt) }),
})

const registerAdd = (app: App, context: Context): void => {
  app.post(
    '/risk/blocks',
    {
      schema: {
        ...operation(
          'addRiskBlock',
          'Block a payer',
          'New payments of this payer are `failed` with the reason `risk`; money from a blocked account or card is flagged.',
        ),
        body: Type.Object(
          {
            kind: Kind,
            value: Value,
            merchantId: Type.Optional({ ...Id, description: 'Only at this merchant; required with `user`.' }),
            reason: Reason,
            endsAt: Type.Optional({ ...Time, description: 'When the block ends automatically. Absent: never.' }),
          },
          { additionalProperties: false },
        ),
        response: { 201: BlockAnswer, ...problems(409, 422) },
      },
    },
    async (request, reply) => {
      const { kind, value, merchantId = null, reason, endsAt } = request.body
      const read = readBody()
      const end = endsAt === undefined ? null : read.instant(endsAt, 'endsAt')
      read.finish()
      const wanted = { kind, value, merchantId, reason, endsAt: end, createdBy: actorOf(request) }
      const details = (block: RiskBlock) => toAnswer(block)
      const act = { action: 'risk.block', subject: (block: RiskBlock) => `risk-block:${block.id}`, details }
      const block = await actOnBehalf<RiskBlock>(context, request, act, (tx) => addBlock(tx, wanted))
      return reply.code(201).send(toAnswer(block))
    },
  )
}

/** `POST /risk/blocks`, `GET /risk/blocks`, `POST /risk/blocks/find`, `POST /risk/blocks/{id}/end`. */
export const registerRiskBlocks = (app: App, context: Context): void => {
  registerAdd(app, context)

  app.get(
    '/risk/blocks',
    {
      schema: {
        ...operation('listRiskBlocks', 'List blocked payers', 'Newest first; values are masked.'),
        querystring: Type.Object(PageQuery, { additionalProperties: false }),
        response: { 200: Type.Object({ blocks: Type.Array(BlockAnswer), nextCursor: NextCursor }), ...problems() },
      },
    },
    async (request) => {
      const { cursor, limit } = request.query
      const size = pageSize(limit)
      const { page, next } = cutPage(await listBlocks(context, cursor ?? null, size + 1), size)
      return { blocks: page.map(toAnswer), ...next }
    },
  )

  app.post(
    '/risk/blocks/find',
    {
      schema: {
        ...operation(
          'findRiskBlocks',
          'Find the blocks of a payer',
          'Changes nothing. The value is in the body, so that no log records it.',
        ),
        body: Type.Object({ kind: Kind, value: Value, merchantId: Type.Optional(Id) }, { additionalProperties: false }),
        response: { 200: Type.Object({ blocks: Type.Array(BlockAnswer) }), ...problems() },
      },
    },
    async (request) => {
      const { kind, value, merchantId = null } = request.body
      const blocks = await listBlocks(context, null, 500, { kind, value, merchantId })
      return { blocks: blocks.map(toAnswer) }
    },
  )

  app.post(
    '/risk/blocks/:id/end',
    {
      schema: {
        ...operation('endRiskBlock', 'Lift a block'),
        params: IdParams,
        body: NoBody,
        response: { 200: BlockAnswer, ...problems() },
      },
    },
    async (request) => {
      const { id } = request.params
      const act = { action: 'risk.unblock', subject: `risk-block:${id}`, details: {} }
      return toAnswer(await actOnBehalf(context, request, act, (tx) => endBlock(tx, id)))
    },
  )
}
