import { array, bigint, boolean, instant, integer, jsonb, query, text, uuid, word } from '../../database/query.ts'
import type { RecordedRowKind, StatementAccount } from '../../domain/statement-import.ts'
import { moneyOf } from '../duplicates/store.ts'

/** New rows of a statement that repeat the reference and amount of an earlier one, and duplicate nothing else. */
export const listFurtherRows = query('list_further_statement_rows', {
  parameters: { statementId: uuid, after: integer, limit: integer },
  row: {
    position: integer,
    kind: word<RecordedRowKind>(),
    requisiteId: uuid,
    dedupeKey: text,
    detailsSealed: text,
  },
  text: `select position, kind, requisite_id, dedupe_key, details_sealed from statement_rows
    where statement_id = :statementId and position > :after and dedupe_key like 'again:%' and kind = 'booked'
      and not already_known and duplicate_of is null
    order by position limit :limit`,
})

/** The first rows under references that others of their statement repeat, unless they were known before. */
export const listFirstRows = query('list_first_statement_rows', {
  parameters: { statementId: uuid },
  rows: { position: integer, requisiteId: uuid, dedupeKey: text },
  row: { position: integer, firstPosition: integer, detailsSealed: text },
  text: `select input.position, own.position as first_position, own.details_sealed from :rows
    join statement_rows as own on own.statement_id = :statementId and own.fingerprint = input.dedupe_key
      and own.requisite_id = input.requisite_id and own.dedupe_key = input.dedupe_key and not own.already_known`,
})

/** The balances of an account that other statements, imported or about to be, have for some time. */
export const listBalancesOfStatements = query('list_balances_of_statements', {
  parameters: { statementId: uuid },
  rows: { requisiteId: uuid, since: instant, until: instant },
  row: {
    ...{ requisiteId: uuid, statementId: uuid },
    ...{ opening: bigint, closing: bigint, credits: bigint, debits: bigint, since: instant, until: instant },
  },
  text: `select input.requisite_id, statements.id as statement_id, (own ->> 'opening')::bigint as opening,
      (own ->> 'closing')::bigint as closing, (own ->> 'credits')::bigint as credits, (own ->> 'debits')::bigint as debits,
      to_timestamp((own -> 'listed' ->> 'from')::numeric / 1000) as since, to_timestamp((own -> 'listed' ->> 'to')::numeric / 1000) as until
    from :rows join statements on statements.state in ('ready', 'importing', 'imported')
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

/**
 * Whether an imported statement that goes on after the end of another one has a different balance at that time: then the
 * other one is not all of its days.
 */
export const hasOtherBalance = query('has_other_balance_at_end', {
  parameters: { statementId: uuid, requisiteId: uuid, until: instant, closing: bigint },
  row: { other: boolean },
  text: `select exists (select from statements cross join lateral jsonb_array_elements(statements.accounts) as own
      where statements.id <> :statementId and statements.state = 'imported'
        and statements.accounts @> jsonb_build_array(jsonb_build_object('requisiteId', :requisiteId))
        and own ->> 'requisiteId' = :requisiteId::text and own ->> 'opening' is not null and own ->> 'closing' is not null
        and (own -> 'listed' ->> 'from')::numeric <= extract(epoch from :until) * 1000
        and (own -> 'listed' ->> 'to')::numeric >= extract(epoch from :until) * 1000
        and :closing <> (own ->> 'opening')::bigint + (
          select coalesce(sum(case when rows.kind in ('booked', 'outgoing-reversal') then rows.amount else -rows.amount end), 0)
          from statement_rows as rows where rows.statement_id = statements.id and rows.requisite_id = :requisiteId
            and rows.booked_at <= :until)) as other`,
})

/** Those of rows that name a transfer of another amount. */
export const listOfOtherAmount = query('list_rows_naming_other_amounts', {
  rows: { position: integer, requisiteId: uuid, amount: bigint, id: uuid },
  row: { position: integer, id: uuid },
  text: `select input.position, input.id from :rows
    join transfers on transfers.requisite_id = input.requisite_id and transfers.id = input.id
    where transfers.amount <> input.amount and transfers.dedupe_key not like 'withdrawn:%'`,
})

/** The transfers of files that were not withdrawn. */
const ofFile = `each.channel is not null and each.channel <> 'operator' and each.channel not like 'feed:%'
      and each.dedupe_key not like 'withdrawn:%'`

/** What other files have received on days of requisites, and a statement does not list: how much, how often, the first. */
export const sumUnlisted = query('sum_money_that_statement_does_not_list', {
  parameters: { statementId: uuid, neighbours: array(uuid) },
  rows: { requisiteId: uuid, since: instant, until: instant },
  row: { requisiteId: uuid, since: instant, transfers: integer, amount: bigint, id: uuid },
  text: `select input.requisite_id, input.since, count(*)::integer as transfers, sum(each.amount)::bigint as amount,
      min(each.id::text)::uuid as id
    from :rows join transfers as each on each.requisite_id = input.requisite_id
      and each.booked_at between input.since and input.until
    where ${ofFile} and each.duplicate_of is null
      and not exists (select from statement_rows as own
        where own.statement_id = any (array_append(:neighbours, :statementId))
          and own.requisite_id = each.requisite_id and (own.dedupe_key = each.dedupe_key or own.duplicate_of = each.id))
    group by input.requisite_id, input.since`,
})

/**
 * The incoming money of a requisite that other files have brought for the span of an imported statement, and that this
 * one does not list.
 */
export const sumOfOthers = query('sum_of_other_files', {
  parameters: { statementId: uuid, neighbours: array(uuid), requisiteId: uuid, since: instant, until: instant },
  row: { amount: bigint },
  text: `with own as materialized (
      select rows.amount, rows.duplicate_of, ${moneyOf('transfers')} as money from statement_rows as rows
      join transfers on transfers.requisite_id = rows.requisite_id and transfers.id = rows.transfer_id
      where rows.statement_id = any (array_append(:neighbours, :statementId)) and rows.requisite_id = :requisiteId
        and rows.kind = 'booked'
    )
    select coalesce((select sum(each.amount) from transfers as each
        where each.requisite_id = :requisiteId and each.booked_at between :since and :until
          and ${ofFile} and ${moneyOf('each')} = each.id
          and not exists (select from own where own.money = each.id or own.duplicate_of = each.id)
          and (each.duplicate_of is null or exists (select from transfer_parts as parts
            where parts.requisite_id = each.requisite_id and parts.transfer_id = each.id
              and parts.replaced_at is null and parts.kind <> 'suspense'))
          and not exists (select from statement_rows as part where part.requisite_id = each.requisite_id
            and part.transfer_id = each.id and part.booking_payments > 1
            and part.booking_amount in (select amount from own))), 0)::bigint as amount`,
})

/** Writes what an import has found about the accounts of a statement. */
export const changeAccounts = query('change_statement_accounts', {
  parameters: { id: uuid, accounts: jsonb<readonly StatementAccount[]>() },
  text: `update statements set accounts = :accounts where id = :id`,
})
