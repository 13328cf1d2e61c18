import pg from 'pg'
import type { Database } from '../rig/open-bench.ts'

/** A table's columns, and those of its primary key. */
type Table = { readonly name: string; readonly columns: readonly string[]; readonly key: readonly string[] }

/** What a run has changed in a table: the net effect, so that a row updated several times counts once. */
type Change = Table & { readonly inserted: number; readonly updated: number; readonly deleted: number }

/** The rows that a run has left, kept next to the tables so that they can be written again. */
export type KeptRows = { readonly changes: readonly Change[]; readonly rows: number }

const tablesOf = (database: Database): Promise<Table[]> =>
  database.query<Table>(`select relname as name,
      (select array_agg(quote_ident(attname) order by attnum) from pg_attribute
        where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
      (select array_agg(quote_ident(attname) order by attnum) from pg_attribute join pg_index on indrelid = attrelid
        where attrelid = pg_class.oid and indisprimary and attnum = any (indkey)) as key
    from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by oid`)

/** Keeps the rows of all tables as they are before a run. */
export const keepRows = async (database: Database): Promise<void> => {
  await database.query('create schema kept; create schema inserted; create schema updated; create schema deleted')
  for (const { name } of await tablesOf(database)) {
    await database.query(`create unlogged table kept.${name} as table ${name}`)
  }
}

const sameKey = ({ key }: Table, one: string, other: string): string =>
  key.map((column) => `${one}.${column} = ${other}.${column}`).join(' and ')

/** Finds what a run has changed since `keepRows`, and puts the tables back as they were then. */
export const restoreRows = async (database: Database): Promise<KeptRows> => {
  const changes: Change[] = []
  for (const table of await tablesOf(database)) {
    const { name } = table
    const number = 'row_number() over (order by fresh.ctid) as row_number'
    const joined = (join: string, one: string, other: string) =>
      `from ${one} as fresh ${join} ${other} as other on ${sameKey(table, 'fresh', 'other')}`
    const count = async (kind: string, text: string): Promise<number> => {
      await database.query(`create unlogged table ${kind}.${name} as select fresh.*, ${number} ${text}`)
      await database.query(`alter table ${kind}.${name} add primary key (row_number)`)
      const [row] = await database.query<{ count: number }>(`select count(*)::integer from ${kind}.${name}`)
      return row?.count ?? 0
    }
    const isNone = `where other.${table.key[0]} is null`
    const change = {
      ...table,
      inserted: await count('inserted', `${joined('left join', name, `kept.${name}`)} ${isNone}`),
      updated: await count('updated', `${joined('join', name, `kept.${name}`)} where fresh.*::text <> other.*::text`),
      deleted: await count('deleted', `${joined('left join', `kept.${name}`, name)} ${isNone}`),
    }
    if (change.inserted + change.updated + change.deleted > 0) changes.push(change)
  }
  const tables = await tablesOf(database)
  // In one query, because tables refer to each other; without triggers, because what was there before was correct.
  await database.query(`set session_replication_role = replica; truncate ${tables.map(({ name }) => name).join()};
    ${tables.map(({ name, columns }) => `insert into ${name} (${columns.join()}) select ${columns.join()} from kept.${name}`).join(';')}`)
  await database.query('vacuum analyze')
  await database.query('checkpoint')
  return { changes, rows: changes.reduce((sum, each) => sum + each.inserted + each.updated + each.deleted, 0) }
}

/** The queries that write the part of a set, row numbers above `$1` up to `$2`, for each kind of change of a table. */
const queriesOf = (table: Change): { readonly total: number; readonly text: string }[] => {
  const { name, columns, inserted, updated, deleted } = table
  const part = (kind: string) => `(select * from ${kind}.${name} where row_number > $1 and row_number <= $2) as part`
  const changed = columns.filter((column) => !table.key.includes(column))
  return [
    {
      total: inserted,
      text: `insert into ${name} (${columns.join()}) select ${columns.join()} from ${part('inserted')}`,
    },
    {
      total: updated,
      text: `update ${name} set (${changed.join()}) = row (${changed.map((column) => `part.${column}`).join()})
        from ${part('updated')} where ${sameKey(table, name, 'part')}`,
    },
    { total: deleted, text: `delete from ${name} using ${part('deleted')} where ${sameKey(table, name, 'part')}` },
  ].filter(({ total }) => total > 0)
}

const writePart = async (client: pg.Client, change: Change, set: number, sets: number): Promise<void> => {
  for (const [index, { total, text }] of queriesOf(change).entries()) {
    const ends = [set, set + 1].map((end) => Math.floor((total * end) / sets))
    await client.query({ name: `${change.name}_${index}`, text, values: ends })
  }
}

/**
 * The least that PostgreSQL does to hold what a run has left: writes the same rows again, in `sets` transactions over
 * two connections, without looking anything up and without checking references. Returns the seconds.
 */
export const writeRows = async (database: Database, { changes }: KeptRows, sets: number): Promise<number> => {
  const clients = await Promise.all(
    [0, 1].map(async () => {
      const client = new pg.Client({ connectionString: database.url })
      await client.connect()
      // Rows that refer to each other may be in different sets.
      await client.query('set session_replication_role = replica')
      return client
    }),
  )
  try {
    const started = performance.now()
    let next = 0
    await Promise.all(
      clients.map(async (client) => {
        for (let set = next++; set < sets; set = next++) {
          await client.query('begin')
          for (const change of changes) await writePart(client, change, set, sets)
          await client.query('commit')
        }
      }),
    )
    return (performance.now() - started) / 1000
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
}
