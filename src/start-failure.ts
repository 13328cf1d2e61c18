import type { Settings } from './config.ts'
import { Misconfigured, Refusal } from './domain/refusal.ts'

/** The exit codes of a start that failed. */
export const exitCodes = {
  /** Another attempt may succeed. */
  failed: 1,
  /** It fails until somebody changes a setting, or what one names: EX_CONFIG of sysexits.h. */
  misconfigured: 78,
} as const

/** Why a start failed and how to fix it, in one line, and the exit code. */
export type StartFailure = { readonly text: string; readonly exitCode: (typeof exitCodes)[keyof typeof exitCodes] }

/** Faults of file systems that another directory or other rights would cure. */
const unwritable = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOSPC'])

type Fault = {
  readonly code: string
  readonly message: string
  readonly syscall?: string
  readonly path?: string
  readonly port?: number
  readonly address?: string
  readonly hostname?: string
}

/** The error itself, or its cause: a refusal for an unreachable database has the driver's as its cause. */
const faultOf = (error: unknown): Fault => {
  if (error instanceof Refusal && error.cause !== undefined) return faultOf(error.cause)
  const fault = (typeof error === 'object' && error !== null ? error : {}) as Partial<Fault>
  const { code = '', message = String(error) } = fault
  // Node.js leaves the message empty where it has tried several addresses of a host.
  return { ...fault, code, message: message || code }
}

type Explanation = { readonly says: string; readonly lasts?: true }

const explainPort = ({ code, syscall, port, address }: Fault, settings: Settings): Explanation | undefined => {
  if (syscall !== 'listen' || port === undefined) return undefined
  const isMetrics = port === settings.metricsPort
  const [named, host] = isMetrics ? [' of PAYIN_METRICS_PORT', 'PAYIN_METRICS_HOST'] : ['', 'HOST']
  const other = isMetrics ? 'set another one' : `start with PORT=${port + 1} npm start`
  if (code === 'EADDRINUSE') return { says: `port ${port}${named} is in use. Stop the other program, or ${other}` }
  const says = `it may not listen on ${address}:${port}${named} (${code}). Choose another ${host} or port.`
  if (code === 'EADDRNOTAVAIL') return { says }
  return code === 'EACCES' ? { says, lasts: true } : undefined
}

const explainFolder = ({ code, path }: Fault, { dataDir }: Settings): Explanation | undefined => {
  // By default a relative path.
  if (!path?.includes(dataDir.replace(/^\.\//, '')) || !unwritable.has(code)) return undefined
  const says = `it cannot write to the data directory ${dataDir} (${code}). Make it writable for this user, or set PAYIN_DATA_DIR to another directory.`
  return code === 'ENOSPC' ? { says } : { says, lasts: true }
}

const explainDatabase = (fault: Fault, settings: Settings): Explanation | undefined => {
  const { code, message, hostname, address, port } = fault
  if (settings.databaseUrl === undefined) return undefined
  const url = settings.databaseListenUrl === undefined ? 'DATABASE_URL' : 'DATABASE_URL or DATABASE_LISTEN_URL'
  const answer = `the server of ${url} answers: ${message} (${code})`
  if (code === '28P01') return { says: `${answer}. Correct the user or password in ${url}.`, lasts: true }
  if (message.includes('client password must be a string'))
    return { says: `the server of ${url} asks for a password, and there is none: set user:password@host.`, lasts: true }
  if (code === '28000')
    return { says: `${answer}. Correct the user in ${url}, or allow it in pg_hba.conf.`, lasts: true }
  if (code === '3D000') return { says: `${answer}. Create the database, or correct its name in ${url}.`, lasts: true }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return {
      says: `the host ${hostname} of ${url} has no address (${code}). Correct its name, or the name server of this machine.`,
    }
  }
  if (code === 'ECONNREFUSED') {
    const where = port === undefined ? '' : ` at ${address}:${port}`
    return {
      says: `nothing accepts connections${where} (${code}). Start PostgreSQL, or correct host and port in ${url}.`,
    }
  }
  const isSilent = /^(E[A-Z]|08|57P0)/.test(code) || /timeout|Connection terminated/.test(message)
  if (!isSilent || fault.path !== undefined) return undefined
  return {
    says: `the database of ${url} does not answer (${message}). Check that PostgreSQL runs, and its host and port.`,
  }
}

/** Why the service cannot start and how to fix it, in one line for each common reason. */
export const startFailure = (error: unknown, settings: Settings): StartFailure => {
  const fault = faultOf(error)
  const { says = fault.message, lasts = error instanceof Misconfigured } =
    explainPort(fault, settings) ?? explainFolder(fault, settings) ?? explainDatabase(fault, settings) ?? {}
  return { text: `Payin cannot start: ${says}`, exitCode: lasts ? exitCodes.misconfigured : exitCodes.failed }
}
