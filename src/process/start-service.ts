import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { connectionOf, type Settings } from '../settings/config.ts'
import { readTexts } from '../settings/operator-texts.ts'
import { type Context, createContext } from '../engine/context.ts'
import { BoundedClock, watchClock } from './bounded-clock.ts'
import { listServiceState } from '../engine/service-state.ts'
import { type Database, readTime, type DatabaseOptions } from 'payin-database'
import { clockFaultNames, reportedJump } from '../rules/clock-fault.ts'
import { Misconfigured, Refusal } from '../rules/refusal.ts'
import type { Instant } from '../rules/time.ts'
import { type FileStorage, openFileStorage } from '../gateways/file-storage.ts'
import { createDepots } from '../gateways/depots/open-depot.ts'
import { createMailSender } from '../gateways/mail-sender.ts'
import { createWebClient } from '../gateways/web-client.ts'
import { createWebhookSender } from '../gateways/webhook-sender.ts'
import type { App } from '../http/routes/app.ts'
import {
  admitKeys,
  checkKeys,
  isNewDatabase,
  listNeededKeys,
  openAddressKey,
} from '../engine/key-rotation/admit-keys.ts'
import { createServer } from '../http/server.ts'
import { openMetricsPort } from '../http/metrics/metrics.ts'
import { startJobs } from './jobs/jobs.ts'
import { openMeter, type Sample } from '../metrics/meter.ts'
import { readFileLimit, shareFiles } from './open-files.ts'
import { invitationLink, inviteFirstOwner, refuseTokensOfAccounts } from '../engine/members/invite-member.ts'
import { seedDemo } from '../engine/sandbox/seed-demo.ts'
import { seedDemoPhone } from '../engine/simulation/seed-demo-phone.ts'
import { hashAccessToken } from '../secrets/access-token.ts'
import { findSecrets, firstKeyId, loadOrCreateSecrets } from '../secrets/key-file.ts'
import { mainOperator } from '../secrets/parse-operator-tokens.ts'
import { createVault } from '../secrets/vault.ts'
import { openSpans, traceDatabase } from '../tracing/spans.ts'
import { version, migrationsFolder } from '../settings/version.ts'
import { once } from 'node:events'
import { Server } from 'node:net'
import { isConnectionLost, isSignInRefused, openDatabase } from 'payin-database/open'
import { hostname } from 'node:os'
import { migrate, readMigrations } from 'payin-database/migrations'
import { refuseNotDone } from '../engine/coalesce.ts'

/** A running service: its parts and how to stop it. */
export type Service = {
  readonly context: Context
  readonly app: App
  /** Address that it listens on, such as `http://127.0.0.1:8080`; `undefined` without the web role. */
  readonly address: string | undefined
  readonly metricsPort: number | undefined
  readonly demoToken: string | undefined
  /** The link with which the first owner of a new demo creates an account. */
  readonly ownerLink: string | undefined
  readonly migrated: readonly string[]
  /**
   * Ends waiting streams and, for `drainMs`, answers incoming requests, closing each connection with its answer, so
   * that no request on its way is cut off. Then lets work under way finish and closes the database.
   */
  stop(drainMs?: number): Promise<void>
}

/** The settings, with no more connections than the process may open files. */
const withinFileLimit = (settings: Settings, log: Logger): { settings: Settings; maxFiles: number } => {
  const limit = readFileLimit()
  const { engineFiles, ...shares } = shareFiles(limit, settings)
  // The limits of most machines allow a little less than the default, which suffices.
  const isFarBelow = shares.connections < settings.connections / 2
  if (isFarBelow || settings.notificationsInFlight > shares.notificationsInFlight)
    log.info({ openFiles: limit, ...shares }, 'fewer connections than set: the limit of open files allows no more')
  return { settings: { ...settings, ...shares }, maxFiles: engineFiles }
}

/** The encryption keys of the settings or of the data directory; `undefined` if there are none yet. */
const findKeys = ({ encryptionKeys, dataDir }: Settings) => encryptionKeys ?? findSecrets(dataDir)?.encryptionKeys

/** Applies the pending migrations, returns their names and leaves everything else to processes that start. */
export const migrateOnly = (options: {
  readonly settings: Settings
  readonly log: Logger
  readonly engine?: Engine
}): Promise<readonly string[]> => {
  const { log, engine } = options
  const { settings, maxFiles } = withinFileLimit(options.settings, log)
  return awaitDatabase(settings, log, async () => {
    const database = await openServiceDatabase(settings, log, { maxFiles, engine })
    try {
      // This step may run without the keys.
      const keys = findKeys(settings)
      if (keys) await checkKeys(database, createVault(keys))
      await checkOperators(database, operatorsOf(settings, ''))
      return await applyMigrations(database, settings, log)
    } finally {
      await database.close()
    }
  })
}

const openFiles = (settings: Settings): FileStorage | undefined => {
  const { fileStorage, fileStorageRegion: region, fileStorageKeyId: keyId, fileStorageSecret: secret = '' } = settings
  return fileStorage === undefined ? undefined : openFileStorage(fileStorage, { region, keyId, secret })
}

/** What speaks to other machines; `close` ends it. */
const openGateways = (settings: Settings, clock: () => Instant) => {
  const { smtpUrl, smtpFrom, publicUrl, notificationTimeoutMs: timeoutMs, outboundLoopback, language } = settings
  const webhooks = createWebhookSender({ clock, timeoutMs })
  const web = createWebClient({ clock, timeoutMs })
  const reach = outboundLoopback ? 'loopback' : 'public'
  const depots = createDepots({ clock, root: settings.pickupFolder, reach })
  const from = smtpFrom ?? `payin@${new URL(publicUrl).hostname}`
  const mail = smtpUrl === undefined ? undefined : createMailSender(smtpUrl, from)
  const close = async (): Promise<void> => {
    mail?.close()
    depots.close()
    await Promise.all([webhooks.close(), web.close()])
  }
  const texts = readTexts(language)
  const say = texts && ((text: string) => texts.sayLines(text))
  return { gateways: { webhooks, web, depots, mail, say }, close }
}

/**
 * The keys and the operator's token of the settings, or those of the data directory, which are made for a new database.
 * Refuses to continue without a key that the database needs.
 */
const secretsOf = async (database: Database, settings: Settings) => {
  const { encryptionKeys, operatorToken, dataDir } = settings
  const needed = await listNeededKeys(database)
  // In this order: another process that starts now makes the file before it seals anything.
  if (needed.length > 0 && !findKeys(settings)) {
    throw new Misconfigured(
      `This database needs the encryption key ${needed.join(' and ')}, and no key is given. Set the PAYIN_ENCRYPTION_KEYS that it was written with, or put its secrets.json back into ${dataDir}: no other key opens what it has sealed.`,
    )
  }
  const own = encryptionKeys && operatorToken ? undefined : loadOrCreateSecrets(dataDir)
  const keys = encryptionKeys ?? own?.encryptionKeys ?? []
  await checkKeys(database, createVault(keys))
  return { keys, operatorToken: operatorToken ?? own?.operatorToken ?? '' }
}

/** Refuses tokens with the names of accounts; a new database has no accounts. */
const checkOperators = (database: Database, operators: Context['operators']): Promise<void> =>
  refuseTokensOfAccounts({ query: (...asked) => database.query(...asked), operators }).catch((error: unknown) => {
    if (!isNewDatabase(error)) throw error
  })

/** The operators with tokens: the one of the service, and those that the settings name. */
const operatorsOf = (settings: Settings, token: string) => {
  const own = { name: mainOperator, role: 'owner', token } as const
  const named = [own, ...(settings.operatorTokens ?? [])]
  return named.map(({ token: each, ...operator }) => ({ ...operator, tokenHash: hashAccessToken(each) }))
}

type StartOptions = {
  readonly settings: Settings
  /** Default: the machine's clock, bounded by the database's. */
  readonly clock?: () => Instant
  readonly log: Logger
  readonly engine?: Engine
}

/** Opens the database, migrates, seeds the demo and starts the roles; throws a readable Error. */
export const startService = async (options: StartOptions): Promise<Service> => {
  const { settings, maxFiles } = withinFileLimit(options.settings, options.log)
  await requireFreePorts(settings)
  return awaitDatabase(settings, options.log, () => startOnce({ ...options, settings }, maxFiles))
}

const startOnce = async (options: StartOptions, maxFiles: number): Promise<Service> => {
  const { settings, log, engine } = options
  const bounded = new BoundedClock()
  const clock = options.clock ?? bounded.now
  const keyIds = findKeys(settings)?.map(({ id }) => id) ?? [firstKeyId]
  const database = await openServiceDatabase(settings, log, { keyIds, maxFiles, engine })
  const begun: (() => Promise<unknown>)[] = [() => database.close()]
  try {
    const { keys, operatorToken } = await secretsOf(database, settings)
    const vault = createVault(keys)
    const operators = operatorsOf(settings, operatorToken)
    await checkOperators(database, operators)
    const files = openFiles(settings)
    const migrated = await applyMigrations(database, settings, log)
    if (!options.clock) {
      await bounded.compare(() => readTime(database))
      bounded.startBefore(reportedJump(await listServiceState(database, clockFaultNames), bounded.now()))
    }
    const isTimeCertain = (): boolean => bounded.fault() === undefined
    await admitKeys(database, vault)
    const { gateways, close: closeGateways } = openGateways(settings, clock)
    begun.push(closeGateways)
    const meter = openMeter()
    const spans = openSpans(version, clock)
    const context = await createContext({
      settings,
      vault,
      addressKey: await openAddressKey(database, vault),
      operators,
      ...gateways,
      files,
      clock,
      isTimeCertain,
      log,
      meter,
      spans,
      database: spans ? traceDatabase(database, spans) : database,
    })
    if (settings.metricsPort !== undefined || settings.metricsToken !== undefined) measureService(context, database)
    // While the database works on the demo, this thread makes the server.
    const [demoToken, app] = await Promise.all([seedDemo(context), createServer(context)])
    begun.push(() => app.close())
    if (demoToken !== undefined) await seedDemoPhone(context)
    const firstOwner = demoToken === undefined ? undefined : await inviteFirstOwner(context)
    const ownerLink = firstOwner && invitationLink(settings.publicUrl, firstOwner.token)
    const address = settings.roles.includes('web')
      ? await app.listen({ port: settings.port, host: settings.host, backlog: 4096 })
      : undefined
    const metricsPort = await openMetricsPort(context)
    const stopWatching = options.clock ? undefined : watchClock(bounded, context, instanceOf(settings))
    const stopJobs = settings.roles.includes('worker') ? startJobs(context) : undefined
    let stopping: Promise<void> | undefined
    const stop = async (drainMs: number): Promise<void> => {
      stopWatching?.()
      context.changes.close()
      // Other processes take over the jobs immediately; work under way here ends while requests are still answered.
      const jobsEnd = stopJobs?.()
      if (drainMs > 0) await sleep(drainMs)
      // For connections that came while the process was busy: one event-loop turn accepts them, the next one reads
      // their requests.
      for (let turn = 0; turn < 2; turn++) await setImmediate()
      await Promise.all([app.close(), jobsEnd])
      await Promise.all([closeGateways(), metricsPort?.close()])
      await database.close()
    }
    return {
      context,
      app,
      address,
      metricsPort: metricsPort?.port,
      demoToken,
      ownerLink,
      migrated,
      stop: (drainMs = 0) => (stopping ??= stop(drainMs)),
    }
  } catch (error) {
    for (const end of begun.toReversed()) await end().catch(() => undefined)
    throw error
  }
}

/** Starts measuring the process and its connection pool. */
const measureService = (context: Context, database: Pick<Database, 'usage'>): void => {
  const { meter, settings, engine } = context
  const about = { version, node: process.versions.node, engine, roles: settings.roles.join() }
  const sample = (): Sample[] => {
    const { inUse, idle, waiting, most } = database.usage()
    const isWritable = context.isWritable()
    return [
      { name: 'payin_build_info', labels: about, value: 1 },
      { name: 'payin_ready', labels: {}, value: isWritable && !context.changes.closed() ? 1 : 0 },
      { name: 'payin_database_connections', labels: { state: 'in-use' }, value: inUse },
      { name: 'payin_database_connections', labels: { state: 'idle' }, value: idle },
      { name: 'payin_database_connections_max', labels: {}, value: most },
      { name: 'payin_database_waiters', labels: {}, value: waiting },
      { name: 'payin_database_writable', labels: {}, value: isWritable ? 1 : 0 },
    ]
  }
  meter.onScrape(sample)
  meter.measureProcess()
}

/** Throws the error of `listen` if a port that the process is to listen on is in use, before anything else is done. */
const requireFreePorts = async ({ roles, port, host, metricsPort, metricsHost }: Settings): Promise<void> => {
  const wanted = [
    ...(roles.includes('web') ? [{ port, host }] : []),
    ...(metricsPort === undefined ? [] : [{ port: metricsPort, host: metricsHost }]),
  ]
  const servers = wanted.map((address) => new Server((socket) => socket.destroy()).listen(address))
  const listening = await Promise.allSettled(servers.map((server) => once(server, 'listening')))
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  for (const each of listening) if (each.status === 'rejected') throw each.reason
}

/** Pauses between attempts to start while the database cannot be reached. */
const pausesMs = [500, 1000, 2000, 4000]

const isUnreachable = (error: unknown): boolean => {
  // Another attempt with the same settings would be refused, too.
  if (isSignInRefused((error as { cause?: unknown }).cause ?? error)) return false
  if (error instanceof Refusal && error.code === 'database_unavailable') return true
  // A missing socket is a server that may be about to start; a missing file of a certificate is not.
  return isConnectionLost(error) && (error as NodeJS.ErrnoException).syscall !== 'open'
}

/** Repeats a start that may be repeated as a whole while the database does not answer, which may be about to start. */
const awaitDatabase = async <T>({ databaseUrl }: Settings, log: Logger, start: () => Promise<T>): Promise<T> => {
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

/** The embedded engine if it is already being opened; see `beginEngine`. */
type Engine = DatabaseOptions['engine']

/** How a process is named to others. */
const instanceOf = ({ roles }: Settings): string => `${roles.join(',')} ${process.pid}@${hostname()}`

type Opening = { readonly keyIds?: readonly string[]; readonly maxFiles: number; readonly engine: Engine }

/** Opens the database that the settings name; throws a readable Error. */
const openServiceDatabase = async (
  settings: Settings,
  log: Logger,
  { keyIds, maxFiles, engine }: Opening,
): Promise<Database> => {
  const known = await readMigrations(migrationsFolder)
  return openDatabase({
    ...connectionOf(settings),
    dataDir: settings.dataDir,
    newestMigration: known.at(-1)?.number,
    keyIds,
    instance: instanceOf(settings),
    maxFiles,
    engine,
    refuse: refuseNotDone,
    onLog: (message) => log.warn({ database: message }, 'database'),
  })
}

/** Applies the pending migrations and returns their names; throws a readable Error. */
const applyMigrations = async (database: Database, settings: Settings, log: Logger): Promise<readonly string[]> => {
  const known = await readMigrations(migrationsFolder)
  const onLog = (message: string): void => log.info({ migration: message }, 'migration')
  const migrated = await migrate(database, migrationsFolder, {
    mayApply: settings.migrate !== 'off',
    version,
    onLog,
    // The first start makes the database by all of them: one line says so.
    onApplied: (name, isNew) =>
      log[isNew ? 'debug' : 'info']({ migration: `migration ${name} is applied` }, 'migration'),
  })
  if (migrated.length > 0 && migrated.length === known.length)
    onLog(`${known.length} migrations are applied to the new database`)
  return migrated
}
