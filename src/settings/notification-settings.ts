import { onOrOff, settingsOf, wholeNumber } from './setting-kinds.ts'

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
