import type { FastifyRequest } from 'fastify'
import type { Context, Tx } from '../../engine/context.ts'
import { tryOut } from '../../engine/ledger/post-entries.ts'
import { findExplainBound } from '../../engine/members/refuse-one-person.ts'
import { requisitePool } from '../../engine/requisites/requisite-pool.ts'
import {
  type ActingRule,
  getRule,
  prepareApproval,
  prepareRule,
  removeRule,
  type WantedRule,
} from '../../engine/transfers/outgoing/rules/outgoing-rules.ts'
import {
  listRules,
  listSuggestedRules,
  maskWanted,
  readRuleLike,
  tryRule,
} from '../../engine/transfers/outgoing/rules/read.ts'
import { outgoingRules } from '../../operations/outgoing-rules.ts'
import { noSuch } from '../../rules/refusal.ts'
import { actOnBehalf, actOnNamed, actorOf, secondOf } from '../access/act-on-behalf.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { readBody } from '../routes/read-body.ts'
import { readable } from '../routes/to-answer.ts'

const toTried = async (context: Context, acting: ActingRule) => ({
  ...maskWanted(acting.rule),
  rows: (await tryRule(context, acting)).map((row) => ({ ...row, payeeName: row.name })),
})

const detailsOf = (rule: ActingRule['rule']) => readable(outgoingRules.operations.remove, maskWanted(rule))
const details = ({ rule, booked }: ActingRule) => ({ ...detailsOf(rule), booked: [...booked] })

const boundIn = (context: Context) => (tx: Tx, by: string) => findExplainBound(context, by)(tx)

/** Adds a rule, or tries what adding it would do. */
const add = async (context: Context, request: FastifyRequest, wanted: WantedRule, isDryRun = false) => {
  const run = await prepareRule(context, wanted, actorOf(request), boundIn(context))
  const added = isDryRun
    ? await tryOut(context, run)
    : await actOnBehalf(context, request, run, {
        action: 'outgoing-rule.add',
        subject: ({ rule }) => `outgoing-rule:${rule.id}`,
        details,
      })
  return toTried(context, added)
}

/** Rules that book outgoing transfers. */
export const outgoingRuleRoutes = bindOperations(outgoingRules.operations, {
  list: async (context) => ({ rules: (await listRules(context)).map(maskWanted) }),
  suggest: async (context) => ({ suggestions: await listSuggestedRules(context) }),
  show: async (context, request) => toTried(context, { rule: await getRule(context, request.params.id), booked: [] }),
  add: async (context, request) => {
    const { purpose, reason, requisiteId = null, text = null, payee = null, minAmount, maxAmount } = request.body
    const { byId } = await context.catalog.get(requisitePool)
    const requisite = requisiteId === null ? undefined : byId.get(requisiteId)
    if (requisiteId !== null && requisite === undefined) throw noSuch('requisite')
    const currency = requisite?.currency ?? request.body.currency ?? ''
    const wanted = readBody((read) => {
      if ((requisiteId === null) === (request.body.currency === undefined))
        read.wrong('currency', 'is required without requisiteId and refused with it.')
      return {
        ...{ requisiteId, currency, text, payee, purpose, reason },
        minAmount: minAmount === undefined ? null : read.amount(request.body, 'minAmount', currency),
        maxAmount: maxAmount === undefined ? null : read.amount(request.body, 'maxAmount', currency),
      }
    })
    return add(context, request, wanted, request.body.dryRun)
  },
  like: async (context, request) => {
    const { purpose, reason, dryRun } = request.body
    const condition = await readRuleLike(context, request.params)
    return add(context, request, { ...condition, purpose, reason }, dryRun)
  },
  approve: async (context, request) => {
    const second = secondOf(context, request)
    const approve = await prepareApproval(context, request.params.id, second, boundIn(context))
    return toTried(context, await actOnNamed(context, request, 'outgoing-rule.approve', approve, details))
  },
  remove: async (context, request) => {
    const remove = (tx: Tx) => removeRule(tx, request.params.id)
    return maskWanted(await actOnNamed(context, request, 'outgoing-rule.remove', remove, detailsOf))
  },
})
