import type { FastifyRequest } from 'fastify'
import type { Context, Tx } from '../../engine/context.ts'
import { asLoneReport } from '../../engine/members/refuse-one-person.ts'
import { bindStatementAccount } from '../../engine/statements/bind-statement-account.ts'
import {
  addSource,
  approveSource,
  endSourceKey,
  getSource,
  listSources,
  renewSourceKey,
  type Source,
  updateSource,
  versionOf,
} from '../../engine/statements/sources/sources.ts'
import { actOnBehalf, actorOf, secondOf } from '../access/act-on-behalf.ts'
import { wire } from '../../operations/fields.ts'
import { type SourceAnswer, sources, statementAccounts } from '../../operations/sources.ts'
import { bindNoun } from '../routes/bind-noun.ts'
import { toWireMapping } from './statements.ts'

const toAnswer = (source: Source): SourceAnswer =>
  wire.fields({
    ...source,
    requisiteIds: [...source.requisiteIds],
    mapping: source.mapping === null ? null : toWireMapping(source.mapping),
    unapproved: source.changedBy === null ? null : { by: source.changedBy, version: versionOf(source) },
  })

// The schema accepts the same id twice.
const unique = (ids: readonly string[]): string[] => [...new Set(ids)]

/** The operator of a request, if what this one alone reports has a bound. */
const loneActor = async (context: Context, request: FastifyRequest, tx: Tx): Promise<string | null> =>
  (await asLoneReport(context, tx, actorOf(request)))?.by ?? null

export const sourceRoutes = bindNoun(sources, {
  create: async (context, request) => {
    const { name, requisiteIds, mapping = null, sameMoneyAs = null } = request.body
    const wanted = { name, requisiteIds: unique(requisiteIds), mapping, sameMoneyAs }
    const add = async (tx: Tx): Promise<string> =>
      addSource(tx, { ...wanted, changedBy: await loneActor(context, request, tx) })
    const id = await actOnBehalf(context, request, add, {
      action: 'source.add',
      subject: (added) => `source:${added}`,
      details: { ...wanted },
    })
    return toAnswer(await getSource(context, id))
  },
  list: async (context) => ({ sources: (await listSources(context)).map(toAnswer) }),
  update: async (context, request) => {
    const { id } = request.params
    const { requisiteIds, mapping, sameMoneyAs } = request.body
    const wanted = { requisiteIds: requisiteIds && unique(requisiteIds), mapping, sameMoneyAs }
    const act = { action: 'source.update', subject: `source:${id}`, details: { ...wanted } }
    const update = async (tx: Tx): Promise<void> =>
      updateSource(tx, id, { ...wanted, changedBy: await loneActor(context, request, tx) })
    await actOnBehalf(context, request, update, act)
    return toAnswer(await getSource(context, id))
  },
  rotate: async (context, request) => {
    const { id } = request.params
    const renew = async (tx: Tx): Promise<string> => renewSourceKey(tx, id, await loneActor(context, request, tx))
    return {
      key: await actOnBehalf(context, request, renew, {
        action: 'source.key',
        subject: `source:${id}`,
        details: (key) => ({ prefix: key.slice(0, 16) }),
      }),
    }
  },
  approve: async (context, request) => {
    const { id } = request.params
    const { version } = request.body
    const act = { action: 'source.approve', subject: `source:${id}`, details: { version } }
    await actOnBehalf(context, request, (tx) => approveSource(tx, id, version, secondOf(context, request)), act)
    return toAnswer(await getSource(context, id))
  },
  'end-key': async (context, request) => {
    const { id } = request.params
    const act = { action: 'source.key-end', subject: `source:${id}`, details: {} }
    await actOnBehalf(context, request, (tx) => endSourceKey(tx, id), act)
    return toAnswer(await getSource(context, id))
  },
})

export const statementAccountRoutes = bindNoun(statementAccounts, {
  bind: async (context, request) => {
    const { number } = request.body
    const requisiteIds = unique(request.body.requisiteIds)
    const by = actorOf(request)
    const { masked } = await actOnBehalf(context, request, (tx) => bindStatementAccount(tx, number, requisiteIds, by), {
      action: 'statement-account.bind',
      subject: `requisite:${requisiteIds[0]}`,
      details: (bound) => ({ number: bound.masked, requisiteIds }),
    })
    return { number: masked, requisiteIds }
  },
})
