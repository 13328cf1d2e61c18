import { array, boolean, instant, integer, jsonb, nullable, query, table, text, uuid } from 'payin-database'
import type { GivenMapping } from 'bank-files/pure'
import type { Pickup } from '../../../rules/statements/pickup.ts'

const settings = {
  requisiteIds: jsonb<readonly string[]>(),
  mapping: nullable(jsonb<GivenMapping>()),
  /** The operator who alone made its key, or changed the source, until another one approves it. */
  changedBy: nullable(text),
  /** The source whose money it reports again; operators are not asked about duplicates between the two. */
  sameMoneyAs: nullable(uuid),
  pickup: nullable(jsonb<Pickup>()),
}

const sourceRow = {
  id: uuid,
  name: text,
  ...settings,
  /** Prefix of the key that signs its pushes; `null` if it may not push. */
  keyPrefix: nullable(text),
  createdAt: instant,
  lastSeenAt: nullable(instant),
  pickedUpAt: nullable(instant),
  pickupProblem: nullable(text),
}
const sourceWithKey = { ...sourceRow, keySealed: nullable(text) }

export const selectSources = query('list_statement_sources', {
  row: sourceRow,
  text: `select :row from statement_sources order by name`,
})

const statementSources = table('statement_sources', { id: uuid })

const ofId = statementSources.findAndLock('statement_source', sourceWithKey)

export const findSource = ofId.find
/** Excludes other changes: a key that has ended must not be written back. */
export const lockSource = ofId.lock

export const insertSource = table('statement_sources', { name: text }).insertNew('insert_statement_source', {
  id: uuid,
  ...settings,
  createdAt: instant,
})

export const updateSourceRow = statementSources.update('update_statement_source', {
  ...settings,
  keySealed: nullable(text),
  keyPrefix: nullable(text),
})

export const touchSource = statementSources.update('touch_statement_source', { lastSeenAt: instant })

export const findOtherOfSameMoney = query('find_other_statement_source_of_same_money', {
  parameters: { id: uuid },
  row: { name: text },
  text: `select name from statement_sources where same_money_as = :id limit 1`,
})

/** Sources declared to report the same money as this one, except by one person alone. */
export const listSameMoney = query('list_statement_sources_of_same_money', {
  parameters: { id: uuid },
  row: { id: uuid },
  text: `select others.id from statement_sources as own
    join statement_sources as others
      on coalesce(others.same_money_as, others.id) = coalesce(own.same_money_as, own.id) and others.id <> own.id
    where own.id = :id and own.changed_by is null and others.changed_by is null`,
})

/** An account of a statement with the blind indexes of its number under each key; none if the file does not name it. */
const named = { requisiteId: uuid, numberIndexes: jsonb<readonly string[]>() }

const statementNumbers = table('statement_numbers', { statementId: uuid })

export const insertNumbers = statementNumbers.insertOfKey('insert_statement_numbers', {
  ...{ account: integer, spelling: integer, requisiteId: uuid },
  ...{ numberIndex: nullable(text), numberSealed: nullable(text) },
})

export const selectNumbers = statementNumbers.select(
  'list_statement_numbers',
  { account: integer, spelling: integer, requisiteId: uuid, numberSealed: nullable(text) },
  'order by account, spelling',
)

export const deleteNumbers = statementNumbers.delete('delete_statement_numbers')

/**
 * Accounts of a statement that nobody has looked at yet: since they were bound, or their requisites added, no person has
 * confirmed a file of them that stands on the word of two, or needs none.
 */
export const findNewAccount = query('find_new_account_of_statement', {
  rows: named,
  row: { requisiteId: uuid },
  text: `select input.requisite_id from :rows
    cross join lateral (select array(select jsonb_array_elements_text(input.number_indexes)) as indexes) as own
    join requisites on requisites.id = input.requisite_id
    cross join lateral (select max(bound_at) as bound_at from statement_accounts
      where requisite_id = requisites.id and ended_at is null and number_index = any(own.indexes)) as bound
    where not exists (
      select from statement_numbers as numbers join statements as others on others.id = numbers.statement_id
      where numbers.requisite_id = input.requisite_id
        and (numbers.number_index = any(own.indexes) or numbers.number_index is null and own.indexes = '{}')
        and others.state in ('importing', 'imported') and others.reported_by is null
        and others.confirmed_by not like 'source:%'
        and others.confirmed_at > coalesce(bound.bound_at, requisites.created_at))
    limit 1`,
})

/** A statement of the same content that was discarded or withdrawn. */
export const findGivenUp = query('find_given_up_statement_of_content', {
  parameters: { statementId: uuid },
  row: { id: uuid },
  text: `select others.id from statements join statements as others
      on others.content_hash = statements.content_hash and others.state in ('discarded', 'withdrawing', 'withdrawn')
    where statements.id = :statementId limit 1`,
})

export const listRequisitesOfAccount = query('list_requisites_of_statement_account', {
  parameters: { numberIndexes: array(text) },
  row: { requisiteId: uuid },
  text: `select distinct numbers.requisite_id
    from statement_numbers as numbers join statements on statements.id = numbers.statement_id
    where numbers.number_index = any(:numberIndexes) and statements.state in ('importing', 'imported', 'withdrawing')`,
})

/**
 * Who has determined the requisites of a statement's accounts, by binding an account or by adding the requisite with its
 * number, if no one else has since confirmed a file of the account that stands on the word of two.
 */
export const listAccountAuthors = query('list_authors_of_statement_accounts', {
  parameters: { statementId: uuid },
  rows: named,
  row: { author: text, isByAdding: boolean },
  text: `with own as (
      select requisite_id, array(select jsonb_array_elements_text(number_indexes)) as indexes from :rows
      where number_indexes <> '[]'
    ), determined as (
      select own.*, coalesce(bound_at, requisites.created_at) as since, bound_at is null as is_by_adding, case
          when bound_at is not null then bound_by
          when not exists (select from statement_rows
            where statement_id = :statementId and requisite_id = own.requisite_id and chosen) then added_by
        end as author
      from own join requisites on requisites.id = own.requisite_id
      left join lateral (select bound_by, bound_at from statement_accounts
        where number_index = any(own.indexes) and ended_at is null order by ordinal, requisite_id limit 1) as bound on true
    )
    select distinct author, is_by_adding from determined
    where author is not null and not exists (
        select from statement_numbers as numbers join statements as others on others.id = numbers.statement_id
        where numbers.requisite_id = determined.requisite_id and numbers.number_index = any(determined.indexes)
          and others.confirmed_at > determined.since and others.confirmed_by <> author
          and others.confirmed_by not like 'source:%'
          and others.reported_by is null and others.state in ('importing', 'imported'))`,
})
