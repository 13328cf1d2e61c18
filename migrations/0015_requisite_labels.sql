-- What operators call their accounts.

alter table requisites add column label text;
alter table requisites add constraint requisites_label_short check (char_length(label) between 1 and 60) not valid;
