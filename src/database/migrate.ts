import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type { Database } from './database.ts'
import { integer, query, text } from './query.ts'

const lockMigrations = query('lock_migrations', {
  row: { one: integer },
  // Excludes every other process that starts at the same time until our transaction ends.
  text: `update schema_lock set taken = taken + 1 where id = 1 returning 1 as one`,
})

const listMigrations = query('list_migrations', {
  row: { name: text, checksum: text },
  text: `select name, checksum from schema_migrations order by name`,
})

const insertMigration = query('insert_migration', {
  parameters: { name: text, checksum: text },
  text: `insert into schema_migrations (name, checksum, applied_at) values (:name, :checksum, now())`,
})

const bookkeeping = `
  create table if not exists schema_migrations (name text primary key, checksum text not null, applied_at timestamptz not null);
  create table if not exists schema_lock (id integer primary key, taken bigint not null);
  insert into schema_lock (id, taken) values (1, 0) on conflict do nothing;`

// Two processes may both find the table missing; the loser gets a duplicate key in PostgreSQL's catalogue and retries.
const prepare = async (database: Database): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await database.script(bookkeeping)
    } catch (error) {
      if (attempt === 10) throw error
    }
  }
}

/** Why a database with these migrations, which we do not have, cannot be used, and what to do. */
const refuseUnknown = (unknown: readonly string[], names: readonly string[]): string => {
  const last = names.at(-1) ?? ''
  if (unknown.every((name) => name > last)) {
    return `The database was migrated by a newer version of Payin (${unknown.join(', ')}). Start that version, or restore a backup.`
  }
  // Before the first release, the migrations were rewritten as one baseline.
  return `The database was made by an unreleased version of Payin (${unknown.length} migrations that this one does not have, the first is ${unknown[0]}), and cannot be upgraded. Start with an empty database, by another DATABASE_URL or PAYIN_DATA_DIR, or start the version that made it.`
}

/** Applies the missing migrations of `folder`, each once and in one transaction, and returns their names. */
export const migrate = async (database: Database, folder: string): Promise<string[]> => {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_.*\.sql$/.test(name)).toSorted()
  const files = await Promise.all(
    names.map(async (name) => {
      const content = await readFile(`${folder}/${name}`, 'utf8')
      return { name, content, checksum: createHash('sha256').update(content).digest('hex') }
    }),
  )
  await prepare(database)
  return database.transaction(async (tx) => {
    // An index over years of payments takes longer than any request may.
    await tx.script('set local statement_timeout = 0')
    await tx.query(lockMigrations, {})
    const applied = new Map((await tx.query(listMigrations, {})).map((row) => [row.name, row.checksum]))
    const unknown = [...applied.keys()].filter((name) => !names.includes(name))
    if (unknown.length > 0) throw new Error(refuseUnknown(unknown, names))
    const done: string[] = []
    for (const file of files) {
      const checksum = applied.get(file.name)
      if (checksum === file.checksum) continue
      if (checksum !== undefined) {
        throw new Error(
          `Migration ${file.name} was changed after it had been applied. Restore the file, and put the change into a new migration.`,
        )
      }
      await tx.script(file.content)
      await tx.query(insertMigration, { name: file.name, checksum: file.checksum })
      done.push(file.name)
    }
    return done
  })
}
