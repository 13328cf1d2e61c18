import { array, boolean, instant, integer, nullable, query, text, uuid } from 'payin-database'
import { byKey, ofThisDay } from '../store.ts'

/** The key of a row that has an ordinal among equal rows. */
const keyFrom = (ordinal: string): string => `case
          when bank_reference is null or (${ordinal} > 0 and kind like 'outgoing%') then fingerprint || ':' || ${ordinal}
          when ${ordinal} > 0 then 'again:' || ${ordinal} || ':' || fingerprint else fingerprint end`

/**
 * Gives rows of one statement, in their order from position `first`, keys from their fingerprints and their ordinals
 * among equal rows. Returns when the transfer or reversal of each was booked, if that is known, and which it would be
 * if the rows of `possible` neighbours did not count.
 */
export const keyRows = query('key_statement_rows', {
  parameters: { statementId: uuid, neighbours: array(uuid), possible: array(uuid), first: integer },
  rows: { position: integer, fingerprint: text },
  row: { position: integer, dedupeKey: text, knownAt: nullable(instant), mayBe: nullable(uuid) },
  // Equal rows of earlier sets count, too: a row has the same key however the file was split into sets. So do those of
  // neighbours. Equal rows get the first free ordinals together, once: a file may have thousands, so no row carries these
  // lists on.
  text: `with given as materialized (
      select input.position, input.fingerprint, own.requisite_id, own.kind, own.bank_reference, own.booked_at,
        own.fingerprint as fingerprint_before, own.dedupe_key as key_before, own.already_known as known_before
      from :rows join statement_rows as own on own.statement_id = :statementId and own.position = input.position
    ), numbered as materialized (
      select each.requisite_id, each.fingerprint, array(select generate_series(0, each.count + cardinality(taken))
          except select unnest(taken) order by 1 limit each.count) as free,
        array(select generate_series(0, each.count + cardinality(certain))
          except select unnest(certain) order by 1 limit each.count) as otherwise
      from (select requisite_id, fingerprint, count(*) from given group by requisite_id, fingerprint) as each
      cross join lateral (
        select coalesce(array_agg(ordinal), '{}') as taken,
          coalesce(array_agg(ordinal) filter (where not is_possible), '{}') as certain
        from (select earlier.statement_id = any (:possible) as is_possible, coalesce(nullif(regexp_replace(
            replace(earlier.dedupe_key, earlier.fingerprint, ''), '\\D', '', 'g'), ''), '0')::bigint as ordinal
          from statement_rows as earlier
          where earlier.statement_id = any (array_append(:neighbours, :statementId)) and earlier.fingerprint = each.fingerprint
            and earlier.requisite_id = each.requisite_id and (earlier.statement_id <> :statementId or earlier.position < :first)
        ) as before
      ) as known
    ), counted as (
      select given.*, free[row_number() over equal_rows]::integer as ordinal,
        otherwise[row_number() over equal_rows]::integer as ordinal_otherwise
      from given join numbered as before
        on before.requisite_id = given.requisite_id and before.fingerprint = given.fingerprint
      window equal_rows as (partition by given.requisite_id, given.fingerprint order by position)
    ), keyed as (
      select counted.*, ${keyFrom('ordinal')} as dedupe_key, ${keyFrom('ordinal_otherwise')} as key_otherwise
      from counted
    ), compared as materialized (
      select input.*, coalesce(transfers.booked_at, reversals.booked_at, outgoing.booked_at) as known_at,
        coalesce(others.id, sent.outgoing_id) as may_be
      from keyed as input
      left join lateral (${byKey('transfers')}) as transfers on input.kind = 'booked'
      left join lateral (${byKey('transfer_reversals', ofThisDay)}) as reversals on input.kind = 'reversal'
      left join lateral (select each.booked_at from outgoing_keys as keys
          join outgoing_transfers as each on each.requisite_id = keys.requisite_id and each.id = keys.outgoing_id
        where keys.requisite_id = input.requisite_id and keys.dedupe_key between input.dedupe_key and input.dedupe_key
        order by keys.requisite_id, keys.dedupe_key limit 1) as outgoing on input.kind like 'outgoing%'
      left join lateral (select id from transfers as each where each.requisite_id = input.requisite_id
          and each.dedupe_key between input.key_otherwise and input.key_otherwise
        order by each.dedupe_key limit 1) as others on input.kind = 'booked' and key_otherwise <> input.dedupe_key
      left join lateral (select outgoing_id from outgoing_keys as keys where keys.requisite_id = input.requisite_id
          and keys.dedupe_key between input.key_otherwise and input.key_otherwise
        order by keys.requisite_id, keys.dedupe_key limit 1) as sent
        on input.kind like 'outgoing%' and key_otherwise <> input.dedupe_key
    ), changed as (
      update statement_rows as own
      set fingerprint = compared.fingerprint, dedupe_key = compared.dedupe_key, already_known = known_at is not null
      from compared where own.statement_id = :statementId and own.position = compared.position
        and (fingerprint_before, key_before, known_before) <> (compared.fingerprint, compared.dedupe_key, known_at is not null)
    )
    select :row from compared order by position`,
})

const sentByKey = `select each.id, each.booked_at, null::timestamptz, each.channel, null, null, null, each.details_sealed
          from outgoing_keys as keys
          join outgoing_transfers as each on each.requisite_id = keys.requisite_id and each.id = keys.outgoing_id
          where keys.requisite_id = input.requisite_id
            and keys.dedupe_key between input.dedupe_key and input.dedupe_key`

/** What is known of rows under their keys, and whether an earlier row, or a neighbour, has the key. */
export const listKnownByKey = query('list_known_by_key', {
  parameters: { statementId: uuid, neighbours: array(uuid), first: integer },
  rows: { position: integer, kind: text, requisiteId: uuid, dedupeKey: text, bookedAt: instant },
  row: {
    position: integer,
    isFurther: boolean,
    id: nullable(uuid),
    bookedAt: nullable(instant),
    earliestAt: nullable(instant),
    channel: nullable(text),
    senderSealed: nullable(text),
    senderNameSealed: nullable(text),
    textSealed: nullable(text),
    payeeSealed: nullable(text),
  },
  text: `select * from (select input.position, exists (select from statement_rows as earlier
          where earlier.statement_id = any (array_append(:neighbours, :statementId))
            and earlier.fingerprint = input.dedupe_key and earlier.requisite_id = input.requisite_id
            and (earlier.statement_id <> :statementId or earlier.position < :first)) as is_further, known.*
      from :rows left join lateral (
        (${byKey('transfers', `and input.kind = 'booked'`, 'id, booked_at, earliest_at, channel, sender_sealed, sender_name_sealed, text_sealed, null as payee_sealed')})
        union all
        (${byKey('transfer_reversals', `and input.kind = 'reversal' ${ofThisDay}`, 'id, booked_at, null::timestamptz, channel, null, null, null, null')})
        union all
        (${sentByKey} and input.kind like 'outgoing%' order by keys.requisite_id, keys.dedupe_key limit 1)
      ) as known on true) as found
    where is_further or id is not null`,
})
