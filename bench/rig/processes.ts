import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'

/** The folder of the checkout. */
export const root = resolve(import.meta.dirname, '..', '..')

const readyWithinMs = 60_000
const stopWithinMs = 25_000

/** A server in a separate process; disposing of it stops it. */
export type Server = AsyncDisposable & {
  /** Its address, for example `http://127.0.0.1:40123`. */
  readonly url: string
  readonly pids: readonly number[]
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

/** Ends a process: with SIGTERM, later with SIGKILL. */
const end = async (child: ChildProcess): Promise<void> => {
  if (hasEnded(child)) return
  const ended = once(child, 'exit')
  const timer = setTimeout(() => child.kill('SIGKILL'), stopWithinMs)
  child.kill('SIGTERM')
  await ended
  clearTimeout(timer)
}

const collect = (child: ChildProcess): { output: () => string; errors: () => string } => {
  let output = ''
  let errors = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-10_000)))
  return { output: () => output, errors: () => errors }
}

/** Starts a script of the checkout with these settings, and waits until it prints that it is ready `on http://…`. */
export const startServer = async (
  script: string,
  environment: Record<string, string>,
  signal: AbortSignal,
): Promise<Server> => {
  signal.throwIfAborted()
  const { PATH = '', HOME = '', TMPDIR = '/tmp' } = process.env
  const child = spawn(process.execPath, [script], {
    cwd: root,
    env: { PATH, HOME, TMPDIR, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // For when this process ends without disposing of the server, because of an uncaught error.
  const kill = (): boolean => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const { output, errors } = collect(child)
  const deadline = performance.now() + readyWithinMs
  try {
    while (true) {
      const url = /\bon (http:\S+)/.exec(output())?.[1]
      if (url !== undefined && child.pid !== undefined) {
        return { url, pids: [child.pid], [Symbol.asyncDispose]: () => end(child) }
      }
      if (hasEnded(child) || performance.now() > deadline) throw new Error(`${script} did not start:\n${errors()}`)
      await new Promise((done) => setTimeout(done, 20))
      signal.throwIfAborted()
    }
  } catch (error) {
    await end(child)
    throw error
  }
}

/** Runs a program to its end and returns its output; throws if it fails, and kills it when `signal` aborts. */
export const runProgram = async (
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal },
): Promise<string> => {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const { output, errors } = collect(child)
  const code = await new Promise((done, fail) => {
    child.once('error', fail)
    child.once('close', done)
  })
  if (code !== 0) throw new Error(`${program} failed (${String(code)}):\n${errors()}`)
  return output()
}

/** The path of an installed program: from the newest PostgreSQL if it belongs to it, else from PATH. */
export const findProgram = (name: string): string | undefined => {
  const version = (path: string): number => Number(/\d+/.exec(path)?.[0] ?? 0)
  const ofPostgres = globSync(`/usr/lib/postgresql/*/bin/${name}`).toSorted((a, b) => version(b) - version(a))
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name))
  return [...ofPostgres, ...onPath].find((path) => spawnSync('test', ['-x', path, '-a', '-f', path]).status === 0)
}
