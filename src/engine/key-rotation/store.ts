import { bigint, boolean, type Codec, instant, integer, jsonb, nullable, query, text } from 'payin-database'

const rotationRow = { keyId: text, startedBy: text, startedAt: instant, finishedAt: nullable(instant) }

/** The rotation that was started last. */
export const findRotation = query('find_key_rotation', {
  row: rotationRow,
  text: `select :row from key_rotations order by started_at desc limit 1`,
})

/** Starts a rotation, or restarts one that has ended; one that is under way stays as it is. */
export const startRotationRow = query('start_key_rotation', {
  parameters: { keyId: text, startedBy: text, now: instant },
  row: { keyId: text },
  text: `insert into key_rotations as known (key_id, started_by, started_at) values (:keyId, :startedBy, :now)
    on conflict (key_id) do update set started_by = excluded.started_by, started_at = excluded.started_at, finished_at = null
      where known.finished_at is not null
    returning key_id`,
})

/** Deletes the progress of a rotation. */
export const deleteSteps = query('delete_key_rotation_steps', {
  parameters: { keyId: text },
  text: `delete from key_rotation_steps where key_id = :keyId`,
})

/** Ends unfinished rotations to other keys. */
export const endOtherRotations = query('end_other_key_rotations', {
  parameters: { keyId: text, now: instant },
  text: `update key_rotations set finished_at = :now where key_id <> :keyId and finished_at is null`,
})

export const insertSteps = query('insert_key_rotation_steps', {
  parameters: { keyId: text },
  rows: { step: text },
  text: `insert into key_rotation_steps (key_id, step) select :keyId, step from :rows on conflict do nothing`,
})

const stepRow = {
  step: text,
  pass: integer,
  seen: bigint,
  renewedInPass: bigint,
  renewed: bigint,
  isFinished: boolean,
}

/** How far the steps of a rotation are. */
export const listSteps = query('list_key_rotation_steps', {
  parameters: { keyId: text },
  row: stepRow,
  text: `select step, pass, seen, renewed_in_pass, renewed, finished_at is not null as is_finished
    from key_rotation_steps where key_id = :keyId order by step`,
})

/** Locks an unfinished step; no row if another process is working on it. */
export const lockStep = query('lock_key_rotation_step', {
  parameters: { keyId: text, step: text },
  row: { position: nullable(jsonb<readonly string[]>()), renewedInPass: bigint },
  text: `select position, renewed_in_pass from key_rotation_steps
    where key_id = :keyId and step = :step and finished_at is null for update skip locked`,
})

/** Stores what a batch of a step has done, and where the next one begins. */
export const updateStep = query('update_key_rotation_step', {
  parameters: {
    keyId: text,
    step: text,
    position: nullable(jsonb<readonly string[]>()),
    seen: bigint,
    renewed: bigint,
  },
  text: `update key_rotation_steps set position = :position, seen = seen + :seen, renewed = renewed + :renewed,
      renewed_in_pass = renewed_in_pass + :renewed
    where key_id = :keyId and step = :step`,
})

/** Begins another pass of a step. */
export const beginPass = query('begin_key_rotation_pass', {
  parameters: { keyId: text, step: text },
  text: `update key_rotation_steps set position = null, pass = pass + 1, seen = 0, renewed_in_pass = 0
    where key_id = :keyId and step = :step`,
})

/** Ends a step whose last pass has found nothing to renew. */
export const finishStep = query('finish_key_rotation_step', {
  parameters: { keyId: text, step: text, now: instant },
  text: `update key_rotation_steps set position = null, finished_at = :now where key_id = :keyId and step = :step`,
})

export const finishRotationRow = query('finish_key_rotation', {
  parameters: { keyId: text, now: instant },
  row: { keyId: text },
  text: `update key_rotations set finished_at = :now where key_id = :keyId and finished_at is null returning key_id`,
})

/** The processes that have connections to the database, by the names of the connections. */
export const listProcesses = query('list_processes_by_keys', {
  parameters: { program: text },
  row: { name: text, host: text },
  text: `select distinct coalesce(application_name, '') as name, coalesce(host(client_addr), 'here') as host from pg_stat_activity
    where datname = current_database() and application_name ~ ('^' || :program || ' [0-9]{4}') order by 1, 2 limit 100`,
})

const leastOf = { uuid: '00000000-0000-0000-0000-000000000000', integer: '-1' } as const

type Row = Readonly<Record<string, string | null>>
type Codecs = Readonly<Record<string, Codec<string | null>>>

const asText = (type: string): Codec<string | null> => ({ ...nullable(text), type })
/** What `query` calls a column: it writes the names of fields in snake_case. */
const fieldOf = (column: string): string => column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
const codecsOf = (columns: readonly (readonly [string, string])[]): Codecs =>
  Object.fromEntries(columns.map(([name, type]) => [fieldOf(name), asText(type)]))
const toRow = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([field, value]) => [
      field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  )
const toFields = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [fieldOf(name), value]))

/** The queries that renew the sealed columns of a table, page by page along its primary key. */
export const renewalQueries = (of: {
  readonly table: string
  readonly key: Readonly<Record<string, 'uuid' | 'integer'>>
  readonly sealed: readonly string[]
  readonly indexes: readonly string[]
  readonly also: readonly string[]
}) => {
  const { table, key, sealed, indexes, also } = of
  const keys = Object.entries(key)
  const names = keys.map(([name]) => name)
  const renewed = [...sealed, ...indexes]
  const beforeOf = (name: string): string => `before_${name}`
  const stale = (column: string): string => `${column} not like :prefix || '%' and ${column} <> ''`
  const ofKey = codecsOf(keys)
  const listPage = query(`list_sealed_${table}`, {
    parameters: { ...ofKey, prefix: text, limit: integer } as Codecs & { prefix: typeof text; limit: typeof integer },
    row: codecsOf([...keys, ...[...also, ...renewed].map((name) => [name, 'text'] as const)]),
    text: `select ${[
      ...names,
      ...also.map((name) => `${name}::text as ${name}`),
      ...sealed.map((name) => `case when ${stale(name)} then ${name} end as ${name}`),
      ...indexes,
    ].join(', ')} from ${table}
      where (${names.join(', ')}) > (${names.map((name) => `:${fieldOf(name)}`).join(', ')})
      order by ${names.join(', ')} limit :limit`,
  })
  const updateRows = query(`renew_sealed_${table}`, {
    rows: {
      ...ofKey,
      ...codecsOf([...renewed, ...sealed.map(beforeOf)].map((name) => [name, 'text'] as const)),
    },
    row: { isRenewed: boolean },
    // A row that has changed since it was read is already sealed with the first key.
    text: `update ${table} as known set ${renewed.map((name) => `${name} = coalesce(input.${name}, known.${name})`).join(', ')}
      from :rows
      where ${names.map((name) => `known.${name} = input.${name}`).join(' and ')}
        and ${sealed.map((name) => `(input.${beforeOf(name)} is null or known.${name} = input.${beforeOf(name)})`).join(' and ')}
      returning true as is_renewed`,
  })
  const start = Object.fromEntries(keys.map(([name, type]) => [fieldOf(name), leastOf[type]]))
  return {
    /** Rows after a position, or the first ones; values that the first key has sealed are null. */
    pageAfter: (position: readonly string[] | null, prefix: string, limit: number) => ({
      query: listPage,
      parameters: {
        ...start,
        ...(position && Object.fromEntries(names.map((name, index) => [fieldOf(name), position[index] ?? null]))),
        prefix,
        limit,
      } as never,
      read: (rows: readonly object[]): Row[] => rows.map((row) => toRow(row as Row)),
    }),
    /** Changes rows; null values stay as they are. */
    update: (rows: readonly Row[]) => ({ query: updateRows, parameters: { rows: rows.map(toFields) } as never }),
    positionOf: (row: Row): string[] => names.map((name) => row[name] ?? ''),
    beforeOf,
  }
}
