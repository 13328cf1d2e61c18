// Reports that merchants are sent by e-mail: one for each period, however many processes send, and however one ends.
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { query, text, uuid } from 'payin-database'
import { sendReports } from '../../src/engine/ledger/reports/send-reports.ts'
import type { Context } from '../../src/engine/context.ts'
import type { Mail, MailFailure } from '../../src/gateways/mail-sender.ts'
import { day, hour, minute, startsOf } from '../../src/rules/time.ts'
import { hangUp, type MailServer, openMailServer, silence } from '../support/mail-server.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { onBothEngines, onOneEngine, onPostgres, type TestService } from '../support/service.ts'
import { spawnService } from '../support/process.ts'
import { openShop, payIn, type Shop } from '../support/shop.ts'
import { until } from '../support/waiting.ts'

let server: MailServer
const environment = {}
before(async () => {
  server = await openMailServer()
  Object.assign(environment, { PAYIN_SMTP_URL: server.url })
})
after(() => server[Symbol.asyncDispose]())

const to = ['books@shop.example', 'owner@shop.example']

const set = async (service: TestService, { merchantId }: Shop, settings: object) =>
  openOperator(service).call('PATCH', `/merchants/${merchantId}`, { settings })

/** Sends what is due, on several processes at once. */
const round = async ({ context }: Pick<TestService, 'context'>, processes = 1): Promise<void> => {
  const work = async (): Promise<void> => {
    while ((await sendReports(context)) > 0);
  }
  await Promise.all(Array.from({ length: processes }, work))
}

const isoDay = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** To a day in the middle of a month, at noon. */
const toMiddle = ({ clock }: TestService): void => {
  const { month } = startsOf(clock.now)
  clock.advance(startsOf(month + 40 * day).month + 9 * day + 12 * hour - clock.now)
}

const listMails = query('test_list_report_mails', {
  parameters: { merchantId: uuid },
  row: { period: text, state: text, error: text },
  text: `select period, state, coalesce(last_error, '') as error from report_mails
    where merchant_id = :merchantId order by created_at, period`,
})

const mailsOf = async ({ context }: Pick<TestService, 'context'>, { merchantId }: Shop) =>
  (await context.query(listMails, { merchantId })).map(({ period, state, error }) => [period, state, error])

/** The context with a mail server that answers so, and what it was sent. */
const answering = (context: Context, answer: (mail: Mail) => Promise<MailFailure | null>) => {
  const sent: Mail[] = []
  const mail = {
    send: (each: Mail) => {
      sent.push(each)
      return answer(each)
    },
    close: () => undefined,
  }
  return { sent, context: { ...context, mail } }
}

onBothEngines(
  'a day and a month are reported once, after their end, to the addresses of the merchant',
  async (service) => {
    toMiddle(service)
    server.mails.length = 0
    const shop = await openShop(service, { name: 'Shop & Co', terms: { feePpm: 10_000 } })
    assert.equal((await set(service, shop, { reportEvery: 'day', reportTo: to })).status, 200)
    const { body } = await shop.create('ord-1', { amount: 5000 })
    await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
    const today = isoDay(service.clock.now)
    await round(service)
    assert.equal(server.mails.length, 0)
    // Only what is final is sent.
    service.clock.advance(startsOf(service.clock.now).day + day - service.clock.now + 1000)
    await round(service)
    assert.equal(server.mails.length, 0)
    service.clock.advance(3 * minute)
    await round(service, 4)
    const [mail, ...others] = server.mails
    assert.deepEqual([others, mail?.to], [[], to])
    assert.match(mail?.subject ?? '', /^Report: Shop & Co, \d+ \w+ \d{4}$/)
    assert.match(mail?.text ?? '', /^Closing balance: 53\.513514 USDT$/m)
    assert.match(mail?.parts['page'] ?? '', /<h1>Report: /)
    const csv = await shop.get(`/report?period=${today}&format=csv`)
    assert.equal(mail?.parts[`report-${today}-USDT.csv`], csv.body.replaceAll('\r\n', '\n').trim())
    // The days of an outage come one by one; a change to months begins with the present one.
    service.clock.advance(3 * day)
    await round(service, 3)
    assert.deepEqual(
      (await mailsOf(service, shop)).map(([period, state]) => [period, state]),
      [0, 1, 2, 3].map((at) => [isoDay(Date.parse(today) + at * day), 'sent']),
    )
    assert.equal((await set(service, shop, { reportEvery: 'month' })).status, 200)
    await round(service)
    assert.equal(server.mails.length, 4)
    service.clock.advance(31 * day)
    await round(service, 3)
    assert.equal(server.mails.length, 5)
    assert.match(server.mails[4]?.text ?? '', /^Opening balance: 0\.000000 USDT\nClosing balance: 53\.513514 USDT$/m)
    assert.equal((await set(service, shop, { reportEvery: null })).status, 200)
    service.clock.advance(62 * day)
    await round(service)
    assert.equal(server.mails.length, 5)
    assert.equal(new Set(server.mails.map(({ id }) => id)).size, 5)
  },
  environment,
)

onBothEngines(
  'what the server refuses is tried again within bounds; what may have arrived, or was cut off, never is',
  async (service) => {
    toMiddle(service)
    const shop = await openShop(service)
    assert.equal((await set(service, shop, { reportEvery: 'day', reportTo: to })).status, 200)
    const states = async () => (await mailsOf(service, shop)).map(([, state, error]) => [state, error])
    service.clock.advance(day)
    const refusing = answering(service.context, async () => ({ reason: '451', mayHaveArrived: false }))
    await round(refusing)
    assert.deepEqual([refusing.sent.length, await states()], [1, [['pending', '451']]])
    // With pauses between the attempts, under one id.
    await round(refusing)
    assert.equal(refusing.sent.length, 1)
    for (let at = 0; at < 5; at++) {
      service.clock.advance(15 * minute)
      await round(refusing)
    }
    assert.deepEqual([refusing.sent.length, new Set(refusing.sent.map(({ id }) => id)).size], [6, 1])
    // The next day, the server gives no answer to one mail, and the process that sends the other one dies.
    const silent = answering(service.context, async () => ({ reason: 'no answer in time', mayHaveArrived: true }))
    service.clock.advance(15 * minute)
    await round(silent)
    service.clock.advance(day)
    const dying = answering(service.context, () => new Promise(() => undefined))
    void sendReports(dying.context)
    while (dying.sent.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    const other = answering(service.context, async () => null)
    await round(other)
    service.clock.advance(hour)
    await round(other)
    service.clock.advance(hour)
    await round(other)
    assert.deepEqual([silent.sent.length, dying.sent.length, other.sent.length], [1, 1, 0])
    assert.deepEqual(await states(), [
      ['failed', 'no answer in time: it may have arrived'],
      ['failed', 'the process ended while it was sent: it may have arrived'],
    ])
    // Attempts end after three days.
    service.clock.advance(day)
    for (let at = 0; at < 4; at++) {
      await round(refusing)
      assert.equal((await states()).at(2)?.[0], at < 3 ? 'pending' : 'failed')
      service.clock.advance(day)
    }
  },
  environment,
)

onPostgres(
  'kill -9 while a report is sent: no process sends it again, and the next one comes',
  async (service) => {
    server.mails.length = 0
    // The process has the real clock.
    service.clock.now = Date.now() - 2 * day
    const shop = await openShop(service)
    assert.equal((await set(service, shop, { reportEvery: 'day', reportTo: to })).status, 200)
    server.answer = silence
    const { settings } = service.context
    const worker = spawnService({
      ...{ NODE_ENV: 'test', PORT: '0', PAYIN_DEMO: 'off', PAYIN_ROLES: 'worker', PAYIN_SMTP_URL: server.url },
      DATABASE_URL: settings.databaseUrl ?? '',
      PAYIN_OPERATOR_TOKEN: service.operatorToken,
      PAYIN_ENCRYPTION_KEYS: 'k1:cGF5aW4tdGVzdC1rZXktMzItYnl0ZXMtbG9uZyEhMDE=',
    })
    try {
      await until('the process sends', () => server.mails.length > 0, 60_000)
    } finally {
      await worker.end('SIGKILL')
      server.answer = '250 taken'
    }
    service.clock.now = Date.now() + day
    await round(service, 3)
    const [killed, ...others] = (await mailsOf(service, shop)).map(([, state]) => state)
    assert.equal(killed, 'failed')
    assert.ok(others.length >= 2 && others.every((state) => state === 'sent'), others.join())
    assert.equal(server.mails.length, 1 + others.length)
    assert.equal(new Set(server.mails.map(({ id }) => id)).size, server.mails.length)
  },
  environment,
)

onOneEngine(
  'a server that breaks off before its answer may have the mail; one that is not there has not',
  async (service) => {
    const { mail } = service.context
    assert.ok(mail)
    const one = { to: [...to], subject: 'Report', text: 'It is attached.' }
    assert.equal(await mail.send({ ...one, id: service.context.newId() }), null)
    server.answer = '452 full'
    const refused = await mail.send({ ...one, id: service.context.newId() })
    assert.equal(refused?.mayHaveArrived, false)
    server.answer = hangUp
    const cut = await mail.send({ ...one, id: service.context.newId() })
    assert.equal(cut?.mayHaveArrived, true)
    server.answer = '250 taken'
    await server[Symbol.asyncDispose]()
    const gone = await mail.send({ ...one, id: service.context.newId() })
    assert.equal(gone?.mayHaveArrived, false)
    server = await openMailServer()
    Object.assign(environment, { PAYIN_SMTP_URL: server.url })
  },
  environment,
)

onOneEngine('reports need addresses and a mail server', async (service) => {
  const shop = await openShop(service)
  const refused = await set(service, shop, { reportEvery: 'day', reportTo: to })
  assertProblem(refused, 409, 'invalid_state')
  assert.match(refused.body.detail, /PAYIN_SMTP_URL/)
  const created = await openOperator(service).call('POST', '/merchants', {
    ...{ name: 'Another', mode: 'live', settings: { reportEvery: 'month', reportTo: to } },
  })
  assertProblem(created, 409, 'invalid_state')
  assert.equal((await set(service, shop, { reportTo: to })).status, 200)
  assertProblem(await set(service, shop, { reportTo: ['nobody'] }), 400, 'validation_failed')
})

onOneEngine(
  'a merchant that is created with reports is sent its first period, of each currency with money',
  async (service) => {
    toMiddle(service)
    server.mails.length = 0
    const operator = openOperator(service)
    assertProblem(
      await operator.call('POST', '/merchants', { name: 'A', mode: 'live', settings: { reportEvery: 'day' } }),
      400,
      'validation_failed',
    )
    const shop = await openShop(service, { settings: { quoteCurrency: 'rub', reportEvery: 'day', reportTo: to } })
    const { body } = await shop.create('ord-1', { amount: 5000 })
    await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
    assert.equal((await set(service, shop, { quoteCurrency: 'USDT' })).status, 200)
    const today = isoDay(service.clock.now)
    service.clock.advance(day)
    await round(service)
    assert.equal(server.mails.length, 1)
    const { page, ...files } = server.mails[0]?.parts ?? {}
    assert.deepEqual(Object.keys(files), [`report-${today}-USDT.csv`, `report-${today}-RUB.csv`])
    assert.match(page ?? '', /Balance in USDT[^]*Balance in RUB/)
  },
  environment,
)
