// `npm run test:torture`: the experiments of docs/reliability.md with their large counts, one after another. `npm run
// test:torture -- R1 --count 200 --seed 7 --minutes 30` runs one. Each experiment stops after its count or its minutes,
// whichever comes first, prints its seed, and is followed by its control.
import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const root = resolve(import.meta.dirname, '..')

type Experiment = {
  readonly what: string
  readonly file: string
  readonly count: number
  /** Only the tests with a matching title. */
  readonly pattern?: string
}

const fuzz = 'test/torture/fuzz.test.ts'
const processes = 'test/torture/kill-processes.test.ts'

/** All experiments, with the counts of a whole run. */
const experiments: Readonly<Record<string, Experiment>> = {
  R1: {
    what: 'kill -9 of processes of the service under load',
    file: processes,
    count: 200,
    pattern: 'R1.*(load|control)',
  },
  R2: { what: 'kill -9 of PostgreSQL under load', file: 'test/torture/kill-postgres.test.ts', count: 50 },
  R3: {
    what: 'kill -9 of the service on the embedded database',
    file: processes,
    count: 200,
    pattern: 'R3.*(load|control)',
  },
  transfers: {
    what: 'kill -9 in the middle of large reports of a bank',
    file: processes,
    count: 50,
    pattern: 'R1.*bank',
  },
  messages: {
    what: 'kill -9 while phones forward messages',
    file: processes,
    count: 50,
    pattern: 'R1.*phones',
  },
  R4: { what: 'commits without an answer', file: 'test/torture/unknown-commits.test.ts', count: 10_000 },
  R5: { what: 'failover to a standby', file: 'test/database/failover.test.ts', count: 20, pattern: 'standby' },
  R6: { what: 'rounds of faulty networks', file: 'test/torture/faulty-network.test.ts', count: 1000 },
  R7: { what: 'rollouts of one version after the other', file: 'test/torture/rolling-upgrade.test.ts', count: 10 },
  'two-nodes': {
    what: 'every node behind HAProxy replaced under load',
    file: 'test/torture/two-nodes.test.ts',
    count: 3,
  },
  R8: { what: 'a full disk', file: 'test/database/disk-full.test.ts', count: 5 },
  pool: { what: 'a pool whose connections all wait', file: 'test/database/pool-exhausted.test.ts', count: 5 },
  R9: { what: 'SIGTERM under load', file: 'test/torture/stop-under-load.test.ts', count: 50 },
  evidence: { what: 'all small worlds of the evidence for payments', file: 'test/rules/evidence.test.ts', count: 1 },
  year: { what: 'days of business, bank and ledger', file: 'test/simulation/year.test.ts', count: 365 },
  payers: { what: 'payers, attackers and banks', file: 'test/simulation/payers.test.ts', count: 100_000 },
  R10: { what: 'backups restored to a random instant', file: 'test/torture/restore.test.ts', count: 20 },
  R11: { what: 'power cuts under the database', file: 'test/torture/power-loss.test.ts', count: 30 },
  rotation: { what: 'rotations of the encryption keys under load', file: 'test/torture/rotate-keys.test.ts', count: 5 },
  slow: { what: 'slow clients of each kind', file: 'test/torture/slow-clients.test.ts', count: 500 },
  'fuzz-embedded': { what: 'requests from the OpenAPI document', file: fuzz, count: 1_000_000, pattern: 'embedded' },
  'fuzz-postgres': { what: 'requests from the OpenAPI document', file: fuzz, count: 1_000_000, pattern: 'postgres' },
  cut: { what: 'statements cut into files', file: 'test/torture/statements-cut.test.ts', count: 20_000 },
  files: { what: 'broken files of banks', file: 'test/torture/statement-files.test.ts', count: 100_000 },
  phones: {
    what: 'days of lost, repeated, late and forged messages on phones',
    file: 'test/torture/phone-messages.test.ts',
    count: 1100,
  },
  insider: { what: 'days of one dishonest person', file: 'test/torture/insider.test.ts', count: 20_000 },
  refunds: {
    what: 'days of refunds, and whatever else moves their money at once',
    file: 'test/torture/refunds.test.ts',
    count: 20_000,
  },
  roles: { what: 'every operation called by every role', file: 'test/torture/roles.test.ts', count: 20 },
  rules: { what: 'random worlds of the rules', file: 'test/rules/model.test.ts', count: 1_000_000 },
  model: { what: 'random worlds of the service', file: 'test/scenarios/model.test.ts', count: 20_000 },
  rows: {
    what: 'kill -9 in the middle of writes',
    file: 'test/database/embedded.test.ts',
    count: 200,
    pattern: 'kills',
  },
}

const usage = (): string => {
  const lines = Object.entries(experiments).map(([name, { what, count }]) => `  ${name.padEnd(16)}${what} (${count})`)
  const first = 'npm run test:torture -- [name …] [--count n] [--seed n] [--minutes n]'
  return [first, ...lines].join('\n')
}

const run = async (name: string, options: { count?: string; seed?: string; minutes?: string }): Promise<boolean> => {
  const { what, file, count, pattern } = experiments[name] as Experiment
  const seed = options.seed ?? String(1 + Math.floor(Math.random() * 1_000_000_000))
  const minutes = options.minutes ?? '120'
  console.log(`\n${name}: ${what}, ${options.count ?? count} times, seed ${seed}, at most ${minutes} minutes`)
  const env = {
    ...process.env,
    PAYIN_TEST_COUNT: options.count ?? String(count),
    PAYIN_TEST_SEED: seed,
    PAYIN_TEST_MINUTES: minutes,
  }
  const only = pattern === undefined ? [] : [`--test-name-pattern=${pattern}`]
  const child = spawn(process.execPath, [join(root, 'scripts/test.ts'), file, ...only], {
    cwd: root,
    env,
    stdio: 'inherit',
  })
  return new Promise((done) => child.on('exit', (code) => done(code === 0)))
}

const main = async (): Promise<void> => {
  const text = { type: 'string' } as const
  const { values, positionals } = parseArgs({
    options: { count: text, seed: text, minutes: text, help: { type: 'boolean' } },
    allowPositionals: true,
  })
  const unknown = positionals.filter((name) => !(name in experiments))
  if (values.help || unknown.length > 0) {
    console.log(usage())
    process.exitCode = unknown.length > 0 ? 1 : 0
    return
  }
  const failed: string[] = []
  for (const name of positionals.length > 0 ? positionals : Object.keys(experiments)) {
    if (!(await run(name, values))) failed.push(name)
  }
  console.log(failed.length === 0 ? '\nEvery experiment passed.' : `\nFailed: ${failed.join(', ')}`)
  process.exitCode = failed.length === 0 ? 0 : 1
}

await main()
