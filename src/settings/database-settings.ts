import { anyText, databaseAddress, oneOf, onOrOff, schemaName, settingsOf, wholeNumber } from './setting-kinds.ts'

export const databaseSettings = settingsOf('Database', {
  databaseUrl: {
    name: 'DATABASE_URL',
    kind: databaseAddress,
    secret: true,
    fix: 'set postgres://user:password@host:5432/database, or remove it to use the embedded database',
    doc: 'PostgreSQL to keep everything in; may list several hosts, one of which takes writes (postgres://user:password@a:5432,b:5432/database?target_session_attrs=read-write); sslmode=verify-full and sslrootcert=<file> encrypt the connections (docs/database.md); when empty, an embedded database in the data directory is used.',
  },
  databaseListenUrl: {
    name: 'DATABASE_LISTEN_URL',
    kind: databaseAddress,
    secret: true,
    fix: 'set the address of the PostgreSQL server itself, or remove it',
    doc: 'If DATABASE_URL leads to a pooler that shares sessions: the same database without the pooler, for LISTEN; when empty, processes poll for changes made by others.',
  },
  databaseSchema: {
    name: 'PAYIN_DATABASE_SCHEMA',
    kind: schemaName,
    fix: 'name a schema in small letters, digits and underscores, or remove it for that of the role',
    doc: 'The schema that the tables are in, made by the first start; installations that share a database each need their own (docs/operate/growing.md); when empty, that of the role, which is "public" in most databases.',
  },
  dataDir: {
    name: 'PAYIN_DATA_DIR',
    kind: anyText,
    default: './payin-data',
    doc: 'Directory of the embedded database and, outside production, of generated secrets; do not share it between processes.',
  },
  pickupFolder: {
    name: 'PAYIN_PICKUP_FOLDER',
    kind: anyText,
    fix: 'set the path of a folder that only your programs can write to',
    doc: 'Folder of this machine in whose folders sources may find files of banks; unset: no source takes files from folders.',
  },
  databasePool: {
    name: 'PAYIN_DATABASE_POOL',
    kind: wholeNumber(1, 1_000),
    default: '10',
    doc: 'Most connections that one process opens to PostgreSQL.',
  },
  databasePrepared: {
    name: 'PAYIN_DATABASE_PREPARED',
    kind: onOrOff,
    default: 'on',
    doc: 'Named prepared statements, on or off; switched off automatically behind a pooler that does not support them (pgbouncer before 1.21, or without max_prepared_statements).',
  },
  queryTimeoutMs: {
    name: 'PAYIN_QUERY_TIMEOUT_MS',
    kind: wholeNumber(100, 3_600_000),
    default: '30000',
    doc: 'Milliseconds after which a running query is ended; checks of all data have ten minutes.',
  },
  migrate: {
    name: 'PAYIN_MIGRATE',
    kind: oneOf(['on', 'off', 'only']),
    default: 'on',
    doc: 'on: a start applies pending migrations; off: it refuses to start while some are pending; only: it applies them and ends.',
  },
})
