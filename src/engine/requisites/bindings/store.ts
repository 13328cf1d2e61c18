import { array, instant, integer, query, text, uuid } from 'payin-database'

const accountRow = {
  numberIndex: text,
  requisiteId: uuid,
  numberSealed: text,
}

/** Binds a statements' account to these requisites in their order, and to no others. */
export const bindAccount = query('bind_statement_account', {
  parameters: { numberIndex: text, numberMasked: text, by: text, now: instant },
  rows: { requisiteId: uuid, numberSealed: text },
  text: `with input as (select * from :numberedRows),
    ended as (
      update statement_accounts set ended_at = :now
      where number_index = :numberIndex and ended_at is null and requisite_id not in (select requisite_id from input)
    )
    insert into statement_accounts (number_index, requisite_id, number_masked, number_sealed, ordinal, bound_at, bound_by)
    select :numberIndex, requisite_id, :numberMasked, number_sealed, ordinal, :now, :by from input
    on conflict (number_index, requisite_id) do update set ordinal = excluded.ordinal, ended_at = null,
      bound_by = excluded.bound_by, number_sealed = excluded.number_sealed,
      bound_at = case when statement_accounts.ended_at is null then statement_accounts.bound_at else excluded.bound_at end`,
})

/** The requisites that accounts are or were bound to, by the fingerprints of their numbers. */
export const listAccounts = query('list_statement_accounts', {
  parameters: { numberIndexes: array(text) },
  row: accountRow,
  text: `select :row from statement_accounts where number_index = any(:numberIndexes)`,
})

export const listAccountsAfter = query('list_statement_accounts_after', {
  parameters: { numberIndex: text, requisiteId: uuid, limit: integer },
  row: accountRow,
  text: `select :row from statement_accounts
    where (number_index, requisite_id) > (:numberIndex, :requisiteId) order by number_index, requisite_id limit :limit`,
})

/** Stores the sealed number of an account and its fingerprint; a requisite that has both fingerprints keeps both. */
export const renewAccounts = query('renew_statement_accounts', {
  parameters: { numberIndex: text },
  rows: { before: text, requisiteId: uuid, numberSealed: text },
  text: `update statement_accounts as known set number_index = :numberIndex, number_sealed = input.number_sealed from :rows
    where known.number_index = input.before and known.requisite_id = input.requisite_id
      and (input.before = :numberIndex or not exists (select from statement_accounts as others
        where others.number_index = :numberIndex and others.requisite_id = input.requisite_id))`,
})

/** The sealed numbers of the accounts whose statements report the money of a requisite. */
export const listNumbersOfRequisite = query('list_statement_accounts_of_requisite', {
  parameters: { requisiteId: uuid },
  row: { numberSealed: text },
  text: `select number_sealed from statement_accounts where requisite_id = :requisiteId and ended_at is null`,
})
