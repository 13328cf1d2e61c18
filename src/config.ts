import { readFileSync } from 'node:fs'
import { alertSettings } from './alert-settings.ts'
import { quoteDecimals } from './domain/currency.ts'
import { formatDecimal } from './domain/decimal.ts'
import { editDistance } from './domain/edit-distance.ts'
import { parseEncryptionKeys } from './secrets/parse-encryption-keys.ts'
import { parseOperatorTokens } from './secrets/parse-operator-tokens.ts'
import {
  addressList,
  anyText,
  databaseAddress,
  hostName,
  type Kind,
  listOf,
  longToken,
  oneOf,
  onOrOff,
  type Setting,
  webAddress,
  wholeNumber,
  wholeQuote,
} from './setting-kinds.ts'
import { unfitForProduction } from './unfit-for-production.ts'

const roles = ['web', 'worker'] as const
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** The one list of settings: the parser, the types, the suggestions and `.env.example` all come from it. */
const list = {
  port: {
    name: 'PORT',
    group: 'Web',
    kind: wholeNumber(0, 65_535),
    default: '8080',
    doc: 'TCP port that the service listens on; 0 takes any free one.',
  },
  host: {
    name: 'HOST',
    group: 'Web',
    kind: hostName,
    default: '127.0.0.1',
    doc: 'Address that the service listens on; 0.0.0.0 listens on every IPv4 interface, as containers need.',
  },
  publicUrl: {
    name: 'PUBLIC_URL',
    group: 'Web',
    kind: webAddress,
    default: 'http://localhost:{PORT}',
    requiredInProduction: true,
    fix: 'set the address that payers open, such as https://pay.example.com',
    doc: 'Address under which payers and merchants reach the service, the start of every link; https in production.',
  },
  trustProxy: {
    name: 'PAYIN_TRUST_PROXY',
    group: 'Web',
    kind: addressList,
    default: '',
    doc: 'Reverse proxies whose X-Forwarded-* headers are believed: IP addresses or CIDR ranges, separated by commas.',
  },
  rateLimit: {
    name: 'PAYIN_RATE_LIMIT',
    group: 'Web',
    kind: wholeNumber(0, 1_000_000),
    default: '2000',
    doc: 'Requests per second that one access token may make; 0 means no limit.',
  },
  pageRateLimit: {
    name: 'PAYIN_PAGE_RATE_LIMIT',
    group: 'Web',
    kind: wholeNumber(0, 1_000_000),
    default: '3000',
    doc: 'Requests per minute for payer pages that one address may make; 0 means no limit. Mobile networks share addresses.',
  },
  pageStreams: {
    name: 'PAYIN_PAGE_STREAMS',
    group: 'Web',
    kind: wholeNumber(0, 1_000_000),
    default: '500',
    doc: 'Payer pages that one address may keep open with live updates; further ones poll instead; 0 means no limit.',
  },
  connections: {
    name: 'PAYIN_CONNECTIONS',
    group: 'Web',
    kind: wholeNumber(0, 1_000_000),
    default: '20000',
    doc: 'Connections that the service keeps open, fewer where the limit of open files (ulimit -n) is too low for them and the database; further ones are closed at once; 0: as many as that allows.',
  },
  connectionsPerAddress: {
    name: 'PAYIN_CONNECTIONS_PER_ADDRESS',
    group: 'Web',
    kind: wholeNumber(0, 1_000_000),
    default: '4000',
    doc: 'How many of them one address may have, an IPv6 /64 counting as one; 0 means no limit. Proxies of PAYIN_TRUST_PROXY may have all.',
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    group: 'Database',
    kind: databaseAddress,
    secret: true,
    fix: 'set postgres://user:password@host:5432/database, or remove it to use the embedded database',
    doc: 'PostgreSQL to keep everything in, also several hosts of which one takes writes (postgres://user:password@a:5432,b:5432/database?target_session_attrs=read-write); when empty, an embedded database in the data directory is used.',
  },
  databaseListenUrl: {
    name: 'DATABASE_LISTEN_URL',
    group: 'Database',
    kind: databaseAddress,
    secret: true,
    fix: 'set the address of the PostgreSQL server itself, or remove it',
    doc: 'Where DATABASE_URL leads to a pooler that shares sessions: the same database without the pooler, for LISTEN; when empty, processes then poll for the changes of others.',
  },
  dataDir: {
    name: 'PAYIN_DATA_DIR',
    group: 'Database',
    kind: anyText,
    default: './data',
    doc: 'Directory of the embedded database and, outside production, of generated secrets; not to be shared.',
  },
  databasePool: {
    name: 'PAYIN_DATABASE_POOL',
    group: 'Database',
    kind: wholeNumber(1, 1_000),
    default: '10',
    doc: 'Most connections that one process opens to PostgreSQL.',
  },
  databasePrepared: {
    name: 'PAYIN_DATABASE_PREPARED',
    group: 'Database',
    kind: onOrOff,
    default: 'on',
    doc: 'Named prepared statements, on or off; switched off automatically behind a pooler that does not support them (pgbouncer before 1.21, or without max_prepared_statements).',
  },
  queryTimeoutMs: {
    name: 'PAYIN_QUERY_TIMEOUT_MS',
    group: 'Database',
    kind: wholeNumber(100, 3_600_000),
    default: '30000',
    doc: 'Milliseconds after which a running query is ended; checks of all data have ten minutes.',
  },
  migrate: {
    name: 'PAYIN_MIGRATE',
    group: 'Database',
    kind: oneOf(['on', 'off', 'only']),
    default: 'on',
    doc: 'on: a start applies pending migrations; off: it refuses to start while some are pending; only: it applies them and ends.',
  },
  notificationsInFlight: {
    name: 'PAYIN_NOTIFICATIONS_IN_FLIGHT',
    group: 'Notifications',
    kind: wholeNumber(1, 10_000),
    default: '256',
    doc: 'Notifications that one process sends at a time.',
  },
  notificationsPerEndpoint: {
    name: 'PAYIN_NOTIFICATIONS_PER_ENDPOINT',
    group: 'Notifications',
    kind: wholeNumber(1, 1_000),
    default: '16',
    doc: 'Notifications that one endpoint is sent at a time, from all processes together.',
  },
  notificationTimeoutMs: {
    name: 'PAYIN_NOTIFICATION_TIMEOUT_MS',
    group: 'Notifications',
    kind: wholeNumber(100, 60_000),
    default: '15000',
    doc: 'Milliseconds that a receiver has for the status of its answer.',
  },
  notificationRetentionDays: {
    name: 'PAYIN_NOTIFICATION_RETENTION_DAYS',
    group: 'Notifications',
    kind: wholeNumber(7, 3_650),
    default: '30',
    doc: 'Days for which deliveries and their attempts are kept; the events themselves stay.',
  },
  notificationLoopback: {
    name: 'PAYIN_NOTIFICATION_LOOPBACK',
    group: 'Notifications',
    kind: onOrOff,
    default: 'off',
    doc: 'Whether sandbox merchants may receive notifications on this machine, there by http, too: on or off.',
  },
  ...alertSettings,
  encryptionKeys: {
    name: 'PAYIN_ENCRYPTION_KEYS',
    group: 'Secrets',
    kind: parseEncryptionKeys,
    secret: true,
    requiredInProduction: true,
    fix: 'make a key with: echo "k1:$(openssl rand -base64 32)"',
    doc: 'Master keys, id:base64-of-32-bytes,…; the first encrypts, all decrypt; unset: kept in the data directory.',
  },
  operatorToken: {
    name: 'PAYIN_OPERATOR_TOKEN',
    group: 'Secrets',
    kind: longToken,
    secret: true,
    requiredInProduction: true,
    fix: 'make one with: openssl rand -hex 32',
    doc: 'Token of the operator API, 32 to 256 characters without spaces; unset: kept in the data directory.',
  },
  operatorTokens: {
    name: 'PAYIN_OPERATOR_TOKENS',
    group: 'Secrets',
    kind: parseOperatorTokens,
    secret: true,
    fix: 'write name/role:token pairs, such as anna/owner:<openssl rand -hex 32>,boris/support:<another>',
    doc: 'Further operators with tokens of their own, name/role:token,…; roles are owner (when left out), operator, finance, support, auditor (docs/roles.md); two-person decisions need two of them.',
  },
  secondPersonAbove: {
    name: 'PAYIN_SECOND_PERSON_ABOVE',
    group: 'Money',
    kind: wholeQuote(0, 999_999_999),
    default: '1000',
    doc: 'USDT above which a settlement is approved by another operator than its author; 0: always.',
  },
  environment: {
    name: 'NODE_ENV',
    group: 'Process',
    kind: oneOf(['development', 'production', 'test']),
    default: 'development',
    doc: 'development, production or test; production insists on https and given secrets, and never seeds a demo.',
  },
  demo: {
    name: 'PAYIN_DEMO',
    group: 'Process',
    kind: onOrOff,
    default: 'on',
    doc: 'Whether a first start seeds the sandbox merchant "Demo Shop", on or off; always off in production.',
  },
  roles: {
    name: 'PAYIN_ROLES',
    group: 'Process',
    kind: listOf(roles),
    default: 'web,worker',
    doc: 'What this process does: web answers requests, worker runs the jobs.',
  },
  logLevel: {
    name: 'PAYIN_LOG_LEVEL',
    group: 'Process',
    kind: oneOf(logLevels),
    default: 'info',
    doc: `Least important log lines that are still written: ${logLevels.join(', ')}.`,
  },
  serviceUrl: {
    name: 'PAYIN_URL',
    group: 'Command line',
    kind: webAddress,
    default: 'http://127.0.0.1:{PORT}',
    doc: 'Address of the running service that the command payin talks to; the service itself does not read it.',
  },
  configFile: {
    name: 'PAYIN_CONFIG',
    group: 'Command line',
    kind: anyText,
    default: '',
    doc: 'File in the form of this one from which the command payin takes address and token; unset: the .env or data directory of the nearest folder, else ~/.config/payin/config.',
  },
} as const satisfies Record<string, Setting>

type List = typeof list
type Value<S> = S extends { kind: Kind<infer T> } ? (S extends { default: string } ? T : T | undefined) : never

/** Every setting, parsed and checked, by its name in the code; secrets that nobody gave are undefined. */
export type Settings = { readonly [Key in keyof List]: Value<List[Key]> } & { readonly production: boolean }

const entries: readonly (readonly [string, Setting])[] = Object.entries(list)

type Environment = Readonly<Record<string, string | undefined>>

/** The trimmed text from the variable or its file; an empty variable counts as not given, an empty file is a fault. */
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

const quoted = (setting: Setting, text: string): string => {
  if (setting.secret) return ''
  // A password may come before the @ of an address.
  const safe = text.replace(/\/\/.*@/s, '//…@')
  return ` (found ${JSON.stringify(safe.length > 80 ? `${safe.slice(0, 80)}…` : safe)})`
}

const fixOf = (setting: Setting): string =>
  setting.fix ?? `correct it, or remove it for the default ${setting.default || '(none)'}`

/** Kubernetes adds these to every pod next to a Service whose name starts with "payin"; they must not stop the start. */
const isServiceLink = (name: string, value: string | undefined): boolean => {
  if (/_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)$/.test(name)) return true
  if (/_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name)) return true
  return name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value ?? '')
}

/** A misspelt name would silently leave its default in force, so every unknown PAYIN_ name is a fault. */
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

/** Settings, or each fault in one line: the variable, what is wrong and how to fix it, never a secret. */
export type ParsedSettings<T = Settings> =
  | { readonly ok: true; readonly settings: T }
  | { readonly ok: false; readonly errors: string[] }

/** Reads all settings. */
export const parseSettings = (environment: Environment): ParsedSettings => {
  const errors = unknownVariables(environment)
  const values: Record<string, unknown> = {}
  const production = environment['NODE_ENV']?.trim() === 'production'
  const port = environment['PORT']?.trim() || list.port.default

  for (const [key, setting] of entries) {
    const given = readVariable(setting, environment)
    if ('error' in given) {
      errors.push(given.error)
      continue
    }
    if (given.text === undefined && production && setting.requiredInProduction) {
      errors.push(`${setting.name} is not set, and production needs it: ${setting.fix}`)
      continue
    }
    const text = given.text ?? setting.default?.replace('{PORT}', port)
    const parsed = text === undefined ? { value: undefined } : setting.kind(text)
    // A wrong PORT is reported once, not again through the address that is made of it.
    if ('problem' in parsed && given.text !== undefined) {
      errors.push(`${given.source} ${parsed.problem}${quoted(setting, given.text)}: ${fixOf(setting)}`)
    }
    if ('value' in parsed) values[key] = parsed.value
  }

  const settings = values as Settings
  if (production) errors.push(...unfitForProduction(settings))
  if (errors.length > 0) return { ok: false, errors }
  return { ok: true, settings: { ...settings, production, demo: settings.demo && !production } }
}

/** Reads the settings of the command line, by default from the environment of the process; the others stay unread. */
export const cliSettings = (
  environment: Environment = process.env,
): ParsedSettings<Pick<Settings, 'serviceUrl' | 'operatorToken' | 'dataDir'>> => {
  const names = [list.port, list.serviceUrl, list.operatorToken, list.dataDir].map((setting) => setting.name)
  const own = [...names, `${list.operatorToken.name}_FILE`].map((name) => [name, environment[name]])
  return parseSettings(Object.fromEntries(own))
}

/** The text of `.env.example`: every setting with its default, commented out and grouped. */
export const describeSettings = (): string => {
  const lines = [
    '# Settings of Payin. This file is made from src/config.ts.',
    '# Copy it to .env and uncomment what you change; an empty value counts as unset.',
    '# A secret NAME may also come from a file: set NAME_FILE to its path instead.',
  ]
  for (const [group, members] of Map.groupBy(entries, ([, setting]) => setting.group)) {
    lines.push('', `# --- ${group} ---`)
    for (const [, setting] of members) {
      lines.push('', `# ${setting.doc}`)
      if (setting.secret) lines.push(`# Secret; may also come from ${setting.name}_FILE.`)
      if (setting.requiredInProduction) lines.push(`# Required in production: ${setting.fix}`)
      lines.push(`#${setting.name}=${setting.default?.replace('{PORT}', list.port.default) ?? ''}`)
    }
  }
  return `${lines.join('\n')}\n`
}

/** The settings by variable name, fit for logs and health pages: of a secret only whether it is set. */
export const maskedSettings = (settings: Settings): Record<string, unknown> => {
  const values: Readonly<Record<string, unknown>> = settings
  return Object.fromEntries(
    entries.map(([key, setting]) => {
      const value = values[key]
      if (setting.secret) return [setting.name, value === undefined ? '(not set)' : '(set)']
      return [setting.name, typeof value === 'bigint' ? formatDecimal(value, quoteDecimals) : value]
    }),
  )
}
