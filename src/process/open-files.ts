import type { Settings } from '../settings/config.ts'

/** Files, pipes and listening sockets of the process itself, and connections that are being closed. */
const ownFiles = 64
/** Connections to PostgreSQL besides those of the pool: for hints, and for finding the server. */
const sideConnections = 8
/** The embedded engine keeps its tables and indexes open; with fewer files it must close one to open another. */
const engineFiles = { least: 96, most: 1000 }
/** Too few client connections to provide a service. */
const leastConnections = 16

/** How the process divides the files that it may open: the database gets its share before any client connects. */
export type FileShares = {
  readonly connections: number
  readonly notificationsInFlight: number
  readonly engineFiles: number
}

/** How many files this process may open (`ulimit -n`); undefined if the system does not say. */
export const readFileLimit = (): number | undefined => {
  // Looking up the addresses of the machine could take seconds.
  Object.assign(process.report, { excludeNetwork: true })
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } }
  const soft = Number(report.userLimits?.open_files?.soft)
  return Number.isFinite(soft) ? soft : undefined
}

/** Divides `limit` files; throws a readable error if there are too few. */
export const shareFiles = (
  limit: number | undefined,
  settings: Pick<Settings, 'connections' | 'databaseUrl' | 'databasePool' | 'notificationsInFlight' | 'roles'>,
): FileShares => {
  const { connections, databaseUrl, databasePool, notificationsInFlight } = settings
  if (limit === undefined) return { connections, notificationsInFlight, engineFiles: engineFiles.most }
  const engine = Math.min(engineFiles.most, Math.max(engineFiles.least, Math.floor(limit / 4)))
  const rest = limit - ownFiles - (databaseUrl === undefined ? engine : databasePool + sideConnections)
  const notifications = settings.roles.includes('worker')
    ? Math.max(1, Math.min(notificationsInFlight, Math.floor(rest / 4)))
    : 0
  const most = rest - notifications
  if (most < leastConnections) {
    const least = limit + leastConnections - most
    throw new Error(
      `this process may open ${limit} files at a time, which is too few for its database and clients. Raise the limit (ulimit -n, LimitNOFILE of systemd, --ulimit nofile of a container) to at least ${least}; 20000 suit most.`,
    )
  }
  return {
    connections: connections === 0 ? most : Math.min(connections, most),
    notificationsInFlight: Math.max(1, Math.min(notificationsInFlight, notifications || notificationsInFlight)),
    engineFiles: engine,
  }
}
