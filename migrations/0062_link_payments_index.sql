--! no transaction
-- The payments of a link are listed, the newest first.
create index concurrently payments_of_link on payments (merchant_id, link_id, id) where link_id is not null;
-- How many payments of a link are paid, and how many are open.
create index concurrently payments_of_link_by_status on payments (link_id, status) where link_id is not null;
