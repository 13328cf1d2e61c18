import type { BetterAuthOptions } from 'better-auth'
import { createAdapterFactory, type CustomAdapter } from 'better-auth/adapters'
import type { Context } from '../../context.ts'
import type { Queryable } from 'payin-database'
import { toLibrary, toStored } from './library-dates.ts'
import { changeRows, type Condition, type FieldChange, insertRow, type RowRange, selectRows } from './store.ts'

/** Most rows of a model that are counted: the library never counts nearly as many. */
const mostCounted = 100_000

// The library names the row types at its calls: they are those of its tables in the store.
const adapterOver = (context: Context, db: Queryable): CustomAdapter => {
  const [stored, read] = [toStored(context), toLibrary(context)]
  const select = async (model: string, where: readonly Condition[] | undefined, range: RowRange) =>
    (await selectRows(db, model, where?.map(stored), range)).map(read)
  const change = async (
    model: string,
    where: readonly Condition[],
    { set = {}, increment }: FieldChange,
    which: 'all' | 'one',
  ) => (await changeRows(db, model, where.map(stored), { set: stored(set), increment }, which)).map(read)
  const remove = async (model: string, where: readonly Condition[], which: 'all' | 'one') =>
    (await changeRows(db, model, where.map(stored), 'delete', which)).map(read)
  return {
    create: async ({ model, data }) => read((await insertRow(db, model, stored(data))) ?? {}) as typeof data,
    findOne: async ({ model, where }) => ((await select(model, where, { limit: 1 }))[0] ?? null) as never,
    findMany: async ({ model, where, ...page }) => (await select(model, where, page)) as never,
    count: async ({ model, where }) => (await select(model, where, { limit: mostCounted })).length,
    update: async ({ model, where, update }) =>
      ((await change(model, where, { set: update as Record<string, unknown> }, 'one'))[0] ?? null) as never,
    updateMany: async ({ model, where, update }) => (await change(model, where, { set: update }, 'all')).length,
    delete: async ({ model, where }) => void (await remove(model, where, 'all')),
    deleteMany: async ({ model, where }) => (await remove(model, where, 'all')).length,
    consumeOne: async ({ model, where }) => ((await remove(model, where, 'one'))[0] ?? null) as never,
    incrementOne: async ({ model, where, increment, set }) =>
      ((await change(model, where, { set, increment }, 'one'))[0] ?? null) as never,
  }
}

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
      createAdapterFactory({ config: { ...config, transaction: false }, adapter: () => adapterOver(context, db) })(
        options,
      )
    return createAdapterFactory({
      config: { ...config, transaction: (work) => context.transaction((tx) => work(over(tx))) },
      adapter: () => adapterOver(context, context),
    })(options)
  }
}
