-- Simulated money that belongs to no payment has a book of its own. What the book of the service has of it is brought
-- forward there, as one entry for each pair of accounts.
with sandbox as (select id from requisites where mode = 'sandbox'),
moved as materialized (
  select debit_account, credit_account, currency, sum(amount)::bigint as amount from ledger_postings
  where merchant_id = '00000000-0000-0000-0000-000000000000' and kind <> 'adjust' and (
    exists (select from sandbox where 'bank:' || sandbox.id in (debit_account, credit_account))
    or transfer_id in (select transfers.id from transfers join sandbox on sandbox.id = transfers.requisite_id)
    or document_id in (select outgoing.id from outgoing_transfers as outgoing
      join sandbox on sandbox.id = outgoing.requisite_id))
  group by debit_account, credit_account, currency
),
entries as materialized (
  select '00000000-0000-0000-0000-000000000000'::uuid as book, credit_account as debit, debit_account as credit, currency,
    amount from moved
  union all
  select '00000000-0000-0000-0000-000000000001', debit_account, credit_account, currency, amount from moved
),
posted as (
  insert into ledger_postings
    (merchant_id, id, transaction_id, kind, debit_account, credit_account, currency, amount, posted_at)
  select book, (lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') || '7'
      || substr(md5(random()::text), 1, 3) || '8' || substr(md5(random()::text), 1, 15))::uuid,
    gen_random_uuid(), 'open', debit, credit, currency, amount, now()
  from entries
)
insert into ledger_balances (merchant_id, account, currency, balance)
select book, account, currency, sum(amount)::bigint from (
  select book, debit as account, currency, amount from entries
  union all select book, credit, currency, -amount from entries
) as sides group by book, account, currency
on conflict (merchant_id, account, currency) do update
  set balance = ledger_balances.balance + excluded.balance;
