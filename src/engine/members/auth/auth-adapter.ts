import type { BetterAuthOptions } from 'better-auth'
import { createAdapterFactory, type CustomAdapter } from 'better-auth/adapters'
import type { Context } from '../../context.ts'
import type { Queryable } from 'payin-database'
import { changeRows, insertRow, selectRows } from './store.ts'

/** Most rows of a model that are counted: the library never counts nearly as many. */
const mostCounted = 100_000

// The library names the row types at its calls: they are those of its tables in the store.
const adapterOver = (db: Queryable): CustomAdapter => ({
  create: async ({ model, data }) => (await insertRow(db, model, data)) as typeof data,
  findOne: async ({ model, where }) => ((await selectRows(db, model, where, { limit: 1 }))[0] ?? null) as never,
  findMany: async ({ model, where, ...page }) => (await selectRows(db, model, where, page)) as never,
  count: async ({ model, where }) => (await selectRows(db, model, where, { limit: mostCounted })).length,
  update: async ({ model, where, update }) => {
    const set = update as Record<string, unknown>
    return ((await changeRows(db, model, where, { set }, 'one'))[0] ?? null) as never
  },
  updateMany: async ({ model, where, update }) => (await changeRows(db, model, where, { set: update }, 'all')).length,
  delete: async ({ model, where }) => void (await changeRows(db, model, where, 'delete', 'all')),
  deleteMany: async ({ model, where }) => (await changeRows(db, model, where, 'delete', 'all')).length,
  consumeOne: async ({ model, where }) => ((await changeRows(db, model, where, 'delete', 'one'))[0] ?? null) as never,
  incrementOne: async ({ model, where, increment, set }) =>
    ((await changeRows(db, model, where, { set, increment }, 'one'))[0] ?? null) as never,
})

/** The library's access to the database of a context; its transactions are ours. */
export const authAdapter = (context: Context) => {
  const config = {
    adapterId: 'payin',
    supportsUUIDs: true,
    supportsBooleans: true,
    supportsDates: true,
    customIdGenerator: () => context.newId(),
  }
  return (options: BetterAuthOptions) => {
    const over = (db: Queryable) =>
      createAdapterFactory({ config: { ...config, transaction: false }, adapter: () => adapterOver(db) })(options)
    return createAdapterFactory({
      config: { ...config, transaction: (work) => context.transaction((tx) => work(over(tx))) },
      adapter: () => adapterOver(context),
    })(options)
  }
}
