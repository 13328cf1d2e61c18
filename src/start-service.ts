import { hostname } from 'node:os'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Settings } from './config.ts'
import { type Context, createContext } from './context.ts'
import { type Database, type DatabaseOptions, openDatabase } from './database/database.ts'
import { migrate } from './database/migrate.ts'
import { migrationsFolder, readMigrations } from './database/read-migrations.ts'
import type { Instant } from './domain/time.ts'
import { type FileStorage, openFileStorage } from './gateways/file-storage.ts'
import { createMailSender } from './gateways/mail-sender.ts'
import { createWebClient } from './gateways/web-client.ts'
import { createWebhookSender } from './gateways/webhook-sender.ts'
import type { App } from './http/app.ts'
import { admitKeys, openRetiredSubkeys } from './key-rotation/admit-keys.ts'
import { createServer } from './http/server.ts'
import { openMetricsPort } from './http/metrics/metrics.ts'
import { startTenantJobs } from './jobs/tenant-jobs.ts'
import { measureService } from './measure-service.ts'
import { openMeter, meterOfTenant } from './metrics/meter.ts'
import { migrateTenants, type TenantMigrations } from './migrate-tenants.ts'
import { OpenTenants, settingsOfTenant } from './open-tenants.ts'
import { openTenantServers } from './open-tenant-servers.ts'
import { readFileLimit, shareFiles } from './open-files.ts'
import { inviteFirstOwner, invitationLink } from './members/invite-member.ts'
import { seedDemo } from './sandbox/seed-demo.ts'
import { hashAccessToken } from './secrets/access-token.ts'
import type { Tenants } from './tenants/tenants.ts'
import { loadOrCreateSecrets } from './secrets/key-file.ts'
import { mainOperator } from './secrets/parse-operator-tokens.ts'
import { createVault } from './secrets/vault.ts'
import { openSpans } from './tracing/spans.ts'
import { traceDatabase } from './tracing/trace-database.ts'
import { version } from './version.ts'

/** A running service: its parts and how to stop it. */
export type Service = {
  /** The context of the tenant `main`. */
  readonly context: Context
  readonly tenants: Tenants
  readonly app: App
  /** Address that it listens on, such as `http://127.0.0.1:8080`; `undefined` without the web role. */
  readonly address: string | undefined
  /** The port of metrics, if enabled. */
  readonly metricsPort: number | undefined
  /** Token of the demo merchant, if there is one. */
  readonly demoToken: string | undefined
  /** The link with which the first owner of a new demo creates an account. */
  readonly ownerLink: string | undefined
  /** The migrations that this start applied. */
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

/** The embedded engine if it is already being opened; see `beginEngine`. */
type Engine = DatabaseOptions['engine']

type Opening = { readonly isStrict?: boolean; readonly keyIds?: readonly string[]; readonly engine: Engine }

/** Opens the database according to its settings, with the migrations that it needs; throws a readable Error. */
const openMigrated = async (
  settings: Settings,
  maxFiles: number,
  log: Logger,
  { isStrict = false, keyIds, engine }: Opening,
) => {
  const known = await readMigrations(migrationsFolder)
  const shared = {
    dataDir: settings.dataDir,
    poolSize: settings.databasePool,
    preparedStatements: settings.databasePrepared,
    queryTimeoutMs: settings.queryTimeoutMs,
    newestMigration: known.at(-1)?.number,
    keyIds,
    instance: `${settings.roles.join(',')} ${process.pid}@${hostname()}`,
  }
  const database = await openDatabase({
    ...shared,
    url: settings.databaseUrl,
    listenUrl: settings.databaseListenUrl,
    schema: settings.databaseSchema,
    maxFiles,
    engine,
    onLog: (message) => log.warn({ database: message }, 'database'),
  })
  const servers = openTenantServers(database, settings, (server, url) =>
    openDatabase({ ...shared, url, onLog: (message) => log.warn({ server, database: message }, 'database') }),
  )
  try {
    const options = {
      mayApply: settings.migrate !== 'off',
      version,
      onLog: (message: string) => log.info({ migration: message }, 'migration'),
      // The first start makes the database by all of them: one line says so.
      onApplied: (name: string, isNew: boolean) =>
        log[isNew ? 'debug' : 'info']({ migration: `migration ${name} is applied` }, 'migration'),
    }
    const migrated = await migrate(database, migrationsFolder, options)
    if (migrated.length > 0 && migrated.length === known.length)
      options.onLog(`${known.length} migrations are applied to the new database`)
    const ofTenants: TenantMigrations = {
      apply: (tenant) => migrate(tenant, migrationsFolder, options),
      newest: known.at(-1)?.number ?? '',
      mayApply: options.mayApply,
      onLog: options.onLog,
    }
    const tenants = await migrateTenants(database, servers, ofTenants, isStrict)
    const all = [...migrated, ...tenants.map((name) => `tenant ${name}`)]
    return { database, servers, migrated: all, migrations: ofTenants }
  } catch (error) {
    await servers.close()
    await database.close().catch(() => undefined)
    throw error
  }
}

/** Applies the pending migrations, returns their names and leaves everything else to processes that start. */
export const migrateOnly = async (options: {
  readonly settings: Settings
  readonly log: Logger
  readonly engine?: Engine
}) => {
  const { settings, maxFiles } = withinFileLimit(options.settings, options.log)
  const { engine } = options
  const { database, servers, migrated } = await openMigrated(settings, maxFiles, options.log, {
    isStrict: true,
    engine,
  })
  await servers.close()
  await database.close()
  return migrated
}

const openFiles = (settings: Settings): FileStorage | undefined => {
  const { fileStorage, fileStorageRegion: region, fileStorageKeyId: keyId, fileStorageSecret: secret = '' } = settings
  return fileStorage === undefined ? undefined : openFileStorage(fileStorage, { region, keyId, secret })
}

/** What speaks to other machines; `close` ends it. */
const openGateways = (settings: Settings, clock: () => Instant) => {
  const { smtpUrl, smtpFrom, publicUrl, notificationTimeoutMs: timeoutMs } = settings
  const webhooks = createWebhookSender({ clock, timeoutMs })
  const web = createWebClient({ clock, timeoutMs })
  const from = smtpFrom ?? `payin@${new URL(publicUrl).hostname}`
  const mail = smtpUrl === undefined ? undefined : createMailSender(smtpUrl, from)
  const close = async (): Promise<void> => {
    mail?.close()
    await Promise.all([webhooks.close(), web.close()])
  }
  return { gateways: { webhooks, web, mail, files: openFiles(settings) }, close }
}

/** The keys and the operator's token of the settings, or those of the data directory. */
const secretsOf = ({ encryptionKeys, operatorToken, dataDir }: Settings) => {
  const own = encryptionKeys && operatorToken ? undefined : loadOrCreateSecrets(dataDir)
  return {
    keys: encryptionKeys ?? own?.encryptionKeys ?? [],
    operatorToken: operatorToken ?? own?.operatorToken ?? '',
  }
}

/** The operators with tokens: the one of the service, and those that the settings name. */
const operatorsOf = (settings: Settings, token: string) => {
  const main = { name: mainOperator, role: 'owner', tenants: null, token } as const
  const named = [main, ...(settings.operatorTokens ?? [])]
  return named.map(({ token: each, ...operator }) => ({ ...operator, tokenHash: hashAccessToken(each) }))
}

/** Opens the database, migrates, seeds the demo and starts the roles; throws a readable Error. */
export const startService = async (options: {
  readonly settings: Settings
  readonly clock: () => Instant
  readonly log: Logger
  readonly engine?: Engine
}): Promise<Service> => {
  const { clock, log, engine } = options
  const { settings, maxFiles } = withinFileLimit(options.settings, log)
  const { keys, operatorToken } = secretsOf(settings)
  const ownVault = createVault(keys)
  const {
    database,
    servers,
    migrated,
    migrations: ofTenants,
  } = await openMigrated(settings, maxFiles, log, { keyIds: ownVault.keyIds, engine })
  let tenants: OpenTenants | undefined
  try {
    await admitKeys(database, ownVault, 'newest')
    const vault = createVault(keys, await openRetiredSubkeys(database, ownVault))
    const { gateways, close: closeGateways } = openGateways(settings, clock)
    const meter = openMeter()
    const spans = openSpans(version, clock)
    const shared = { vault, operators: operatorsOf(settings, operatorToken), ...gateways, clock, spans }
    const traced = (each: Database): Database => (spans ? traceDatabase(each, spans) : each)
    const context = await createContext({ ...shared, settings, database: traced(database), log, meter })
    if (settings.metricsPort !== undefined || settings.metricsToken !== undefined) measureService(context, database)
    tenants = new OpenTenants({
      ...{ main: context, database, servers, migrations: ofTenants },
      createContext: async (tenant, inSchema) => {
        await admitKeys(inSchema, vault, 'oldest')
        const ofTenant = { tenant, settings: settingsOfTenant(settings), log: log.child({ tenant }) }
        return createContext({ ...shared, ...ofTenant, meter: meterOfTenant(meter), database: traced(inSchema) })
      },
    })
    await tenants.start()
    // While the database works on the demo, this thread makes the server.
    const [demoToken, app] = await Promise.all([seedDemo(context), createServer(context, tenants)])
    const firstOwner = demoToken === undefined ? undefined : await inviteFirstOwner(context)
    const ownerLink = firstOwner && invitationLink(settings.publicUrl, firstOwner.token)
    const address = settings.roles.includes('web')
      ? await app.listen({ port: settings.port, host: settings.host, backlog: 4096 })
      : undefined
    const metricsPort = await openMetricsPort(context)
    const stopJobs = settings.roles.includes('worker') ? startTenantJobs(tenants) : undefined
    let stopping: Promise<void> | undefined
    const stop = async (drainMs: number): Promise<void> => {
      context.changes.close()
      tenants?.stopWaiting()
      // Other processes take over the jobs immediately; work under way here ends while requests are still answered.
      const jobsEnd = stopJobs?.()
      if (drainMs > 0) await sleep(drainMs)
      // For connections that came while the process was busy: one event-loop turn accepts them, the next one reads
      // their requests.
      for (let turn = 0; turn < 2; turn++) await setImmediate()
      await Promise.all([app.close(), jobsEnd])
      await tenants?.close()
      await Promise.all([closeGateways(), metricsPort?.close()])
      await servers.close()
      await database.close()
    }
    return {
      context,
      tenants,
      app,
      address,
      metricsPort: metricsPort?.port,
      demoToken,
      ownerLink,
      migrated,
      stop: (drainMs = 0) => (stopping ??= stop(drainMs)),
    }
  } catch (error) {
    await tenants?.close().catch(() => undefined)
    await servers.close()
    await database.close().catch(() => undefined)
    throw error
  }
}
