import type { Queryable } from './database.ts'
import { query, text } from './query.ts'

const claim = query('claim_service_state', {
  parameters: { name: text, value: text },
  row: { value: text },
  // Of several processes that start at once, one writes and all read the same.
  text: `with written as (
      insert into service_state (name, value) values (:name, :value) on conflict do nothing returning value
    )
    select value from written union all select value from service_state where name = :name limit 1`,
})

/** Stores a value under a name unless there is one already, and returns the one that is there. */
export const claimServiceState = async (sql: Queryable, name: string, value: string): Promise<string> => {
  const [row] = await sql.query(claim, { name, value })
  // The row of a transaction that committed between our insert and our read is seen by the next query.
  return row?.value ?? claimServiceState(sql, name, value)
}
