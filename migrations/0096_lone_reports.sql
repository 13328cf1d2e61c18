-- Money that stands on the word of one person (docs/domain.md §6.1): who reported a transfer alone, and whether another
-- operator must decide about it; who alone confirmed a statement; who alone made the key of a source.
alter table transfers add column reported_by text, add column reported_alone_at timestamptz,
  add column second_person boolean not null default false;
alter table statements add column reported_by text;
alter table statement_sources add column key_made_by text;

-- A price outside the band that one operator proposes for a currency, until another operator sets the same, and when two
-- have last agreed on one: the moves of a day are measured from that.
create table rate_proposals (
  currency text primary key,
  price bigint check (price > 0),
  proposed_by text,
  proposed_at timestamptz,
  agreed_at timestamptz
);
