// `node scripts/failover-drill.ts`: repeatedly kills the primary of three PostgreSQL servers under Patroni while they
// are under load. Prints for each round how long no write was answered, how many answered writes were lost, and what
// the doctor finds. Everything runs on this machine, set up as in deploy/patroni/, and is removed at the end
// (docs/operate/failover.md).
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Cluster, openClusterIn } from '../test/support/cluster.ts'
import { type MerchantLoad, startMerchantLoad } from '../test/support/merchant-load.ts'
import { type Machine, type Patroni, startPatroni } from '../test/support/patroni.ts'
import { randomFrom } from '../test/support/random.ts'
import { openSightings } from '../test/support/torture.ts'

const usage = `npm run drill:failover -- [--how postgres|machine|freeze|standby|switch] [--rounds 20] [--minutes 30]
    [--haproxy] [--asynchronous] [--configure '{"ttl":30}'] [--program /path/to/patroni] [--seed 1]

  postgres      kill -9 of PostgreSQL; the Patroni next to it lives (default)
  machine       kill -9 of PostgreSQL and its Patroni, which are started again after the failover
  freeze        both fall silent and go on after the failover, as if they still were the primary
  standby       kill -9 of the standby that commits wait for, with its Patroni
  switch        patronictl switchover, as before maintenance
  haproxy       by one address, through HAProxy, in place of a DATABASE_URL with three
  asynchronous  the control: nobody waits for the standbys, which are behind; it must lose`

const ways = ['postgres', 'machine', 'freeze', 'standby', 'switch'] as const
type How = (typeof ways)[number]

type Round = {
  readonly gapMs: number
  readonly promotedMs: number
  readonly answered: number
  readonly lost: number
  readonly doctor: string
}

const backWithinMs = 90_000

const hit = async (how: How, patroni: Patroni, machine: Machine): Promise<void> => {
  if (how === 'postgres') machine.killPostgres()
  else if (how === 'freeze') machine.freeze()
  else if (how === 'switch') await patroni.switchOver()
  else machine.kill()
}

/** Runs `work`, and returns the longest time in which no write was answered, once enough of them are answered again. */
const measureGap = async (load: MerchantLoad, work: () => Promise<void>): Promise<number> => {
  let before = load.answered()
  let since = performance.now()
  let longest = 0
  let isDone = false
  const working = work().then(() => (isDone = true))
  for (let after = 0; !isDone || after < 40; await sleep(5)) {
    const now = performance.now()
    const answered = load.answered()
    const isBack = answered !== before && now - since > longest
    // Answers before the end of the longest gap come from the server that is about to go.
    after = isBack ? 0 : after + answered - before
    if (answered !== before) {
      longest = Math.max(longest, now - since)
      since = now
      before = answered
    }
    if (now - since > backWithinMs) throw new Error(`no write for ${backWithinMs / 1000} s`)
  }
  await working
  return longest
}

/** The names of the broken invariants, or `healthy`. */
const doctorOf = (cluster: Cluster): Promise<string> =>
  cluster.assertHealthy().then(
    () => 'healthy',
    (error: Error) => {
      const broken = [...error.message.matchAll(/"name":"([^"]+)","broken":([1-9]\d*)/g)]
      return broken.length === 0 ? error.message : broken.map(([, name, count]) => `${name} ${count}`).join(', ')
    },
  )

const runRound = async (how: How, world: World): Promise<Round> => {
  const { patroni, cluster, load, isAsynchronous } = world
  const primary = await patroni.awaitWhole()
  const answered = load.answered()
  await load.proceed(40)
  if (isAsynchronous) {
    primary.stallReplication()
    await load.proceed(60)
  }
  let promotedMs = 0
  const gapMs = await measureGap(load, async () => {
    const hitAt = performance.now()
    const machine = how === 'standby' ? await patroni.standby() : primary
    await hit(how, patroni, machine)
    while (how !== 'standby' && (await patroni.primary()).name === primary.name) await sleep(50)
    promotedMs = performance.now() - hitAt
    // The machine comes back while the others are in use.
    await load.proceed(40)
    machine.thaw()
    machine.start()
  })
  await patroni.awaitWhole()
  const lost = await load.findLost()
  for (const each of lost.slice(0, 3)) console.log(`  lost: ${each}`)
  return { gapMs, promotedMs, answered: load.answered() - answered, lost: lost.length, doctor: await doctorOf(cluster) }
}

type World = {
  readonly patroni: Patroni
  readonly cluster: Cluster
  readonly load: MerchantLoad
  readonly isAsynchronous: boolean
}

const secondsOf = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
const lineOf = (cells: readonly string[]): string =>
  cells.map((cell, index) => cell.padEnd([7, 9, 11, 10, 6, 0][index] ?? 0)).join('')

const runRounds = async (world: World, how: How, count: number, endsAt: number): Promise<Round[]> => {
  const rounds: Round[] = []
  console.log(lineOf(['round', 'gap', 'promoted', 'answered', 'lost', 'doctor']))
  while (rounds.length < count && performance.now() < endsAt) {
    const round = await runRound(how, world)
    rounds.push(round)
    const { gapMs, promotedMs, answered, lost, doctor } = round
    const spans = [secondsOf(gapMs), secondsOf(promotedMs)]
    console.log(lineOf([String(rounds.length), ...spans, String(answered), String(lost), doctor]))
  }
  return rounds
}

const drill = async (options: {
  how: How
  count: number
  minutes: number
  seed: number
  hasProxy: boolean
  isAsynchronous: boolean
  settings: Readonly<Record<string, unknown>>
  program: string | undefined
}): Promise<boolean> => {
  const endsAt = performance.now() + options.minutes * 60_000
  const started = await startPatroni(options.program)
  if ('missing' in started) throw new Error(started.missing)
  await using patroni = started
  const dataDir = mkdtempSync(join(tmpdir(), 'payin-failover-'))
  const settings = { ...options.settings, ...(options.isAsynchronous && { synchronous_mode: false }) }
  if (Object.keys(settings).length > 0) await patroni.configure(settings)
  const url = options.hasProxy ? await patroni.startProxy() : patroni.url
  const place = {
    environment: { DATABASE_URL: url, PAYIN_DATA_DIR: dataDir },
    drop: async () => rmSync(dataDir, { recursive: true, force: true }),
  }
  await patroni.awaitWhole()
  await using cluster = await openClusterIn(place, ['web,worker', 'web,worker'])
  const seen = openSightings()
  const load = startMerchantLoad(cluster, randomFrom(options.seed), seen)
  const { isAsynchronous } = options
  const rounds = await runRounds({ patroni, cluster, load, isAsynchronous }, options.how, options.count, endsAt)
  await load.stop()
  const left = (await load.findLost(true)).length
  const lost = rounds.reduce((sum, round) => sum + round.lost, 0)
  const gaps = rounds.map(({ gapMs }) => gapMs).toSorted((a, b) => a - b)
  const p95 = gaps[Math.ceil(gaps.length * 0.95) - 1] ?? 0
  console.log(
    `\n${rounds.length} rounds: no writes for ${secondsOf(gaps[Math.floor(gaps.length / 2)] ?? 0)} at the median, ` +
      `${secondsOf(p95)} at p95, ${secondsOf(gaps.at(-1) ?? 0)} at most; ${load.answered()} writes answered, ` +
      `${lost} lost (${left} of all at the last check)`,
  )
  console.log(seen.text())
  for (const each of load.wrong.slice(0, 5)) console.log(`wrong: ${each}`)
  const isHealthy = rounds.every(({ doctor }) => doctor === 'healthy') && load.wrong.length === 0
  return isAsynchronous ? lost > 0 : lost + left === 0 && isHealthy
}

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const { values } = parseArgs({
  options: {
    how: text,
    rounds: text,
    minutes: text,
    seed: text,
    configure: text,
    program: text,
    haproxy: flag,
    asynchronous: flag,
    help: flag,
  },
})
// Removes everything when the process ends, even if a user ends it.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(1))
const how = values.how ?? (values.asynchronous ? 'machine' : 'postgres')
if (values.help || !ways.includes(how as How)) console.log(usage)
else {
  const isGood = await drill({
    how: how as How,
    count: Number(values.rounds ?? 20),
    minutes: Number(values.minutes ?? 30),
    seed: Number(values.seed ?? 1),
    hasProxy: values.haproxy ?? false,
    isAsynchronous: values.asynchronous ?? false,
    settings: JSON.parse(values.configure ?? '{}') as Record<string, unknown>,
    program: values.program,
  })
  console.log(isGood ? 'As expected.' : 'NOT as expected.')
  process.exitCode = isGood ? 0 : 1
}
