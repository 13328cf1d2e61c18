import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Session } from '../database/database.ts'
import {
  findLag,
  findLogEnd,
  findProgress,
  findPublishing,
  findReached,
  findSubscribing,
  findSubscription,
  measureSchema,
  selectSlots,
  selectTables,
} from './store.ts'

/** The source and target of a schema that is copied while it is written to. */
export type Replication = {
  readonly tenant: string
  readonly schema: string
  readonly from: Session
  readonly to: Session
  /** The address at which the server `to` reaches `from`. */
  readonly sourceUrl: string
}

/** The publication, the subscription and the slot share one name. */
const nameOf = (tenant: string): string => `payin_move_${tenant}`
const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`
const lookEveryMs = 200
/** Copying that does not advance for this long has failed. */
const stallsAfterMs = 60_000
/** The rest is copied while the tenant is stopped. */
const smallLag = 1_000_000n
const rounds = (ms: number): number => Math.ceil(ms / lookEveryMs)

/** Why a schema cannot be copied while it is written to; undefined if it can. */
export const whyNotReplicated = async (from: Session, to: Session): Promise<string | undefined> => {
  const [[source], [target]] = await Promise.all([from.query(findPublishing, {}), to.query(findSubscribing, {})])
  if (source?.walLevel !== 'logical')
    return `wal_level of its server is ${source?.walLevel}, not logical: alter system set wal_level = logical, and restart PostgreSQL`
  if (!source.mayReplicate) return 'its role there may not replicate: alter role … replication'
  if (source.freeSlots < 2) return 'its server has no free replication slots: raise max_replication_slots'
  if (target?.maySubscribe !== true)
    return 'the role on the other server may not subscribe: it must be a superuser or, from PostgreSQL 16 on, have pg_create_subscription'
  return undefined
}

/**
 * Begins to copy the tables into empty ones with the same names, together with everything that is written meanwhile.
 */
export const startReplication = async ({ tenant, schema, from, to, sourceUrl }: Replication): Promise<void> => {
  const name = nameOf(tenant)
  const tables = await from.query(selectTables, { schema })
  const listed = tables.map((table) => `${schema}.${table.name}`).join(', ')
  await from.run(`create publication ${name} for table ${listed}`)
  await from.run(`select pg_create_logical_replication_slot('${name}', 'pgoutput')`)
  await to.run(
    `create subscription ${name} connection ${quoteText(sourceUrl)} publication ${name}
      with (create_slot = false, slot_name = '${name}', copy_data = true)`,
  )
}

/** Waits until all tables are copied and little is left to catch up; throws if nothing advances for a minute. */
export const awaitCopy = async (
  { tenant, schema, from, to }: Replication,
  onProgress: (text: string) => void,
): Promise<void> => {
  const name = nameOf(tenant)
  let [last, still] = ['', 0]
  for (;;) {
    const [progress] = await to.query(findProgress, { subscription: name })
    const [size] = await to.query(measureSchema, { schema })
    const [lag] = await from.query(findLag, { slot: name })
    const { ready = 0, tables = 0 } = progress ?? {}
    if (tables > 0 && ready === tables && (lag?.bytes ?? smallLag) < smallLag) return
    const now = `${ready} of ${tables} tables, ${(size?.bytes ?? 0n) / 1_000_000n} MB`
    still = now === last ? still + 1 : 0
    if (now !== last) onProgress(`copying: ${now}`)
    last = now
    if (still > rounds(stallsAfterMs) && ready < tables)
      throw new Error(`Copying has not advanced for a minute (${now}): the log of the other server says why.`)
    await sleep(lookEveryMs)
  }
}

/** Waits until everything that was written before has arrived. */
export const catchUp = async ({ tenant, from }: Replication, withinMs: number): Promise<void> => {
  const slot = nameOf(tenant)
  // A synchronous commit: everything committed before it is also on disk, and may be sent.
  await from.run(`select pg_logical_emit_message(true, 'payin', 'switch')`)
  const [end] = await from.query(findLogEnd, {})
  for (let waited = 0; waited < withinMs; waited += 10) {
    const [found] = await from.query(findReached, { slot, lsn: end?.lsn ?? '' })
    if (found?.isReached) return
    await sleep(10)
  }
  throw new Error(
    `The other server did not catch up within ${withinMs / 1000} seconds, so nothing was changed. Try again.`,
  )
}

const dropSlots = async (from: Session, slot: string, subscriptionId: string): Promise<void> => {
  for (let waited = 0; ; waited += lookEveryMs) {
    const slots = await from.query(selectSlots, { slot, subscriptionId })
    if (slots.length === 0) return
    for (const { name, pid } of slots) {
      if (pid !== null) await from.run(`select pg_terminate_backend(${pid})`)
      else await from.run(`select pg_drop_replication_slot('${name}')`)
    }
    if (waited > 10_000) throw new Error(`The replication slot ${slot} is still in use: drop it, or the log grows.`)
    await sleep(lookEveryMs)
  }
}

/** Removes whatever exists for the replication on both servers. */
export const endReplication = async (tenant: string, from: Session, to: Session): Promise<void> => {
  const name = nameOf(tenant)
  const [subscription] = await to.query(findSubscription, { subscription: name })
  if (subscription) {
    await to.run(`alter subscription ${name} disable`)
    await to.run(`alter subscription ${name} set (slot_name = none)`)
    await to.run(`drop subscription ${name}`)
  }
  await dropSlots(from, name, subscription?.id ?? '')
  await from.run(`drop publication if exists ${name}`)
}

/** Empties the tables that migrations have filled: their rows come from the other server. */
export const emptyTables = async (to: Session, schema: string): Promise<void> => {
  const tables = await to.query(selectTables, { schema })
  await to.run(`truncate ${tables.map(({ name }) => `${schema}.${name}`).join(', ')}`)
}

/** Renews the statistics, which are not copied. */
export const analyse = async (server: Database, schema: string): Promise<void> => {
  const session = await server.openSession()
  try {
    for (const { name } of await session.query(selectTables, { schema })) await session.run(`analyze ${schema}.${name}`)
  } finally {
    await session.close()
  }
}
