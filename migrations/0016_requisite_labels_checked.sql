-- The constraint of 0015 holds for all rows; no row had a label before it.

alter table requisites validate constraint requisites_label_short;
