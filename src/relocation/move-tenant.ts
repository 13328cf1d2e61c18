import type { Session } from '../database/database.ts'
import { schemaOfTenant } from '../domain/tenant.ts'
import type { TenantRow } from '../tenants/store.ts'
import { fence, hasSchema, keptName } from './fence.ts'
import { copySchema } from './postgres-programs.ts'
import {
  analyse,
  awaitCopy,
  catchUp,
  emptyTables,
  endReplication,
  startReplication,
  whyNotReplicated,
} from './replicate.ts'
import { measureSchema, noteCopying, noteMoved, noteStopped } from './store.ts'
import { alone, changeDirectory, readTenant } from './tenant-row.ts'
import { onServer, type Tools } from './tools.ts'
import { recover } from './recover.ts'

/** The result of moving a tenant. */
export type Moved = {
  readonly from: string
  readonly to: string
  /** For how long nobody could write to it. */
  readonly stoppedMs: number
  /** The former schema, on its former server. */
  readonly keptSchema: string
}

/** How long the other server may take to catch up while the tenant is stopped. */
const catchUpWithinMs = 4000

type Move = { readonly row: TenantRow; readonly to: string; readonly source: Session; readonly target: Session }

/** Stops a tenant, whose schema is about to be renamed. */
export const stop = async (
  tools: Tools,
  row: TenantRow,
  state: 'switching' | 'stopped',
  kept: string,
): Promise<void> => {
  const [stopped] = await changeDirectory(tools.main, (tx) => tx.query(noteStopped, { name: row.name, state, kept }))
  if (!stopped) throw new Error(`The tenant ${row.name} is not active: see payin tenants list.`)
}

const takeIntoUse = async (tools: Tools, { row, to }: Move): Promise<void> => {
  const change = { name: row.name, from: row.server, to }
  const [moved] = await changeDirectory(tools.main, (tx) => tx.query(noteMoved, change))
  if (!moved) throw new Error('Another process gave up the move.')
}

/** Copies while the tenant works, and stops it for the rest. */
const moveWhileWritten = async (tools: Tools, move: Move): Promise<Moved> => {
  const { row, to, source, target } = move
  const schema = schemaOfTenant(row.name)
  const server = await tools.servers.get(to)
  const replication = { tenant: row.name, schema, from: source, to: target, sourceUrl: tools.urlOf(row.server) }
  tools.onProgress(`making the tables on ${to}`)
  const inSchema = server.inSchema(schema)
  try {
    await tools.migrations.apply(inSchema)
  } finally {
    await inSchema.close()
  }
  await emptyTables(target, schema)
  await startReplication(replication)
  await awaitCopy(replication, tools.onProgress)
  await analyse(server, schema)
  await awaitCopy(replication, tools.onProgress)
  const kept = keptName('moved', row.name, tools.clock())
  tools.onProgress('switching')
  const startedAt = tools.clock()
  await stop(tools, row, 'switching', kept)
  await fence(source, schema, kept)
  await catchUp(replication, catchUpWithinMs)
  await takeIntoUse(tools, move)
  const stoppedMs = tools.clock() - startedAt
  await endReplication(row.name, source, target)
  return { from: row.server, to, stoppedMs, keptSchema: kept }
}

/** Stops the tenant, and then copies. */
const moveWhileStopped = async (tools: Tools, move: Move): Promise<Moved> => {
  const { row, to, source, target } = move
  const schema = schemaOfTenant(row.name)
  const kept = keptName('moved', row.name, tools.clock())
  tools.onProgress('copying, with the tenant stopped')
  const startedAt = tools.clock()
  await stop(tools, row, 'stopped', kept)
  await fence(source, schema, kept)
  await copySchema(tools, row.server, kept, to)
  await target.run(`alter schema ${kept} rename to ${schema}`)
  await analyse(await tools.servers.get(to), schema)
  await takeIntoUse(tools, move)
  return { from: row.server, to, stoppedMs: tools.clock() - startedAt, keptSchema: kept }
}

const copyAndSwitch = async (tools: Tools, row: TenantRow, to: string, mayStop: boolean): Promise<Moved> =>
  onServer(tools, row.server, (source) =>
    onServer(tools, to, async (target) => {
      const schema = schemaOfTenant(row.name)
      if (await hasSchema(target, schema)) throw new Error(`The server ${to} has a schema ${schema} already.`)
      const obstacle = await whyNotReplicated(source, target)
      if (obstacle !== undefined && !mayStop) {
        const [size] = await source.query(measureSchema, { schema })
        const megabytes = Number((size?.bytes ?? 0n) / 1_000_000n)
        throw new Error(
          `The tenant ${row.name} (${megabytes} MB) cannot be copied while it works: ${obstacle}. With --stop, its requests are refused during the copy, for about ${Math.ceil(megabytes / 10) + 2} seconds.`,
        )
      }
      const [noted] = await changeDirectory(tools.main, (tx) => tx.query(noteCopying, { name: row.name, to }))
      if (!noted) throw new Error(`The tenant ${row.name} is not active: see payin tenants list.`)
      const move = { row, to, source, target }
      return obstacle === undefined && !mayStop ? moveWhileWritten(tools, move) : moveWhileStopped(tools, move)
    }),
  )

/**
 * Moves a tenant to another server. First undoes what an earlier move has left unfinished; if this move fails, it is
 * undone, too. Throws readable errors.
 */
export const moveTenant = (tools: Tools, name: string, to: string, mayStop: boolean): Promise<Moved> =>
  alone(tools.main, name, async () => {
    await recover(tools, name)
    const row = await readTenant(tools.main, name)
    if (row.server === to) throw new Error(`The tenant ${name} is on the server ${to} already.`)
    if (row.state !== 'active') throw new Error(`The tenant ${name} is ${row.state}, so it cannot be moved.`)
    if (row.keptSchema !== null)
      throw new Error(`A former copy of ${name} is kept. Remove it first: payin tenants drop-copy ${name}`)
    try {
      return await copyAndSwitch(tools, row, to, mayStop)
    } catch (error) {
      tools.onProgress('taking it back')
      await recover(tools, name)
      const { server } = await readTenant(tools.main, name)
      if (server === to) return { from: row.server, to, stoppedMs: NaN, keptSchema: '' }
      throw error
    }
  })
