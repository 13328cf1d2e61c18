import { array, query, type Queryable, table, text } from 'payin-database'

const claim = query('claim_service_state', {
  parameters: { name: text, value: text },
  row: { value: text },
  // If several processes start at the same time, one writes and all read the same value. It is one command, because
  // Citus makes no lasting plan for more.
  text: `insert into service_state (:fields) values (:values)
    on conflict (name) do update set value = service_state.value returning value`,
})

/** Stores a value under a name unless one exists, and returns the stored value. */
export const claimServiceState = async (sql: Queryable, name: string, value: string): Promise<string> => {
  const [row] = await sql.query(claim, { name, value })
  if (!row) throw new Error(`${name} was neither written nor found`)
  return row.value
}

const list = query('list_service_state', {
  parameters: { names: text },
  row: { name: text, value: text },
  text: `select name, value from service_state where name like :names order by name`,
})

/** The values under names that match an SQL pattern. */
export const listServiceState = (
  sql: Queryable,
  names: string,
): Promise<{ readonly name: string; readonly value: string }[]> => sql.query(list, { names })

const set = table('service_state', { name: text }).upsert('set_service_state', { value: text })

/** Stores a value under a name, replacing any earlier one. */
export const setServiceState = async (sql: Queryable, name: string, value: string): Promise<void> => {
  await sql.query(set, { name, value })
}

const remove = query('delete_service_state', {
  parameters: { names: array(text) },
  text: `delete from service_state where name = any(:names)`,
})

/** Deletes the values under names. */
export const deleteServiceState = async (sql: Queryable, names: readonly string[]): Promise<void> => {
  if (names.length > 0) await sql.query(remove, { names })
}
