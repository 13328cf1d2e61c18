import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Server } from './processes.ts'

/** The environment that a process needs so that `residentBytes` can query it; nothing listens until then. */
export const inspectable = (port: number): Record<string, string> => ({
  NODE_OPTIONS: `--inspect-port=127.0.0.1:${port}`,
})

const inspectorOf = async (port: number): Promise<string> => {
  for (let tries = 0; tries < 100; tries++) {
    try {
      const [target] = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as {
        webSocketDebuggerUrl: string
      }[]
      if (target) return target.webSocketDebuggerUrl
    } catch {
      await sleep(20)
    }
  }
  throw new Error('the process does not let itself be inspected')
}

const collectGarbage = async (pid: number, port: number): Promise<void> => {
  process.kill(pid, 'SIGUSR1')
  const socket = new WebSocket(await inspectorOf(port))
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => socket.send('{"id":1,"method":"HeapProfiler.collectGarbage"}'))
    socket.addEventListener('message', () => resolve())
    socket.addEventListener('error', () => reject(new Error('the inspector does not answer')))
  })
  socket.close()
}

/** The resident memory of a server's process after a garbage collection: what it really keeps. */
export const residentBytes = async ({ pids }: Server, port: number): Promise<number> => {
  const [pid] = pids
  if (pid === undefined) return NaN
  await collectGarbage(pid, port)
  // Freed pages return to the system a little later.
  await sleep(1000)
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? NaN) * 1024
}
