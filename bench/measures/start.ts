import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/support/process.ts'
import { failed, type Finding, type Goal, type Measure, type Sample, type Series } from '../measure.ts'
import { copyCheckout, linkDependencies, prepareStart } from '../rig/copy-checkout.ts'
import type { Bench } from '../rig/open-bench.ts'

const answersWithinMs = 300_000
const stopsWithinMs = 20_000

/** Variables that npm sets for the programs that it runs, and our own settings; npm keeps its registry and certificates. */
const foreign =
  /^(npm_(?!config_)|npm_config_(local_|global_)?prefix$|PAYIN_|DATABASE_URL|NODE(?!_EXTRA_CA_CERTS$)|INIT_CWD|PORT)/

/** The environment of a user's terminal: without npm's variables for this run and without our own Node.js. */
const userEnvironment = (): NodeJS.ProcessEnv => {
  const own = Object.entries(process.env).filter(([name]) => !foreign.test(name))
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))
  return { ...Object.fromEntries(own), PATH: path.join(delimiter) }
}

const answers = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(url)).status === 200
  } catch {
    return false
  }
}

/** Ends all processes of a group, and waits until they are gone: npm exits before the service that it runs. */
const endGroup = async (group: number): Promise<void> => {
  const deadline = performance.now() + stopsWithinMs
  const send = (signal: NodeJS.Signals | 0): boolean => {
    try {
      return process.kill(-group, signal)
    } catch {
      return false
    }
  }
  send('SIGTERM')
  while (send(0)) {
    if (performance.now() > deadline) send('SIGKILL')
    await sleep(20)
  }
}

/** Runs `npm start` until the service answers its first request, then stops it; returns the seconds. */
const startOnce = async ({ signal }: Bench, checkout: string, environment: NodeJS.ProcessEnv): Promise<Sample> => {
  const port = await freePort()
  signal.throwIfAborted()
  const startedAt = performance.now()
  const env = { ...userEnvironment(), ...environment, PORT: String(port) }
  // A separate group, so that npm, its shell and the service can be ended together.
  const child = spawn('npm', ['start'], { cwd: checkout, env, detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-10_000)))
  // Fails if npm is not installed.
  await once(child, 'spawn')
  try {
    while (!(await answers(`http://127.0.0.1:${port}/healthz`))) {
      const isLate = performance.now() - startedAt > answersWithinMs
      if (child.exitCode !== null || child.signalCode !== null || isLate)
        throw new Error(`npm start did not answer:\n${errors}`)
      await sleep(10, undefined, { signal })
    }
    return { value: (performance.now() - startedAt) / 1000 }
  } finally {
    if (child.pid !== undefined) await endGroup(child.pid)
  }
}

const repeat = async (rounds: number, run: (round: number) => Promise<Sample>): Promise<Sample[]> => {
  const samples: Sample[] = []
  while (samples.length < rounds) samples.push(await run(samples.length + 1))
  return samples
}

const judge = (title: string, series: readonly (Series & { readonly goal: Goal })[]): Finding => ({
  title,
  unit: 'seconds',
  series,
  verdicts: series.map(({ name, goal, samples }) => ({
    text: name,
    unit: 's',
    goal,
    values: samples.map((sample) => sample.value),
  })),
  checks: [],
})

const measureWarm = async (bench: Bench): Promise<Finding> => {
  bench.say('P10: copying the checkout')
  const checkout = copyCheckout(bench.folder)
  linkDependencies(checkout)
  prepareStart(checkout)
  bench.say('P10: npm start')
  // A folder for each first start: ext4 without a journal avoids the inodes of files that were deleted a short time ago,
  // and searches long for others.
  const start = (round: number) => startOnce(bench, checkout, { PAYIN_DATA_DIR: join(checkout, `data-${round}`) })
  // The figures hardly vary, and each start takes seconds: one round is enough for a quick run.
  const rounds = bench.quick ? 1 : bench.rounds
  const first = await repeat(rounds, start)
  const again = await repeat(rounds, start)
  return judge('npm start, dependencies installed', [
    { name: 'first start: copies its database, makes the demo', goal: { atMost: 3 }, samples: first },
    { name: 'later start: the database exists', goal: { atMost: 2 }, samples: again },
  ])
}

const measureCold = async (bench: Bench): Promise<Finding> => {
  const checkout = copyCheckout(bench.folder)
  const cache = mkdtempSync(join(bench.folder, 'npm-cache-'))
  bench.say('P10: npm start without node_modules and with an empty npm cache')
  const title = 'npm start in a fresh clone'
  try {
    const samples = [await startOnce(bench, checkout, { npm_config_cache: cache })]
    return judge(title, [{ name: 'cold: installs everything', goal: { atMost: 30 }, samples }])
  } catch (error) {
    bench.signal.throwIfAborted()
    return failed(title, error)
  }
}

/**
 * P10: from `npm start` to the first answered request, as a new user sees it: a copy of the checkout, the embedded
 * database and the demo. Warm means that the dependencies are installed, with all that the installation does; cold (not
 * with --quick) means without them and with an empty npm cache, so that the network counts, too. Its goals are absolute.
 */
export const start: Measure = {
  id: 'P10',
  isLong: true,
  title: 'start',
  run: async (bench) => [await measureWarm(bench), ...(bench.quick ? [] : [await measureCold(bench)])],
}
