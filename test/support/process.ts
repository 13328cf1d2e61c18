import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const root = resolve(import.meta.dirname, '..', '..')

/** A service in a separate process, run like `npm start`. */
export type StartedProcess = {
  readonly child: ChildProcess
  /** Its standard output so far. */
  output(): string
  /** Its standard error so far. */
  errors(): string
  /** Ends it by a signal and resolves with its exit code; `null` after a SIGKILL. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** A TCP port of the loopback address that was free a moment ago. */
export const freePort = async (): Promise<number> => {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

/** How a start differs from that of the current code. */
type ProcessOptions = {
  /** The process's limit of open files. */
  readonly openFiles?: number
  /** The folder of the code. */
  readonly folder?: string
}

/** Starts the service in a separate process with these settings, without waiting for it. */
export const spawnService = (environment: Record<string, string>, options: ProcessOptions = {}): StartedProcess => {
  const { PATH = '', HOME = '', TMPDIR = '/tmp', NODE_COMPILE_CACHE = '' } = process.env
  const limit = options.openFiles === undefined ? '' : `ulimit -n ${options.openFiles}; `
  const [program, ...parameters] = limit
    ? ['/bin/sh', '-c', `${limit}exec "$0" src/main.ts`, process.execPath]
    : [process.execPath, 'src/main.ts']
  // The previous release does not know the setting.
  const withoutBuild = options.folder === undefined ? { PAYIN_CONSOLE: 'serve' } : {}
  const child = spawn(program ?? '', parameters, {
    cwd: options.folder ?? root,
    env: { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, ...withoutBuild, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  return {
    child,
    output: () => output,
    errors: () => errors,
    end: async (signal) => {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
      child.kill(signal)
      await ended
      return child.exitCode
    },
  }
}

/** Starts the service in a separate process and waits for its banner. */
export const startProcess = async (
  environment: Record<string, string>,
  options: ProcessOptions = {},
): Promise<StartedProcess> => {
  const started = spawnService(environment, options)
  for (let waited = 0; !started.output().includes('Payin is ready'); waited += 50) {
    if (started.child.exitCode !== null || waited > 120_000) {
      await started.end('SIGKILL')
      throw new Error(
        `the service did not start in ${waited} ms:\n${started.errors()}\n${started.output().slice(-2000)}`,
      )
    }
    await sleep(50)
  }
  return started
}

/** The token of the demo merchant in the banner. */
export const demoToken = (started: StartedProcess): string => /payin_test_\w+/.exec(started.output())?.[0] ?? ''
