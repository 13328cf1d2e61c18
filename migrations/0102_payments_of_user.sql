--! no transaction
create index concurrently payments_of_user on payments (user_id, id) where user_id_given;
