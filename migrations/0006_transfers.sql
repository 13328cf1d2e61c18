-- Money that came in: what banks reported, what it was used for, and what was reversed; money that went out; what
-- operators decided about both; and the words by which they are found.

-- A transfer as it was first reported. It has no foreign key to its requisite: checked row by row, this key and that of
-- the parts took a quarter of the insert of a set of transfers, and neither target is ever deleted.
create table transfers (
  requisite_id uuid not null,
  id uuid not null,
  dedupe_key text not null,
  currency text not null,
  amount bigint not null check (amount > 0),
  booked_at timestamptz not null,
  -- Of a report with a day and no time the first moment of the day; booked_at is its last one, or when it was reported.
  earliest_at timestamptz,
  source text not null,
  -- The kind of reporter: a feed, an operator, a type of file. Null where no other channel can report the same money.
  channel text,
  bank_reference text,
  -- The numbering that the reference belongs to: two different references of one kind are two transfers.
  reference_kind text,
  sender_sealed text,
  sender_masked text not null,
  sender_index text,
  sender_bank text,
  -- What the bank calls the sender, and the same as it may be shown.
  sender_name_sealed text,
  sender_name_masked text,
  -- What the sender wrote.
  text_sealed text,
  -- Equal for rows of files that may be one document, whatever they say about it.
  likeness text,
  -- The transfer that was reported before and that this duplicates, or may; the parts hold the decision.
  duplicate_of uuid,
  recorded_at timestamptz not null,
  -- Money that stands on the word of one person (docs/domain.md §6.1): who reported a transfer alone, and whether
  -- another operator must decide about it.
  reported_by text,
  reported_alone_at timestamptz,
  second_person boolean not null default false,
  -- Whether only messages on phones have reported its money so far: no statement, feed or person (docs/domain.md §6.11).
  unproven boolean not null default false,
  primary key (requisite_id, id),
  constraint transfers_reported_once unique (requisite_id, dedupe_key),
  constraint transfers_amount_in_bounds check (amount <= 999999999999999),
  constraint transfers_earliest_first check (earliest_at <= booked_at)
);
-- A reversal that names no reference is matched by its amount.
create index transfers_by_amount on transfers (requisite_id, amount, booked_at);
create index transfers_alike on transfers (requisite_id, likeness) where likeness is not null;
-- A reversal of a part has the reference of its transfer and another amount.
create index transfers_by_reference on transfers (requisite_id, bank_reference) where bank_reference is not null;
create index transfers_duplicate_of on transfers (requisite_id, duplicate_of) where duplicate_of is not null;
-- A sender, by the whole number.
create index transfers_by_sender on transfers (sender_index, id) where sender_index is not null;
create index transfers_by_lone_reporter on transfers (reported_by, reported_alone_at) where reported_by is not null;
-- Money that still waits for its statement: that of a day or two, among that of years.
create index transfers_unproven on transfers (requisite_id, id) where unproven;

-- Further channels that reported a transfer under the same reference.
create table transfer_reports (
  requisite_id uuid not null,
  transfer_id uuid not null,
  channel text not null,
  -- Whether one operator alone has reported it there.
  lone boolean not null,
  primary key (requisite_id, transfer_id, channel),
  foreign key (requisite_id, transfer_id) references transfers (requisite_id, id)
);

-- Where every minor unit of a transfer went: the parts without replaced_at add up to its amount. The others are
-- history.
create table transfer_parts (
  requisite_id uuid not null,
  transfer_id uuid not null,
  number integer not null check (number >= 1),
  -- `reversed`: the bank took it back before a payment was credited. `withdrawn`: its statement was. `duplicate`: it is
  -- another transfer's money.
  kind text not null check (
    kind in ('payment', 'overpayment', 'suspense', 'ignored', 'duplicate', 'reversed', 'withdrawn')
  ),
  amount bigint not null check (amount > 0),
  merchant_id uuid,
  payment_id uuid,
  outcome text not null check (
    outcome in ('exact', 'under', 'over', 'late', 'paid-again', 'ambiguous', 'none', 'assigned', 'ignored', 'unassigned')
  ),
  reasons jsonb not null,
  decided_by text not null default 'service',
  note text,
  decided_at timestamptz not null,
  replaced_at timestamptz,
  -- How much of a part that stays where it is the bank has taken back: of a credited payment, or of a decided
  -- overpayment.
  reversed_amount bigint not null default 0,
  primary key (requisite_id, transfer_id, number),
  constraint transfer_parts_payment_by_kind
    check (kind = 'reversed' or (kind in ('payment', 'overpayment')) = (payment_id is not null)),
  constraint transfer_parts_merchant_with_payment check ((merchant_id is null) = (payment_id is null)),
  constraint transfer_parts_reversed_within check (reversed_amount >= 0 and reversed_amount <= amount)
);
create index transfer_parts_payment on transfer_parts (merchant_id, payment_id) where payment_id is not null;
create index transfer_parts_waiting on transfer_parts (requisite_id)
  include (amount) where kind = 'suspense' and replaced_at is null;

-- The inbox: one case per transfer that waits for an operator's decision, and how it ended.
create table suspense_cases (
  requisite_id uuid not null,
  transfer_id uuid not null,
  suggestions jsonb not null,
  opened_at timestamptz not null,
  resolved_at timestamptz,
  -- Who parked the transfer of an open case, when and why.
  parked_at timestamptz,
  parked_by text,
  parked_because text,
  primary key (requisite_id, transfer_id),
  foreign key (requisite_id, transfer_id) references transfers (requisite_id, id)
);
create index suspense_cases_open on suspense_cases (opened_at) where resolved_at is null;
create index suspense_cases_waiting on suspense_cases (transfer_id) where resolved_at is null;

-- What the bank took back, as it reported it. While the transfer is unknown, the reversal waits for an operator.
create table transfer_reversals (
  requisite_id uuid not null,
  id uuid not null,
  dedupe_key text not null,
  currency text not null,
  amount bigint not null check (amount > 0),
  booked_at timestamptz not null,
  source text not null,
  -- As of a transfer; null where only an operator has reported it.
  channel text,
  bank_reference text,
  -- Two different references of one kind are two reversals.
  reference_kind text,
  sender_masked text not null,
  transfer_id uuid,
  recorded_at timestamptz not null,
  -- When an operator named the transfer, or said that there is none.
  resolved_at timestamptz,
  resolved_by text,
  note text,
  primary key (requisite_id, id),
  constraint transfer_reversals_reported_once unique (requisite_id, dedupe_key)
);
create index transfer_reversals_open on transfer_reversals (id) where transfer_id is null and resolved_at is null;
-- What a bank has taken back of a transfer so far; whoever adds to it has locked the transfer.
create index transfer_reversals_transfer on transfer_reversals (requisite_id, transfer_id)
  where transfer_id is not null;
create index transfer_reversals_by_reference on transfer_reversals (requisite_id, bank_reference)
  where bank_reference is not null;

-- Decisions about money that a payment could not take.
create table overpayment_decisions (
  merchant_id uuid not null,
  id uuid not null,
  payment_id uuid not null,
  -- The operator's own name of the decision: the same reference is the same decision.
  reference text collate "C" not null,
  decision text not null check (decision in ('assign', 'refund', 'write-off')),
  currency text not null,
  amount bigint not null check (amount > 0),
  -- Of a refund: the requisite that paid it, and when the bank booked it.
  requisite_id uuid,
  booked_at timestamptz not null,
  reason text not null,
  decided_by text not null,
  decided_at timestamptz not null,
  -- When it was taken back, because the outgoing transfer that was to be the refund is not.
  reversed_at timestamptz,
  -- The price at which an overpayment was assigned to the merchant, if it was worse than that of its payment.
  later_price bigint,
  primary key (merchant_id, id),
  constraint overpayment_decisions_reference_once unique (merchant_id, reference),
  foreign key (merchant_id, payment_id) references payments (merchant_id, id),
  constraint overpayment_decisions_requisite_of_refund check ((decision = 'refund') = (requisite_id is not null))
);
create index overpayment_decisions_payment on overpayment_decisions (merchant_id, payment_id);
create index overpayment_decisions_requisite on overpayment_decisions (requisite_id) where requisite_id is not null;
create index overpayment_decisions_refunds on overpayment_decisions (requisite_id, amount, booked_at)
  where requisite_id is not null;

-- What merchants give back to the payers of their payments. A merchant pays for it when it asks, and gets that back if
-- nothing is sent.
create table refunds (
  merchant_id uuid not null,
  id uuid not null,
  payment_id uuid not null,
  order_id text collate "C" not null,
  -- Where its money came in.
  requisite_id uuid not null,
  -- The merchant's own name of the refund: the same reference is the same refund.
  reference text collate "C" not null,
  currency text not null,
  amount bigint not null check (amount > 0),
  quote_currency text not null,
  -- What the merchant's balance pays for it, and the fees of the service.
  net bigint not null check (net >= 0),
  fee bigint not null check (fee >= 0),
  reason text,
  -- Where the merchant asks to send it, if no bank has named the account of the payer.
  pay_to_sealed text,
  pay_to_masked text,
  status text not null check (
    status in ('requested', 'approved', 'sent', 'done', 'refused', 'canceled', 'failed')
  ),
  sequence integer not null check (sequence >= 1),
  requested_by text not null,
  -- Who would approve it, while it takes another operator, too.
  proposed_by text,
  approved_by text,
  -- The decision by which its money left an account.
  decision_id uuid,
  failure text,
  -- Who would fail one that was sent, while that takes another operator, too.
  failing_by text,
  -- The number of the payment order by which a file for the bank has sent it last, and that of the first one in the
  -- file, which is the number of the file; no number is used twice.
  bank_order integer check (bank_order >= 1),
  bank_file integer,
  -- Who gets it by that file: a copy of the file has the same, whatever is known of the payer by then.
  payee_sealed text,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  primary key (merchant_id, id),
  constraint refunds_reference_once unique (merchant_id, reference),
  foreign key (merchant_id, payment_id) references payments (merchant_id, id),
  foreign key (merchant_id, decision_id) references overpayment_decisions (merchant_id, id),
  constraint refunds_decision_of_sent check ((status in ('sent', 'done')) = (decision_id is not null)),
  constraint refunds_failure_of_given_up check ((status in ('refused', 'failed')) = (failure is not null)),
  constraint refunds_file_of_order check (bank_file <= bank_order),
  constraint refunds_payee_of_file check ((bank_file is null) = (payee_sealed is null)),
  constraint refunds_approved check (status not in ('approved', 'sent', 'done') or approved_by is not null)
);
create index refunds_payment on refunds (merchant_id, payment_id);
create index refunds_decision on refunds (decision_id) where decision_id is not null;
create index refunds_bank_order on refunds (bank_order) where bank_order is not null;
create index refunds_bank_file on refunds (bank_file) where bank_file is not null;
create index refunds_open on refunds (id) where status in ('requested', 'approved', 'sent');

-- Every change of a refund's status, numbered without gaps.
create table refund_events (
  merchant_id uuid not null,
  refund_id uuid not null,
  sequence integer not null check (sequence >= 1),
  status text not null,
  actor text not null,
  at timestamptz not null,
  primary key (merchant_id, refund_id, sequence),
  foreign key (merchant_id, refund_id) references refunds (merchant_id, id)
);

-- Money that left the account of a requisite, as the bank's statements report it, and what it was for.
create table outgoing_transfers (
  requisite_id uuid not null,
  id uuid not null,
  currency text not null,
  amount bigint not null check (amount > 0),
  -- Whether the bank gave an earlier one back: then the money came in.
  given_back boolean not null,
  booked_at timestamptz not null,
  -- The day of its booking in the time zone of the account, if the bank reported no time.
  booked_on text,
  source text not null,
  channel text not null,
  bank_reference text,
  reference_kind text,
  payee_masked text not null,
  -- As of the sender of a transfer: a payer who gets money back is found by it.
  payee_index text,
  details_sealed text not null,
  recorded_at timestamptz not null,
  state text not null check (state in ('unexplained', 'booked', 'duplicate', 'withdrawn')),
  purpose text check (
    purpose in ('refund', 'refund-reversal', 'reversal', 'fee', 'settlement', 'own-account', 'other')
  ),
  -- The payment that the money is returned to the payer of, or the merchant that it is paid to.
  merchant_id uuid,
  payment_id uuid,
  -- The decision, reversal or settlement that it carries out, or the transfer as which it came in on an account of
  -- our own.
  document_id uuid,
  reason text,
  decided_by text,
  decided_at timestamptz,
  duplicate_of uuid,
  primary key (requisite_id, id),
  constraint outgoing_transfers_booked
    check ((state = 'booked') = (purpose is not null and decided_by is not null and decided_at is not null)),
  constraint outgoing_transfers_document_by_purpose
    check ((purpose not in ('refund', 'reversal', 'own-account')) or document_id is not null),
  -- Only money that came back, and names the refund, is one that was given back.
  constraint outgoing_transfers_refund_came_back
    check (purpose <> 'refund-reversal' or given_back and document_id is not null),
  constraint outgoing_transfers_duplicate_of_another
    check (state <> 'duplicate' or duplicate_of is not null and duplicate_of <> id and purpose is null)
);
create unique index outgoing_transfers_newest on outgoing_transfers (id);
create index outgoing_transfers_unexplained on outgoing_transfers (id) where state = 'unexplained';
-- What another channel reports is compared with these, and so is what an operator says of a refund.
create index outgoing_transfers_by_amount on outgoing_transfers (requisite_id, amount, booked_at);
-- The same money is not booked twice.
create unique index outgoing_transfers_document_once on outgoing_transfers (document_id)
  where purpose in ('refund', 'reversal', 'own-account');
create index outgoing_transfers_by_payee on outgoing_transfers (payee_index, id) where payee_index is not null;
create index outgoing_transfers_by_document on outgoing_transfers (document_id)
  where purpose in ('refund-reversal', 'settlement');
create index outgoing_transfers_by_reference on outgoing_transfers (requisite_id, bank_reference)
  where bank_reference is not null;
create index outgoing_transfers_duplicate_of on outgoing_transfers (duplicate_of) where duplicate_of is not null;

-- The keys under which channels report an outgoing transfer: several where more than one channel does.
create table outgoing_keys (
  requisite_id uuid not null,
  dedupe_key text not null,
  outgoing_id uuid not null,
  channel text not null,
  likeness text,
  -- Whose report it was; a file is not compared with itself.
  source text,
  primary key (requisite_id, dedupe_key)
);
create index outgoing_keys_outgoing on outgoing_keys (outgoing_id);
create index outgoing_keys_alike on outgoing_keys (requisite_id, likeness) where likeness is not null;

-- Requests of operators that decided about transfers or disputes.
create table decisions (
  id uuid primary key,
  about text not null check (about in ('transfer', 'dispute')),
  decided_by text not null,
  -- The operator's own key of the request: sent again, it gets the same results.
  idempotency_key text,
  body_hash text,
  decided_at timestamptz not null,
  constraint decisions_key_once unique (decided_by, about, idempotency_key)
);
-- The decisions of the last day are listed and taken back.
create index decisions_newest on decisions (decided_at);

-- The transfers or disputes of a decision, each with its result.
create table decision_results (
  decision_id uuid not null references decisions (id),
  number integer not null check (number >= 1),
  -- The requisite of a transfer, the merchant of a dispute.
  owner_id uuid not null,
  id uuid not null,
  word text not null,
  state text not null check (state in ('done', 'proposed', 'refused')),
  -- Why it was refused.
  code text,
  message text,
  -- Of what was done with a transfer: how many of its parts it kept, and the number of the last one then. A later one
  -- means that something was decided since.
  kept_parts integer,
  last_part integer,
  revoked_at timestamptz,
  primary key (decision_id, owner_id, id),
  constraint decision_results_refusal_has_code check ((state = 'refused') = (code is not null)),
  constraint decision_results_refusal_has_message check ((code is null) = (message is null)),
  constraint decision_results_parts_of_done check (kept_parts is null or state = 'done'),
  constraint decision_results_parts_whole check ((kept_parts is null) = (last_part is null)),
  constraint decision_results_revoked_has_parts check (revoked_at is null or kept_parts is not null)
);

-- What operators search transfers by: the keyed hashes of their words, such as amounts, last digits and names. Nothing can
-- be read out of it.
create table search_entries (
  kind text not null check (kind in ('transfer', 'outgoing')),
  -- The requisite.
  owner_id uuid not null,
  id uuid not null,
  tokens bigint[] not null,
  primary key (kind, owner_id, id)
);
-- All words of a search at once.
create index search_entries_tokens on search_entries using gin (tokens);
