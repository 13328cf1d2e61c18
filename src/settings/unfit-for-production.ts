import { isGuessable, isGuessableKey } from '../secrets/guessable.ts'

type Judged = {
  readonly publicUrl?: string
  readonly operatorToken?: string | undefined
  readonly operatorTokens?: readonly { readonly token: string }[] | undefined
  readonly encryptionKeys?: readonly { readonly key: Uint8Array }[] | undefined
}

/** This machine's own names: no payer's browser reaches it by them. */
const isOwnHost = (host: string): boolean =>
  /^(?:localhost|.*\.localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\])\.?$/.test(host)

const notRandom = (name: string): string =>
  `${name} is not random, and production needs it to be: draw another with openssl`

/** What production refuses although it is well-formed, one line each; wrong settings are left out. */
export const unfitForProduction = ({ publicUrl, operatorToken, operatorTokens, encryptionKeys }: Judged): string[] => {
  const faults: string[] = []
  if (publicUrl?.startsWith('http:'))
    faults.push('PUBLIC_URL is not https, and production needs it: put TLS in front of the service and set https://…')
  else if (publicUrl !== undefined && isOwnHost(new URL(publicUrl).hostname))
    faults.push('PUBLIC_URL is this machine itself: set the address that payers open, such as https://pay.example.com')
  if (operatorToken !== undefined && isGuessable(operatorToken)) faults.push(notRandom('PAYIN_OPERATOR_TOKEN'))
  if (operatorTokens?.some(({ token }) => isGuessable(token))) faults.push(notRandom('PAYIN_OPERATOR_TOKENS'))
  // Older keys only decrypt: a weak one must stay readable while it is being replaced.
  const [first] = encryptionKeys ?? []
  if (first && isGuessableKey(first.key)) faults.push(notRandom('The first key of PAYIN_ENCRYPTION_KEYS'))
  return faults
}

type Advised = {
  readonly publicUrl: string
  readonly databaseUrl: string | undefined
  readonly trustProxy: readonly string[]
  readonly metricsPort: number | undefined
  readonly metricsToken: string | undefined
  readonly notificationLoopback: boolean
  readonly encryptionKeys?: readonly { readonly id: string }[] | undefined
}

/** What production accepts but should be different, one line each. */
export const adviseForProduction = (settings: Advised): string[] => {
  const advice: string[] = []
  if (settings.databaseUrl === undefined)
    advice.push('DATABASE_URL is not set: the embedded database is for one process; use PostgreSQL for more than one')
  if (settings.publicUrl.startsWith('https:') && settings.trustProxy.length === 0)
    advice.push(
      'PAYIN_TRUST_PROXY is empty: all visitors count as one address, the proxy’s; set the address of the proxy',
    )
  if (settings.metricsPort === undefined && settings.metricsToken === undefined)
    advice.push('PAYIN_METRICS_PORT is off: no monitoring sees whether the service works; set a port, such as 9464')
  if (settings.notificationLoopback)
    advice.push('PAYIN_NOTIFICATION_LOOPBACK is on: endpoints of merchants may be on this machine; remove it')
  const [, ...others] = settings.encryptionKeys ?? []
  if (others.length > 0)
    advice.push(
      `PAYIN_ENCRYPTION_KEYS has further keys (${others.map(({ id }) => id).join(', ')}): payin keys status says whether they are still needed`,
    )
  return advice
}
