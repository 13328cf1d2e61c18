// `npm run generate`: writes the committed files that are generated from the code: `.env.example`, `docs/openapi.json`,
// `docs/errors.md`, `docs/roles.md` and its Russian edition, `docs/operate/metrics.md`, `sdk/src/api.ts`.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import pino from 'pino'
import { describeSettings, parseSettings } from '../src/settings/config.ts'
import { startService } from '../src/process/start-service.ts'
import { errorCodes } from '../src/rules/error-codes.ts'
import { errorsDocument } from './describe-api.ts'
import { metricsDocument } from './describe-metrics.ts'
import { rolesDocument, russianRolesDocument } from './describe-roles.ts'
import { sdkSource } from './describe-sdk.ts'

const root = resolve(import.meta.dirname, '..')

/**
 * The committed OpenAPI document: that of a service with default settings. The service runs on the embedded database in
 * a folder, by default a new one, which is removed afterwards.
 */
export const openApiDocument = async (dataDir = mkdtempSync(join(tmpdir(), 'payin-generate-'))): Promise<string> => {
  const parsed = parseSettings({
    PORT: '0',
    PUBLIC_URL: 'http://localhost:8080',
    PAYIN_DATA_DIR: dataDir,
    PAYIN_DEMO: 'off',
  })
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'))
  const service = await startService({ settings: parsed.settings, clock: Date.now, log: pino({ level: 'silent' }) })
  try {
    const { body } = await service.app.inject('/openapi.json')
    return `${JSON.stringify(JSON.parse(body), null, 2)}\n`
  } finally {
    await service.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const writeDocuments = async (): Promise<void> => {
  writeFileSync(join(root, '.env.example'), describeSettings())
  const openApi = await openApiDocument()
  writeFileSync(join(root, 'docs', 'openapi.json'), openApi)
  writeFileSync(join(root, 'docs', 'errors.md'), errorsDocument())
  writeFileSync(join(root, 'docs', 'roles.md'), rolesDocument(openApi))
  writeFileSync(join(root, 'docs', 'ru', 'roles.md'), russianRolesDocument(openApi))
  writeFileSync(join(root, 'docs', 'operate', 'metrics.md'), metricsDocument())
  const sdk = join(root, 'sdk', 'src', 'api.ts')
  writeFileSync(sdk, sdkSource(openApi, Object.keys(errorCodes)))
  execFileSync(join(root, 'node_modules', '.bin', 'biome'), ['format', '--write', sdk], { cwd: root, stdio: 'ignore' })
}

// Not awaited, because test files import this one and are loaded synchronously.
if (import.meta.main) void writeDocuments()
