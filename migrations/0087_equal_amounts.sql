-- Payments that ask for the same amount on one requisite, where evidence can tell their money apart.

-- Whether the holder lets others share its amount; they are among the past slots, with an end in the future.
alter table slots add column shares boolean not null default false;
-- Whether it holds its slot next to another payment.
alter table payments add column shares_slot boolean not null default false;
-- The name from which the payer says it pays, as its bank shows it: collected where payments share an amount.
alter table payments add column payer_name_sealed text;
