import { boolean, jsonb, query, type Session, text } from 'payin-database'

/** A table to copy; tables are in an order in which rows may be inserted. */
export type CopiedTable = {
  /** Its name in SQL. */
  readonly name: string
  /** The file with its rows in the folder. */
  readonly file: string
  /** Whether its rows are files of several megabytes. */
  readonly hasFiles: boolean
}

const listTables = query('list_tables_to_copy', {
  parameters: { schema: text },
  row: { name: text, refersTo: jsonb<readonly string[]>(), hasFiles: boolean },
  text: `select tables.relname::text as name,
      (select coalesce(jsonb_agg(distinct others.relname), '[]') from pg_constraint as keys
        join pg_class as others on others.oid = keys.confrelid
        where keys.conrelid = tables.oid and keys.contype = 'f' and keys.confrelid <> tables.oid) as refers_to,
      exists (select from pg_attribute where attrelid = tables.oid and attname = 'content_sealed') as has_files
    from pg_class as tables join pg_namespace as schemas on schemas.oid = tables.relnamespace
    where schemas.nspname = :schema and tables.relkind = 'r' and tables.relname not in ('schema_migrations', 'schema_lock')
    order by tables.relname`,
})

/** The tables of a schema, each after those that it refers to. */
export const listCopiedTables = async (session: Session, schema: string): Promise<CopiedTable[]> => {
  const rows = await session.query(listTables, { schema })
  const ordered = new Map<string, CopiedTable>()
  while (ordered.size < rows.length) {
    const next = rows.filter(
      ({ name, refersTo }) => !ordered.has(name) && refersTo.every((other) => ordered.has(other)),
    )
    if (next.length === 0) throw new Error(`The tables of ${schema} refer to each other in a circle.`)
    for (const { name, hasFiles } of next)
      ordered.set(name, { name: `"${schema}"."${name}"`, file: `tables/${name}.rows.gz`, hasFiles })
  }
  return [...ordered.values()]
}

/** The number of rows of a table, and a sum over them that does not depend on their order. */
export const sumOf = async (session: Session, table: string): Promise<{ rows: string; sum: string }> => {
  const [found] = await session.query(
    query(`sum_of_${table.replaceAll(/\W/g, '_')}`, {
      planned: 'whole',
      row: { rows: text, sum: text },
      text: `select count(*)::text as rows, coalesce(sum(hashtextextended(each::text, 0)::numeric), 0)::text as sum from ${table} as each`,
    }),
    {},
  )
  return found ?? { rows: '0', sum: '0' }
}

/** The content of a folder: the version that wrote it, the keys that it needs, and its tables. */
export type Manifest = {
  readonly format: 'payin-export-1'
  readonly version: string
  readonly newestMigration: string
  readonly exportedAt: string
  /** Public values that identify the keys with which sealed values can be opened. */
  readonly keyChecks: readonly string[]
  readonly tables: readonly {
    readonly file: string
    readonly rows: string
    /** Over the rows as the database writes them, in any order. */
    readonly sum: string
    /** Of the uncompressed file. */
    readonly sha256: string
  }[]
}
