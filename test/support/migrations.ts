import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import type { Database, DatabaseOptions } from 'payin-database'
import { openDatabase } from 'payin-database/open'
import type { Engine } from './service.ts'
import { createEmptyEmbedded, createEmptyPostgres } from './templates.ts'
import { within } from './waiting.ts'

const migrations = join(import.meta.dirname, '..', '..', 'migrations')

/** An empty database and a folder of migrations. */
export type EmptyPlace = {
  /** Address of the PostgreSQL database. */
  readonly url: string | undefined
  readonly dataDir: string
  readonly folder: string
  readonly open: (change?: Partial<DatabaseOptions>) => Promise<Database>
}

/** Runs `work` with an empty database and these migrations, by default ours, copied to a folder that it may change. */
export const onEmpty = async (
  engine: Engine,
  work: (place: EmptyPlace) => Promise<void>,
  files?: Readonly<Record<string, string>>,
): Promise<void> => {
  const server = process.env['TEST_DATABASE_URL']
  const dataDir = engine === 'embedded' ? await createEmptyEmbedded() : mkdtempSync(join(tmpdir(), 'payin-migrate-'))
  const postgres = engine === 'postgres' && server ? await createEmptyPostgres(server) : undefined
  const url = postgres?.url
  const folder = join(dataDir, 'migrations')
  if (files) mkdirSync(folder)
  else cpSync(migrations, folder, { recursive: true })
  for (const [name, content] of Object.entries(files ?? {})) writeFileSync(join(folder, name), content)
  const options = { url, dataDir, poolSize: 2, preparedStatements: true, queryTimeoutMs: 30_000 }
  try {
    await work({ url, dataDir, folder, open: (change) => openDatabase({ ...options, ...change }) })
  } finally {
    await postgres?.drop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** A process that migrates when it is allowed to, and prints what happens line by line. */
export const startMigrating = (
  place: { readonly url?: string | undefined; readonly dataDir: string },
  folder: string,
) => {
  const program = join(import.meta.dirname, '..', 'database', 'migrate-child.ts')
  const child = spawn(process.execPath, [program, place.url ?? '', place.dataDir, folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async (): Promise<string> =>
    (await within('the process prints a line', lines.next(), 120_000)).value ?? 'nothing'
  return { child, next, go: () => child.stdin.write('go\n') }
}

/** A session that waits longer for a lock fails, instead of the test that hangs. */
const lockTimeoutMs = 20_000

/** Opens a session next to those of the service. */
export const connectTo = async (url: string | undefined): Promise<pg.Client> => {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'a person',
    lock_timeout: lockTimeoutMs,
    connectionTimeoutMillis: lockTimeoutMs,
  })
  client.on('error', () => undefined)
  await client.connect()
  return client
}
