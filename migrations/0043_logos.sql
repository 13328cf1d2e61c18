-- Logos may be WebP, and are known with their size: wordmarks are shown at their ratio, and nothing moves when one arrives.

alter table merchant_logos add column width integer;
alter table merchant_logos add column height integer;
alter table merchant_logos drop constraint merchant_logos_content_type_check;
alter table merchant_logos add constraint merchant_logos_content_type_check
  check (content_type in ('image/png', 'image/jpeg', 'image/webp')) not valid;
alter table merchant_logos add constraint merchant_logos_size_whole
  check ((width is null) = (height is null) and width > 0 and height > 0) not valid;
