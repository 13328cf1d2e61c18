import { mailAddress, mailServerAddress, onOrOff, settingsOf, webAddress, wholeNumber } from './setting-kinds.ts'

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
    doc: 'Mail server that sends alerts, smtp://… or smtps://…; unset: no alerts by e-mail.',
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
    doc: 'Whether alert webhooks and sources of rates may be on this machine, where http is allowed, too: on or off.',
  },
})
