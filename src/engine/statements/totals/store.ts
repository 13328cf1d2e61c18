import { array, bigint, boolean, instant, integer, jsonb, query, table, text, uuid, word } from 'payin-database'
import type { StatementAccount } from '../../../rules/statements/statement-import.ts'

/** The first rows under references that others of their statement repeat, unless they were known before. */
export const listFirstRows = query('list_first_statement_rows', {
  parameters: { statementId: uuid },
  rows: { position: integer, requisiteId: uuid, dedupeKey: text },
  row: { position: integer, firstPosition: integer, detailsSealed: text },
  text: `select input.position, own.position as first_position, own.details_sealed from :rows
    join statement_rows as own on own.statement_id = :statementId and own.fingerprint = input.dedupe_key
      and own.requisite_id = input.requisite_id and own.dedupe_key = input.dedupe_key and not own.already_known`,
})

/** Whether a statement rests on one person's word, and the statement with the given id does not rest on the same one's. */
const isOnOtherWord = `coalesce(statements.reported_by <> (
        select case when this.state in ('reading', 'ready') then this.uploaded_by else coalesce(this.reported_by, '') end
        from statements as this where this.id = :statementId), false)`

/** The balances of an account that other statements, imported or about to be, have for some time. */
export const listBalancesOfStatements = query('list_balances_of_statements', {
  parameters: { statementId: uuid },
  rows: { requisiteId: uuid, since: instant, until: instant },
  row: {
    ...{ requisiteId: uuid, statementId: uuid, isImported: boolean, isOnOtherWord: boolean },
    ...{ opening: bigint, closing: bigint, credits: bigint, debits: bigint, since: instant, until: instant },
  },
  text: `select input.requisite_id, statements.id as statement_id, statements.state = 'imported' as is_imported,
      ${isOnOtherWord} as is_on_other_word,
      (own ->> 'opening')::bigint as opening,
      (own ->> 'closing')::bigint as closing, (own ->> 'credits')::bigint as credits, (own ->> 'debits')::bigint as debits,
      to_timestamp((own -> 'listed' ->> 'from')::numeric / 1000) as since, to_timestamp((own -> 'listed' ->> 'to')::numeric / 1000) as until
    from :rows join statements on statements.state in ('importing', 'imported')
      and statements.accounts @> jsonb_build_array(jsonb_build_object('requisiteId', input.requisite_id))
    cross join lateral jsonb_array_elements(statements.accounts) as own
    where statements.id <> :statementId and own ->> 'requisiteId' = input.requisite_id::text
      and own ->> 'opening' is not null and own ->> 'closing' is not null and own -> 'listed' is not null
      and (own ->> 'closing')::bigint - (own ->> 'opening')::bigint
        = (own ->> 'credits')::bigint - (own ->> 'debits')::bigint
      and (own -> 'listed' ->> 'from')::numeric <= extract(epoch from input.until) * 1000
      and (own -> 'listed' ->> 'to')::numeric >= extract(epoch from input.since) * 1000
    order by statements.id desc limit 1000`,
})

const balanceAfter = (which: string): string => `(own ->> 'opening')::bigint + (
          select coalesce(sum(case when rows.kind in ('booked', 'outgoing-reversal') then rows.amount else -rows.amount end), 0)
          from statement_rows as rows
          where rows.statement_id = statements.id and rows.requisite_id = :requisiteId and ${which})`

const sumOf = (statement: string): string => `abs((
        select coalesce(sum(case when rows.kind in ('booked', 'outgoing-reversal') then rows.amount else -rows.amount end), 0)
        from statement_rows as rows where rows.statement_id = ${statement} and rows.requisite_id = input.requisite_id
          and rows.booked_at between input.since and input.until))::bigint`

export const listSumsOfSharedDays = query('list_sums_of_shared_days', {
  rows: { requisiteId: uuid, statementId: uuid, otherId: uuid, overlap: bigint, since: instant, until: instant },
  row: { otherId: uuid, overlap: bigint, own: bigint, others: bigint },
  text: `select input.other_id, input.overlap, ${sumOf('input.statement_id')} as own, ${sumOf('input.other_id')} as others
    from :rows`,
})

/**
 * Whether an imported statement that goes on after the end of another one has the same balance at its beginning, but
 * not at its end: then the other one is not all of its days. One person may have made its balances up.
 */
export const hasOtherBalance = query('has_other_balance_at_end', {
  parameters: {
    ...{ statementId: uuid, requisiteId: uuid, since: instant, until: instant },
    ...{ opening: bigint, closing: bigint },
  },
  row: { other: boolean },
  text: `select exists (select from statements cross join lateral jsonb_array_elements(statements.accounts) as own
      where statements.id <> :statementId and statements.state = 'imported'
        and statements.accounts @> jsonb_build_array(jsonb_build_object('requisiteId', :requisiteId))
        and own ->> 'requisiteId' = :requisiteId::text and own ->> 'opening' is not null and own ->> 'closing' is not null
        and not ${isOnOtherWord}
        and (own -> 'listed' ->> 'from')::numeric <= extract(epoch from :until) * 1000
        and (own -> 'listed' ->> 'to')::numeric >= extract(epoch from :until) * 1000
        and :closing <> ${balanceAfter('rows.booked_at <= :until')}
        and ((own -> 'listed' ->> 'from')::numeric > extract(epoch from :since) * 1000
          or :opening = ${balanceAfter('rows.booked_at < :since')})) as other`,
})

export const listOfOtherAmount = query('list_rows_naming_other_amounts', {
  rows: { position: integer, requisiteId: uuid, amount: bigint, id: uuid },
  row: { position: integer, id: uuid },
  text: `select input.position, input.id from :rows
    join transfers on transfers.requisite_id = input.requisite_id and transfers.id = input.id
    where transfers.amount <> input.amount and transfers.dedupe_key not like 'withdrawn:%'
    union all
    select input.position, input.id from :rows
    join outgoing_transfers as sent on sent.requisite_id = input.requisite_id and sent.id = input.id
    where sent.amount <> input.amount and sent.state <> 'withdrawn'`,
})

const isListed = (how: string): string => `exists (select from statement_rows as own
        where own.statement_id = any (array_append(:neighbours, :statementId))
          and own.requisite_id = each.requisite_id and ${how})`

/** What other files have received or sent in times of requisites, and a statement does not list in any form. */
export const listUnlisted = query('list_money_that_statement_does_not_list', {
  parameters: { statementId: uuid, neighbours: array(uuid) },
  rows: { requisiteId: uuid, since: instant, until: instant },
  row: {
    ...{ requisiteId: uuid, kind: word<'booked' | 'outgoing'>(), id: uuid },
    ...{ amount: bigint, bookedAt: instant, isNamed: boolean },
  },
  // Not a possible duplicate that waits.
  text: `select each.requisite_id, 'booked' as kind, each.id, each.amount, each.booked_at,
      each.sender_masked <> '' or each.sender_name_masked is not null as is_named
    from :rows join transfers as each on each.requisite_id = input.requisite_id
      and each.booked_at between input.since and input.until
    where each.channel is not null and each.channel <> 'operator' and each.channel not like 'feed:%'
      and each.dedupe_key not like 'withdrawn:%'
      and (each.duplicate_of is null or exists (select from transfer_parts as parts where parts.requisite_id = each.requisite_id
        and parts.transfer_id = each.id and parts.replaced_at is null and parts.kind not in ('suspense', 'duplicate')))
      and not ${isListed('own.dedupe_key = each.dedupe_key')} and not ${isListed('own.duplicate_of = each.id')}
      and not exists (select from transfers as same where same.requisite_id = each.requisite_id
        and same.duplicate_of = each.id and ${isListed('own.transfer_id = same.id')})
      and not exists (select from statement_rows as part where part.requisite_id = each.requisite_id
        and part.transfer_id = each.id and part.booking_payments > 1
        and ${isListed(`own.kind = 'booked' and (own.already_known or own.duplicate_of is not null)
          and own.amount = part.booking_amount`)})
    union all
    select each.requisite_id, 'outgoing', each.id, each.amount, each.booked_at, each.payee_masked <> ''
    from :rows join outgoing_transfers as each on each.requisite_id = input.requisite_id
      and each.booked_at between input.since and input.until
    where each.channel not like 'feed:%' and not each.given_back and each.state not in ('withdrawn', 'duplicate')
      and (each.duplicate_of is null or each.state <> 'unexplained')
      and not ${isListed('own.duplicate_of = each.id')}
      and not exists (select from outgoing_keys as keys join statement_rows as own
          on own.requisite_id = keys.requisite_id and own.dedupe_key = keys.dedupe_key
            and own.statement_id = any (array_append(:neighbours, :statementId))
        where keys.outgoing_id = each.id)
      and not exists (select from statement_rows as part where part.requisite_id = each.requisite_id
        and part.transfer_id = each.id and part.booking_payments > 1
        and ${isListed(`own.kind = 'outgoing' and (own.already_known or own.duplicate_of is not null)
          and own.amount = part.booking_amount`)})
    order by 5, 3 limit 10000`,
})

/** Rows of a statement in a time whose money is not known, as far as has been found. */
export const listNewRows = query('list_new_rows_of_statement', {
  parameters: {
    ...{ statementId: uuid, requisiteId: uuid, kind: word<'booked' | 'outgoing'>(), since: instant, until: instant },
    parts: boolean,
  },
  row: { position: integer, amount: bigint, isStated: boolean, detailsSealed: text },
  text: `select position, amount, coalesce(own.booking_amount <> own.amount or own.booking_payments > 1, false) as is_stated, details_sealed
    from statement_rows as own
    where own.statement_id = :statementId and own.requisite_id = :requisiteId and own.kind = :kind
      and own.booked_at between :since and :until and own.duplicate_of is null and not own.already_known
      and (:parts or own.booking_amount is null or own.booking_amount = own.amount)
      and not exists (select from transfers where own.kind = 'booked' and transfers.requisite_id = own.requisite_id
        and transfers.dedupe_key = own.dedupe_key)
    order by position limit 10000`,
})

export const changeAccounts = table('statements', { id: uuid }).update('change_statement_accounts', {
  accounts: jsonb<readonly StatementAccount[]>(),
})
