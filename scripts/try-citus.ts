// `node scripts/try-citus.ts postgres://…`: tries Payin on your Citus (docs/operate/growing.md). Prints what the cluster
// lacks, moves a cell between its nodes under load, and runs the tests of the storage there. Creates databases on all
// nodes, and removes them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type CitusNode, listCitusNodes } from '../test/support/citus.ts'
import { runSqlAt } from '../test/support/run-sql.ts'

const usage = `node scripts/try-citus.ts postgres://superuser@coordinator:5432/postgres [--moves 20] [--quick]

  The named database has the extension and knows the nodes; its role is a superuser on all of them.
  moves   how often a cell is moved under load (default 5)
  quick   nothing but the moves, in a few minutes; the tests of the storage take half an hour and more`

/**
 * Tests that use the storage through the service's own queries. Left out are tests whose SQL Citus refuses, tests that
 * read plans, and tests of pages, words and forms, which are the same everywhere.
 */
const suites = [
  'test/scenarios/',
  'test/members/',
  'test/rates/',
  'test/statements/samples',
  ...['overview', 'payment-summary', 'sandbox', 'search', 'statements', 'stored-files'].map(
    (name) => `test/api/${name}`,
  ),
  ...['database.test', 'migrate', 'schema.test'].map((name) => `test/database/${name}`),
  ...['deliver.', 'endpoints', 'lanes', 'order', 'redeliver', 'reminders', 'workers'].map(
    (name) => `test/notifications/${name}`,
  ),
]

/** Test files get 25 minutes there instead of five, because each query goes through two servers. */
const slower = { PAYIN_TEST_MINUTES: '5' }

/** What the cluster lacks for moving cells, in words. */
const findLacking = async (nodes: readonly CitusNode[]): Promise<string[]> => {
  const lacking: string[] = []
  if (nodes.length < 3) lacking.push(`it has ${nodes.length} nodes: a move needs a coordinator and two workers`)
  for (const { url, host, port } of nodes) {
    const [state] = await runSqlAt<{ wal: string; prepared: string; superuser: string }>(
      url,
      `select current_setting('wal_level') as wal, current_setting('max_prepared_transactions') as prepared,
         current_setting('is_superuser') as superuser`,
    )
    if (state?.wal !== 'logical') lacking.push(`${host}:${port}: wal_level is ${state?.wal}, not logical`)
    if (state?.prepared === '0') lacking.push(`${host}:${port}: max_prepared_transactions is 0`)
    if (state?.superuser !== 'on')
      lacking.push(`${host}:${port}: this role is not a superuser, and cannot create databases with the extension`)
  }
  return lacking
}

const runTests = async (files: readonly string[], environment: Readonly<Record<string, string>>): Promise<number> => {
  const root = join(import.meta.dirname, '..')
  const env = { ...process.env, ...environment }
  const child = spawn(process.execPath, ['scripts/test.ts', ...files], { cwd: root, env, stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}

/** Removes the databases that the tests keep for their next run. */
const removeTemplates = async (nodes: readonly CitusNode[]): Promise<void> => {
  for (const { url } of nodes) {
    const rows = await runSqlAt<{ name: string }>(
      url,
      `select datname as name from pg_database where datname like 'payin\\_template\\_%'`,
    )
    for (const { name } of rows) await runSqlAt(url, `drop database if exists ${name} with (force)`)
  }
}

const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { moves: { type: 'string', default: '5' }, quick: { type: 'boolean', default: false } },
  })
  const [url] = positionals
  if (url === undefined || positionals.length > 1 || !/^[1-9]\d{0,2}$/.test(values.moves)) {
    console.error(usage)
    return 2
  }
  const nodes = await listCitusNodes(url)
  if (nodes.length === 0) {
    console.error('The extension citus is not in this database.')
    return 2
  }
  const [version] = await runSqlAt<{ version: string }>(url, 'select citus_version() as version')
  console.log(`${version?.version}\nNodes: ${nodes.map(({ host, port }) => `${host}:${port}`).join(', ')}`)
  const lacking = await findLacking(nodes)
  if (lacking.length > 0) {
    console.error(lacking.map((each) => `Lacking: ${each}.`).join('\n'))
    return 1
  }
  const environment = { TEST_DATABASE_URL: url, PAYIN_TEST_ENGINES: 'usual', PAYIN_TEST_CITUS: 'yes' }
  try {
    const moved = await runTests(['test/process/citus'], { ...environment, PAYIN_TEST_COUNT: values.moves })
    const tested = values.quick ? 0 : await runTests(suites, { ...environment, ...slower })
    return moved || tested
  } finally {
    await removeTemplates(nodes)
  }
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(`It ended early: ${error instanceof Error ? error.message : String(error)}`)
  return 1
})
