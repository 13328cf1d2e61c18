import type { Tx } from '../../engine/context.ts'
import { tryOut } from '../../engine/ledger/post-entries.ts'
import { bindStatementAccounts } from '../../engine/statements/bind-statement-account.ts'
import {
  addSource,
  approveSource,
  endSourceKey,
  getSource,
  listSources,
  renewSourceKey,
  type Source,
  updateSource,
  unapprovedOfSource,
} from '../../engine/statements/sources/sources.ts'
import { endPickup, listPicked, lookSoon, setPickup } from '../../engine/statements/pickups/pickup.ts'
import { actOnBehalf, actOnEach, actOnNamed, actorOf, loneActor, secondOf } from '../access/act-on-behalf.ts'
import { sources, statementAccounts } from '../../operations/sources.ts'
import { readPage } from '../routes/lists.ts'
import { bindOperations } from '../routes/bind-operations.ts'

const toAnswer = (source: Source) => ({ ...source, unapproved: unapprovedOfSource(source) })

// The schema accepts the same id twice.
const unique = (ids: readonly string[]): string[] => [...new Set(ids)]

export const sourceRoutes = bindOperations(sources.operations, {
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
    const update = async (tx: Tx): Promise<void> =>
      updateSource(tx, id, { ...wanted, changedBy: await loneActor(context, request, tx) })
    await actOnNamed(context, request, 'source.update', update, wanted)
    return toAnswer(await getSource(context, id))
  },
  rotate: async (context, request) => {
    const { id } = request.params
    const renew = async (tx: Tx): Promise<string> => renewSourceKey(tx, id, await loneActor(context, request, tx))
    const detailsOf = (key: string) => ({ prefix: key.slice(0, 16) })
    return { key: await actOnNamed(context, request, 'source.key', renew, detailsOf) }
  },
  approve: async (context, request) => {
    const { id } = request.params
    const { version } = request.body
    const approve = (tx: Tx) => approveSource(tx, id, version, secondOf(context, request))
    await actOnNamed(context, request, 'source.approve', approve)
    return toAnswer(await getSource(context, id))
  },
  pickup: async (context, request) => {
    const { id } = request.params
    const {
      senders = [],
      checkedBy = null,
      hostKey = null,
      importsAlone = false,
      secret = null,
      address,
    } = request.body
    const pickup = { address, senders, checkedBy, hostKey, importsAlone }
    const set = async (tx: Tx): Promise<void> =>
      setPickup(tx, id, { ...pickup, secret, changedBy: await loneActor(context, request, tx) })
    await actOnNamed(context, request, 'source.pickup', set, pickup)
    return toAnswer(await getSource(context, id))
  },
  'end-pickup': async (context, request) => {
    const { id } = request.params
    await actOnNamed(context, request, 'source.pickup-end', (tx) => endPickup(tx, id))
    return toAnswer(await getSource(context, id))
  },
  look: async (context, request) => {
    const { id } = request.params
    await lookSoon(context, id)
    return toAnswer(await getSource(context, id))
  },
  files: async (context, { params: { id: sourceId }, query }) => {
    await getSource(context, sourceId)
    return readPage('files', query, (span) => listPicked(context, { sourceId, ...span }))
  },
  'end-key': async (context, request) => {
    const { id } = request.params
    await actOnNamed(context, request, 'source.key-end', (tx) => endSourceKey(tx, id))
    return toAnswer(await getSource(context, id))
  },
})

export const statementAccountRoutes = bindOperations(statementAccounts, {
  bind: async (context, request) => {
    const accounts = request.body.accounts.map((each) => ({ ...each, requisiteIds: unique(each.requisiteIds) }))
    const bind = (tx: Tx) => bindStatementAccounts(tx, accounts, actorOf(request))
    const entries = (bound: Awaited<ReturnType<typeof bind>>) =>
      bound.map((details) => ({
        subject: `requisite:${details.requisiteIds[0]}`,
        details,
      }))
    const isTried = request.body.dryRun ?? false
    return {
      accounts: isTried
        ? await tryOut(context, bind)
        : await actOnEach(context, request, 'statement-account.bind', bind, entries),
    }
  },
})
