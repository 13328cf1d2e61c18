import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Settings } from '../settings/config.ts'
import { isConnectionLost } from 'payin-database/open'
import { Refusal } from '../rules/refusal.ts'

type Ports = Pick<Settings, 'roles' | 'port' | 'host' | 'metricsPort' | 'metricsHost'>

/** Throws the error of `listen` if a port that the process is to listen on is in use, before anything else is done. */
export const requireFreePorts = async ({ roles, port, host, metricsPort, metricsHost }: Ports): Promise<void> => {
  const wanted = [
    ...(roles.includes('web') ? [{ port, host }] : []),
    ...(metricsPort === undefined ? [] : [{ port: metricsPort, host: metricsHost }]),
  ]
  const servers = wanted.map((address) => createServer((socket) => socket.destroy()).listen(address))
  const listening = await Promise.allSettled(servers.map((server) => once(server, 'listening')))
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  for (const each of listening) if (each.status === 'rejected') throw each.reason
}

/** Pauses between attempts to start while the database cannot be reached. */
const pausesMs = [500, 1000, 2000, 4000]

const isUnreachable = (error: unknown): boolean => {
  if (error instanceof Refusal && error.code === 'database_unavailable') return true
  // A missing socket is a server that may be about to start; a missing file of a certificate is not.
  return isConnectionLost(error) && (error as NodeJS.ErrnoException).syscall !== 'open'
}

/** Repeats a start that may be repeated as a whole while the database does not answer, which may be about to start. */
export const awaitDatabase = async <T>(
  { databaseUrl }: Pick<Settings, 'databaseUrl'>,
  log: Logger,
  start: () => Promise<T>,
): Promise<T> => {
  for (const pauseMs of pausesMs) {
    try {
      return await start()
    } catch (error) {
      if (databaseUrl === undefined || !isUnreachable(error)) throw error
      const { cause = error } = error as { cause?: unknown }
      log.warn(
        { reason: (cause as Error).message, pauseMs },
        'the database does not answer, the start will be tried again',
      )
      await sleep(pauseMs)
    }
  }
  return start()
}
