-- Search over payments and transfers.

-- What operators search for: payments and transfers with the keyed hashes of their words, such as orders, amounts, last
-- digits and names. Nothing can be read out of it. Jobs fill it after the fact, so that it costs no create.
create table search_entries (
  kind text not null check (kind in ('payment', 'transfer', 'outgoing')),
  -- The merchant of a payment, the requisite of a transfer.
  owner_id uuid not null,
  id uuid not null,
  tokens bigint[] not null,
  primary key (kind, owner_id, id)
);
-- All words of a search at once.
create index search_entries_tokens on search_entries using gin (tokens);

-- How far the rows of each kind are indexed.
create table search_progress (
  kind text primary key check (kind in ('payment', 'transfer', 'outgoing')),
  -- Everything from before this time is indexed.
  complete_until timestamptz not null,
  -- What was written by this time has been looked through once; a transaction may since have added to it.
  seen_until timestamptz not null
);
insert into search_progress (kind, complete_until, seen_until)
  select kind, '2000-01-01', '2000-01-01' from unnest(array['payment', 'transfer', 'outgoing']) as kind;

-- A phone that its payer gave on the page. Few payments have one, and no create writes it.
create index payments_payer_phone on payments (payer_phone_index, id) where payer_phone_index is not null;
create index payments_payer_digits on payments ("right"(source_pan, 4), id) where source_pan <> '';
-- A sender, by the whole number.
create index transfers_by_sender on transfers (sender_index, id) where sender_index is not null;
create index outgoing_transfers_by_payee on outgoing_transfers (payee_index, id) where payee_index is not null;
