import { bigint, boolean, instant, integer, nullable, query, text, uuid } from 'payin-database'

const key = { requisiteId: uuid, id: uuid }

/**
 * Outgoing transfers with the same likeness that earlier files of the compared channel reported, without withdrawn ones
 * and those that a row of the same file may already be; certain duplicates as the transfer whose money they are.
 */
export const listAlikeOutgoing = query('list_alike_outgoing_transfers', {
  rows: { requisiteId: uuid, likeness: text, channel: text, source: text },
  row: {
    ...key,
    /** The outgoing transfer that this report created. */
    reportId: uuid,
    dedupeKey: text,
    channel: text,
    amount: bigint,
    bookedAt: instant,
    recordedAt: instant,
    senderMasked: text,
    bankReference: nullable(text),
    referenceKind: nullable(text),
    likeness: nullable(text),
    detailsSealed: text,
    isDoubtful: boolean,
  },
  // A range in index order instead of an equality, so that no kept plan reads all keys of the requisite.
  text: `select found.requisite_id, found.money as id, found.id as report_id, found.dedupe_key, found.channel, found.amount,
      found.booked_at, found.recorded_at, found.payee_masked as sender_masked, found.bank_reference, found.reference_kind,
      found.likeness, found.details_sealed, found.state = 'unexplained' and found.duplicate_of is not null as is_doubtful
    from :rows
    cross join lateral (
      select sent.*, keys.dedupe_key, keys.likeness, case sent.state when 'duplicate' then sent.duplicate_of
        else sent.id end as money
      from outgoing_keys as keys
      join outgoing_transfers as sent on sent.requisite_id = keys.requisite_id and sent.id = keys.outgoing_id
      where keys.requisite_id = input.requisite_id and keys.likeness between input.likeness and input.likeness
        and keys.channel = input.channel and keys.source <> input.source and sent.state <> 'withdrawn'
      order by keys.requisite_id, keys.likeness limit 10000
    ) as found
    where not exists (select from outgoing_transfers as own
      where own.duplicate_of = found.money and own.source = input.source and own.state <> 'withdrawn')
    order by found.booked_at, found.id`,
})

/** Sets whose money an outgoing transfer is, or may be; its own duplicates then are, or may be, that one's, too. */
export const setDuplicateOf = query('set_duplicate_of_outgoing_transfer', {
  parameters: { ...key, duplicateOf: nullable(uuid) },
  text: `update outgoing_transfers set duplicate_of = :duplicateOf
    where requisite_id = :requisiteId and (id = :id or (duplicate_of = :id and id <> :duplicateOf))`,
})

export const findDuplicateOfOutgoing = query('find_duplicate_of_outgoing_transfers', {
  rows: key,
  row: { id: uuid, duplicateOf: nullable(uuid) },
  text: `select same.id, same.duplicate_of from :rows
    join outgoing_transfers as same on same.requisite_id = input.requisite_id and same.duplicate_of = input.id
      and same.state in ('unexplained', 'duplicate') limit 1`,
})

export const findChannelOfBoth = query('find_channel_of_both_outgoing_transfers', {
  parameters: { requisiteId: uuid, id: uuid, otherId: uuid, channel: text },
  row: { channel: text },
  text: `select own.channel from outgoing_keys as own
    where own.requisite_id = :requisiteId and own.outgoing_id = :id and own.channel <> :channel
      and exists (select from outgoing_keys as others where others.requisite_id = :requisiteId
        and others.outgoing_id = :otherId and others.channel = own.channel)
    limit 1`,
})

export const listDoubtfulOutgoing = query('list_doubtful_outgoing_transfers', {
  parameters: { source: text, limit: integer },
  row: key,
  text: `select requisite_id, id from outgoing_transfers
    where source = :source and state = 'unexplained' and duplicate_of is not null
    order by id limit :limit`,
})

/** Outgoing transfers of an amount near a time that other channels reported, but not `channel`; and sums of others. */
export const listOutgoingElsewhere = query('list_outgoing_transfers_reported_elsewhere', {
  rows: { requisiteId: uuid, amount: bigint, channel: text, since: instant, until: instant },
  row: {
    ...key,
    amount: bigint,
    givenBack: boolean,
    bookedAt: instant,
    bankReference: nullable(text),
    referenceKind: nullable(text),
    senderMasked: text,
    /** The channel that did not report it. */
    missing: text,
  },
  text: `select distinct found.requisite_id, found.id, found.amount, found.given_back, found.booked_at,
      found.bank_reference, found.reference_kind, found.payee_masked as sender_masked, input.channel as missing
    from :rows
    cross join lateral (
      select * from outgoing_transfers as each
      where each.requisite_id = input.requisite_id and each.amount between input.amount and input.amount
        and each.booked_at between input.since and input.until and each.state <> 'withdrawn'
        and (each.state <> 'duplicate' or exists (select from outgoing_transfers as original
          where original.requisite_id = each.requisite_id and original.id = each.duplicate_of
            and original.amount <> each.amount))
      order by each.amount, each.booked_at limit 10000
    ) as found
    where not exists (select from outgoing_keys as keys
      where keys.outgoing_id = found.id and keys.channel = input.channel)
    order by found.booked_at, found.id`,
})
