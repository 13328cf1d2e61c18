import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { beginEngine } from './process/begin-engine.ts'
import { parseSettings, type Settings } from './settings/config.ts'
import { readTexts } from './settings/operator-texts.ts'
import { openLog } from './process/open-log.ts'
import { startBuilds } from './process/start-builds.ts'
import { startBanner } from './process/start-banner.ts'
import { exitCodes, type StartFailure, startFailure } from './process/start-failure.ts'

/**
 * If the folder is writable, Node.js keeps compiled code there for the next start. `npm start` names it in
 * NODE_COMPILE_CACHE, so that this file and the database's thread use it, too: without it each thread loads the
 * stripper of types, which takes 12 MB.
 */
const compiledCode = join(import.meta.dirname, '..', 'node_modules', '.cache', 'compiled')

/** A process that has not stopped within this time is killed: process managers wait for 30 seconds. */
const stopWithinMs = 24_000

const fail = ({ text, exitCode }: StartFailure): never => {
  process.stderr.write(`${text}\n`)
  process.exit(exitCode)
}

const readSettings = (): Settings => {
  const parsed = parseSettings(process.env)
  if (parsed.ok) return parsed.settings
  const texts = readTexts(process.env['PAYIN_LANGUAGE']?.trim() ?? '')
  const say = (text: string): string => texts?.sayFilled(text) ?? text
  const said = parseSettings(process.env, say)
  const faults = said.ok ? [] : said.errors
  const lines = [say('Payin cannot start; please fix these settings:'), ...faults.map((line) => `  ${line}`)]
  return fail({ text: lines.join('\n'), exitCode: exitCodes.misconfigured })
}

const main = async (): Promise<void> => {
  // What it prints may be on a disk that is full.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  const settings = readSettings()
  const log = openLog(settings)
  const engine = beginEngine(settings, log)
  enableCompileCache(compiledCode)
  const { migrateOnly, startService } = await import('./process/start-service.ts')
  if (settings.migrate === 'only') {
    const migrated = await migrateOnly({ settings, log, engine }).catch((error: unknown) =>
      fail(startFailure(error, settings)),
    )
    process.stdout.write(migrated.length > 0 ? `Applied ${migrated.join(', ')}.\n` : 'There is nothing to migrate.\n')
    process.exit(0)
  }
  const service = await startService({ settings, log, engine }).catch((error: unknown) =>
    fail(startFailure(error, settings)),
  )
  process.stdout.write(startBanner(service, settings))
  const stopBuilds = startBuilds(settings, log)
  const stop = (signal: string): void => {
    log.info({ signal }, 'stopping')
    stopBuilds()
    setTimeout(() => process.exit(1), stopWithinMs).unref()
    service.stop(settings.drainMs).then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'could not stop cleanly')
        process.exit(1)
      },
    )
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}

await main()
