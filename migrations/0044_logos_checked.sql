-- The constraints of 0043 hold for all rows; no logo had a size or was a WebP before them.

alter table merchant_logos validate constraint merchant_logos_content_type_check;
alter table merchant_logos validate constraint merchant_logos_size_whole;
