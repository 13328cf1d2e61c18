import { resolve, sep } from 'node:path'
import { Unsuitable } from 'payin-database'
import type { Settings } from '../settings/config.ts'
import { Misconfigured, Refusal } from '../rules/refusal.ts'

export const exitCodes = {
  /** Another attempt may succeed. */
  failed: 1,
  /** It fails until somebody changes a setting, or what one names: EX_CONFIG of sysexits.h. */
  misconfigured: 78,
} as const

/** Why a start failed and how to fix it, in one line, and the exit code. */
export type StartFailure = { readonly text: string; readonly exitCode: (typeof exitCodes)[keyof typeof exitCodes] }

/** Faults of file systems that another directory or other rights would cure. */
const unwritable = new Set(['EACCES', 'EPERM', 'EROFS'])
const notDirectory = new Set(['ENOTDIR', 'EEXIST'])

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

const lastPort = 65_535

const explainPort = (
  { code, syscall, port, address, hostname }: Fault,
  settings: Settings,
): Explanation | undefined => {
  const setting = Object.entries({ HOST: settings.host, PAYIN_METRICS_HOST: settings.metricsHost }).find(
    ([, host]) => syscall === 'getaddrinfo' && host === hostname,
  )
  if (setting) return { says: `the host ${hostname} of ${setting[0]} has no address (${code}). Correct its name.` }
  if (syscall !== 'listen' || port === undefined) return undefined
  if (code === 'EADDRINUSE' && settings.port === settings.metricsPort && settings.roles.includes('web'))
    return { says: `PORT and PAYIN_METRICS_PORT are both ${port}. Set another one.`, lasts: true }
  const isMetrics = port === settings.metricsPort
  const [named, host] = isMetrics ? [' of PAYIN_METRICS_PORT', 'PAYIN_METRICS_HOST'] : ['', 'HOST']
  const other = isMetrics || port === lastPort ? 'set another one' : `start with PORT=${port + 1} npm start`
  if (code === 'EADDRINUSE') return { says: `port ${port}${named} is in use. Stop the other program, or ${other}` }
  const says = `it may not listen on ${address}:${port}${named} (${code}). Choose another ${host} or port.`
  if (code === 'EADDRNOTAVAIL') return { says }
  return code === 'EACCES' ? { says, lasts: true } : undefined
}

const explainFolder = ({ code, path, message }: Fault, { dataDir, databaseUrl }: Settings): Explanation | undefined => {
  // Both may be relative paths.
  const isInside = path !== undefined && `${resolve(path)}${sep}`.startsWith(`${resolve(dataDir)}${sep}`)
  const isEmbedded = databaseUrl === undefined
  const another = 'set PAYIN_DATA_DIR to another directory.'
  if ((isInside && code === 'ENOSPC') || (isEmbedded && /no space left on device/i.test(message)))
    return { says: `the disk of the data directory ${dataDir} is full (${message}). Free space there, or ${another}` }
  if (isEmbedded && /was made by PostgreSQL \d|has no PG_VERSION/.test(message))
    return { says: `${message} Start the release that made it, or ${another}`, lasts: true }
  if (isInside && notDirectory.has(code))
    return { says: `the data directory ${dataDir} is not a directory (${code}): ${another}`, lasts: true }
  if (!isInside || !unwritable.has(code)) return undefined
  const says = `it cannot write to the data directory ${dataDir} (${code}). Make it writable for this user, or ${another}`
  return { says, lasts: true }
}

const certificateFiles = ['sslrootcert', 'sslcert', 'sslkey']

/** A file that an address of the database names and that the driver could not read. */
const explainCertificate = ({ code, path }: Fault, settings: Settings): Explanation | undefined => {
  if (path === undefined) return undefined
  const named = { DATABASE_URL: settings.databaseUrl, DATABASE_LISTEN_URL: settings.databaseListenUrl }
  for (const [name, url] of Object.entries(named)) {
    const parameters = new URLSearchParams(url?.split('?')[1])
    const parameter = certificateFiles.find((each) => parameters.get(each) === path)
    if (!parameter) continue
    const says = `it cannot read ${path} (${code}), the ${parameter} of ${name}. Name a file there that this user may read.`
    return { says, lasts: true }
  }
  return undefined
}

/** What is wrong with the database, by the code or message of its error; the first that fits says it. */
type DatabaseFault = { readonly of: RegExp; readonly says: string; readonly mayPass?: true }

const databaseFaults: readonly DatabaseFault[] = [
  {
    of: /^ERR_INVALID_URL/,
    says: '{url} is not an address. Write postgres://user:password@host:5432/database, with special characters of the password as %XX.',
  },
  {
    of: /^EISDIR/,
    says: '{url} names a directory ({code}) as sslrootcert, sslcert or sslkey. Name a file there that this user may read.',
  },
  { of: /^28P01/, says: '{answer}. Correct the user or password in {url}.' },
  {
    of: /client password must be a string/,
    says: 'the server of {url} asks for a password, and there is none: set user:password@host.',
  },
  { of: /^28000/, says: '{answer}. Correct the user in {url}, or allow it in pg_hba.conf.' },
  { of: /^3D000/, says: '{answer}. Create the database, or correct its name in {url}.' },
  { of: /^42501/, says: '{answer}. Grant the user that right, or name the owner of the tables in {url}.' },
  {
    of: /^3F000/,
    says: '{answer}. Let the user create tables there (grant create on schema …), or set PAYIN_DATABASE_SCHEMA to a schema where it may.',
  },
  {
    of: /^42(?:P07|710)/,
    says: '{answer}, and a migration makes it. Name a database in {url}, or a PAYIN_DATABASE_SCHEMA, without tables of others, or restore the backup as a whole.',
  },
  { of: /^53100/, says: '{answer}. Free space on its disk.', mayPass: true },
  {
    of: /^ERR_TLS_CERT_ALTNAME_INVALID/,
    says: 'the certificate of the server of {url} is for another host: {message}. Name the host as the certificate does.',
  },
  { of: /^CERT_HAS_EXPIRED/, says: 'the certificate of the server of {url} has expired. Renew it.', mayPass: true },
  {
    of: /^CERT_NOT_YET_VALID/,
    says: 'the certificate of the server of {url} is not valid yet. Correct the clock of this machine.',
    mayPass: true,
  },
  {
    of: /^\w*(?:CERT|LEAF_SIGNATURE)/,
    says: 'the certificate of the server of {url} is not trusted ({code}). Name the file of its authority: sslrootcert=…',
  },
  {
    of: /does not support SSL/,
    says: 'the server of {url} does not support SSL. Switch it on there, or set sslmode=disable.',
  },
  {
    of: /^(?:ENOTFOUND|EAI_AGAIN)/,
    says: 'the host {hostname} of {url} has no address ({code}). Correct its name, or the name server of this machine.',
    mayPass: true,
  },
  {
    of: /^ECONNREFUSED/,
    says: 'nothing accepts connections{where} ({code}). Start PostgreSQL, or correct host and port in {url}.',
    mayPass: true,
  },
  {
    of: /^(?:E[A-Z]|08|57P0)|timeout|Connection terminated/,
    says: 'the database of {url} does not answer ({message}). Check that PostgreSQL runs, and its host and port.',
    mayPass: true,
  },
]

const explainDatabase = (fault: Fault, settings: Settings): Explanation | undefined => {
  const { code, message, path, address, port } = fault
  if (settings.databaseUrl === undefined || path !== undefined) return undefined
  const found = databaseFaults.find(({ of }) => (code !== '' && of.test(code)) || of.test(` ${message}`))
  if (found === undefined) return undefined
  const url = settings.databaseListenUrl === undefined ? 'DATABASE_URL' : 'DATABASE_URL or DATABASE_LISTEN_URL'
  const where = port === undefined ? '' : ` at ${address}:${port}`
  const words = { ...fault, url, where, answer: `the server of ${url} answers: ${message} (${code})` }
  const says = found.says.replace(/\{(\w+)\}/g, (_, name: string) => String(words[name as keyof typeof words]))
  return { says, ...(!found.mayPass && { lasts: true }) }
}

/** Why the service cannot start and how to fix it, in one line for each common reason. */
export const startFailure = (error: unknown, settings: Settings): StartFailure => {
  const fault = faultOf(error)
  const { says = fault.message, lasts = error instanceof Misconfigured || error instanceof Unsuitable } =
    explainPort(fault, settings) ??
    explainCertificate(fault, settings) ??
    explainFolder(fault, settings) ??
    explainDatabase(fault, settings) ??
    {}
  return { text: `Payin cannot start: ${says}`, exitCode: lasts ? exitCodes.misconfigured : exitCodes.failed }
}
