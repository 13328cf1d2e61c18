// `npm test`: the checks, then every test. `npm test -- test/api` runs the test files whose path contains `test/api`,
// without the checks; options such as `--test-name-pattern=late` go to Node's test runner.
import { type ChildProcess, spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { constants } from 'node:os'
import { resolve } from 'node:path'
import { withoutBrowser } from '../test/support/chromium.ts'
import { startPostgres } from '../test/support/postgres.ts'

const root = resolve(import.meta.dirname, '..')
// Two files at a time: each may start a service of its own.
const concurrency = 2
const timeoutMs = 120_000

let running: ChildProcess | undefined
let interruptedBy: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | undefined

/** Runs Node.js on these arguments with our own output; gives its exit code. */
async function runNode(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<number> {
  if (interruptedBy !== undefined) return 1
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' })
  running = child
  return new Promise((done, fail) => {
    child.on('error', fail)
    child.on('exit', (code) => done(code ?? 1))
  })
}

async function runTests(files: readonly string[], options: readonly string[]): Promise<number> {
  const postgres = await startPostgres()
  const browser = withoutBrowser()
  const missing = [
    ...('missing' in postgres
      ? [
          'NOT RUN: the tests on a PostgreSQL server; only the embedded database is tested.',
          `Reason: ${postgres.missing}.`,
          'Install PostgreSQL 15 or newer, or set TEST_DATABASE_URL.',
        ]
      : []),
    ...(browser && files.some((file) => file.includes('browser'))
      ? [
          "NOT RUN: the tests of the payer's page in a browser.",
          `Reason: ${browser}.`,
          'Install chromium and fonts-dejavu-core, or set TEST_CHROMIUM.',
        ]
      : []),
  ]
  const tellMissing = (): void => {
    const line = '!'.repeat(100)
    if (missing.length > 0) console.error(['', line, ...missing, line, ''].join('\n'))
  }
  tellMissing()
  try {
    const env = 'missing' in postgres ? process.env : { ...process.env, TEST_DATABASE_URL: postgres.url }
    const runner = ['--test', `--test-concurrency=${concurrency}`, `--test-timeout=${timeoutMs}`]
    return await runNode([...runner, '--test-reporter=spec', ...options, ...files], env)
  } finally {
    if ('stop' in postgres) await postgres.stop()
    tellMissing()
  }
}

async function main(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      interruptedBy = signal
      running?.kill(signal)
    })
  }
  const options = process.argv.slice(2).filter((argument) => argument.startsWith('-'))
  const filters = process.argv.slice(2).filter((argument) => !argument.startsWith('-'))
  const files = globSync('test/**/*.test.ts', { cwd: root })
    .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter.replace(/^\.\//, ''))))
    .toSorted()
  if (files.length === 0) {
    console.error(`No test file matches ${filters.join(' ')}.`)
    process.exitCode = 1
    return
  }
  const all = filters.length === 0 && options.length === 0
  const checkCode = all ? await runNode(['scripts/check.ts']) : 0
  const testCode = await runTests(files, options)
  if (checkCode !== 0) console.error('The tests ran, but `npm run check` failed: see above.')
  process.exitCode = interruptedBy ? 128 + constants.signals[interruptedBy] : checkCode || testCode
}

await main()
