-- What two people agree on besides the price, and the settlements that one of them would fail.

-- What would set the price that waits: `override`, `override-end`, the source of rates that reports it, or the source that
-- an operator names; and when it would end. A price that has waited since before has none: it is proposed again.
alter table rate_proposals add column source text, add column ends_at timestamptz;

-- Who would fail an approved settlement that took two people.
alter table settlements add column failing_by text;
