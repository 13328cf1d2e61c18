import { bigint, boolean, instant, integer, jsonb, nullable, query, table, text } from 'payin-database'

const rotationRow = { keyId: text, startedBy: text, startedAt: instant, finishedAt: nullable(instant) }

export const findRotation = query('find_key_rotation', {
  row: rotationRow,
  text: `select :row from key_rotations`,
})

export const deleteOtherRotations = query('delete_other_key_rotations', {
  parameters: { keyId: text },
  text: `delete from key_rotations where key_id <> :keyId or finished_at is not null`,
})

/** Starts a rotation; no row if it is under way. */
export const insertRotation = query('insert_key_rotation', {
  parameters: { keyId: text, startedBy: text, now: instant },
  row: { keyId: text },
  text: `insert into key_rotations (key_id, started_by, started_at) values (:keyId, :startedBy, :now)
    on conflict do nothing returning key_id`,
})

export const insertSteps = table('key_rotation_steps', { keyId: text }).insertOfKey('insert_key_rotation_steps', {
  step: text,
})

export const listSteps = query('list_key_rotation_steps', {
  parameters: { keyId: text },
  row: { step: text, renewed: bigint, isFinished: boolean },
  text: `select step, renewed, finished_at is not null as is_finished
    from key_rotation_steps where key_id = :keyId order by step`,
})

/** Locks an unfinished step; no row if another process is working on it. */
export const lockStep = table('key_rotation_steps', { keyId: text, step: text }).select(
  'lock_key_rotation_step',
  { position: nullable(jsonb<readonly string[]>()), renewedInPass: bigint },
  'and finished_at is null for update skip locked',
)

/** Stores that a batch has renewed rows, and where the next one begins: `null` for another pass, or at the end. */
export const updateStep = query('update_key_rotation_step', {
  parameters: {
    keyId: text,
    step: text,
    position: nullable(jsonb<readonly string[]>()),
    renewed: bigint,
    renewedInPass: bigint,
    finishedAt: nullable(instant),
  },
  text: `update key_rotation_steps set position = :position, renewed = renewed + :renewed,
      renewed_in_pass = :renewedInPass, finished_at = :finishedAt
    where key_id = :keyId and step = :step`,
})

export const finishRotationRow = query('finish_key_rotation', {
  parameters: { keyId: text, now: instant },
  row: { keyId: text },
  text: `update key_rotations set finished_at = :now where key_id = :keyId and finished_at is null returning key_id`,
})

const leastOf = { uuid: '00000000-0000-0000-0000-000000000000', integer: '-1' } as const

type Row = Readonly<Record<string, string | null>>

/** The queries that renew the sealed columns of a table, page by page along its primary key. */
export const renewalQueries = (of: {
  readonly table: string
  readonly key: Readonly<Record<string, 'uuid' | 'integer'>>
  readonly sealed: readonly string[]
  readonly indexes: readonly string[]
  readonly also: readonly string[]
}) => {
  const { table: renewedTable, key, sealed, indexes, also } = of
  const keys = Object.entries(key)
  const names = keys.map(([name]) => name)
  const renewed = [...sealed, ...indexes]
  const beforeOf = (name: string): string => `before_${name}`
  const staleOf = (name: string): string =>
    `case when ${name} not like :prefix || '%' and ${name} <> '' then ${name} end`
  const shown = [
    ...[...names, ...also, ...indexes].map((name) => `'${name}', ${name}::text`),
    ...sealed.map((name) => `'${name}', ${staleOf(name)}`),
  ]
  const after = keys.map(([, type], index) => `(:position ->> ${index})::${type}`)
  const given = [
    ...keys.map(([name, type]) => `${name} ${type}`),
    ...[...renewed, ...sealed.map(beforeOf)].map((name) => `${name} text`),
  ]
  return {
    /** Rows after a position, by the names of their columns; values that the first key has sealed are null. */
    listPage: query(`list_sealed_${renewedTable}`, {
      parameters: { position: jsonb<readonly string[]>(), prefix: text, limit: integer },
      row: { row: jsonb<Row>() },
      text: `select jsonb_build_object(${shown.join(', ')}) as row from ${renewedTable}
        where (${names.join(', ')}) > (${after.join(', ')}) order by ${names.join(', ')} limit :limit`,
    }),
    /** Changes rows; null values stay as they are. */
    updateRows: query(`renew_sealed_${renewedTable}`, {
      parameters: { changed: jsonb<readonly Row[]>() },
      // A row that has changed since it was read is already sealed with the first key.
      text: `update ${renewedTable} as known set ${renewed.map((name) => `${name} = coalesce(input.${name}, known.${name})`).join(', ')}
        from jsonb_to_recordset(:changed) as input (${given.join(', ')})
        where ${names.map((name) => `known.${name} = input.${name}`).join(' and ')}
          and ${sealed.map((name) => `(input.${beforeOf(name)} is null or known.${name} = input.${beforeOf(name)})`).join(' and ')}`,
    }),
    /** Before the first row. */
    beginning: keys.map(([, type]) => leastOf[type]),
    positionOf: (row: Row): string[] => names.map((name) => row[name] ?? ''),
    beforeOf,
  }
}
