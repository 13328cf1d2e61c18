import { readFileSync } from 'node:fs'
import { amountDigits, usdt } from '../rules/values/currency.ts'
import { alertSettings, notificationSettings } from './notification-settings.ts'
import {
  commandLineSettings,
  moneySettings,
  observationSettings,
  processSettings,
  fileSettings,
  secretSettings,
} from './process-settings.ts'
import { databaseSettings } from './database-settings.ts'
import type { Kind, Setting } from './setting-kinds.ts'
import { webSettings } from './web-settings.ts'
import { isGuessable, isGuessableKey } from '../secrets/guessable.ts'

/** The only list of settings, area by area: the parser, types, suggestions and `.env.example` all come from it. */
const list = {
  ...webSettings,
  ...databaseSettings,
  ...notificationSettings,
  ...alertSettings,
  ...secretSettings,
  ...fileSettings,
  ...moneySettings,
  ...observationSettings,
  ...processSettings,
  ...commandLineSettings,
} as const satisfies Record<string, Setting>

type List = typeof list
type Value<S> = S extends { kind: Kind<infer T> } ? (S extends { default: string } ? T : T | undefined) : never

/** Every setting, parsed and checked, by its name in the code; secrets that were not set are undefined. */
export type Settings = { readonly [Key in keyof List]: Value<List[Key]> } & { readonly production: boolean }

const entries: readonly (readonly [string, Setting])[] = Object.entries(list)

type Environment = Readonly<Record<string, string | undefined>>

/** The trimmed text from the variable or its file; an empty variable counts as not set, an empty file is a fault. */
const readVariable = (
  { name, secret }: Setting,
  environment: Environment,
): { text: string | undefined; source: string } | { error: string } => {
  const text = environment[name]?.trim() || undefined
  const fileVariable = `${name}_FILE`
  const path = secret ? environment[fileVariable]?.trim() : undefined
  if (!path) return { text, source: name }
  if (text !== undefined) return { error: `${name} and ${fileVariable} are both set: keep only one of them` }
  try {
    const content = readFileSync(path, 'utf8').trim()
    if (content) return { text: content, source: fileVariable }
    return { error: `${fileVariable} names an empty file: write the secret into it` }
  } catch (error) {
    // The path is not quoted: people put the secret itself there by mistake.
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    return { error: `${fileVariable} names a file that cannot be read (${code}): name one that the service may read` }
  }
}

/** The address at which a process on this machine reaches a service that listens on an address. */
const reachable = (host: string): string => {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

/** The default of a setting, which may contain the address and the port of the service. */
const defaultOf = (setting: Setting, environment: Environment): string | undefined =>
  setting.default
    ?.replace('{HOST}', reachable(environment['HOST']?.trim() || list.host.default))
    .replace('{PORT}', environment['PORT']?.trim() || list.port.default)

/** A text without the password that may precede the @ of an address. */
const withoutPassword = (text: string): string => text.replace(/\/\/.*@/s, '//…@')

/** Says a text in another language. */
type Say = (text: string) => string

const inEnglish: Say = (text) => text

const quoted = (setting: Setting, text: string, say: Say): string => {
  if (setting.secret) return ''
  const safe = withoutPassword(text)
  return ` (${say('found')} ${JSON.stringify(safe.length > 80 ? `${safe.slice(0, 80)}…` : safe)})`
}

const fixOf = ({ fix, default: usual }: Setting, say: Say): string => {
  if (fix !== undefined) return say(fix)
  return say(usual ? `correct it, or remove it for the default ${usual}` : 'correct it, or remove it')
}

/** Kubernetes adds these to each pod near a Service whose name starts with "payin"; they must not prevent a start. */
const isServiceLink = (name: string, value: string | undefined): boolean => {
  if (/_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)$/.test(name)) return true
  if (/_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name)) return true
  return name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value ?? '')
}

/** A misspelt name would silently leave the default in effect, so every unknown PAYIN_ name is a fault. */
const unknownVariables = (environment: Environment): string[] => {
  const known = entries.flatMap(([, { name, secret }]) => (secret ? [name, `${name}_FILE`] : [name]))
  return Object.keys(environment)
    .filter((name) => name.startsWith('PAYIN_') && environment[name] !== undefined && !known.includes(name))
    .filter((name) => !isServiceLink(name, environment[name]))
    .map((name) => {
      const bare = (other: string) => other.replace(/^PAYIN_/, '')
      const nearest = known.toSorted((a, b) => editDistance(bare(name), bare(a)) - editDistance(bare(name), bare(b)))[0]
      return `${name} is not a setting: did you mean ${nearest}? Otherwise remove it`
    })
}

/** The settings, or one line for each fault: the variable, what is wrong and how to fix it, never a secret. */
export type ParsedSettings<T = Settings> =
  | { readonly ok: true; readonly settings: T }
  | { readonly ok: false; readonly errors: string[] }

/** Reads all settings. `say`: in which language faults are said; default: English. */
export const parseSettings = (environment: Environment, say = inEnglish): ParsedSettings => {
  const errors = unknownVariables(environment).map(say)
  const values: Record<string, unknown> = {}
  const production = environment['NODE_ENV']?.trim() === 'production'

  for (const [key, setting] of entries) {
    const given = readVariable(setting, environment)
    if ('error' in given) {
      errors.push(say(given.error))
      continue
    }
    if (given.text === undefined && production && setting.requiredInProduction) {
      errors.push(`${setting.name} ${say('is not set, and production needs it')}: ${fixOf(setting, say)}`)
      continue
    }
    const text = given.text ?? defaultOf(setting, environment)
    const parsed = text === undefined ? { value: undefined } : setting.kind(text)
    // A wrong PORT is reported once, not again for the address built from it.
    if ('problem' in parsed && given.text !== undefined) {
      errors.push(`${given.source} ${say(parsed.problem)}${quoted(setting, given.text, say)}: ${fixOf(setting, say)}`)
    }
    if ('value' in parsed) values[key] = parsed.value
  }

  const settings = values as Settings
  if (settings.operatorTokens?.some(({ token }) => token === settings.operatorToken))
    errors.push(
      say('PAYIN_OPERATOR_TOKENS gives the PAYIN_OPERATOR_TOKEN to another operator, too: make another token'),
    )
  if (production) errors.push(...unfitForProduction(settings).map(say))
  if (errors.length > 0) return { ok: false, errors }
  return { ok: true, settings: { ...settings, production, demo: settings.demo && !production } }
}

/** How to connect to the database that the settings name. */
export const connectionOf = (settings: Settings) => ({
  ...{ url: settings.databaseUrl, listenUrl: settings.databaseListenUrl, schema: settings.databaseSchema },
  ...{ poolSize: settings.databasePool, preparedStatements: settings.databasePrepared },
  queryTimeoutMs: settings.queryTimeoutMs,
})

/** Reads the settings of the command line, by default from the process environment; ignores the others. */
export const cliSettings = (
  environment: Environment = process.env,
): ParsedSettings<Pick<Settings, 'serviceUrl' | 'operatorToken' | 'merchantToken' | 'webhookSecret' | 'dataDir'>> => {
  const { port, host, serviceUrl, operatorToken, merchantToken, webhookSecret, dataDir } = list
  const read: readonly Setting[] = [port, host, serviceUrl, operatorToken, merchantToken, webhookSecret, dataDir]
  const names = read.flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name]))
  const own = names.map((name) => [name, environment[name]])
  return parseSettings(Object.fromEntries(own))
}

/** The text of `.env.example`: every setting with its default, commented out and grouped. */
export const describeSettings = (): string => {
  const lines = [
    '# Settings of Payin. This file is made from src/settings/config.ts.',
    '# Copy it to .env and uncomment what you change; an empty value counts as unset.',
    '# A secret NAME may also come from a file: set NAME_FILE to its path instead.',
  ]
  for (const [group, members] of Map.groupBy(entries, ([, setting]) => setting.group)) {
    lines.push('', `# --- ${group} ---`)
    for (const [, setting] of members) {
      lines.push('', `# ${setting.doc}`)
      if (setting.secret) lines.push(`# Secret; may also come from ${setting.name}_FILE.`)
      if (setting.requiredInProduction) lines.push(`# Required in production: ${setting.fix}`)
      lines.push(`#${setting.name}=${defaultOf(setting, {}) ?? ''}`)
    }
  }
  return `${lines.join('\n')}\n`
}

/** The settings by variable name, safe for logs and health pages: for a secret only whether it is set. */
export const maskedSettings = (settings: Settings): Record<string, unknown> => {
  const values: Readonly<Record<string, unknown>> = settings
  return Object.fromEntries(
    entries.map(([key, setting]) => {
      const value = values[key]
      if (setting.secret) return [setting.name, value === undefined ? '(not set)' : '(set)']
      return [setting.name, typeof value === 'bigint' ? amountDigits(value, usdt) : value]
    }),
  )
}

/** What is wrong with the settings, what production would also refuse, and what it allows but is unwise. */
export const judgeSettings = (
  environment: Environment,
  say = inEnglish,
): { readonly wrong: string[]; readonly unfit: string[]; readonly advice: string[]; readonly production: boolean } => {
  const asIs = parseSettings(environment, say)
  const wrong = asIs.ok ? [] : asIs.errors
  const inProduction = parseSettings({ ...environment, NODE_ENV: 'production' }, say)
  const refused = inProduction.ok ? [] : inProduction.errors
  return {
    wrong,
    unfit: refused.filter((line) => !wrong.includes(line)),
    advice: asIs.ok ? adviseForProduction(asIs.settings).map(say) : [],
    production: environment['NODE_ENV']?.trim() === 'production',
  }
}

/** Levenshtein: how many characters of `a` must be added, removed or replaced to make `b`. */
const editDistance = (a: string, b: string): number => {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [row, character] of a.split('').entries()) {
    const current = [row + 1]
    for (const [column, other] of b.split('').entries()) {
      const replaced = (previous[column] ?? 0) + (character === other ? 0 : 1)
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1))
    }
    previous = current
  }
  return previous[b.length] ?? 0
}

/** This machine's own names: no payer's browser reaches it by them. */
const isOwnHost = (host: string): boolean =>
  /^(?:localhost|.*\.localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\])\.?$/.test(host)

const notRandom = (name: string): string =>
  `${name} is not random, and production needs it to be: draw another with openssl`

/** What production refuses although it is well-formed, one line each; wrong settings are left out. */
const unfitForProduction = ({
  publicUrl,
  operatorToken,
  operatorTokens,
  encryptionKeys,
}: Partial<Settings>): string[] => {
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

/** What production accepts but should be different, one line each. */
const adviseForProduction = (settings: Settings): string[] => {
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
