-- What operators call their accounts.

alter table requisites add column label text
  constraint requisites_label_short check (char_length(label) between 1 and 60);
