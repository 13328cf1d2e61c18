// A service whose alerts reach a mail server, a bot and a webhook of the test.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { evaluateAlerts } from '../../src/engine/alerts/evaluate-alerts.ts'
import { sendAlerts } from '../../src/engine/alerts/messages/send-alerts.ts'
import { setAlertRule } from '../../src/engine/alerts/alert.ts'
import type { Context } from '../../src/engine/context.ts'
import { alertRuleNames, type AlertRuleName, withDefaults } from '../../src/rules/notices/alert.ts'
import { minute } from '../../src/rules/time.ts'
import { type MailServer, openMailServer } from '../support/mail-server.ts'
import { openOperator, type Operator } from '../support/operator.ts'
import { openReceiver, type Receiver } from '../support/receiver.ts'
import { assertHealthy, type Engine, engines, openTestService, type TestService } from '../support/service.ts'

/** Where the alerts of a test arrive, and who runs the service. */
export type Alerted = {
  readonly service: TestService
  readonly operator: Operator
  readonly mail: MailServer
  /** Takes what is meant for Telegram. */
  readonly bot: Receiver
  readonly hook: Receiver
  /** Lets time pass, then checks all rules and sends what is due. */
  readonly pass: (ms: number) => Promise<void>
  /** Adds a channel by e-mail and returns its id. */
  readonly addMail: (fields?: object) => Promise<string>
  /** The open incidents of a rule, as operators see them. */
  readonly open: (
    rule: string,
  ) => Promise<{ readonly id: string; readonly summary: string; readonly command: string }[]>
}

/** The token of the test's bot. */
export const botToken = '123456:abcdefghijklmnop_ABCDEFGHIJ'

/** Checks all rules and sends what is due, until there is nothing left to do. */
export const runAlerts = async (context: Context): Promise<void> => {
  await evaluateAlerts(context, 'quick')
  await evaluateAlerts(context, 'slow')
  while ((await sendAlerts(context)) > 0);
}

type Servers = Pick<Alerted, 'mail' | 'bot' | 'hook'>

const openOn = async (engine: Engine, servers: Servers): Promise<Alerted> => {
  const service = await openTestService(engine, {
    PAYIN_SMTP_URL: servers.mail.url,
    PAYIN_TELEGRAM_URL: servers.bot.url,
    PAYIN_OUTBOUND_LOOPBACK: 'on',
  })
  const operator = openOperator(service)
  return {
    service,
    operator,
    ...servers,
    pass: async (ms) => {
      service.clock.advance(ms)
      await runAlerts(service.context)
    },
    addMail: async (fields = {}) => {
      const wish = { kind: 'email', name: 'on call', to: ['anna@example.com'], ...fields }
      const added = await operator.call('POST', '/alert-channels', wish)
      assert.equal(added.status, 201, JSON.stringify(added.body))
      return added.body.id
    },
    open: async (rule) => (await operator.get(`/alerts?open=true&rule=${rule}`)).body.incidents,
  }
}

/** Only these rules are on, as they are at first; there are no channels, and nothing has arrived. */
const begin = async ({ service, operator, mail, bot, hook }: Alerted, rules: readonly AlertRuleName[]) => {
  const { channels } = (await operator.get('/alert-channels')).body
  for (const { id } of channels) await operator.call('DELETE', `/alert-channels/${id}`)
  await service.context.transaction(async (tx) => {
    for (const name of alertRuleNames) await setAlertRule(tx, name, { ...withDefaults(name, {}), enabled: false })
    for (const name of rules) await setAlertRule(tx, name, { enabled: true })
  })
  mail.answer = '250 taken'
  mail.mails.length = 0
  bot.calls.length = 0
  hook.calls.length = 0
}

/** Opens a service per engine for the tests of a file, and declares tests of alerts on them. */
export const shareAlerted = (on: readonly Engine[] = engines) => {
  const opened = new Map<Engine, Alerted>()
  const closing = new AsyncDisposableStack()
  const skipOf = (engine: Engine) =>
    engine === 'postgres' && !process.env['TEST_DATABASE_URL'] ? 'no PostgreSQL on this machine' : false
  before(async () => {
    const servers: Servers = {
      mail: closing.use(await openMailServer()),
      bot: closing.use(await openReceiver(200)),
      hook: closing.use(await openReceiver()),
    }
    for (const engine of on) if (!skipOf(engine)) opened.set(engine, await openOn(engine, servers))
  })
  after(async () => {
    for (const { service } of opened.values()) {
      try {
        await service.runJobs('all')
        await assertHealthy(service)
      } finally {
        await service.stop()
      }
    }
    await closing.disposeAsync()
  })
  return (title: string, rules: readonly AlertRuleName[], work: (alerted: Alerted) => Promise<void>): void => {
    for (const engine of on) {
      test(`${title} [${engine}]`, { skip: skipOf(engine) }, async () => {
        const alerted = opened.get(engine) ?? assert.fail('the service is not open')
        await begin(alerted, rules)
        await work(alerted)
      })
    }
  }
}

/** Lets a minute pass, so that what was found is sent. */
export const gather = ({ pass }: Pick<Alerted, 'pass'>): Promise<void> => pass(minute)
