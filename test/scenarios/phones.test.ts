// Banks' messages that phones forward: they credit within seconds, and a statement proves them in the evening.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { day, hour, minute } from '../../src/rules/time.ts'
import type { Context } from '../../src/engine/context.ts'
import { endWaiting } from '../../src/engine/phones/decide-message.ts'
import { createMessageReader } from '../../src/engine/phones/read-message.ts'
import { receiveMessages } from '../../src/engine/phones/receive-messages.ts'
import { selectMessages } from '../../src/engine/phones/store.ts'
import { openBank } from '../support/bank.ts'
import { openOperator } from '../support/operator.ts'
import { openFeed } from '../support/push.ts'
import { creditOf, openPhone, printedNow } from '../support/phones.ts'
import { assertProblem } from '../support/problem.ts'
import { assertHealthy, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { camtOf } from '../support/statement-files.ts'
import { turnsOf } from '../support/waiting.ts'

const { onEngines, onOne } = shareEngines()

/** A shop with one account and a phone, at nine in the morning of a new day: its times are of one day in all zones. */
const openDay = async (service: TestService, settings: Parameters<typeof openPhone>[2] = {}) => {
  const morning = Math.ceil((service.clock.now + 16 * hour) / day) * day + 9 * hour
  service.clock.advance(morning - service.clock.now)
  const bank = await openBank(service)
  const phone = await openPhone(service, [bank.requisiteId], settings)
  let balance = 1000
  return {
    ...{ service, bank, phone },
    create: async (orderId: string, amount: number) => {
      const { status, body } = await bank.shop.create(orderId, { amount })
      assert.equal(status, 201, JSON.stringify(body))
    },
    status: (orderId: string) => bank.shop.status(orderId),
    /** An SMS about money that came in, with the balance after it. */
    credit: (amount: number) => {
      balance += amount
      return creditOf(service, amount, balance)
    },
    lose: (amount: number) => void (balance += amount),
    states: async () => (await phone.messages()).map(({ state }: { state: string }) => state).toReversed(),
    evening: async (...amounts: readonly number[]) => {
      const rows = amounts.map((amount, index) => ({ minor: BigInt(amount) * 100n, reference: `EVENING-${index}-AB` }))
      return bank.bringAgreed(camtOf, rows)
    },
    accept: async (id: string, by = bank.operator) => {
      const transfers = [{ requisiteId: bank.requisiteId, id, decision: 'accept' }]
      return (await by.call('POST', '/transfers/decide', { transfers })).body.transfers[0]
    },
  }
}

onEngines('a message pays its payment, once, and the statement of the evening is the same money', async (service) => {
  const { create, credit, phone, status, states, evening, bank } = await openDay(service)
  await create('first', 2745)
  const text = credit(2745)
  const sentStamp = service.clock.now
  await phone.sms(text, { sentStamp })
  assert.equal(await status('first'), 'paid')
  await phone.sms(text, { sentStamp })
  await phone.push('Перевод от ИННА ПАВЛОВНА П. Т-Банк', '+ 2 745 ₽ - Баланс: 3 745 ₽ СЧЁТ •• 4071')
  assert.deepEqual(await states(), ['recorded', 'same'])
  const { counts } = await evening(2745)
  assert.deepEqual(await bank.inbox(), [])
  assert.deepEqual([counts.duplicatesCertain ?? counts.duplicates, await status('first')], [1, 'paid'])
  assert.equal(await bank.balanceOf(`bank:${bank.requisiteId}`), 2745)
  await service.runJobs()
  await assertHealthy(service)
})

onEngines('money beyond the limit of a phone waits; the statement credits it without a question', async (service) => {
  // 92.5 roubles are a USDT.
  const { create, credit, phone, status, evening, bank } = await openDay(service, { dailyLimit: 100 })
  await create('within', 5000)
  await create('beyond', 5100)
  await phone.sms(credit(5000))
  await phone.sms(credit(5100))
  assert.deepEqual([await status('within'), await status('beyond')], ['paid', 'new'])
  const [waiting, ...others] = await bank.inbox()
  assert.equal(others.length, 0)
  assert.match(
    waiting?.reasons[0] ?? '',
    /^reported only by a message on a phone, which may report 100 USDT within 24 hours: a statement or an operator decides$/,
  )
  await evening(5000, 5100)
  assert.deepEqual(await bank.inbox(), [])
  assert.deepEqual([await status('within'), await status('beyond')], ['paid', 'paid'])
  await service.runJobs()
  await assertHealthy(service)
})

onEngines('an operator accepts what a phone only proposes', async (service) => {
  const { create, credit, phone, status, bank, accept } = await openDay(service, { dailyLimit: 0 })
  await create('proposed', 5000)
  await phone.sms(credit(5000))
  assert.equal(await status('proposed'), 'new')
  const [waiting] = await bank.inbox()
  assert.equal((await accept(waiting?.id ?? '')).state, 'done')
  assert.equal(await status('proposed'), 'paid')
  await service.runJobs()
  await assertHealthy(service)
})

onEngines('a message whose balance does not follow waits for the lost one, which may still come', async (service) => {
  const { create, credit, phone, status, states, bank } = await openDay(service)
  for (const [index, amount] of [1000, 1100, 1200, 1300].entries()) await create(`${index}`, amount)
  await phone.sms(credit(1000))
  const late = credit(1100)
  const sentStamp = service.clock.now
  service.clock.advance(minute)
  await phone.sms(credit(1200))
  await phone.sms(credit(1300))
  assert.deepEqual(await states(), ['recorded', 'waiting', 'waiting'])
  const [, follower] = (await phone.messages()).toReversed()
  assert.deepEqual([follower.reason, follower.missing], ['balance', 1100])
  await phone.sms(late, { sentStamp })
  assert.deepEqual(await states(), ['recorded', 'recorded', 'recorded', 'recorded'])
  for (const index of [0, 1, 2, 3]) assert.equal(await status(`${index}`), 'paid')
  assert.deepEqual(await bank.inbox(), [])
  await service.runJobs()
  await assertHealthy(service)
})

onEngines(
  'ten minutes later it waits in the inbox, and what follows from it, too, until somebody accepts it',
  async (service) => {
    const { create, credit, lose, phone, status, states, bank } = await openDay(service)
    for (const [index, amount] of [1000, 1200, 1300, 1400].entries()) await create(`${index}`, amount)
    await phone.sms(credit(1000))
    lose(1100)
    await phone.sms(credit(1200))
    service.clock.advance(11 * minute)
    await service.runJobs()
    assert.deepEqual(await states(), ['recorded', 'recorded'])
    const [waiting] = await bank.inbox()
    assert.match(waiting?.reasons[0] ?? '', /whose balance does not follow from the one before/)
    await phone.sms(credit(1300))
    const [doubtful, gap] = await phone.messages()
    assert.equal(doubtful.state, 'waiting')
    assert.equal((await phone.decide(gap.id, 'accept')).status, 200)
    assert.deepEqual([await status('1'), await status('2')], ['new', 'paid'])
    await phone.sms(credit(1400))
    assert.equal(await status('3'), 'paid')
    await service.runJobs()
    await assertHealthy(service)
  },
)

/** More purchases than messages are compared with, each with a balance of its own. */
const others = ({ clock }: TestService, from: number) =>
  Array.from({ length: 100 }, (_, index) => ({
    ...{ from: '900', text: `СЧЁТ4071 12:30 Покупка ${from + index}р KOFEYNYA Баланс: ${20_000 + from + index}р` },
    sentStamp: clock.now + from + index,
  }))

for (const ends of ['in time', 'by an operator'])
  onOne(`what waits ends ${ends}, however many messages came since, or long ago it was`, async (service) => {
    const { create, credit, lose, phone, status, bank } = await openDay(service)
    await create('first', 2000)
    await phone.sms(credit(10))
    lose(3000)
    await phone.sms(credit(2000))
    const [{ id }] = await phone.messages()
    for (const from of [100, 200, 300]) await phone.forward(others(service, from))
    if (ends === 'by an operator') {
      const { status: code, body } = await phone.decide(id, 'accept')
      assert.deepEqual([code, body.state, await status('first')], [200, 'recorded', 'paid'])
      return
    }
    service.clock.advance(40 * day)
    assert.deepEqual([await endWaiting(service.context), await endWaiting(service.context)], [1, 0])
    // The other one is what nobody has asked for.
    assert.equal((await bank.inbox()).length, 2)
  })

onEngines('a forged message with a made-up balance credits nothing, and disturbs no other one', async (service) => {
  const { create, credit, phone, status, states } = await openDay(service)
  for (const [index, amount] of [1000, 1200, 1300].entries()) await create(`${index}`, amount)
  await phone.sms(credit(1000))
  await phone.sms(creditOf(service, 1200, 77_777))
  await phone.sms(creditOf(service, 1300, 79_077))
  assert.deepEqual(await states(), ['recorded', 'waiting', 'waiting'])
  for (const { id, state } of await phone.messages())
    if (state === 'waiting') assert.equal((await phone.decide(id, 'dismiss')).status, 200)
  await phone.sms(credit(1300))
  assert.deepEqual([await status('1'), await status('2')], ['new', 'paid'])
  service.clock.advance(11 * minute)
  await service.runJobs()
  assert.deepEqual(await states(), ['recorded', 'dismissed', 'dismissed', 'recorded'])
})

onEngines('a forged message that is dismissed takes back what it has brought to the inbox', async (service) => {
  const { create, credit, phone, status, states, bank } = await openDay(service)
  for (const [index, amount] of [1000, 1200, 1300].entries()) await create(`${index}`, amount)
  await phone.sms(credit(1000))
  await phone.sms(creditOf(service, 1200, 77_777))
  await phone.sms(creditOf(service, 1300, 66_666))
  service.clock.advance(11 * minute)
  await service.runJobs()
  assert.equal((await bank.inbox()).length, 2)
  const [late, forged] = await phone.messages()
  assert.deepEqual([late.amount, forged.amount], [1300, 1200])
  assert.equal((await phone.decide(forged.id, 'dismiss')).body.state, 'dismissed')
  assert.equal((await bank.inbox()).length, 1)
  // A file that one operator alone has brought has the other one.
  await bank.bring(camtOf, [{ minor: 130_000n, reference: 'EVENING-1-AB' }])
  assertProblem(await phone.decide(late.id, 'dismiss'), 409, 'invalid_state')
  assert.deepEqual(await states(), ['recorded', 'dismissed', 'recorded'])
  assert.deepEqual([await status('0'), await status('1')], ['paid', 'new'])
  await service.runJobs()
  await assertHealthy(service)
})

onEngines('a phone that was offline delivers late, and its money is in time', async (service) => {
  const { create, credit, phone, status } = await openDay(service)
  await create('offline', 1500)
  const text = credit(1500)
  const sentStamp = service.clock.now
  // Half an hour to pay, fifteen minutes of grace.
  service.clock.advance(46 * minute)
  await service.runJobs()
  assert.equal(await status('offline'), 'expired')
  await phone.sms(text, { sentStamp })
  const [{ bookedAt }] = await phone.messages()
  assert.equal(Date.parse(bookedAt), sentStamp)
  assert.equal(await status('offline'), 'paid')
})

onEngines('of a batch every message counts, in the order in which they were sent', async (service) => {
  const { create, credit, phone, status, states } = await openDay(service)
  for (const index of [1, 2, 3]) await create(`${index}`, 1000 + index)
  const sent = [1, 2, 3].map((index) => ({
    from: '900',
    text: credit(1000 + index),
    sentStamp: service.clock.now + index,
  }))
  service.clock.advance(1000)
  const messages = [...sent.toReversed(), { from: 'shop', text: 'Скидка 20 %' }, ...sent]
  assert.equal((await phone.forward({ messages })).status, 200)
  assert.deepEqual(await states(), ['recorded', 'recorded', 'recorded'])
  for (const index of [1, 2, 3]) assert.equal(await status(`${index}`), 'paid')
})

onEngines('codes and messages of others are neither kept nor logged, only counted', async (service) => {
  const { phone, credit } = await openDay(service)
  await phone.sms('Код 48213 для входа. Никому не сообщайте')
  await phone.sms('Код 771204: перевод 2745р', { from: 'VTB' })
  await phone.sms(credit(2745), { from: '+79991234567' })
  await phone.push('Мама', 'Купи хлеба за 100р', { package: 'org.example.chat' })
  assert.deepEqual(await phone.messages(), [])
  const { droppedCodes, droppedOthers } = await phone.read()
  assert.deepEqual([droppedCodes, droppedOthers], [2, 2])
  const logs = service.logs.join('\n')
  for (const secret of ['Купи', phone.secret]) assert.ok(!logs.includes(secret), secret)
  // As a value of its own: ids and times have any digits.
  assert.doesNotMatch(logs, /(?<![\w.-])(?:48213|771204)(?![\w.-])/)
})

onEngines('an operator reveals what a bank has written, with a reason', async (service) => {
  const { phone, bank } = await openDay(service)
  await phone.push('Новое', 'неизвестно кому 500р')
  const [{ id }] = await phone.messages()
  const path = `/phone-messages/${id}/reveal`
  const { body } = await bank.operator.call('POST', path, { reason: 'a new text' })
  assert.deepEqual(body, { text: 'Новое\nнеизвестно кому 500р' })
  const { action, subject, details } = await bank.operator.lastAudit()
  assert.deepEqual([action, subject, details['reason']], ['phone-message.reveal', `phone-message:${id}`, 'a new text'])
  assertProblem(await openOperator(service, 'vera').call('POST', path, { reason: 'curious' }), 403, 'role_missing')
  service.clock.advance(31 * day)
  await service.runJobs()
  assertProblem(await bank.operator.call('POST', path, { reason: 'late' }), 409, 'invalid_state')
})

onEngines('unknown texts of a bank wait, and credit nothing', async (service) => {
  const { phone, states } = await openDay(service)
  await phone.sms('СЧЁТ4071 вам пришло очень много денег 500р')
  const [{ id, kind, reason }] = await phone.messages()
  assert.deepEqual([kind, reason, (await phone.read()).waiting], ['unknown', 'unknown-text', 1])
  assertProblem(await phone.decide(id, 'accept'), 409, 'invalid_state')
  assert.equal((await phone.decide(id, 'dismiss')).body.state, 'dismissed')
  assert.deepEqual(await states(), ['dismissed'])
  assertProblem(await phone.decide(id, 'dismiss'), 409, 'invalid_state')
})

onEngines(
  'money of an account that the phone does not know waits until somebody names the requisite',
  async (service) => {
    const { create, phone, bank, status } = await openDay(service)
    await create('other digits', 1700)
    await phone.sms(creditOf(service, 1700, 5000, { digits: '9999' }))
    const [{ id, reason, amount, currency, balance, phoneName }] = await phone.messages()
    assert.equal(reason, 'no-requisite')
    assert.deepEqual([amount, currency, balance, phoneName], [1700, 'rub', 5000, (await phone.read()).name])
    assertProblem(await phone.decide(id, 'accept'), 400, 'validation_failed')
    assert.equal((await phone.decide(id, 'accept', { requisiteId: bank.requisiteId })).body.state, 'recorded')
    assert.equal(await status('other digits'), 'paid')
  },
)

onEngines(
  'who alone added a phone has the bound of what one person reports, until another approves it',
  async (service) => {
    const { bank, create, status } = await openDay(service)
    const anna = openOperator(service, 'anna')
    const phone = await openPhone(service, [bank.requisiteId], { operator: anna, isApproved: false, dailyLimit: 5 })
    await create('of anna', 1800)
    await phone.sms(creditOf(service, 1800, null))
    const [waiting] = await bank.inbox()
    assert.match(waiting?.reasons[0] ?? '', /^reported by anna alone/)
    const path = `/phones/${phone.id}/approve`
    assertProblem(await anna.call('POST', path, { version: phone.version }), 403, 'second_person_required')
    assertProblem(await openOperator(service, 'boris').call('POST', path, { version: 'x' }), 409, 'status_changed')
    assert.equal((await openOperator(service, 'boris').call('POST', path, { version: phone.version })).status, 200)
    assert.equal(await status('of anna'), 'new')
  },
)

onEngines(
  'a paused phone only proposes, a removed one is refused, and a new secret ends the old one',
  async (service) => {
    const { create, credit, phone, status, bank } = await openDay(service)
    await create('paused', 1900)
    assert.equal((await bank.operator.call('POST', `/phones/${phone.id}/pause`)).body.state, 'paused')
    await phone.sms(credit(1900))
    assert.equal(await status('paused'), 'new')
    assert.match((await bank.inbox())[0]?.reasons[0] ?? '', /which is paused/)
    assert.equal((await bank.operator.call('POST', `/phones/${phone.id}/resume`)).body.state, 'active')
    const { secret } = (await bank.operator.call('POST', `/phones/${phone.id}/secret`)).body
    assertProblem(await phone.forward({ from: '900', text: 'x' }), 401, 'signature_invalid')
    assert.equal((await phone.post('{"event":"ping"}', { authorization: `Bearer ${secret}` })).status, 200)
    assert.equal((await bank.operator.call('POST', `/phones/${phone.id}/remove`)).status, 200)
    assertProblem(await phone.post('{"event":"ping"}', { authorization: `Bearer ${secret}` }), 401, 'signature_invalid')
  },
)

onEngines('texts are deleted after thirty days; what was read from them stays', async (service) => {
  const { phone, credit } = await openDay(service)
  await phone.sms(credit(2000))
  service.clock.advance(31 * day)
  await service.runJobs()
  const rows = await service.context.query(selectMessages, { phoneId: phone.id, open: false, before: null, limit: 10 })
  assert.deepEqual(
    rows.map(({ contentSealed, amount }) => [contentSealed, amount]),
    [[null, 200_000n]],
  )
})

onEngines('each app credits in its own form', async (service) => {
  for (const app of ['smsgate', 'sms-webhook', 'smsforwarder', 'other'] as const) {
    const { bank, create, credit, status, phone } = await openDay(service, { app })
    await create(app, 2100)
    const text = credit(2100)
    assertProblem(await phone.post('{"event":"ping"}'), 401, 'signature_invalid')
    assertProblem(await phone.post('{"event":"ping"}', { authorization: 'Bearer x' }), 401, 'signature_invalid')
    assertProblem(await phone.signed({ event: 'ping' }, 'another key'), 401, 'signature_invalid')
    assert.deepEqual((await phone.inOwnForm(text)).body, { state: 'received' })
    assert.equal(await status(app), 'paid', app)
    assert.deepEqual(await bank.inbox(), [])
  }
  assert.ok(!service.logs.join('\n').includes('payin_phone_'))
})

onOne('a body that the app has not filled is refused, and one that only says it is alive is not', async (service) => {
  const { phone } = await openDay(service)
  const headers = { authorization: `Bearer ${phone.secret}` }
  assertProblem(await phone.forward({ package: '{not_app_package}', text: '{not_text_big}' }), 400, 'validation_failed')
  assertProblem(await phone.post('{"text":"+ 1 "перевод""}', headers), 400, 'malformed_json')
  assertProblem(await phone.post('[]', { ...headers, origin: 'https://shop.example' }), 403, 'browser_not_allowed')
  assert.equal((await phone.forward({ event: 'ping', battery: 77 })).status, 200)
  const { battery, lastSeenAt } = await phone.read()
  assert.deepEqual([battery, Date.parse(lastSeenAt)], [77, service.clock.now])
})

onOne('the same text twice without a time or a balance waits; with a balance it is one message', async (service) => {
  const { phone, states, create, status } = await openDay(service)
  await create('equal', 2200)
  const text = `СЧЁТ4071 ${printedNow(service)} Перевод из Т-Банк +2200р от ИННА П.`
  await phone.forward({ from: '900', text })
  await phone.forward({ from: '900', text })
  assert.deepEqual(await states(), ['recorded', 'waiting'])
  assert.equal((await phone.messages())[0].reason, 'possible-duplicate')
  assert.equal(await status('equal'), 'paid')
  const withBalance = { from: '900', text: `${text} Баланс: 9000р` }
  await phone.forward(withBalance)
  await phone.forward(withBalance)
  assert.equal((await states()).length, 3)
})

onOne('a message of more than any payer sends waits, and is not in the books', async (service) => {
  const { phone, bank } = await openDay(service)
  await phone.sms(creditOf(service, 10_000_000_000, 10_000_001_000))
  const [message] = await phone.messages()
  assert.deepEqual([message.state, message.reason], ['waiting', 'incomplete'])
  service.clock.advance(hour)
  await service.runJobs()
  assert.deepEqual(await bank.inbox(), [])
})

onOne('a message in another currency is no money of a requisite, also if an operator names it', async (service) => {
  const { create, phone, status, bank } = await openDay(service)
  await create('first', 5000)
  await phone.sms(`СЧЁТ4071 ${printedNow(service)} Перевод из Т-Банк +5000KZT от ИННА П.`)
  const [{ id, reason }] = await phone.messages()
  const refused = await phone.decide(id, 'accept', { requisiteId: bank.requisiteId })
  assertProblem(refused, 400, 'validation_failed', ['requisiteId'])
  assert.match(JSON.stringify(refused.body), /is in rub, the message in kzt/)
  assert.deepEqual([reason, await status('first')], ['no-requisite', 'new'])
})

onOne('of twenty requests of a phone or a feed at once, one is recorded at a time', async (service) => {
  const { bank, phone } = await openDay(service)
  const feed = await openFeed(service, 'floods', [bank.requisiteId])
  const transfer = { amount: 77, currency: 'rub', bookedAt: new Date(service.clock.now).toISOString() }
  const context: { transaction: Context['transaction'] } = service.context
  const { transaction } = context
  let running = 0
  let most = 0
  context.transaction = async (work) => {
    most = Math.max(most, ++running)
    return transaction(work).finally(() => running--)
  }
  try {
    for (const send of [() => phone.forward({ event: 'ping' }), () => feed([{ ...transfer, bankReference: 'ONE' }])]) {
      const answers = await Promise.all(Array.from({ length: 20 }, send))
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
      assert.equal(most, 1)
    }
  } finally {
    context.transaction = transaction
  }
})

test('between two messages of a request, others have their turn', async () => {
  const none = { sender: null, package: null, title: null, sentAt: null, receivedAt: null, sim: null, occurrence: null }
  const messages = Array.from({ length: 100 }, () => ({ ...none, channel: 'sms' as const, text: '' }))
  const catalog = { get: () => Promise.resolve(createMessageReader([])) }
  const context = { transaction: () => Promise.resolve(), catalog } as unknown as Context
  const findLone = () => Promise.reject(new Error('nothing is recorded'))
  const turns = await turnsOf(() => receiveMessages(context, '', messages, { findLone }))
  assert.ok(turns >= 100, `${turns} turns of the loop`)
})
