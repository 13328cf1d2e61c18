import { join } from 'node:path'
import pino from 'pino'
import { parseSettings } from '../../src/settings/config.ts'
import { type Context, createContext } from '../../src/engine/context.ts'
import type { Database } from 'payin-database'
import { migrate } from 'payin-database/migrations'
import { openDatabase } from 'payin-database/open'
import type { App } from '../../src/http/routes/app.ts'
import { openMeter } from '../../src/metrics/meter.ts'
import { createServer } from '../../src/http/server.ts'
import { createDepots } from '../../src/gateways/depots/open-depot.ts'
import { createWebClient } from '../../src/gateways/web-client.ts'
import { createWebhookSender } from '../../src/gateways/webhook-sender.ts'
import { startJobs } from '../../src/process/jobs/jobs.ts'
import { hashAccessToken } from '../../src/secrets/access-token.ts'
import { createVault } from '../../src/secrets/vault.ts'

/**
 * Runs the service in this process, as `src/process/start-service.ts` does with the settings of the environment, with one
 * change: of the database, or of the routes. Prints its address and ends on SIGTERM.
 */
export const serve = async (change: {
  readonly replaceDatabase?: (database: Database) => Database
  readonly addRoutes?: (app: App, context: Context) => Promise<void>
}): Promise<void> => {
  const parsed = parseSettings(process.env)
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'))
  const { settings } = parsed
  const log = pino({ level: settings.logLevel }, pino.destination({ dest: 2, sync: false }))
  const opened = await openDatabase({
    url: settings.databaseUrl,
    dataDir: settings.dataDir,
    poolSize: settings.databasePool,
    preparedStatements: settings.databasePrepared,
    queryTimeoutMs: settings.queryTimeoutMs,
  })
  await migrate(opened, join(import.meta.dirname, '..', '..', 'migrations'))
  const context = await createContext({
    meter: openMeter(),
    settings,
    database: change.replaceDatabase?.(opened) ?? opened,
    vault: createVault(settings.encryptionKeys ?? []),
    addressKey: Buffer.alloc(32, 1),
    webhooks: createWebhookSender({ clock: Date.now, timeoutMs: settings.notificationTimeoutMs }),
    web: createWebClient({ clock: Date.now, timeoutMs: settings.notificationTimeoutMs }),
    depots: createDepots({ clock: Date.now, root: undefined, reach: 'public' }),
    mail: undefined,
    files: undefined,
    operators: [{ name: 'operator', role: 'owner', tokenHash: hashAccessToken(settings.operatorToken ?? '') }],
    clock: Date.now,
    log,
  })
  const app = await createServer(context)
  await change.addRoutes?.(app, context)
  const address = await app.listen({ port: settings.port, host: settings.host, backlog: 4096 })
  const stopJobs = startJobs(context)
  process.once('SIGTERM', () => {
    context.changes.close()
    void Promise.all([app.close(), stopJobs()]).then(() => opened.close())
  })
  console.log(`ready on ${address}`)
}
