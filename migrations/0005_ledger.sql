-- Double entry, balanced by construction: one row names both sides. The book (merchant_id) keeps balances of busy
-- accounts apart per merchant; the nil UUID is the service's own book.
create table ledger_postings (
  merchant_id uuid not null,
  id uuid not null,
  transaction_id uuid not null,
  kind text not null,
  debit_account text not null,
  credit_account text not null,
  currency text not null,
  amount bigint not null check (amount > 0),
  payment_id uuid,
  transfer_id uuid,
  posted_at timestamptz not null,
  primary key (merchant_id, id),
  check (debit_account <> credit_account)
);
create index ledger_postings_payment on ledger_postings (merchant_id, payment_id) where payment_id is not null;

-- Debits less credits, per book, account and currency.
create table ledger_balances (
  merchant_id uuid not null,
  account text not null,
  currency text not null,
  balance bigint not null,
  primary key (merchant_id, account, currency)
) with (fillfactor = 70);
