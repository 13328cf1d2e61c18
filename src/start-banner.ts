import type { Settings } from './config.ts'
import type { Service } from './start-service.ts'

/** Faults of file systems that another directory or other rights would cure. */
const unwritable = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOSPC'])

const codeOf = (error: unknown): string => (error as { code?: string } | null)?.code ?? ''

/** Why the service cannot start and how to fix it, in one line for each common reason. */
export const startFailure = (error: unknown, settings: Settings): string => {
  const code = codeOf(error)
  if (code === 'EADDRINUSE') {
    return `Payin cannot start: port ${settings.port} is in use. Stop the other program, or start with PORT=${settings.port + 1} npm start`
  }
  const path = (error as { path?: string } | null)?.path
  // By default a relative path.
  const isOfData = path?.includes(settings.dataDir.replace(/^\.\//, '')) === true
  if (isOfData && unwritable.has(code)) {
    return `Payin cannot start: it cannot write to the data directory ${settings.dataDir} (${code}). Make it writable for this user, or set PAYIN_DATA_DIR to another directory.`
  }
  if (path === undefined && (code === 'EACCES' || code === 'EADDRNOTAVAIL')) {
    return `Payin cannot start: it may not listen on ${settings.host}:${settings.port} (${code}). Choose another HOST or PORT.`
  }
  const message = error instanceof Error ? error.message : String(error)
  const cause = (error as { cause?: unknown } | null)?.cause
  const reason = cause instanceof Error ? cause.message || codeOf(cause) : code || message
  if (
    code !== 'unfit_database' &&
    settings.databaseUrl !== undefined &&
    /ECONN|ENOTFOUND|EAI_AGAIN|timeout|28P01|3D000|28000|database_unavailable/.test(`${code} ${message}`)
  ) {
    return `Payin cannot start: the database of DATABASE_URL does not answer (${reason}). Check that PostgreSQL runs and that host, user, password and database name are right.`
  }
  return `Payin cannot start: ${message}`
}

const curl = (address: string, token: string): string =>
  [
    `  curl -s ${address}/api/v1/merchant/payments \\`,
    `    -H 'Authorization: Bearer ${token}' \\`,
    `    -H 'Content-Type: application/json' \\`,
    `    -d '{"type":"direct","amount":1000.01,"orderId":"order-1","currency":"rub","method":"sbp"}'`,
  ].join('\n')

const consoleLines = (publicUrl: string, ownerLink: string | undefined): readonly string[] =>
  ownerLink === undefined
    ? [`  Console     ${publicUrl}/console`]
    : [
        `  Console     ${ownerLink}`,
        '              makes the account of the first owner; good once, for a day',
        '              Begin with two: payin members invite NAME EMAIL --role owner',
      ]

/** The output of a start: where everything is and, in the demo, a command that creates a payment. */
export const startBanner = (service: Service, settings: Settings): string => {
  const { address, demoToken, ownerLink, context } = service
  const publicUrl = context.settings.publicUrl
  const lines = [
    '',
    `Payin is ready${address === undefined ? ' (worker only)' : ` on ${address}`}`,
    `  Database    ${context.engine === 'postgres' ? 'PostgreSQL (DATABASE_URL)' : `embedded, in ${settings.dataDir}`}`,
    ...(address === undefined ? [] : [`  Documents   ${publicUrl}/docs`, `  OpenAPI     ${publicUrl}/openapi.json`]),
    // A production installation has the command in its PATH.
    `  Operator    ${settings.production ? 'payin' : 'npx payin'} --help`,
    ...(address === undefined || settings.console === 'off' ? [] : consoleLines(publicUrl, ownerLink)),
    ...(demoToken === undefined || address === undefined
      ? []
      : [
          `  Sandbox     merchant "Demo Shop", token ${demoToken}`,
          '',
          'Create a payment (an amount ending in .01 is paid automatically after 2 seconds):',
          '',
          curl(publicUrl, demoToken),
          '',
          "Open its redirectUrl to see the payer's page; PAYIN_DEMO=off starts without the demo.",
        ]),
    '',
  ]
  return `${lines.join('\n')}\n`
}
