import type { RiskBlock } from '../../rules/merchants/risk.ts'
import { addBlock, endBlock } from '../../engine/risk/blocks.ts'
import { listBlocks, listDecisions, listVelocityRules } from '../../engine/risk/read.ts'
import { risk } from '../../operations/risk.ts'
import { refuseWithoutDuty } from './authenticate-operator.ts'
import { actOnBehalf, actOnNamed, actorOf } from '../access/act-on-behalf.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { readPage } from '../routes/lists.ts'
import { readBody } from '../routes/read-body.ts'
import { readable } from '../routes/to-answer.ts'
import { velocityRules } from '../../engine/risk/risk-rules.ts'

const toBlock = ({ payerIndex: _index, valueMasked: value, ...block }: RiskBlock) => ({ ...block, value })

export const riskRoutes = bindOperations(risk.operations, {
  block: async (context, request) => {
    const { kind, value, merchantId = null, reason, endsAt } = request.body
    const end = readBody((read) => (endsAt === undefined ? null : read.instant(endsAt, 'endsAt')))
    const wanted = { kind, value, merchantId, reason, endsAt: end, createdBy: actorOf(request) }
    const block = await actOnBehalf(context, request, (tx) => addBlock(tx, wanted), {
      action: 'risk-block.add',
      subject: ({ id }) => `risk-block:${id}`,
      details: (added) => readable(risk.operations.block, toBlock(added)),
    })
    return toBlock(block)
  },
  blocks: (context, { query }) =>
    readPage('blocks', query, ({ before, limit }) => listBlocks(context, before, limit), toBlock),
  find: async (context, request) => {
    const { kind, value, merchantId = null } = request.body
    if (kind !== 'user') refuseWithoutDuty(request, 'reveal')
    const blocks = await listBlocks(context, null, 500, { kind, value, merchantId })
    return { blocks: blocks.map(toBlock) }
  },
  unblock: async (context, request) =>
    toBlock(await actOnNamed(context, request, 'risk-block.end', (tx) => endBlock(tx, request.params.id))),
  limit: async (context, request) => {
    const { kind, merchantId = null, windowMs, maxCount = null, currency, maxAmount, reason } = request.body
    const sum = readBody((read) => {
      if ((currency === undefined) !== (maxAmount === undefined)) {
        read.wrong('currency', 'is required with maxAmount and refused without it.')
      }
      const isLimited = currency !== undefined && maxAmount !== undefined
      return isLimited ? read.amount(request.body, 'maxAmount', currency) : null
    })
    const limits = { windowMs, maxCount, currency: currency ?? null, maxAmount: sum }
    const wanted = { kind, merchantId, ...limits, reason, createdBy: actorOf(request) }
    return actOnBehalf(context, request, (tx) => velocityRules.add(tx, wanted), {
      action: 'risk-rule.add',
      subject: ({ id }) => `risk-rule:${id}`,
      details: (rule) => readable(risk.operations.limit, rule),
    })
  },
  limits: async (context) => ({ rules: await listVelocityRules(context) }),
  unlimit: (context, request) =>
    actOnNamed(context, request, 'risk-rule.end', (tx) => velocityRules.end(tx, request.params.id)),
  decisions: (context, { query: { merchantId = null, paymentId = null, ...query } }) =>
    readPage('decisions', query, (span) => listDecisions(context, { merchantId, paymentId, ...span })),
})
