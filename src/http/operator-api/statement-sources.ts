import type { FastifyRequest } from 'fastify'
import { type Static, Type } from '../../operations/schema.ts'
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
import { actOnBehalf, actorOf, secondOf } from '../act-on-behalf.ts'
import { Id, IdParams, NoBody, Time, wire } from '../../operations/fields.ts'
import { routesForOperators } from '../routes.ts'
import { AccountName } from '../../operations/operator-fields.ts'
import { Mapping, toWireMapping } from './statements.ts'

const RequisiteIds = Type.Array(Id, {
  minItems: 1,
  maxItems: 1000,
  description: 'The requisites for which it may report money.',
})

const sameMoneyDescription =
  'The source whose money this one reports again. What both report counts as one transfer, without asking an operator.'

const SourceAnswer = Type.Titled('StatementSource', {
  id: Id,
  name: Type.String(),
  requisiteIds: Type.Array(Id),
  requisites: Type.Optional(Type.Array(AccountName, { description: 'How operators know them, in the same order.' })),
  mapping: Type.Optional(Mapping),
  keyPrefix: Type.Optional(Type.Text('First characters of the key for its pushes.')),
  unapproved: Type.Optional(
    Type.Exact(
      {
        by: Type.Text('The operator.', 'operator:anna'),
        version: Type.Text('What is approved: it changes with the source and its key.', '3f9a2b70c41d58e6'),
      },
      { description: 'Who alone made the key or changed the source, if another operator has not approved it yet.' },
    ),
  ),
  sameMoneyAs: Type.Optional({ ...Id, description: sameMoneyDescription }),
  createdAt: Time,
  lastSeenAt: Type.Optional(Time),
})

/** A source of statements and pushes. */
export type SourceAnswer = Static<typeof SourceAnswer>

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

/** Sources of statements and pushes, and accounts in statements. */
export const statementSourceRoutes = routesForOperators()

statementSourceRoutes.post('/statement-sources', 'configure', {
  id: 'addStatementSource',
  summary: 'Add a source of statements or pushes',
  description: 'A source remembers how its files are read, and may push transfers with a key of its own.',
  body: {
    name: Type.Printable(100),
    requisiteIds: RequisiteIds,
    mapping: Type.Optional(Mapping),
    sameMoneyAs: Type.Optional({ ...Id, description: sameMoneyDescription }),
  },
  status: 201,
  answer: SourceAnswer,
  refusals: ['already_exists', 'resource_not_found'],
  handle: async (context, request) => {
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
})

statementSourceRoutes.get('/statement-sources', 'read', {
  id: 'listStatementSources',
  summary: 'List sources of statements and pushes',
  description: 'Each with the time when something was last received from it.',
  answer: { sources: Type.Array(SourceAnswer) },
  exports: 'sources',
  handle: async (context) => ({ sources: (await listSources(context)).map(toAnswer) }),
})

statementSourceRoutes.patch('/statement-sources/:id', 'configure', {
  id: 'updateStatementSource',
  summary: "Change a source's requisites, column mapping, or the source whose money it reports again",
  description:
    'Omitted fields do not change. Where two people move money, what it pushes, and a file that you confirm, counts as reported by you alone until another operator approves the source.',
  params: IdParams,
  body: Type.Exact(
    {
      requisiteIds: Type.Optional(RequisiteIds),
      mapping: Type.Optional(Type.OrNull(Mapping)),
      sameMoneyAs: Type.Optional(Type.OrNull(Id, sameMoneyDescription)),
    },
    { minProperties: 1 },
  ),
  answer: SourceAnswer,
  refusals: ['invalid_state', 'resource_not_found'],
  handle: async (context, request) => {
    const { id } = request.params
    const { requisiteIds, mapping, sameMoneyAs } = request.body
    const wanted = { requisiteIds: requisiteIds && unique(requisiteIds), mapping, sameMoneyAs }
    const act = { action: 'source.update', subject: `source:${id}`, details: { ...wanted } }
    const update = async (tx: Tx): Promise<void> =>
      updateSource(tx, id, { ...wanted, changedBy: await loneActor(context, request, tx) })
    await actOnBehalf(context, request, update, act)
    return toAnswer(await getSource(context, id))
  },
})

statementSourceRoutes.post('/statement-sources/:id/key', 'configure', {
  id: 'renewSourceKey',
  summary: 'Give a source a key to push with',
  description:
    'Shown only here. The previous key stops working. Where two people may configure, money that is pushed with it counts as reported by you alone (`PAYIN_LONE_REPORTS_ABOVE`) until another operator approves the source.',
  params: IdParams,
  body: NoBody,
  answer: { key: Type.String() },
  refusals: ['invalid_state', 'resource_not_found'],
  handle: async (context, request) => {
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
})

statementSourceRoutes.post('/statement-sources/:id/approve', 'reconcile', {
  id: 'approveSource',
  summary: 'Approve a source that another operator has changed, or made a key for',
  description:
    'Compare the first characters of its key with those that the bank, or the system in between, uses, and make sure that nobody else has the key: what it signs is then the report of the bank. Compare its requisites and its mapping, too.',
  params: IdParams,
  body: {
    version: Type.Text('`unapproved.version` as you have seen it; if the source is another by now, this is refused.'),
  },
  answer: SourceAnswer,
  refusals: ['invalid_state', 'resource_not_found', 'second_person_required', 'status_changed'],
  handle: async (context, request) => {
    const { id } = request.params
    const { version } = request.body
    const act = { action: 'source.approve', subject: `source:${id}`, details: { version } }
    await actOnBehalf(context, request, (tx) => approveSource(tx, id, version, secondOf(context, request)), act)
    return toAnswer(await getSource(context, id))
  },
})

statementSourceRoutes.post('/statement-sources/:id/key/end', 'configure', {
  id: 'endSourceKey',
  summary: 'End the key of a source',
  description: 'Pushes that are signed with it are refused from now on.',
  params: IdParams,
  body: NoBody,
  answer: SourceAnswer,
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const { id } = request.params
    const act = { action: 'source.key-end', subject: `source:${id}`, details: {} }
    await actOnBehalf(context, request, (tx) => endSourceKey(tx, id), act)
    return toAnswer(await getSource(context, id))
  },
})

statementSourceRoutes.put('/statement-accounts', 'reconcile', {
  id: 'bindStatementAccount',
  summary: 'Bind an account in statements to its requisites',
  description:
    'For requisites whose number, such as a phone or a card, is not the account number in the files. If several share the account, its money is booked on the first and pays the payments of all. Replaces earlier bindings; refused if money of the account was booked on another first requisite (a feed does not say which account it reports), or on this one since a requisite that you leave out was bound.',
  body: {
    number: Type.Printable(64, { examples: ['40702810000000000001'] }),
    requisiteIds: Type.Array(Id, { minItems: 1, maxItems: 20 }),
  },
  answer: { number: Type.Text('Masked.'), requisiteIds: Type.Array(Id) },
  refusals: ['already_exists', 'invalid_state'],
  handle: async (context, request) => {
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
