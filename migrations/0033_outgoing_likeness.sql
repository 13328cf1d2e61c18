-- What a later file says with another text is compared with the reports that are alike: as of a transfer.

alter table outgoing_keys add column likeness text;
-- Whose report it was; a file is not compared with itself.
alter table outgoing_keys add column source text;
