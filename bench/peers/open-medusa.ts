import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Bench } from '../rig/open-bench.ts'
import { runProgram, type Server, startServer } from '../rig/processes.ts'

/** A running Medusa, and what its loads need. */
export type Medusa = AsyncDisposable & {
  readonly server: Server
  /** The payment collections are `payment-1` to `payment-<n>`. */
  readonly payments: number
  /** Publishable key of the store API. */
  readonly key: string
}

type Options = Pick<Bench, 'signal' | 'say'> & {
  /** The folder in which Medusa is installed, or will be. */
  readonly folder: string
  /** An empty PostgreSQL database. */
  readonly databaseUrl: string
  /** How many carts to create, `cart-1` to `cart-<n>`: one for each payment created through the store API. */
  readonly carts: number
}

const app = join(import.meta.dirname, 'medusa')
const payments = 1000

/** Later installations get the same releases of the packages that Medusa names by a range. */
const releasedBefore = '2026-11-01'

/** The default folder of Medusa: PAYIN_PEER_MEDUSA, else one in the system's temporary folder. */
export const defaultFolder = (): string =>
  resolve(process.env['PAYIN_PEER_MEDUSA'] ?? join(tmpdir(), 'payin-peers', 'medusa'))

const read = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, 'utf8') : undefined)

/** Whether the folder has Medusa in the versions of `medusa/packages.json`; npm writes the second file last. */
export const isInstalled = (folder: string): boolean =>
  read(join(folder, 'package.json')) === read(join(app, 'packages.json')) &&
  existsSync(join(folder, 'node_modules', '.package-lock.json'))

const install = async ({ folder, signal, say }: Options): Promise<void> => {
  say(`installing Medusa into ${folder} (680 MB)`)
  mkdirSync(folder, { recursive: true })
  cpSync(join(app, 'packages.json'), join(folder, 'package.json'))
  const args = [
    'install',
    '--prefix',
    folder,
    `--before=${releasedBefore}`,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
  ]
  await runProgram('npm', args, { cwd: folder, env: process.env, signal })
}

/** Medusa's drivers disagree about `?host=`, but all accept the folder of a socket as the host. */
const inHost = (databaseUrl: string): string => {
  const url = new URL(databaseUrl.replace('@/', '@localhost/'))
  const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname)
  const port = url.searchParams.get('port') ?? (url.port === '' ? '5432' : url.port)
  const password = url.password === '' ? '' : `:${url.password}`
  return `postgres://${url.username}${password}@${encodeURIComponent(host)}:${port}${url.pathname}`
}

/** Production mode without telemetry; files that Medusa writes go to its folder. */
const environment = ({ folder, databaseUrl }: Options): Record<string, string> => ({
  NODE_ENV: 'production',
  LOG_LEVEL: 'error',
  MEDUSA_DISABLE_TELEMETRY: 'true',
  HOME: folder,
  DATABASE_URL: inHost(databaseUrl),
  MEDUSA_FOLDER: folder,
})

const callMedusa = (options: Options, ...args: readonly string[]): Promise<string> => {
  const { folder, signal } = options
  const env = { PATH: process.env['PATH'], ...environment(options) }
  const cli = join(folder, 'node_modules', '@medusajs', 'cli', 'cli.js')
  return runProgram(process.execPath, [cli, ...args], { cwd: folder, env, signal })
}

const seed = async (options: Options): Promise<{ readonly key: string }> => {
  const output = await callMedusa(options, 'exec', './src/seed.js', String(payments), String(options.carts))
  const line = /^SEEDED (.*)$/m.exec(output)?.[1]
  if (line === undefined) throw new Error(`Medusa was not seeded:\n${output}`)
  return JSON.parse(line) as { key: string }
}

/** Installs Medusa if necessary, migrates and seeds its database, and starts it. Disposing of it stops it. */
export const openMedusa = async (options: Options): Promise<Medusa> => {
  const { folder, signal, say } = options
  if (!isInstalled(folder)) await install(options)
  for (const part of ['medusa-config.js', 'src']) cpSync(join(app, part), join(folder, part), { recursive: true })
  say('migrating the database of Medusa')
  await callMedusa(options, 'db:migrate')
  say('seeding Medusa')
  const { key } = await seed(options)
  say('starting Medusa')
  const server = await startServer('bench/peers/medusa-server.ts', environment(options), signal)
  return { server, payments, key, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}
