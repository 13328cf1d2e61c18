-- Phones that forward the messages in which banks report money. A message is evidence, not proof: until a statement
-- has its money, that stands on the word of the phone, as a lone report does.

create table phones (
  id uuid primary key,
  name text not null,
  app text not null check (app in ('smsgate', 'sms-webhook', 'smsforwarder', 'other', 'simulated')),
  -- The requisites whose money it reports, with the last digits and the SIM by which messages name each.
  requisites jsonb not null,
  -- Up to how many USDT within 24 hours its messages credit without a person; 0: none.
  daily_limit bigint not null check (daily_limit >= 0),
  -- Whether the balances in its messages are compared; for some cards they are credit limits.
  checks_balance boolean not null,
  -- After how many minutes of silence somebody must look; null: never.
  silent_minutes integer check (silent_minutes > 0),
  state text not null check (state in ('active', 'paused', 'removed')),
  secret_sealed text not null,
  secret_prefix text not null,
  -- The operator who alone made its secret or changed it, until another one approves it.
  changed_by text,
  battery integer,
  -- Messages that were dropped unread: codes and passwords, and those of senders that are no bank.
  dropped_codes bigint not null default 0,
  dropped_others bigint not null default 0,
  created_at timestamptz not null,
  last_seen_at timestamptz
);
-- A removed phone's name is free again.
create unique index phones_name_once on phones (name) where state <> 'removed' and app <> 'simulated';
create unique index phones_simulated_once on phones (app) where state <> 'removed' and app = 'simulated';

-- What operators have taught of banks' messages, in the language of the packages' own templates.
create table message_templates (
  id uuid primary key,
  bank text not null,
  kind text not null check (kind in ('credit', 'debit', 'declined', 'hold', 'reversal', 'other')),
  template text not null,
  -- The message that it was made from.
  message_id uuid not null,
  taught_by text not null,
  taught_at timestamptz not null,
  -- Who alone taught it, where a credit needs two: nothing is read with it until another one approves it.
  changed_by text,
  -- Since when messages are read with it.
  used_since timestamptz,
  -- When those that had waited were read with it, and none is left that another process has read without it.
  caught_up_at timestamptz,
  withdrawn_by text,
  withdrawn_at timestamptz,
  constraint message_templates_used check ((used_since is null) = (changed_by is not null))
);
-- What was withdrawn may be taught again.
create unique index message_templates_once on message_templates (bank, kind, template) where withdrawn_at is null;

create table phone_messages (
  id uuid primary key,
  phone_id uuid not null references phones (id),
  received_at timestamptz not null,
  channel text not null check (channel in ('sms', 'push')),
  -- What the app calls the SIM card on which it came.
  sim text,
  bank text not null,
  kind text not null,
  -- The taught template that has read it; null: none, or one that everybody has.
  template_id uuid references message_templates (id),
  -- By these a repetition is found: a keyed hash of what it says, and a time, or an identifier of the app, that is the
  -- same in every attempt.
  content_index text not null,
  occurrence text,
  -- What the bank has written; null once it was deleted.
  content_sealed text,
  requisite_id uuid,
  currency text,
  amount bigint check (amount > 0),
  balance bigint,
  digits text,
  booked_at timestamptz,
  earliest_at timestamptz,
  state text not null check (state in ('recorded', 'same', 'noted', 'waiting', 'dismissed')),
  reason text,
  transfer_id uuid,
  same_as uuid,
  -- The chain of an account's balances.
  moved bigint,
  follows uuid,
  gap bigint,
  is_doubtful boolean not null default false,
  resolved_by text,
  resolved_at timestamptz,
  -- Whether it waits for a person, or its balance for somebody to confirm it.
  is_open boolean not null generated always as (state = 'waiting' or gap is not null and is_doubtful) stored,
  constraint phone_messages_recorded check ((state = 'recorded') = (transfer_id is not null)),
  constraint phone_messages_waiting_reason check (state <> 'waiting' or reason is not null)
);
-- A repetition comes from the same phone.
create index phone_messages_content on phone_messages (phone_id, content_index);
-- The chain of an account, and other messages of the same money.
create index phone_messages_requisite on phone_messages (requisite_id, id) where requisite_id is not null;
create index phone_messages_open on phone_messages (id) where is_open;
-- What waits for the message before it.
create index phone_messages_balance on phone_messages (requisite_id, id) where reason = 'balance';
-- What a template has read, when it is withdrawn.
create index phone_messages_template on phone_messages (template_id) where template_id is not null;
-- Texts that are to be deleted.
create index phone_messages_kept on phone_messages (received_at) where content_sealed is not null;
