// `npm test`: the checks, and all tests except long ones and second runs on the other engine; `--all` or `CI` adds
// these. `npm test -- test/api` runs the test files whose path contains `test/api`, without the checks; `npm test --
// --changed` runs those that a change affects (scripts/changed-tests.ts). Options such as `--test-name-pattern=late`
// are passed to Node's test runner.
import { type ChildProcess, spawn } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { constants, getPriority, setPriority, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { withoutBrowser } from '../test/support/chromium.ts'
import { missingInterpreters } from '../test/support/interpreters.ts'
import { withoutPooler } from '../test/support/pooler.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { findPreviousRelease } from '../test/support/previous-release.ts'
import { createQueue, slowestFiles, unfinishedFiles } from '../test/support/run-files.ts'
import { listChanged, readSources, selectTests } from './changed-tests.ts'

const root = resolve(import.meta.dirname, '..')

/** Processes that run test files concurrently: twice the cores of a small machine, because tests also wait. */
const lanes = 4

/** Files that need their own process: they measure its memory, or check every query that it declares. */
const alone = new Set([
  'packages/bank-files/test/memory.test.ts',
  'packages/bank-files/test/hostile.test.ts',
  'test/api/hostile-connections.test.ts',
  'packages/bank-files/test/bookings.test.ts',
  'test/database/schema.test.ts',
])

/**
 * These take more than half of the time of all tests, and cover what changes least often: browsers at every width and
 * in both themes, months of business, processes that are started, killed and upgraded, servers, engines and disks that
 * fail, keys that change under load, shops with every fault, thousands of hostile or random inputs, samples in other
 * languages. `--changed` runs those that a change affects.
 */
const long = [
  'test/browser/',
  'test/simulation/',
  'test/process/',
  'test/torture/',
  'test/docs/',
  'test/plugins/',
  'test/examples.test.ts',
  'test/api/hostile-connections.test.ts',
  'test/api/hostile-input.test.ts',
  'test/api/lint-openapi.test.ts',
  'test/api/malformed-addresses.test.ts',
  'test/cli-check-integration.test.ts',
  'test/database/copy.test.ts',
  'test/database/disk-full.test.ts',
  'test/database/embedded.test.ts',
  'test/database/failover.test.ts',
  'test/database/migrate.test.ts',
  'test/database/upgrades.test.ts',
  'test/deploy/proxies.test.ts',
  'test/linear-patterns.test.ts',
  'test/notifications/lanes.test.ts',
  'test/notifications/outages.test.ts',
  'test/notifications/workers.test.ts',
  'test/scenarios/exported-again.test.ts',
  'test/scenarios/key-rotation.test.ts',
  'test/scenarios/large-ledger.test.ts',
  'test/scenarios/model.test.ts',
  'packages/bank-files/test/hostile.test.ts',
  'packages/bank-files/test/memory.test.ts',
]

/** Those with the longest files begin first, so that the processes end together. */
const longFirst = [
  'test/browser',
  'test/torture',
  'test/docs/',
  'test/process',
  'test/simulation',
  'test/scenarios',
  'test/database',
  'test/notifications',
  'test/cli',
]

const running = new Set<ChildProcess>()
let interruptedBy: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | undefined

/** The exit code of a child process, which is interrupted with us until then. */
async function endOf(child: ChildProcess): Promise<number> {
  running.add(child)
  return new Promise<number>((done, fail) => {
    child.on('error', fail)
    child.on('close', (code) => done(code ?? 1))
  }).finally(() => running.delete(child))
}

/** Runs Node.js with these arguments and our own output; returns its exit code. */
async function runNode(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<number> {
  if (interruptedBy !== undefined) return 1
  return endOf(spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' }))
}

/** Runs the checks at a lower priority: tests leave the processors idle for a sixth of the time. */
async function runChecks(): Promise<{ readonly code: number; readonly output: string }> {
  const env = { ...process.env, ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}) }
  const child = spawn(process.execPath, ['scripts/check.ts'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  try {
    // The tools that it starts inherit it.
    if (child.pid !== undefined)
      setPriority(child.pid, Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL))
  } catch {
    // The system does not allow it, or they have already ended.
  }
  return endOf(child).then(
    (code) => ({ code, output }),
    (error: unknown) => ({ code: 1, output: `The checks cannot be run: ${String(error)}` }),
  )
}

/** A folder in memory if it has enough room: most of the tests' system time is spent on copying databases. */
function findFastFolder(): string {
  const memory = '/dev/shm'
  try {
    const { bavail, bsize } = statfsSync(memory)
    if (bavail * bsize > 4 * 1024 ** 3) return memory
  } catch {
    // Not Linux.
  }
  return tmpdir()
}

/** What this machine lacks, and which tests therefore do not run. */
function listMissing(files: readonly string[], postgres: Awaited<ReturnType<typeof startPostgres>>): string[] {
  const browser = withoutBrowser()
  const previous = files.includes('test/process/upgrade.test.ts') ? findPreviousRelease() : undefined
  const pooler = withoutPooler()
  return [
    ...(previous && 'missing' in previous
      ? ['NOT RUN: the previous release on the current schema.', `Reason: ${previous.missing}.`]
      : []),
    ...('missing' in postgres
      ? [
          'NOT RUN: the tests on a PostgreSQL server; only the embedded database is tested.',
          `Reason: ${postgres.missing}.`,
          'Install PostgreSQL 15 or newer, or set TEST_DATABASE_URL.',
        ]
      : []),
    ...(pooler && files.some((file) => file.includes('pooler'))
      ? ['NOT RUN: the tests behind a pooler.', `Reason: ${pooler}.`, 'Install pgbouncer.']
      : []),
    ...(files.some((file) => file.startsWith('test/docs/') || file === 'test/examples.test.ts')
      ? missingInterpreters().flatMap((reason) => [
          'NOT RUN: some samples of the documentation, or examples.',
          `Reason: ${reason}.`,
        ])
      : []),
    ...(browser && files.some((file) => file.includes('browser'))
      ? [
          "NOT RUN: the tests of the payer's page in a browser.",
          `Reason: ${browser}.`,
          'Install chromium-headless-shell (or chromium) and fonts-dejavu-core, or set TEST_CHROMIUM.',
        ]
      : []),
  ]
}

function warn(lines: readonly string[]): void {
  const line = '!'.repeat(100)
  if (lines.length > 0) console.error(['', line, ...lines, line, ''].join('\n'))
}

function printSlowest(queues: readonly string[]): void {
  const slowest = slowestFiles(queues)
  if (slowest.length < 20) return
  const seconds = (ms: number) => (ms / 1000).toFixed(1).padStart(6)
  console.log(`\nThe slowest of ${slowest.length} test files, in seconds:`)
  for (const { file, ms } of slowest.slice(0, 12)) console.log(`${seconds(ms)} ${file}`)
  console.log(`${seconds(slowest.reduce((sum, { ms }) => sum + ms, 0))} in total, in ${lanes} processes`)
}

/** Runs the files in a few processes that share a queue; returns the exit code. */
async function runQueued(
  files: readonly string[],
  options: readonly string[],
  env: NodeJS.ProcessEnv,
  parent: string,
): Promise<number> {
  const folder = mkdtempSync(join(parent, 'run-'))
  const shared = files.filter((file) => !alone.has(file))
  const queues = [
    ...files.filter((file) => alone.has(file)).map((file) => createQueue(folder, [file])),
    ...(shared.length > 0 ? [createQueue(folder, shared)] : []),
  ]
  // Node's test runner starts one process per file; each of ours takes several test files from a queue.
  const last = queues.length - 1
  const entries = queues.flatMap((queue, index) =>
    Array.from({ length: index === last ? Math.min(lanes, shared.length || 1) : 1 }, (_, lane) => {
      const entry = join(folder, `${index}-${lane}.mjs`)
      const module = pathToFileURL(join(root, 'test/support/run-files.ts')).href
      writeFileSync(entry, `import { runFiles } from '${module}'\nawait runFiles(${JSON.stringify(queue)})\n`)
      return entry
    }),
  )
  // If many embedded engines are opened, V8 miscounts the code that it frees and ends the process
  // (github.com/nodejs/node/issues/64500): so it frees none.
  const preloaded = ['fast-promises.cjs', 'fast-passwords.cjs']
  const flags = ['--no-wasm-code-gc', ...preloaded.map((name) => `--require=${join(root, 'test/support', name)}`)]
  const runner = [...flags, '--test', `--test-concurrency=${lanes}`, '--test-reporter=spec']
  const code = await runNode([...runner, ...options, ...entries], env)
  printSlowest(queues)
  const unfinished = queues.flatMap(unfinishedFiles)
  if (unfinished.length > 0 && !interruptedBy) warn(['NOT FINISHED, because their process died:', ...unfinished])
  return unfinished.length > 0 ? code || 1 : code
}

/** All files, or those that are not long, with a warning about the others. */
function leaveLongOut(files: readonly string[]): readonly string[] {
  const kept = files.filter((file) => !long.some((folder) => file.startsWith(folder)))
  const left = files.length - kept.length
  warn([
    `NOT RUN: ${left} long files (${long.join(', ')}),`,
    'and of what is tried on both engines, the runs on the second one. CI runs all; here: npm test -- --all',
  ])
  return kept
}

/** Named files, all but the long ones on the usual engine, or everything. */
type Extent = 'some' | 'usual' | 'all'

async function runTests(given: readonly string[], options: readonly string[], extent: Extent): Promise<number> {
  const files = extent === 'usual' ? leaveLongOut(given) : given
  process.env['TMPDIR'] = findFastFolder()
  const postgres = await startPostgres()
  const missing = listMissing(files, postgres)
  warn(missing)
  const folder = mkdtempSync(join(tmpdir(), 'payin-tests-'))
  const cache = join(root, 'node_modules/.cache/compiled')
  mkdirSync(cache, { recursive: true })
  const env = {
    ...process.env,
    TMPDIR: folder,
    // What is printed is in the zone and the language of the terminal.
    TZ: 'UTC',
    PAYIN_LANGUAGE: 'en',
    NODE_COMPILE_CACHE: cache,
    ...(extent === 'usual' ? { PAYIN_TEST_ENGINES: 'usual' } : {}),
    ...('missing' in postgres ? {} : { TEST_DATABASE_URL: postgres.url }),
  }
  try {
    return await runQueued(files, options, env, folder)
  } finally {
    if ('stop' in postgres) await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
    warn(missing)
  }
}

function findFiles(filters: readonly string[]): string[] {
  const rank = (file: string): number => {
    const found = longFirst.findIndex((folder) => file.startsWith(folder))
    return found === -1 ? longFirst.length : found
  }
  return globSync('{test,packages/*/test}/**/*.test.ts', { cwd: root })
    .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter.replace(/^\.\//, ''))))
    .toSorted()
    .toSorted((a, b) => rank(a) - rank(b))
}

/** Those of the files that a change affects, for `--changed` or `--changed=<commit>`; undefined without a change. */
function keepChanged(files: readonly string[], option: string): string[] | undefined {
  const [, since] = option.split('=')
  const found = listChanged(root, since)
  if (found === undefined) throw new Error(`There is no git repository, or no commit ${since ?? ''} in it.`)
  if (found.changed.length === 0) {
    console.log(`Nothing has changed since ${found.since}.`)
    return undefined
  }
  const selected = new Set(selectTests(readSources(root), found.changed))
  const kept = files.filter((file) => selected.has(file))
  const count = `${kept.length} of ${files.length} test files run any of them`
  console.log(`${found.changed.length} files have changed since ${found.since}; ${count}:`)
  for (const file of kept) console.log(`  ${file}`)
  return kept
}

async function main(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      interruptedBy = signal
      for (const child of running) child.kill(signal)
    })
  }
  const given = process.argv.slice(2)
  const changed = given.find((argument) => /^--changed(?:=|$)/.test(argument))
  const options = given.filter((argument) => argument.startsWith('-') && argument !== changed && argument !== '--all')
  const filters = given.filter((argument) => !argument.startsWith('-'))
  const found = findFiles(filters)
  if (found.length === 0) {
    console.error(`No test file matches ${filters.join(' ')}.`)
    process.exitCode = 1
    return
  }
  const files = changed === undefined ? found : keepChanged(found, changed)
  if (files === undefined || files.length === 0) return
  const all = given.includes('--all') || Boolean(process.env['CI'])
  const whole = given.every((argument) => argument === '--all')
  // Four processes begin with files that open the console, and each would build it.
  const opensConsole = (all || !whole) && files.some((file) => file.startsWith('test/browser/'))
  const checking = whole ? runChecks() : undefined
  if (opensConsole) await runNode(['console/build-console.ts'])
  // The checks run the house rules.
  const tested = whole ? files.filter((file) => file !== 'test/tidy.test.ts') : files
  const testCode = await runTests(tested, options, whole ? (all ? 'all' : 'usual') : 'some')
  const checks = await checking
  if (checks && !interruptedBy) console.log(`\n${checks.output.trim()}`)
  process.exitCode = interruptedBy ? 128 + constants.signals[interruptedBy] : checks?.code || testCode
}

await main()
