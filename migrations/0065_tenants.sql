-- The directory of tenants is a part of the catalog, so that all processes see within a second that one was added.
alter table catalog_versions drop constraint catalog_versions_part_check;
alter table catalog_versions add constraint catalog_versions_part_check
  check (part in ('merchants', 'tokens', 'requisites', 'rates', 'banks', 'risk', 'tenants')) not valid;
insert into catalog_versions (part, version) values ('tenants', 1);
