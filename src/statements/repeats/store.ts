import { array, boolean, integer, nullable, query, text, uuid } from '../../database/query.ts'

/**
 * How many of some rows were recorded for other requisites, with one of these, both by nothing but a choice: what names no
 * known account is known by its rows alone.
 */
export const countRecordedElsewhere = query({
  name: 'count_rows_recorded_elsewhere',
  parameters: { statementId: uuid, first: integer, last: integer },
  row: { rows: integer, requisiteId: nullable(uuid), statementId: nullable(uuid) },
  text: `select count(*)::integer as rows, min(others.requisite_id::text)::uuid as requisite_id,
      min(others.statement_id::text)::uuid as statement_id
    from statement_rows as own cross join lateral (
      select each.requisite_id, each.statement_id from statement_rows as each
      join statements on statements.id = each.statement_id and statements.state in ('importing', 'imported')
      where each.chosen and each.dedupe_key between own.dedupe_key and own.dedupe_key
        and each.requisite_id <> own.requisite_id
      limit 1
    ) as others
    where own.chosen and own.statement_id = :statementId and own.position between :first and :last`,
})

/** Notes which transfers of other channels rows may be. */
export const setRowRepeats = query({
  name: 'set_statement_row_repeats',
  parameters: { statementId: uuid, positions: array(integer), repeatOf: array(uuid) },
  row: {},
  text: `update statement_rows set repeat_of = input.repeat_of
    from unnest(:positions, :repeatOf) as input (position, repeat_of)
    where statement_rows.statement_id = :statementId and statement_rows.position = input.position`,
})

/** Those of some transfers that rows of a statement tell of: by their keys, or as what a row may be. */
export const listToldInStatement = query({
  name: 'list_transfers_told_in_statement',
  parameters: {
    statementId: uuid,
    requisiteIds: array(uuid),
    ids: array(uuid),
    dedupeKeys: array(text),
    paired: boolean,
  },
  row: { id: uuid },
  // The fingerprint of a row with a reference is its key.
  text: `select input.id from unnest(:requisiteIds, :ids, :dedupeKeys) as input (requisite_id, id, dedupe_key)
    where exists (select from statement_rows as told where told.statement_id = :statementId
        and told.fingerprint = input.dedupe_key and told.requisite_id = input.requisite_id)
      or (:paired and exists (select from statement_rows as told where told.statement_id = :statementId
        and told.repeat_of = input.id))`,
})
