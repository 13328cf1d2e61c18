// What is refused in a migration: test/tidy.test.ts applies these rules to the folder.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseMigration } from 'payin-database/migrations'
import { refuseMigration } from '../support/house-migrations.ts'

const refusals = (sql: string, name = '0099_next.sql'): string[] => refuseMigration(parseMigration(name, sql))

const declared = '--! oldest 0098\n--! contract: unread since 0098\n'
const piecemeal = '--! no transaction\n'

test('what takes something away from the release before needs a reason and the marker', () => {
  for (const sql of [
    'drop table payments;',
    'alter table payments drop column locale;',
    'alter table payments drop locale;',
    'alter table payments rename column locale to language;',
    'alter table payments rename to orders;',
    'alter table payments alter column locale type integer;',
    'alter table payments alter locale set data type integer;',
    'alter table payments alter column locale set not null;',
    'alter table payments alter column currency drop not null;',
    'alter table payments add column language text not null;',
    'alter table payments drop constraint payments_order_once;',
    'ALTER TABLE payments\n  DROP COLUMN locale;',
  ]) {
    assert.equal(refusals(sql).length, 1, sql)
    assert.match(refusals(sql)[0] ?? '', /^migrations\/0099_next\.sql:1 .*--! contract: and --! oldest$/)
    assert.deepEqual(refusals(declared + sql), [], sql)
  }
  for (const sql of [
    'create unique index concurrently one on payments (order_id);',
    'drop index concurrently if exists payments_due;',
  ]) {
    assert.equal(refusals(piecemeal + sql).length, 1, sql)
    assert.deepEqual(refusals(declared + piecemeal + sql), [], sql)
  }
})

test('what locks a table that is in use for long is refused, whatever the reason', () => {
  for (const sql of [
    'create index payments_locale on payments (locale);',
    "alter table payments add constraint named check (locale <> '');",
    'alter table payments add constraint known foreign key (merchant_id) references merchants (id);',
    'alter table payments add column parent uuid references payments (id);',
    'alter table payments add column language text check (language > locale);',
    'alter table payments add column at timestamptz default clock_timestamp();',
    "update payments set locale = 'en';",
    'delete from payments where locale is null;',
    'truncate payments;',
    'lock table payments;',
  ]) {
    assert.equal(refusals(sql).length, 1, sql)
    assert.match(refusals(sql)[0] ?? '', /lock/)
  }
  for (const sql of [
    'alter table payments add constraint one unique (order_id);',
    'create unique index one on payments (order_id);',
  ])
    assert.ok(refusals(declared + sql).length > 0, sql)
})

test('what adds passes', () => {
  for (const sql of [
    'alter table payments add column language text;',
    "alter table payments add column language text not null default 'en', add column region text;",
    "alter table payments add constraint named check (locale <> '') not valid;",
    'alter table payments validate constraint named;',
    'alter table payments drop constraint named; alter table payments add constraint named check (true) not valid;',
    'alter table payments add constraint one unique using index one;',
    "create table next (id uuid primary key, note text not null check (note > '')); create index next_note on next (note); insert into next select id from payments;",
    `${piecemeal}create index concurrently payments_locale on payments (locale);`,
    `${piecemeal}update payments set locale = 'en' where id in (select id from payments where locale is null limit 1000);`,
  ]) {
    assert.deepEqual(refusals(sql), [], sql)
  }
  assert.deepEqual(refusals('drop table payments;', '0012_audit.sql'), [], 'nothing is released up to there')
})

test('the marks must fit', () => {
  const drop = 'drop table payments;'
  assert.equal(refusals(`--! contract: unread\n${drop}`).length, 2)
  assert.equal(refusals(`--! oldest 0099\n--! contract: unread\n${drop}`).length, 1, 'not itself')
  assert.equal(refusals(`--! oldest 0011\n--! contract: unread\n${drop}`).length, 1, 'not what was never released')
  assert.equal(refusals(`${declared}select 1;`).length, 1, 'takes nothing away')
  assert.equal(refusals('create index concurrently i on payments (locale);').length, 1)
})
