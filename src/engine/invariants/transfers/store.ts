import { type Invariant, invariant } from '../invariant.ts'
import { messageChannel, operatorChannel } from '../../../rules/transfers/channel.ts'
import { byTransfer, lookUp } from '../changed/narrow.ts'

/** All rows with the reference of a changed transfer. */
const sameReference = lookUp(
  'transfers',
  `(select distinct requisite_id, bank_reference from (${byTransfer('transfers', 'id')}) as mine
    where bank_reference is not null) as named`,
  'transfers.requisite_id = named.requisite_id and transfers.bank_reference = named.bank_reference',
)

/** Of some transfers those that are called unproven although somebody has reported their money, or the other way round. */
const wronglyProven = (transfers: string): string => `select concat_ws(' ', mine.requisite_id, mine.id)
    from ${transfers} as mine
    where case when mine.channel = '${messageChannel}' then mine.unproven = exists (
        select from transfers as reports join transfer_parts as parts on parts.requisite_id = reports.requisite_id
          and parts.transfer_id = reports.id and parts.kind = 'duplicate' and parts.replaced_at is null
        where reports.requisite_id = mine.requisite_id and (reports.id = mine.id
          or reports.duplicate_of = mine.id and reports.reported_by is null
            and reports.channel not in ('${messageChannel}', '${operatorChannel}')))
      else mine.unproven end`

/** Changed outgoing transfers, and those that they name or that name them. */
const outgoingWithRelated = `select * from outgoing_transfers where id in (
    select document_id from changed_documents
    union select document_id from outgoing_transfers where id in (select document_id from changed_documents)
    union select duplicate_of from outgoing_transfers where id in (select document_id from changed_documents)
    union select id from outgoing_transfers where document_id in (select document_id from changed_documents)
      and purpose in ('refund', 'reversal', 'own-account')
    union select id from outgoing_transfers where document_id in (select document_id from changed_documents)
      and purpose = 'refund-reversal')`

/** Whether two transfers are one booking in two forms: a sum and one of its parts, or under one reference. */
const isOneBooking = (one: string, other: string): string => `(exists (select from statement_rows as parts
      where parts.requisite_id = ${one}.requisite_id and parts.transfer_id in (${one}.id, ${other}.id)
        and parts.booking_amount = greatest(${one}.amount, ${other}.amount) and parts.amount < parts.booking_amount)
    or exists (select from statement_rows as mine
      join statement_rows as theirs on theirs.requisite_id = mine.requisite_id
        and theirs.booking_reference = mine.booking_reference and theirs.transfer_id = ${other}.id
      where mine.requisite_id = ${one}.requisite_id and mine.transfer_id = ${one}.id))`

/** Invariants of transfers, their parts and their statements (docs/domain.md §12); zero rows is healthy. */
export const transferInvariants: readonly Invariant[] = [
  invariant(
    'transfers-disposed-of',
    'The parts of a transfer sum to its amount.',
    `select concat_ws(' ', transfers.requisite_id, transfers.id) from transfers left join (
        select requisite_id, transfer_id, sum(amount) as amount from transfer_parts
        where replaced_at is null group by requisite_id, transfer_id
      ) as parts on parts.requisite_id = transfers.requisite_id and parts.transfer_id = transfers.id
      where parts.amount is distinct from transfers.amount`,
  ),
  invariant(
    'transfers-stored-once',
    "A bank's reference belongs to one transfer of an amount on a requisite, but for what has given way to it.",
    `select concat_ws(' ', requisite_id, bank_reference) from transfers
      where bank_reference is not null and dedupe_key not like 'withdrawn:%' and dedupe_key not like 'replaced:%'
      group by requisite_id, bank_reference, amount having count(*) > 1`,
    { rows: { transfers: sameReference } },
  ),
  invariant(
    'statement-rows-recorded',
    'Each row of an imported statement is a transfer of its amount on its requisite.',
    `select concat_ws(' ', rows.statement_id, rows.position) from statement_rows as rows
      join statements on statements.id = rows.statement_id
      left join transfers on transfers.requisite_id = rows.requisite_id and transfers.id = rows.transfer_id
      left join outgoing_transfers as outgoing
        on outgoing.requisite_id = rows.requisite_id and outgoing.id = rows.transfer_id
      where statements.state in ('imported', 'withdrawing', 'withdrawn') and rows.kind <> 'reversal'
        and case when rows.kind = 'booked' then transfers.amount else outgoing.amount end is distinct from rows.amount`,
    { whole: ['transfers', 'outgoing_transfers'] },
  ),
  invariant(
    'transfers-added-once',
    'At most one row of one statement added a transfer; all others knew it already.',
    `select concat_ws(' ', requisite_id, transfer_id) from statement_rows where kind <> 'reversal' and added
      group by requisite_id, transfer_id having count(*) > 1`,
  ),
  invariant(
    'withdrawn-statements-hold-nothing',
    'No money of a withdrawn statement is held anywhere.',
    `select concat_ws(' ', rows.statement_id, rows.position) from statement_rows as rows
      join statements on statements.id = rows.statement_id and statements.state = 'withdrawn'
      join transfer_parts as parts on parts.requisite_id = rows.requisite_id
        and parts.transfer_id = rows.transfer_id
      where rows.kind = 'booked' and rows.added and parts.kind <> 'withdrawn' and parts.replaced_at is null
      union all
      select concat_ws(' ', rows.statement_id, rows.position) from statement_rows as rows
      join statements on statements.id = rows.statement_id and statements.state = 'withdrawn'
      join outgoing_transfers as outgoing
        on outgoing.requisite_id = rows.requisite_id and outgoing.id = rows.transfer_id
      where rows.kind like 'outgoing%' and rows.added and outgoing.state <> 'withdrawn'`,
    { whole: ['outgoing_transfers'] },
  ),
  invariant(
    'duplicates-have-their-transfer',
    'A duplicate has its transfer: of the same amount or booking, from another channel or file or under one reference, not withdrawn.',
    `select concat_ws(' ', transfers.requisite_id, transfers.id) from transfer_parts as parts
      join transfers on transfers.requisite_id = parts.requisite_id and transfers.id = parts.transfer_id
      left join transfers as others on others.requisite_id = transfers.requisite_id and others.id = transfers.duplicate_of
      where parts.kind = 'duplicate' and parts.replaced_at is null and (others.amount is distinct from transfers.amount
          and not ${isOneBooking('transfers', 'others')}
        or others.source = transfers.source and transfers.dedupe_key not like 'again:%' or others.dedupe_key like 'withdrawn:%'
        or parts.amount <> transfers.amount)`,
    { whole: ['transfers'] },
  ),
  invariant(
    'unproven-until-reported',
    'Money of messages on phones is unproven until somebody else reports it, too; no other money ever is.',
    wronglyProven('transfers'),
    { by: wronglyProven(`(${byTransfer('transfers', 'id')})`) },
  ),
  invariant(
    'statements-add-up',
    'No statement has other money than the books for its days, unless a person has looked at it.',
    `select id::text from requisites where crediting_held ->> 'statementId' is not null`,
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
    { whole: ['transfer_parts'] },
  ),
  invariant(
    'credits-fit-payment',
    'Money goes only to a payment in its currency whose payer was shown the requisite, or one of its account.',
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
  invariant(
    'outgoing-posted-once',
    'Each outgoing transfer has left the account of its requisite once; duplicates and withdrawn ones hold nothing.',
    `select concat_ws(' ', outgoing.requisite_id, coalesce(outgoing.id, posted.id)) from outgoing_transfers as outgoing
      full join (
        select document_id as id, bank, sum(amount) as amount from (
          select document_id, credit_account as bank, amount from ledger_postings
            where kind = 'send' and credit_account like 'bank:%'
          union all select document_id, debit_account, -amount from ledger_postings
            where kind = 'send' and debit_account like 'bank:%'
        ) as sides group by document_id, bank
      ) as posted on posted.id = outgoing.id and posted.bank = 'bank:' || outgoing.requisite_id
      where posted.amount is distinct from case when outgoing.state in ('duplicate', 'withdrawn') then 0
        when outgoing.given_back then -outgoing.amount else outgoing.amount end`,
  ),
  invariant(
    'unexplained-has-no-purpose',
    'The unexplained balance is the sum of the outgoing transfers that are not booked.',
    `select currency from (
        select currency, sum(case when given_back then -amount else amount end) as amount from outgoing_transfers
        where state = 'unexplained' group by currency
      ) as waiting full join (
        select currency, sum(balance) as balance from ledger_balances where account = 'unexplained' group by currency
      ) as held using (currency)
      where coalesce(waiting.amount, 0) <> coalesce(held.balance, 0)`,
    { whole: ['outgoing_transfers'] },
  ),
  invariant(
    'decisions-have-effect',
    'The effect of a decision on a transfer is among its parts; a revoked one has returned to the inbox.',
    `select concat_ws(' ', results.decision_id, results.owner_id, results.id)
      from decision_results as results
      left join lateral (select max(parts.number) as number from transfer_parts as parts
        where parts.requisite_id = results.owner_id and parts.transfer_id = results.id) as last on true
      where results.last_part is not null and coalesce(last.number, 0) < results.last_part
        + case when results.revoked_at is not null and results.word not in ('park', 'unpark') then 1 else 0 end`,
    { whole: ['transfer_parts'] },
  ),
  invariant(
    'outgoing-carries-out-its-document',
    'Outgoing money that is a refund, a returned refund, a reversal or between own accounts has its document, of the same amount.',
    `select concat_ws(' ', outgoing.requisite_id, outgoing.id) from outgoing_transfers as outgoing
      left join overpayment_decisions as decisions on outgoing.purpose = 'refund'
        and decisions.merchant_id = outgoing.merchant_id and decisions.id = outgoing.document_id
        and decisions.decision = 'refund' and (decisions.reversed_at is null) = not exists (
          select from outgoing_transfers as back where back.purpose = 'refund-reversal' and back.document_id = outgoing.id)
      left join outgoing_transfers as sent on outgoing.purpose = 'refund-reversal' and outgoing.given_back
        and sent.id = outgoing.document_id and sent.purpose = 'refund'
      left join transfer_reversals as reversals on outgoing.purpose = 'reversal'
        and reversals.id = outgoing.document_id and reversals.transfer_id is not null
      left join transfers on outgoing.purpose = 'own-account' and transfers.id = outgoing.document_id
        and not exists (select from transfer_parts as parts where parts.requisite_id = transfers.requisite_id
          and parts.transfer_id = transfers.id and parts.kind not in ('ignored', 'reversed')
          and parts.replaced_at is null)
      where outgoing.purpose in ('refund', 'refund-reversal', 'reversal', 'own-account')
        and (coalesce(decisions.amount, sent.amount, reversals.amount, transfers.amount),
            coalesce(decisions.currency, sent.currency, reversals.currency, transfers.currency))
          is distinct from (outgoing.amount, outgoing.currency)`,
    { rows: { outgoing_transfers: outgoingWithRelated } },
  ),
  invariant(
    'outgoing-has-key',
    'An outgoing transfer can be recognised when it is reported again, until it is withdrawn.',
    `select concat_ws(' ', requisite_id, id) from outgoing_transfers as outgoing
      where (outgoing.state <> 'withdrawn') <> exists (select from outgoing_keys as keys
        where keys.requisite_id = outgoing.requisite_id and keys.outgoing_id = outgoing.id)`,
  ),
  invariant(
    'outgoing-duplicates-have-their-money',
    'An outgoing duplicate has its transfer: of the same amount or booking, on the same requisite, in the ledger.',
    `select concat_ws(' ', same.requisite_id, same.id) from outgoing_transfers as same
      left join outgoing_transfers as other on other.requisite_id = same.requisite_id and other.id = same.duplicate_of
      where same.state = 'duplicate' and (other.state is null or other.state not in ('unexplained', 'booked')
        or (other.currency, other.given_back) is distinct from (same.currency, same.given_back)
        or other.amount is distinct from same.amount and not ${isOneBooking('same', 'other')})`,
    { rows: { outgoing_transfers: outgoingWithRelated } },
  ),
]
