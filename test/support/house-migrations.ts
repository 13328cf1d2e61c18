// What a migration may do while the previous release still runs on its schema and requests use its tables.
import type { Migration } from 'payin-database/migrations'
import { indexBuiltBy } from '../../packages/database/src/read-migrations.ts'

/** The last migration of the baseline. Baseline files are never applied to a database in use, and never change. */
const lastOfBaseline = '0014'

type Rule = {
  readonly finds: RegExp
  /** Does not apply if the file creates the table named by the group `table`: nobody uses that table yet. */
  readonly exceptOwnTables?: true
  readonly why: string
}

const alter = String.raw`^alter table (?:only )?(?:if exists )?(?<table>\w+)\b[\s\S]*?\b`

/** Commands that lock a table in use for as long as they read or write all of it. */
const longLocks: readonly Rule[] = [
  {
    finds: /^create (?:unique )?index (?!concurrently)[\s\S]*? on (?:only )?(?<table>\w+)/i,
    exceptOwnTables: true,
    why: 'builds an index under a lock: create index concurrently, in a file with --! no transaction',
  },
  {
    finds: new RegExp(String.raw`${alter}add constraint \w+ (?:check|foreign key)(?![\s\S]*\bnot valid\b)`, 'i'),
    exceptOwnTables: true,
    why: 'reads the whole table under a lock: add it as not valid, and validate it in the next migration',
  },
  {
    finds: new RegExp(String.raw`${alter}add (?:constraint \w+ )?(?:unique|primary key)(?! using index)\b`, 'i'),
    exceptOwnTables: true,
    why: 'builds an index under a lock: build it concurrently before, and add the constraint using index',
  },
  {
    finds: new RegExp(
      String.raw`${alter}add (?:column )?(?!constraint|unique|primary|check|foreign)[^,]*\b(?:references|check|unique|primary key)\b`,
      'i',
    ),
    exceptOwnTables: true,
    why: 'adds a column with a constraint, which reads the whole table under a lock: add them one after the other',
  },
  {
    finds: new RegExp(String.raw`${alter}default [^,;]*\w\(`, 'i'),
    exceptOwnTables: true,
    why: 'writes the whole table under a lock for a default that is not constant',
  },
  {
    finds: /^(?:update|delete from) (?<table>\w+)\b(?![\s\S]*\blimit \d)/i,
    exceptOwnTables: true,
    why: 'locks every row until it has ended: take a batch by limit, in a file with --! no transaction',
  },
  {
    finds: /^(?:truncate|cluster|vacuum|lock|reindex(?! .*concurrently))\b/i,
    why: 'locks a table for long',
  },
]

/** Commands that remove something that the previous release may use. */
const contracts: readonly Rule[] = [
  { finds: /^drop (?:table|view|type|schema)\b/i, why: 'drops what an older version may use' },
  {
    finds: new RegExp(String.raw`${alter}drop (?!constraint|not null|default|expression|identity)`, 'i'),
    why: 'drops a column',
  },
  { finds: /^alter (?:table|index|type|view)\b[\s\S]*\brename\b/i, why: 'renames' },
  {
    finds: new RegExp(String.raw`${alter}drop not null\b`, 'i'),
    exceptOwnTables: true,
    why: 'lets a null in that an older version does not expect',
  },
  {
    finds: new RegExp(String.raw`${alter}alter (?:column )?\w+ (?:set data )?type\b`, 'i'),
    why: 'changes the type of a column',
  },
  { finds: new RegExp(String.raw`${alter}set not null\b`, 'i'), why: 'requires what an older version may leave out' },
  {
    finds: new RegExp(String.raw`${alter}add (?:column )?(?!constraint)\w+ [^,]*\bnot null\b(?![^,]*\bdefault\b)`, 'i'),
    exceptOwnTables: true,
    why: 'requires a new column, which an older version leaves out: give it a default',
  },
  {
    finds: /^create unique index [\s\S]*? on (?:only )?(?<table>\w+)/i,
    exceptOwnTables: true,
    why: 'forbids what an older version may write twice',
  },
  {
    finds: /^drop index\b/i,
    why: 'drops an index, which an older version may name in an on conflict or need for its speed',
  },
]

const breaks = (rules: readonly Rule[], { name, commands }: Migration): string[] => {
  const own = new Set(commands.map((command) => /^create table (?:if not exists )?(\w+)/i.exec(command)?.[1]))
  return commands.flatMap((command) =>
    rules.flatMap((rule) => {
      const found = rule.finds.exec(command)
      if (!found || (rule.exceptOwnTables && own.has(found.groups?.['table']))) return []
      return [`migrations/${name}:1 ${command.replaceAll(/\s+/g, ' ').slice(0, 70)}: ${rule.why}`]
    }),
  )
}

/** A constraint may be dropped if the same file adds it again with another condition. */
const droppedConstraints = ({ name, commands }: Migration): string[] =>
  commands
    .flatMap((command) =>
      [...command.matchAll(/\bdrop constraint (?:if exists )?(\w+)/gi)].map((match) => match[1] ?? ''),
    )
    .filter(
      (constraint) =>
        !commands.some((command) => new RegExp(String.raw`\badd constraint ${constraint}\b`, 'i').test(command)),
    )
    .map((constraint) => `migrations/${name}:1 drops ${constraint}: an older version may rely on it`)

/** Why a migration after the baseline may not be added; empty if it may. */
export const refuseMigration = (migration: Migration): string[] => {
  const { name, number, oldest, contract, commands, withoutTransaction } = migration
  if (number <= lastOfBaseline) return []
  const fault = (what: string): string => `migrations/${name}:1 ${what}`
  const takesAway = [...breaks(contracts, migration), ...droppedConstraints(migration)]
  const isDeclared = contract !== undefined && oldest !== undefined
  return [
    ...breaks(longLocks, migration),
    ...(isDeclared
      ? []
      : takesAway.map((each) => `${each}; if nothing uses it any more, say so by --! contract: and --! oldest`)),
    ...(isDeclared && takesAway.length === 0 ? [fault('says --! contract and takes nothing away')] : []),
    ...((contract === undefined) === (oldest === undefined)
      ? []
      : [fault('--! contract: and --! oldest belong together')]),
    ...(oldest !== undefined && (oldest >= number || oldest < lastOfBaseline)
      ? [fault(`--! oldest ${oldest} is not a migration from ${lastOfBaseline} on and before this one`)]
      : []),
    ...(!withoutTransaction && commands.some((command) => indexBuiltBy(command) !== undefined)
      ? [fault('builds an index concurrently, which needs --! no transaction')]
      : []),
  ]
}
