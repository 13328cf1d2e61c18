import {
  listOf,
  oneOf,
  onOrOff,
  settingsOf,
  wholeNumber,
  hostName,
  longToken,
  portOrOff,
  wholeUsdt,
  anyText,
  webAddress,
} from './setting-kinds.ts'
import { parseEncryptionKeys } from '../secrets/parse-encryption-keys.ts'
import { parseOperatorTokens } from '../secrets/parse-operator-tokens.ts'

const roles = ['web', 'worker'] as const
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

export const processSettings = settingsOf('Process', {
  environment: {
    name: 'NODE_ENV',
    kind: oneOf(['development', 'production', 'test']),
    default: 'development',
    doc: 'development, production or test; production requires https and explicit secrets, and never seeds a demo.',
  },
  demo: {
    name: 'PAYIN_DEMO',
    kind: onOrOff,
    default: 'on',
    doc: 'Whether a first start seeds the sandbox merchant "Demo Shop", on or off; always off in production.',
  },
  roles: {
    name: 'PAYIN_ROLES',
    kind: listOf(roles),
    default: 'web,worker',
    doc: 'What this process does: web answers requests, worker runs the jobs.',
  },
  drainMs: {
    name: 'PAYIN_DRAIN_MS',
    kind: wholeNumber(0, 15_000),
    default: '500',
    doc: 'Milliseconds for which a process that was asked to stop (SIGTERM) still answers requests while /readyz says 503: as long as load balancers need to notice, such as two of their check intervals.',
  },
  logLevel: {
    name: 'PAYIN_LOG_LEVEL',
    kind: oneOf(logLevels),
    default: 'info',
    doc: `Least important log lines that are still written: ${logLevels.join(', ')}.`,
  },
})

export const observationSettings = settingsOf('Observation', {
  metricsPort: {
    name: 'PAYIN_METRICS_PORT',
    kind: portOrOff,
    default: 'off',
    doc: 'Separate TCP port for /metrics (Prometheus), /healthz and /readyz, also for a process that only runs jobs; 0 takes any free one; off: no such port.',
  },
  metricsHost: {
    name: 'PAYIN_METRICS_HOST',
    kind: hostName,
    default: '127.0.0.1',
    doc: 'Address that PAYIN_METRICS_PORT listens on; the values show how much business there is, so it should not be reached from outside.',
  },
  metricsToken: {
    name: 'PAYIN_METRICS_TOKEN',
    kind: longToken,
    secret: true,
    fix: 'make one with: openssl rand -hex 32',
    doc: 'Token that /metrics requires, 32 to 256 characters; if set, /metrics is also served on PORT.',
  },
})

export const moneySettings = settingsOf('Money', {
  secondPersonAbove: {
    name: 'PAYIN_SECOND_PERSON_ABOVE',
    kind: wholeUsdt(0, 999_999_999),
    default: '1000',
    doc: 'USDT above which a settlement, or what one operator writes off or says that outgoing money was for, alone or with others of the same author within 24 hours, needs another operator; 0: always.',
  },
  loneReportsAbove: {
    name: 'PAYIN_LONE_REPORTS_ABOVE',
    kind: wholeUsdt(0, 999_999_999),
    doc: 'USDT of incoming money within 24 hours that stands on the word of one operator alone (typed in, or in files that the same person uploaded and confirmed), above which another operator decides; unset: as PAYIN_SECOND_PERSON_ABOVE if two people may decide, else unbounded.',
  },
  secondPersonAgeDays: {
    name: 'PAYIN_SECOND_PERSON_AGE_DAYS',
    kind: wholeNumber(0, 365),
    default: '7',
    doc: 'For how many days an account of the console must have existed, without a reset of its password or second factor, to count as a second person.',
  },
  destinationCoolingHours: {
    name: 'PAYIN_DESTINATION_COOLING_HOURS',
    kind: wholeNumber(0, 720),
    default: '24',
    doc: 'Hours between the approval of a destination and the first settlement that may be sent there.',
  },
})

export const commandLineSettings = settingsOf('Command line', {
  serviceUrl: {
    name: 'PAYIN_URL',
    kind: webAddress,
    default: 'http://{HOST}:{PORT}',
    doc: 'Address of the running service that the command payin talks to; the service itself does not read it.',
  },
  merchantToken: {
    name: 'PAYIN_TOKEN',
    kind: anyText,
    secret: true,
    doc: "A merchant's access token for the merchant commands of payin, such as payin payments create; the service itself does not read it.",
  },
  webhookSecret: {
    name: 'PAYIN_SECRET',
    kind: anyText,
    secret: true,
    doc: "The secret with which a merchant's server verifies notifications, whsec_…; payin listen and payin check-integration sign with it, the service itself does not read it.",
  },
  configFile: {
    name: 'PAYIN_CONFIG',
    kind: anyText,
    default: '',
    doc: 'File like this one, from which the command payin takes address and token, and payin config and copy-database the settings; unset: the .env or data directory of the nearest folder, else ~/.config/payin/config.',
  },
  language: {
    name: 'PAYIN_LANGUAGE',
    kind: anyText,
    default: '',
    doc: 'Language of the alerts by e-mail and Telegram, of reports by e-mail, and of faults of settings at the start, such as ru; unset: English. In the environment of the command payin: the language in which it speaks to people; unset: that of the terminal (LC_ALL, LC_MESSAGES, LANG).',
  },
})

const isStorage = (text: string): boolean => {
  const url = URL.parse(text)
  if (!url || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return false
  if (url.protocol === 'file:') return url.hostname === '' && url.pathname !== '/'
  return (url.protocol === 'https:' || url.protocol === 'http:') && /^\/[^/]+/.test(url.pathname)
}

export const fileSettings = settingsOf('Files', {
  fileStorage: {
    name: 'PAYIN_FILE_STORAGE',
    kind: (text: string) =>
      isStorage(text) ? { value: text } : { problem: 'is neither file:///folder nor https://endpoint/bucket' },
    fix: 'write file:///var/lib/payin/files or https://s3.example.com/bucket, without user, password or query',
    doc: 'Where receipts and evidence are kept: file:///folder that all processes share, or https://endpoint/bucket/path of S3-compatible storage; unset: in the database.',
  },
  fileStorageRegion: {
    name: 'PAYIN_FILE_STORAGE_REGION',
    kind: anyText,
    default: 'us-east-1',
    doc: 'Region of the bucket; many S3-compatible servers take any.',
  },
  fileStorageKeyId: {
    name: 'PAYIN_FILE_STORAGE_KEY_ID',
    kind: anyText,
    default: '',
    doc: 'Access key id for the bucket.',
  },
  fileStorageSecret: {
    name: 'PAYIN_FILE_STORAGE_SECRET',
    kind: anyText,
    secret: true,
    fix: 'write the secret access key of PAYIN_FILE_STORAGE_KEY_ID',
    doc: 'Secret access key for the bucket.',
  },
})

export const secretSettings = settingsOf('Secrets', {
  encryptionKeys: {
    name: 'PAYIN_ENCRYPTION_KEYS',
    kind: parseEncryptionKeys,
    secret: true,
    requiredInProduction: true,
    fix: 'set the keys with which the database was written; only for a new database: echo "k1:$(openssl rand -base64 32)"',
    doc: 'Master keys, id:base64-of-32-bytes,…; the first encrypts, all decrypt; unset: kept in the data directory.',
  },
  operatorToken: {
    name: 'PAYIN_OPERATOR_TOKEN',
    kind: longToken,
    secret: true,
    requiredInProduction: true,
    fix: 'make one with: openssl rand -hex 32',
    doc: 'Token of the operator API, 32 to 256 characters without spaces; unset: kept in the data directory.',
  },
  operatorTokens: {
    name: 'PAYIN_OPERATOR_TOKENS',
    kind: parseOperatorTokens,
    secret: true,
    fix: 'write name/role:token pairs, such as anna/owner:<openssl rand -hex 32>,boris/support:<another>',
    doc: 'Further operators with their own tokens, name/role:token,…; roles are owner (the default), operator, finance, support, auditor (docs/roles.md); two-person decisions need two of them.',
  },
})
