import { onOrOff, settingsOf, wholeNumber, mailAddress, mailServerAddress, webAddress } from './setting-kinds.ts'

export const notificationSettings = settingsOf('Notifications', {
  notificationsInFlight: {
    name: 'PAYIN_NOTIFICATIONS_IN_FLIGHT',
    kind: wholeNumber(1, 10_000),
    default: '256',
    doc: 'Notifications that one process sends at the same time.',
  },
  notificationsPerEndpoint: {
    name: 'PAYIN_NOTIFICATIONS_PER_ENDPOINT',
    kind: wholeNumber(1, 1_000),
    default: '16',
    doc: 'Notifications that one endpoint is sent at the same time, from all processes together.',
  },
  notificationTimeoutMs: {
    name: 'PAYIN_NOTIFICATION_TIMEOUT_MS',
    kind: wholeNumber(100, 60_000),
    default: '15000',
    doc: 'Milliseconds within which a receiver must answer with a status.',
  },
  notificationRetentionDays: {
    name: 'PAYIN_NOTIFICATION_RETENTION_DAYS',
    kind: wholeNumber(7, 3_650),
    default: '30',
    doc: 'Days for which deliveries and their attempts are kept; the events themselves stay.',
  },
  notificationLoopback: {
    name: 'PAYIN_NOTIFICATION_LOOPBACK',
    kind: onOrOff,
    default: 'off',
    doc: 'Whether sandbox merchants may receive notifications on this machine, where http is allowed, too: on or off.',
  },
})

export const alertSettings = settingsOf('Alerts', {
  alertCheckMs: {
    name: 'PAYIN_ALERT_CHECK_MS',
    kind: wholeNumber(100, 3_600_000),
    default: '60000',
    doc: 'Milliseconds between two checks of the alert rules; some rules are checked less often.',
  },
  smtpUrl: {
    name: 'PAYIN_SMTP_URL',
    kind: mailServerAddress,
    secret: true,
    fix: 'set smtps://user:password@host:465, or smtp://user:password@host:587?requireTLS=true',
    doc: 'Mail server that sends alerts and reports, smtp://… or smtps://…; unset: no e-mails.',
  },
  smtpFrom: {
    name: 'PAYIN_SMTP_FROM',
    kind: mailAddress,
    fix: 'set an address such as payin@example.com',
    doc: 'Sender address of e-mails; unset: payin at the host of PUBLIC_URL.',
  },
  telegramUrl: {
    name: 'PAYIN_TELEGRAM_URL',
    kind: webAddress,
    default: 'https://api.telegram.org',
    doc: 'Address of the Telegram Bot API; may be on this machine.',
  },
  outboundLoopback: {
    name: 'PAYIN_OUTBOUND_LOOPBACK',
    kind: onOrOff,
    default: 'off',
    doc: 'Whether alert webhooks, sources of rates and servers with files may be on this machine, where http is allowed, too: on or off.',
  },
})
