import { array, given, instant, integer, jsonb, nullable, query, table, text, uuid } from 'payin-database'
import type { GivenMapping } from 'bank-files/pure'
import type { Pickup } from '../../../rules/statements/pickup.ts'

const depot = {
  pickup: nullable(jsonb<Pickup>()),
  pickupSecretSealed: nullable(text),
  pickupDueAt: nullable(instant),
}

/** Sets where the files of a source are picked up, or ends that; a look that is under way takes nothing more. */
export const setDepot = query('set_pickup', {
  parameters: { id: uuid, ...depot, changedBy: nullable(text) },
  text: `update statement_sources set ${given(depot)}, changed_by = :changedBy, pickup_until = null, picked_up_at = null,
      pickup_growing = '[]', pickup_problem = null, pickup_failing_since = null
    where id = :id`,
})

/** Looks again soon, but no sooner than `unchangedMs` after the last time. */
export const hasten = query('hasten_pickup', {
  parameters: { id: uuid, now: instant, unchangedMs: integer },
  row: { id: uuid },
  text: `update statement_sources
      set pickup_due_at = greatest(:now, picked_up_at + :unchangedMs * interval '1 millisecond')
    where id = :id and pickup is not null returning id`,
})

/**
 * Takes the pickup that is due, for as long as `until`: what two people agree on comes first, so that one person's pickups
 * keep no others waiting. One that a clock ahead has planned is due, too.
 */
export const takeDue = query('take_due_pickup', {
  parameters: { now: instant, latest: instant, until: instant },
  row: {
    id: uuid,
    name: text,
    requisiteIds: jsonb<readonly string[]>(),
    mapping: nullable(jsonb<GivenMapping>()),
    changedBy: nullable(text),
    ...depot,
    pickupGrowing: jsonb<readonly string[]>(),
    pickupProblem: nullable(text),
  },
  text: `update statement_sources set pickup_until = :until where id = (
      select id from statement_sources
      where pickup is not null and (pickup_due_at <= :now or pickup_due_at > :latest)
        and (pickup_until is null or pickup_until <= :now or pickup_until > :latest)
      order by changed_by is not null, pickup_due_at limit 1 for update skip locked)
    returning :row`,
})

const ended = {
  pickupDueAt: instant,
  pickupGrowing: jsonb<readonly string[]>(),
  pickupProblem: nullable(text),
}

/** Locks a source that is looked at `until` a time; nothing if another look has begun, or its pickup was changed. */
export const holdLook = table('statement_sources', { id: uuid, pickupUntil: instant }).lock('hold_pickup_look', {
  id: uuid,
})

/** Ends a look that was taken `until` a time, unless another one has begun. */
export const endLook = query('end_pickup_look', {
  parameters: { id: uuid, until: instant, now: instant, ...ended },
  text: `update statement_sources set ${given(ended)}, picked_up_at = :now, pickup_until = null,
      pickup_failing_since = case when :pickupProblem::text is null then null else coalesce(pickup_failing_since, :now) end
    where id = :id and pickup_until = :until`,
})

export const listKnownKeys = query('list_known_keys_of_picked_files', {
  parameters: { sourceId: uuid, keys: array(text) },
  row: { key: text },
  text: `select key from picked_files where source_id = :sourceId and key = any(:keys)`,
})

const pickedRow = {
  id: uuid,
  sourceId: uuid,
  name: text,
  /** Where it came from, for people. */
  origin: text,
  statementId: nullable(uuid),
  /** Why it was not taken, or waited for a person. */
  problem: nullable(text),
  pickedAt: instant,
}

const pickedFiles = table('picked_files', { id: uuid })

export const insertPicked = pickedFiles.insertAll('insert_picked_files', { ...pickedRow, key: text }, { isOnce: true })

export const selectPicked = pickedFiles.page('list_picked_files', pickedRow, {
  filter: { sourceId: uuid },
  where: 'source_id = :sourceId',
})
