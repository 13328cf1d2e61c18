import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { answers, type PostgresPlace, preparePostgres } from './postgres.ts'

/** Kills a process if it still runs; processes of the server may end at any time. */
const killIfThere = (id: number): void => {
  try {
    process.kill(id, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** A PostgreSQL whose processes a test kills all at once, and starts again on their files. */
export type KillablePostgres = AsyncDisposable & {
  readonly url: string
  /** Its log, at the level of `log_min_messages`. */
  log(): string
  /** Whether it still runs. */
  isRunning(): boolean
  kill(): Promise<void>
  start(): Promise<void>
}

const readyWithinMs = 60_000
const longestLog = 100_000

/** The process ids of a server: the first process and its children. */
const processesOf = (first: number): number[] => {
  const children = readFileSync(`/proc/${first}/task/${first}/children`, 'utf8').trim().split(' ')
  return [first, ...children.filter((each) => each !== '').map(Number)]
}

/** Starts a separate server with these settings; returns what is missing if there is none. */
export const startKillablePostgres = async (
  own: Readonly<Record<string, string>>,
  place: PostgresPlace = {},
): Promise<KillablePostgres | { readonly missing: string }> => {
  const prepared = preparePostgres(own, place)
  if ('missing' in prepared) return prepared
  const { folder, url, command, options } = prepared
  let server: ChildProcess | undefined
  let log = ''
  const isRunning = (): boolean => server?.pid !== undefined && server.exitCode === null && server.signalCode === null
  const kill = async (): Promise<void> => {
    if (server?.pid === undefined || !isRunning()) return
    const ended = once(server, 'exit')
    for (const id of processesOf(server.pid)) killIfThere(id)
    await ended
  }
  const start = async (): Promise<void> => {
    const [program = '', ...flags] = command
    const deadline = performance.now() + readyWithinMs
    while (performance.now() < deadline) {
      // The killed server's file names a process that has ended.
      rmSync(join(folder, 'data', 'postmaster.pid'), { force: true })
      server = spawn(program, flags, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
      server.stderr?.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-longestLog)))
      while (server.exitCode === null && performance.now() < deadline) {
        if (await answers(url)) return
        await sleep(20)
      }
    }
    throw new Error('PostgreSQL did not start again')
  }
  const killAtExit = (): void => void server?.kill('SIGKILL')
  process.once('exit', killAtExit)
  await start()
  return {
    url,
    log: () => log,
    isRunning,
    kill,
    start,
    [Symbol.asyncDispose]: async () => {
      process.off('exit', killAtExit)
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
