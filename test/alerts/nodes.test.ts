// Alerts of several nodes on one database: each once, and none is lost with a node.
import assert from 'node:assert/strict'
import pino from 'pino'
import { evaluateAlerts } from '../../src/engine/alerts/evaluate-alerts.ts'
import { hour, minute } from '../../src/rules/time.ts'
import { startService } from '../../src/process/start-service.ts'
import { silence } from '../support/mail-server.ts'
import { until } from '../support/waiting.ts'
import { spawnService } from '../support/process.ts'
import { openShop, payIn } from '../support/shop.ts'
import { type Alerted, botToken, runAlerts, shareAlerted } from './open-alerts.ts'

const onAlerted = shareAlerted(['postgres'])

/** Money that nobody asked for, an hour ago. */
const payUnknown = async ({ service }: Alerted, reference: string) => {
  const { requisiteIds } = await openShop(service)
  const requisiteId = requisiteIds[0] ?? ''
  const recorded = await payIn(service, { requisiteId, minor: 777_77n, reference })
  service.clock.advance(hour)
  return { requisiteId, id: recorded?.id ?? '' }
}

onAlerted('three nodes report an incident and its end once', ['inbox-waiting'], async (alerted) => {
  const { service, operator, mail, bot, addMail } = alerted
  await addMail()
  await operator.call('POST', '/alert-channels', { kind: 'telegram', name: 'team', chatId: '1', botToken })
  const { settings } = service.context
  const others = await Promise.all(
    [1, 2].map(() =>
      startService({
        settings: { ...settings, roles: [] },
        clock: service.context.clock,
        log: pino({ level: 'silent' }),
      }),
    ),
  )
  try {
    const contexts = [service, ...others].map(({ context }) => context)
    const everywhere = async (): Promise<void> => {
      await Promise.all(contexts.map(runAlerts))
      service.clock.advance(minute)
      await Promise.all(contexts.map(runAlerts))
    }
    const { requisiteId, id } = await payUnknown(alerted, 'three nodes')
    for (let round = 0; round < 3; round++) await everywhere()
    assert.deepEqual([mail.mails.length, bot.calls.length], [1, 1])
    await operator.call('POST', `/transfers/${requisiteId}/${id}/ignore`, { reason: 'ours' })
    for (let round = 0; round < 3; round++) await everywhere()
    assert.deepEqual([mail.mails.length, bot.calls.length], [2, 2])
    assert.match(mail.mails[1]?.subject ?? '', /OVER/)
  } finally {
    await Promise.all(others.map((other) => other.stop()))
  }
})

onAlerted('kill -9 between sending and writing so: it comes again under its id', ['inbox-waiting'], async (alerted) => {
  const { service, operator, mail, addMail } = alerted
  await addMail()
  await operator.call('PATCH', '/alert-rules/inbox-waiting', { urgent: true })
  // The process has the real clock.
  service.clock.now = Date.now() - 2 * hour
  await payUnknown(alerted, 'killed')
  service.clock.now = Date.now()
  await evaluateAlerts(service.context, 'quick')
  assert.equal(mail.mails.length, 0)
  mail.answer = silence
  const worker = spawnService({
    NODE_ENV: 'test',
    PORT: '0',
    PAYIN_DEMO: 'off',
    PAYIN_ROLES: 'worker',
    PAYIN_SMTP_URL: mail.url,
    DATABASE_URL: service.context.settings.databaseUrl ?? '',
    PAYIN_OPERATOR_TOKEN: service.operatorToken,
    PAYIN_ENCRYPTION_KEYS: 'k1:cGF5aW4tdGVzdC1rZXktMzItYnl0ZXMtbG9uZyEhMDE=',
  })
  try {
    await until('the process sends', () => mail.mails.length > 0, 60_000)
  } finally {
    await worker.end('SIGKILL')
  }
  mail.answer = '250 taken'
  service.clock.now = Date.now()
  await runAlerts(service.context)
  assert.equal(mail.mails.length, 1)
  service.clock.advance(3 * minute)
  await runAlerts(service.context)
  assert.deepEqual([mail.mails.length, new Set(mail.mails.map(({ id }) => id)).size], [2, 1])
  service.clock.advance(hour)
  await runAlerts(service.context)
  assert.equal(mail.mails.length, 2)
})
