import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Which processes used the processors during a measurement, as shares (0–1) of all of them. */
export type CpuShares = {
  /** The processes of the server under load, all threads. */
  readonly node: number
  /** The database server with all its backends. */
  readonly postgres: number
  readonly generator: number
  /** Everything else on the machine. */
  readonly others: number
  readonly idle: number
  /** The main thread of the busiest server process, as a share of one processor: at 1 it is the limit. */
  readonly mainThread: number
  /** Seconds of processor time, added up over all processors. */
  readonly seconds: { readonly node: number; readonly postgres: number; readonly generator: number }
}

/** The processes to watch: those of the server, and the database's main process. */
export type Watched = { readonly pids: readonly number[]; readonly postmaster: number | undefined }

type Times = {
  readonly node: number
  readonly mainThreads: readonly number[]
  readonly postgres: number
  readonly generator: number
  readonly busy: number
  readonly idle: number
}

/** The same on every Linux that Node.js runs on (`getconf CLK_TCK`). */
const ticksPerSecond = 100

/** Fields of `/proc/…/stat` after the name, which may contain spaces (proc(5)); zeros for a process that has ended. */
const readStat = (path: string) => {
  let text = ''
  try {
    text = readFileSync(`/proc/${path}/stat`, 'utf8')
  } catch {
    // The process has ended meanwhile.
  }
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map((field) => Number(field) || 0)
  const at = (index: number): number => fields[index] ?? 0
  return { parent: at(1), own: at(11) + at(12), endedChildren: at(13) + at(14) }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** Processor time of the database server in ticks: its main process, its children, and the children that have ended. */
const postgresTime = (postmaster: number): number => {
  const backends = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(readStat)
    .filter((stat) => stat.parent === postmaster)
  const main = readStat(String(postmaster))
  return main.own + main.endedChildren + sum(backends.map((stat) => stat.own))
}

const readTimes = ({ pids, postmaster }: Watched): Times => {
  const [, ...fields] = (/^cpu .*/.exec(readFileSync('/proc/stat', 'utf8'))?.[0] ?? '').split(/\s+/)
  const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, softIrq = 0, stolen = 0] = fields.map(Number)
  return {
    node: sum(pids.map((pid) => readStat(String(pid)).own)),
    mainThreads: pids.map((pid) => readStat(`${pid}/task/${pid}`).own),
    postgres: postmaster === undefined ? 0 : postgresTime(postmaster),
    // Only load generators end as our children during a measurement.
    generator: readStat('self').endedChildren,
    busy: user + nice + system + irq + softIrq + stolen,
    idle: idle + waiting,
  }
}

/** The parent of a process; for a database backend that is the server's main process. */
export const parentOf = (pid: number): number | undefined => readStat(String(pid)).parent || undefined

/** Runs `work` and returns who used the processors meanwhile; undefined without /proc (not Linux). */
export const watchCpu = async <T>(
  watched: Watched,
  cores: number,
  work: () => Promise<T>,
): Promise<{ result: T; cpu: CpuShares | undefined }> => {
  if (!existsSync('/proc/stat')) return { result: await work(), cpu: undefined }
  const from = readTimes(watched)
  const result = await work()
  const to = readTimes(watched)
  const whole = Math.max(1, to.busy + to.idle - from.busy - from.idle)
  const share = (key: 'node' | 'postgres' | 'generator' | 'idle' | 'busy'): number => (to[key] - from[key]) / whole
  const spent = (key: 'node' | 'postgres' | 'generator'): number => (to[key] - from[key]) / ticksPerSecond
  const main = to.mainThreads.map((time, index) => time - (from.mainThreads[index] ?? 0))
  const known = share('node') + share('postgres') + share('generator')
  return {
    result,
    cpu: {
      node: share('node'),
      postgres: share('postgres'),
      generator: share('generator'),
      others: Math.max(0, share('busy') - known),
      idle: share('idle'),
      mainThread: (Math.max(0, ...main) / whole) * cores,
      seconds: { node: spent('node'), postgres: spent('postgres'), generator: spent('generator') },
    },
  }
}
