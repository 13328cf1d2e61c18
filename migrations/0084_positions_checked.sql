--! oldest 0080
--! contract: every version that may run writes notifications with a position

comment on table outbox is 'Events, fixed in the transaction of the change that they report. A create writes none: its answer has reported the payment.';
-- The constraint of 0083 holds for all rows, because 0082 gave a position to those without one. It spares the next
-- command reading them again.
alter table outbox validate constraint outbox_has_position;

-- The number of the event among those of its merchant, from 1 without gaps, in the order of commits: the counter is
-- locked until the commit.
alter table outbox alter column position set not null;

alter table outbox drop constraint outbox_has_position;
