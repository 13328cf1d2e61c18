import { array, bigint, instant, nullable, query, text, uuid } from '../../database/query.ts'

// Whether a transfer still counts as told by another one: nobody has given its money away.
// A range with a limit, because an equality becomes a hash of all parts that there are.
const isRepeat = `not exists (select from (
      select parts.kind from transfer_allocations as parts
      where parts.requisite_id = each.requisite_id and parts.transfer_id between each.id and each.id
        and parts.reversed_at is null and parts.kind not in ('suspense', 'repeated')
      order by parts.requisite_id, parts.transfer_id limit 1) as gone)`

/**
 * Transfers of an amount that other channels have told of near to a time, and that the channel itself has not told of, also
 * not by a transfer that may be one of these; none that are returned. Those whose statement is being undone are among them,
 * because the undoing may be given up.
 */
export const listToldElsewhere = query({
  name: 'list_transfers_told_elsewhere',
  parameters: {
    requisiteIds: array(uuid),
    amounts: array(bigint),
    channels: array(text),
    sources: array(text),
    since: array(instant),
    until: array(instant),
  },
  row: {
    requisiteId: uuid,
    id: uuid,
    dedupeKey: text,
    channel: text,
    amount: bigint,
    bookedAt: instant,
    senderMasked: text,
    bankReference: nullable(text),
    referenceKind: nullable(text),
  },
  // Ranges in the order of an index instead of equalities: a plan that was made while the table was empty would read all
  // transfers of the requisite.
  text: `select distinct found.requisite_id, found.id, found.dedupe_key, input.channel, found.amount, found.booked_at,
      found.sender_masked, found.bank_reference, found.reference_kind
    from unnest(:requisiteIds, :amounts, :channels, :sources, :since, :until)
      as input (requisite_id, amount, channel, source, since, until)
    cross join lateral (
      select * from transfers as each
      where each.requisite_id = input.requisite_id and each.amount between input.amount and input.amount
        and each.booked_at between input.since and input.until
        and each.channel <> input.channel and each.source <> input.source and each.dedupe_key not like 'returned:%'
        and not (each.repeat_of is not null and ${isRepeat})
      order by each.amount, each.booked_at limit 10000
    ) as found
    where not exists (select from transfer_tellings as told where told.requisite_id = found.requisite_id
        and told.transfer_id = found.id and told.channel = input.channel)
      and not exists (select from (
          select * from transfers as each where each.requisite_id = found.requisite_id
            and each.repeat_of between found.id and found.id and each.channel = input.channel and ${isRepeat}
          order by each.repeat_of limit 1) as pairs)
    order by found.booked_at, found.id`,
})

/** Notes that channels have told of transfers under references of others. */
export const insertTellings = query({
  name: 'insert_transfer_tellings',
  parameters: { requisiteIds: array(uuid), transferIds: array(uuid), channels: array(text) },
  row: {},
  text: `insert into transfer_tellings (requisite_id, transfer_id, channel)
    select distinct * from unnest(:requisiteIds, :transferIds, :channels) order by 1, 2, 3
    on conflict do nothing`,
})

/** A transfer of a statement that a feed or an operator has told of, too. */
export const findTelling = query({
  name: 'find_telling_of_transfers',
  parameters: { requisiteIds: array(uuid), transferIds: array(uuid) },
  row: { id: uuid, channel: text },
  // What other files tell of is asked of their statements: these may have been undone since.
  text: `select told.transfer_id as id, told.channel
    from unnest(:requisiteIds, :transferIds) as input (requisite_id, id)
    join transfer_tellings as told on told.requisite_id = input.requisite_id and told.transfer_id = input.id
    where told.channel = 'operator' or told.channel like 'feed:%' limit 1`,
})

/** Notes which transfers of other channels new ones may be. */
export const setRepeats = query({
  name: 'set_transfer_repeats',
  parameters: { requisiteIds: array(uuid), transferIds: array(uuid), repeatOf: array(uuid) },
  row: {},
  text: `update transfers set repeat_of = input.repeat_of
    from unnest(:requisiteIds, :transferIds, :repeatOf) as input (requisite_id, id, repeat_of)
    where transfers.requisite_id = input.requisite_id and transfers.id = input.id`,
})

/** A transfer that may be one of these, or is. */
export const findRepeatOf = query({
  name: 'find_repeat_of_transfers',
  parameters: { requisiteIds: array(uuid), transferIds: array(uuid) },
  row: { id: uuid, repeatOf: nullable(uuid) },
  text: `select each.id, each.repeat_of from unnest(:requisiteIds, :transferIds) as input (requisite_id, id)
    join transfers as each on each.requisite_id = input.requisite_id and each.repeat_of = input.id
    where ${isRepeat} limit 1`,
})
