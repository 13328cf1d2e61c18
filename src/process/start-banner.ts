import type { Settings } from '../settings/config.ts'
import type { Service } from './start-service.ts'

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
        '              Begin with two: payin operators invite NAME --email EMAIL --role owner',
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
