import { type Static, Type } from 'typebox'
import { payerKinds, type RiskBlock } from '../../domain/risk.ts'
import { addBlock, endBlock } from '../../risk/add-block.ts'
import { listBlocks } from '../../risk/read.ts'
import { Id, IdParams, NoBody, OneOf, PrintableText, Time, Titled, wireFields } from '../fields.ts'
import { Csv } from '../list-filters.ts'
import { pageOf, PageQuery, readPage } from '../paging.ts'
import { actOnBehalf, actorOf } from '../act-on-behalf.ts'
import { readBody } from '../read-body.ts'
import { routesForOperators } from '../routes.ts'
import { type CsvColumns, exportPages } from './export-pages.ts'
import { ofAnyMerchant } from './operator-fields.ts'

const Kind = OneOf(payerKinds, {
  description: "`user`: the merchant's id of its user. The others are the payer's own numbers, in any notation.",
  examples: ['phone'],
})

const Value = PrintableText(128, { description: 'Stored encrypted; never shown again.', examples: ['+79991234567'] })

/** Schema of the reason for a rule. */
export const Reason = PrintableText(500, { examples: ['Chargebacks in January'] })

const BlockAnswer = Titled('RiskBlock', {
  id: Id,
  kind: Kind,
  value: Type.String({ description: 'Masked.', examples: ['•••• 4567'] }),
  ...ofAnyMerchant('Absent: at every merchant.'),
  reason: Type.String(),
  createdBy: Type.String({ examples: ['operator:operator'] }),
  createdAt: Time,
  endsAt: Type.Optional(Time),
  endedAt: Type.Optional({ ...Time, description: 'When an operator lifted it.' }),
})

/** A blocked payer. */
export type BlockAnswer = Static<typeof BlockAnswer>

const toAnswer = ({ payerIndex: _index, valueMasked: value, ...block }: RiskBlock): BlockAnswer =>
  wireFields({ ...block, value })

/** Blocked payers. */
export const riskBlockRoutes = routesForOperators()

riskBlockRoutes.post('/risk/blocks', {
  id: 'addRiskBlock',
  duty: 'decide',
  summary: 'Block a payer',
  description:
    'New payments of this payer are `failed` with the reason `risk`; money from a blocked account or card is flagged.',
  body: {
    kind: Kind,
    value: Value,
    merchantId: Type.Optional({ ...Id, description: 'Only at this merchant; required with `user`.' }),
    reason: Reason,
    endsAt: Type.Optional({ ...Time, description: 'When the block ends automatically. Absent: never.' }),
  },
  status: 201,
  answer: BlockAnswer,
  refusals: ['already_exists', 'resource_not_found'],
  handle: async (context, request) => {
    const { kind, value, merchantId = null, reason, endsAt } = request.body
    const end = readBody((read) => (endsAt === undefined ? null : read.instant(endsAt, 'endsAt')))
    const wanted = { kind, value, merchantId, reason, endsAt: end, createdBy: actorOf(request) }
    const block = await actOnBehalf(context, request, (tx) => addBlock(tx, wanted), {
      action: 'risk.block',
      subject: ({ id }) => `risk-block:${id}`,
      details: toAnswer,
    })
    return toAnswer(block)
  },
})

riskBlockRoutes.get('/risk/blocks', {
  id: 'listRiskBlocks',
  duty: 'read',
  summary: 'List blocked payers',
  description: 'Newest first; values are masked.',
  query: PageQuery,
  answer: pageOf('blocks', BlockAnswer),
  handle: (context, { query }) =>
    readPage('blocks', query, ({ before, limit }) => listBlocks(context, before, limit), toAnswer),
})

const csvColumns: CsvColumns<BlockAnswer> = {
  id: ({ id }) => id,
  kind: ({ kind }) => kind,
  value: ({ value }) => value,
  merchantId: ({ merchantId }) => merchantId,
  merchantName: ({ merchantName }) => merchantName,
  reason: ({ reason }) => reason,
  createdBy: ({ createdBy }) => createdBy,
  createdAt: ({ createdAt }) => createdAt,
  endsAt: ({ endsAt }) => endsAt,
  endedAt: ({ endedAt }) => endedAt,
}

riskBlockRoutes.get('/risk/blocks.csv', {
  id: 'exportRiskBlocks',
  duty: 'read',
  summary: 'Export blocked payers as CSV',
  description: 'Values are masked.',
  query: {},
  answerContent: Csv,
  handle: (context, _request, reply) =>
    exportPages(context, reply, {
      name: 'blocks',
      columns: csvColumns,
      read: ({ before, limit }) => listBlocks(context, before, limit),
      toWire: (rows) => rows.map(toAnswer),
    }),
})

riskBlockRoutes.post('/risk/blocks/find', {
  id: 'findRiskBlocks',
  duty: 'read',
  summary: 'Find the blocks of a payer',
  description: 'Changes nothing. The value is in the body, so that no log records it.',
  body: { kind: Kind, value: Value, merchantId: Type.Optional(Id) },
  answer: { blocks: Type.Array(BlockAnswer) },
  handle: async (context, request) => {
    const { kind, value, merchantId = null } = request.body
    const blocks = await listBlocks(context, null, 500, { kind, value, merchantId })
    return { blocks: blocks.map(toAnswer) }
  },
})

riskBlockRoutes.post('/risk/blocks/:id/end', {
  id: 'endRiskBlock',
  duty: 'decide',
  summary: 'Lift a block',
  description: 'Payments of this payer are accepted again. The block stays in the list.',
  params: IdParams,
  body: NoBody,
  answer: BlockAnswer,
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const { id } = request.params
    const act = { action: 'risk.unblock', subject: `risk-block:${id}`, details: {} }
    return toAnswer(await actOnBehalf(context, request, (tx) => endBlock(tx, id), act))
  },
})
