import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { openDatabase } from '../src/database/database.ts'
import { migrate } from '../src/database/migrate.ts'
import { nullable, query, text } from '../src/database/query.ts'

const migrations = resolve(import.meta.dirname, '..', 'migrations')

const ours = `n.relnamespace = (select oid from pg_namespace where nspname = current_schema()) and n.relname not in ('schema_migrations', 'schema_lock')`

const listTables = query('describe_tables', {
  row: { name: text, options: nullable(text) },
  text: `select n.relname::text as name, array_to_string(n.reloptions, ', ') as options
    from pg_class n where ${ours} and n.relkind = 'r' order by n.oid`,
})

const listColumns = query('describe_columns', {
  row: { table: text, name: text, definition: text },
  text: `select n.relname::text as table, a.attname::text as name,
      replace(format_type(a.atttypid, a.atttypmod), 'timestamp with time zone', 'timestamptz')
        || case when a.attcollation = '"C"'::regcollation then ' collate "C"' else '' end
        || case when a.attnotnull then ' not null' else '' end
        || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') as definition
    from pg_class n join pg_attribute a on a.attrelid = n.oid
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where ${ours} and n.relkind = 'r' and a.attnum > 0 and not a.attisdropped order by n.oid, a.attnum`,
})

const listConstraints = query('describe_constraints', {
  // The column, if the constraint is about one and has PostgreSQL's default name.
  row: { table: text, name: text, column: nullable(text), definition: text },
  text: `select n.relname::text as table, c.conname::text as name,
      case when cardinality(c.conkey) = 1 then (
        select a.attname::text from pg_attribute a where a.attrelid = n.oid and a.attnum = c.conkey[1]
          and c.conname in (n.relname || '_' || a.attname || '_check', n.relname || '_' || a.attname || '_fkey',
            n.relname || '_' || a.attname || '_key', n.relname || '_pkey')
      ) end as column, pg_get_constraintdef(c.oid, true) as definition
    from pg_class n join pg_constraint c on c.conrelid = n.oid
    where ${ours} and c.contype in ('p', 'u', 'f', 'c') order by n.oid, position(c.contype::text in 'pufc'), c.oid`,
})

const listIndexes = query('describe_indexes', {
  row: { table: text, name: text, definition: text },
  text: `select n.relname::text as table, i.indexrelid::regclass::text as name,
      pg_get_indexdef(i.indexrelid, 0, true) as definition
    from pg_class n join pg_index i on i.indrelid = n.oid
    where ${ours} and not exists (select from pg_constraint c where c.conindid = i.indexrelid and c.contype in ('p', 'u'))
    order by n.oid, i.indexrelid`,
})

/** Rewrites PostgreSQL's form of an expression to ours. */
const plain = (sql: string): string =>
  sql
    .replaceAll(/'(\d+)'::bigint/g, '$1')
    .replaceAll(/('[^']*')::(?:text|jsonb|timestamp with time zone)\b/g, '$1')
    .replaceAll(/ = ANY \(ARRAY\[([^\]]*)\]\)/g, ' in ($1)')
    .replaceAll(/ <> ALL \(ARRAY\[([^\]]*)\]\)/g, ' not in ($1)')
    .replaceAll(/'[^']*'|"C"|[A-Z]+/g, (word) => (/^['"]/.test(word) ? word : word.toLowerCase()))
    .replaceAll(/ using btree|(?<= on )\w+\.|"(?=position)|(?<=position)"/g, '')
    .replaceAll(/(references \w+)\(/g, '$1 (')
    .replaceAll(/ ~~ ('[^']*')/g, ' like $1')

type Comments = {
  /** The comment lines above each named thing; for a column or constraint the name is `table.name`. */
  readonly of: ReadonlyMap<string, readonly string[]>
  /** For the first table of each area, the lines at the top of its migration. */
  readonly areas: ReadonlyMap<string, readonly string[]>
}

/** The comments of the migrations above tables, columns, constraints and indexes, which the database does not store. */
const readComments = (): Comments => {
  const of = new Map<string, readonly string[]>()
  const areas = new Map<string, readonly string[]>()
  for (const file of readdirSync(migrations).toSorted()) {
    let table = ''
    let top: string[] = []
    let above: string[] = []
    for (const line of readFileSync(join(migrations, file), 'utf8').split('\n')) {
      const comment = /^\s*(-- .*)/.exec(line)?.[1]
      if (comment !== undefined) {
        above.push(comment)
        continue
      }
      const [, about = '', said] = /^comment on table (\w+) is '(.*)';$/.exec(line) ?? []
      if (said !== undefined && about !== table) of.set(about, [`-- ${said}`])
      const named =
        /^(create (?:unique )?index|create table|alter table|)\s*(?:add )?(?:column |constraint )?(\w+)/.exec(line)
      const [kind = '', name = ''] = named?.slice(1) ?? []
      if (kind.endsWith('table')) table = name
      if (kind === 'create table' && top.length > 0) areas.set(name, top)
      const added = /^alter table \w+ (?:add|alter) (?:column |constraint )?(\w+)/.exec(line)?.[1]
      const isPart = kind === '' || added !== undefined
      if (above.length > 0 && named && (isPart || kind !== 'alter table'))
        of.set(isPart ? `${table}.${added ?? name}` : name, above)
      top = line === '' && table === '' ? above : []
      above = []
    }
  }
  return { of, areas }
}

type Catalog = {
  readonly columns: ReturnType<typeof listColumns.decode>[]
  readonly constraints: ReturnType<typeof listConstraints.decode>[]
  readonly indexes: ReturnType<typeof listIndexes.decode>[]
}

/** A constraint as written after its column, without the column's name. */
const afterColumn = (definition: string): string =>
  definition.replace(/^(PRIMARY KEY|UNIQUE) .*/, '$1').replace(/^FOREIGN KEY \(\w+\) /, '')

const describeColumn = ({ constraints }: Catalog, column: Catalog['columns'][number]): string => {
  const own = constraints.filter((each) => each.table === column.table && each.column === column.name)
  const line = plain([column.name, column.definition, ...own.map((each) => afterColumn(each.definition))].join(' '))
  return line.replace('not null primary key', 'primary key')
}

const describeConstraint = ({ name, definition }: Catalog['constraints'][number]): string =>
  plain(/_(?:pkey|fkey)$/.test(name) ? definition : `constraint ${name} ${definition}`)

const describeTable = (catalog: Catalog, comments: Comments, table: string, options: string | null): string => {
  const above = (name: string): readonly string[] => comments.of.get(name) ?? []
  const isOurs = (each: { readonly table: string }): boolean => each.table === table
  const entries = [
    ...catalog.columns.filter(isOurs).map((each) => ({ name: each.name, line: describeColumn(catalog, each) })),
    ...catalog.constraints
      .filter((each) => isOurs(each) && each.column === null)
      .map((each) => ({ name: each.name, line: describeConstraint(each) })),
  ]
  const body = entries.flatMap(({ name, line }, index) =>
    [...above(`${table}.${name}`), index === entries.length - 1 ? line : `${line},`].map((each) => `  ${each}`),
  )
  const end = options === null ? ');' : `) with (${options.replaceAll('=', ' = ')});`
  const indexes = catalog.indexes
    .filter(isOurs)
    .flatMap(({ name, definition }) => [...above(name), `${plain(definition)};`])
  return [...above(table), `create table ${table} (`, ...body, end, ...indexes].join('\n')
}

/**
 * The text of `docs/schema.sql`: the schema after all migrations, as readable SQL. It is read from the embedded
 * database in a folder, by default a new one, which is removed afterwards.
 */
export const schemaDocument = async (dataDir = mkdtempSync(join(tmpdir(), 'payin-schema-'))): Promise<string> => {
  const database = await openDatabase({ dataDir, poolSize: 1, preparedStatements: true, queryTimeoutMs: 60_000 })
  try {
    await migrate(database, migrations)
    const catalog: Catalog = {
      columns: await database.query(listColumns, {}),
      constraints: await database.query(listConstraints, {}),
      indexes: await database.query(listIndexes, {}),
    }
    const comments = readComments()
    const tables = (await database.query(listTables, {})).flatMap(({ name, options }) => [
      ...(comments.areas.has(name) ? [(comments.areas.get(name) ?? []).join('\n')] : []),
      describeTable(catalog, comments, name, options),
    ])
    const head = '-- The schema after all migrations, for reading only. Generated by `npm run generate`.'
    return `${[head, ...tables].join('\n\n')}\n`
  } finally {
    await database.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
