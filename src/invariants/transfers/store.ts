import { type Invariant, invariant } from '../../database/invariant.ts'

/** Invariants of transfers, their parts and the statements that brought them (docs/domain.md §12); zero rows is healthy. */
export const transferInvariants: readonly Invariant[] = [
  invariant(
    'transfers-disposed-of',
    'The parts of a transfer add up to its amount.',
    `select concat_ws(' ', transfers.requisite_id, transfers.id) from transfers left join (
        select requisite_id, transfer_id, sum(amount) as amount from transfer_parts
        where replaced_at is null group by requisite_id, transfer_id
      ) as parts on parts.requisite_id = transfers.requisite_id and parts.transfer_id = transfers.id
      where parts.amount is distinct from transfers.amount`,
  ),
  invariant(
    'transfers-stored-once',
    `On a requisite, a bank's reference belongs to one transfer of an amount.`,
    `select concat_ws(' ', requisite_id, bank_reference) from transfers
      where bank_reference is not null and dedupe_key not like 'withdrawn:%'
      group by requisite_id, bank_reference, amount having count(*) > 1`,
  ),
  invariant(
    'statement-rows-recorded',
    'Every booked row of an imported statement is a transfer of its amount on its requisite.',
    `select concat_ws(' ', rows.statement_id, rows.position) from statement_rows as rows
      join statements on statements.id = rows.statement_id
      left join transfers on transfers.requisite_id = rows.requisite_id and transfers.id = rows.transfer_id
      where statements.state in ('imported', 'withdrawing', 'withdrawn') and rows.kind = 'booked'
        and transfers.amount is distinct from rows.amount`,
  ),
  invariant(
    'transfers-added-once',
    'A transfer was added by one row of one statement at most; for all others it was already known.',
    `select concat_ws(' ', requisite_id, transfer_id) from statement_rows where kind = 'booked' and added
      group by requisite_id, transfer_id having count(*) > 1`,
  ),
  invariant(
    'withdrawn-statements-hold-nothing',
    'No money of a withdrawn statement is held anywhere.',
    `select concat_ws(' ', rows.statement_id, rows.position) from statement_rows as rows
      join statements on statements.id = rows.statement_id and statements.state = 'withdrawn'
      join transfer_parts as parts on parts.requisite_id = rows.requisite_id
        and parts.transfer_id = rows.transfer_id
      where rows.kind = 'booked' and rows.added and parts.kind <> 'withdrawn' and parts.replaced_at is null`,
  ),
  invariant(
    'duplicates-have-their-transfer',
    'A duplicate has its transfer: of the same amount, from another channel or file, not withdrawn.',
    `select concat_ws(' ', transfers.requisite_id, transfers.id) from transfer_parts as parts
      join transfers on transfers.requisite_id = parts.requisite_id and transfers.id = parts.transfer_id
      left join transfers as others on others.requisite_id = transfers.requisite_id and others.id = transfers.duplicate_of
      where parts.kind = 'duplicate' and parts.replaced_at is null and (others.amount is distinct from transfers.amount
        or others.source = transfers.source or others.dedupe_key like 'withdrawn:%'
        or parts.amount <> transfers.amount)`,
  ),
  invariant(
    'statements-have-contents',
    'A file has one statement that is ready, importing, imported or withdrawing, and every such statement has a file.',
    `select coalesce(statements.id, contents.statement_id)::text from statements
      full join statement_contents as contents on contents.statement_id = statements.id
        and contents.content_hash = statements.content_hash
      where (contents.statement_id is not null)
        is distinct from coalesce(statements.state in ('ready', 'importing', 'imported', 'withdrawing'), false)`,
  ),
  invariant(
    'suspense-has-case',
    'Money in suspense has an open case, and every open case has money in suspense.',
    `select concat_ws(' ', requisite_id, transfer_id) from (
        select distinct requisite_id, transfer_id, 1 as part from transfer_parts
        where kind = 'suspense' and replaced_at is null
      ) as parts full join (
        select requisite_id, transfer_id, opened_at from suspense_cases where resolved_at is null
      ) as cases using (requisite_id, transfer_id)
      where opened_at is null or part is null`,
  ),
  invariant(
    'credits-fit-payment',
    'Money goes only to a payment whose payer was shown the requisite, or one of its account, in its currency.',
    `select concat_ws(' ', transfers.requisite_id, transfers.id, parts.payment_id)
      from transfer_parts as parts
      join transfers on transfers.requisite_id = parts.requisite_id and transfers.id = parts.transfer_id
      left join payments on payments.merchant_id = parts.merchant_id and payments.id = parts.payment_id
      where parts.payment_id is not null and parts.replaced_at is null
        and (payments.currency is distinct from transfers.currency or (
          payments.requisite_id is distinct from parts.requisite_id
          and payments.switched_from is distinct from parts.requisite_id
          -- An account that several requisites share books its money on the first of them.
          and not exists (select from statement_accounts as booked
            join statement_accounts as shown on shown.number_index = booked.number_index
            where booked.requisite_id = parts.requisite_id
              and shown.requisite_id in (payments.requisite_id, payments.switched_from))))`,
  ),
]
