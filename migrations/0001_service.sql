-- What the processes of one service share.

-- Facts about the installation, such as a check value of its encryption keys.
create table service_state (
  name text primary key,
  value text not null
);

-- One counter per part of the catalog, which every node keeps in memory. Every change raises the counter of its part;
-- nodes reload a part when its counter has moved.
create table catalog_versions (
  part text primary key check (part in ('merchants', 'tokens', 'requisites', 'rates', 'banks', 'risk')),
  version bigint not null
);
insert into catalog_versions (part, version)
values ('merchants', 1), ('tokens', 1), ('requisites', 1), ('rates', 1), ('banks', 1), ('risk', 1);
