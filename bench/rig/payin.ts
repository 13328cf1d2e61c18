import { randomBytes } from 'node:crypto'
import pino from 'pino'
import { parseSettings } from '../../src/settings/config.ts'
import { type Service, startService } from '../../src/process/start-service.ts'
import { type Server, startServer } from './processes.ts'

/** Where a service keeps its data: in a PostgreSQL, or in a folder with the embedded database. */
export type Storage = { readonly url: string } | { readonly dataDir: string }

// All services of a run have the same keys, so that they can use copies of one seeded database.
const encryptionKeys = `k1:${randomBytes(32).toString('base64')}`
const operatorToken = `payin_ops_bench_${randomBytes(24).toString('hex')}`

/** Settings as in real operation, but without limits on requests, and with more time for `payin doctor`. */
export const payinEnvironment = (storage: Storage): Record<string, string> => ({
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  PORT: '0',
  PUBLIC_URL: 'https://pay.example.com',
  PAYIN_ENCRYPTION_KEYS: encryptionKeys,
  PAYIN_OPERATOR_TOKEN: operatorToken,
  PAYIN_CONSOLE: 'serve',
  PAYIN_RATE_LIMIT: '0',
  PAYIN_CONNECTIONS_PER_ADDRESS: '0',
  PAYIN_PAGE_RATE_LIMIT: '0',
  PAYIN_PAGE_STREAMS: '0',
  PAYIN_QUERY_TIMEOUT_MS: '600000',
  ...('url' in storage ? { DATABASE_URL: storage.url } : { PAYIN_DATA_DIR: storage.dataDir }),
})

/** Starts the service in a separate process, like `npm start`. */
export const startPayin = (
  storage: Storage,
  signal: AbortSignal,
  others: Readonly<Record<string, string>> = {},
): Promise<Server> => startServer('src/main.ts', { ...payinEnvironment(storage), ...others }, signal)

/** Opens a service in this process, to call its use cases; `stop` closes it. */
export const openPayin = (
  storage: Storage,
  others: Readonly<Record<string, string>> = {},
  clock: () => number = Date.now,
): Promise<Service> => {
  const parsed = parseSettings({ ...payinEnvironment(storage), ...others })
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'))
  return startService({ settings: parsed.settings, clock, log: pino({ level: 'silent' }) })
}

type Doctor = { readonly checks: readonly { readonly name: string; readonly broken: number }[] }

/** Uploads a file as a bank's statement; returns the statement as read. */
export const uploadStatement = async (server: Pick<Server, 'url'>, file: Blob): Promise<{ readonly id: string }> => {
  const form = new FormData()
  form.append('file', file, 'statement.csv')
  const headers = { authorization: `Bearer ${operatorToken}` }
  const response = await fetch(`${server.url}/api/v1/operator/statements`, { method: 'POST', headers, body: form })
  if (response.status !== 201) throw new Error(`the upload was answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as { id: string }
}

/** Calls the operator API of a service: GET, or POST with a body. */
export const askOperator = async (
  server: Pick<Server, 'url'>,
  path: string,
  body?: string,
  method = body === undefined ? 'GET' : 'POST',
): Promise<unknown> => {
  const response = await fetch(`${server.url}/api/v1/operator/${path}`, {
    method,
    headers: { authorization: `Bearer ${operatorToken}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body }),
  })
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  return response.json()
}

/** Checks every invariant of a service, like `payin doctor`: returns their number, and those that are broken. */
export const askDoctor = async (server: Pick<Server, 'url'>): Promise<{ checked: number; broken: string[] }> => {
  const { checks } = (await askOperator(server, 'doctor')) as Doctor
  const broken = checks.filter((check) => check.broken > 0)
  return { checked: checks.length, broken: broken.map((check) => `${check.name}: ${check.broken}`) }
}
