// What operators teach of banks' messages that no template reads. The bound of one person is 100 USDT; 1 USDT is 92.5 roubles.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { raiseCatalogVersion } from '../../src/engine/catalog.ts'
import type { Context } from '../../src/engine/context.ts'
import { createMessageReader } from '../../src/engine/phones/read-message.ts'
import { readWaiting } from '../../src/engine/phones/templates/read-waiting.ts'
import { insertTemplate, selectUsedTemplates } from '../../src/engine/phones/templates/store.ts'
import { tryOnKept } from '../../src/engine/phones/templates/try-on-kept.ts'
import { day, hour, minute } from '../../src/rules/time.ts'
import { openCourt } from '../support/disputes.ts'
import { openOperator, unknownId } from '../support/operator.ts'
import { creditOf, openPhone } from '../support/phones.ts'
import { assertProblem } from '../support/problem.ts'
import { assertHealthy, openTestService, type TestService, usualEngine } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { turnsOf } from '../support/waiting.ts'

const { onEngines, onOne } = shareEngines({ PAYIN_LONE_REPORTS_ABOVE: '100' })

let lessons = 0

/** A word of a bank that no other test has: templates are of the whole installation. */
const newWord = (): string => `Вариант${'абвгдежзик'.charAt(lessons % 10)}${'лмнопрстуф'.charAt(lessons++ / 10)}`

/** A shop with an account and a phone whose bank writes a text that nobody knows yet. */
const openDay = async (service: TestService, settings: Parameters<typeof openPhone>[2] = {}) => {
  service.clock.advance(Math.ceil((service.clock.now + 16 * hour) / day) * day + 9 * hour - service.clock.now)
  const court = await openCourt(service, { perMethod: 1 })
  const first = await court.create('first', { amount: 2000 })
  const phone = await openPhone(service, [first.requisiteId], settings)
  const word = newWord()
  const unknownCredit = (amount: string, balance: string, from = 'Глеб Н.'): string =>
    `${word}: СЧЁТ4071 получил ${amount} от ${from} Теперь там ${balance}`
  const lesson = {
    kind: 'credit',
    marked: `${word}: СЧЁТ{account:4071} получил {amount:2 000р} от {senderName:Глеб Н.} Теперь там {balance:3 000р}`,
  }
  const messageOf = async (at = 0) => (await phone.messages())[at]
  return {
    ...{ court, phone, word, unknownCredit, lesson, messageOf },
    requisiteId: first.requisiteId,
    status: (orderId: string) => court.shop.status(orderId),
    send: (...given: Parameters<typeof unknownCredit>) => phone.sms(unknownCredit(...given)),
    teach: async (body: object = {}, by = court.anna) =>
      by.call('POST', '/message-templates', { messageId: (await messageOf()).id, ...lesson, ...body }),
    tryOut: async (body: object = {}) =>
      court.anna.call('POST', '/message-templates/try', { messageId: (await messageOf()).id, ...lesson, ...body }),
    approve: async ({ id, unapproved }: { id: string; unapproved?: { version: string } }, by = court.boris) =>
      by.call('POST', `/message-templates/${id}/approve`, { version: unapproved?.version }),
    healthy: async () => {
      await service.runJobs()
      await assertHealthy(service)
    },
  }
}

onEngines(
  'a taught template is tried, approved by another operator, and credits what waited and what comes later',
  async (service) => {
    const { court, phone, status, send, teach, tryOut, approve, messageOf, healthy } = await openDay(service)
    await send('2 000р', '3 000р')
    await court.create('second', { amount: 2500 })
    const [waiting] = await phone.messages()
    assert.deepEqual([waiting.kind, waiting.state, waiting.reason], ['unknown', 'waiting', 'unknown-text'])

    const tried = await tryOut()
    assert.equal(tried.status, 200, JSON.stringify(tried.body))
    assert.deepEqual(
      [tried.body.reads, tried.body.contradicts, tried.body.fixed, tried.body.fields.senderName],
      [1, 0, [], 'Глеб Н.'],
    )
    const [row] = tried.body.messages
    assert.deepEqual(
      [row.messageId, row.change, row.kindNow, row.kind, row.amount, row.balance, row.digits],
      [waiting.id, 'read', 'unknown', 'credit', 2000, 3000, '4071'],
    )
    assert.deepEqual(
      (await court.anna.get('/message-templates')).body.templates.filter(
        (each: { messageId: string }) => each.messageId === waiting.id,
      ),
      [],
    )

    const taught = await teach()
    assert.equal(taught.status, 201, JSON.stringify(taught.body))
    assert.equal(taught.body.state, 'proposed')
    assert.deepEqual([await status('first'), (await messageOf()).kind], ['new', 'unknown'])
    const { action, subject, details } = await court.anna.lastAudit()
    assert.deepEqual([action, subject], ['message-template.teach', `message-template:${taught.body.id}`])
    assert.equal(details['template'], taught.body.template)

    assertProblem(await approve(taught.body, court.anna), 403, 'second_person_required')
    const shown = await court.boris.get(`/message-templates/${taught.body.id}/trial`)
    assert.deepEqual([shown.body.reads, shown.body.contradicts], [1, 0])
    const approved = await approve(taught.body)
    assert.equal(approved.status, 200, JSON.stringify(approved.body))
    assert.deepEqual([approved.body.state, approved.body.read, approved.body.recorded], ['used', 1, 1])
    const read = await messageOf()
    assert.deepEqual(
      [read.kind, read.state, read.amount, read.balance, read.digits, read.templateId],
      ['credit', 'recorded', 2000, 3000, '4071', taught.body.id],
    )
    assert.equal(await status('first'), 'paid')

    await send('2 500р', '5 500р', 'Инна Павловна К.')
    assert.equal(await status('second'), 'paid')
    assert.equal((await messageOf()).templateId, taught.body.id)
    await healthy()
  },
)

onEngines(
  'what a taught template credits stays within the limit of its phone, and follows the balance',
  async (service) => {
    // 92.5 roubles are a USDT.
    const { court, phone, status, send, teach, approve, messageOf, healthy } = await openDay(service, {
      dailyLimit: 30,
    })
    await court.create('second', { amount: 2500 })
    await court.create('lost', { amount: 700 })
    await phone.sms(creditOf(service, 10, 1000))
    await send('2 000р', '3 000р')
    await send('2 500р', '5 500р')
    await send('700р', '9 000р')
    const { id } = await messageOf(2)
    const taught = await teach({ messageId: id })
    assert.equal((await approve(taught.body)).status, 200)
    const states = (await phone.messages()).map((each: { state: string; reason?: string }) => [each.state, each.reason])
    assert.deepEqual(states.slice(0, 3), [
      ['waiting', 'balance'],
      ['recorded', undefined],
      ['recorded', undefined],
    ])
    assert.deepEqual([await status('first'), await status('second'), await status('lost')], ['paid', 'new', 'new'])
    const { transfers } = (await court.anna.get('/transfers?unmatched=true')).body
    const beyond = transfers.find(({ amount }: { amount: number }) => amount === 2500)
    assert.match(beyond?.reasons[0] ?? '', /^reported only by a message on a phone, which may report 30 USDT/)
    await healthy()
  },
)

onEngines('a late reading takes its place in the chain: what waited for it is recorded', async (service) => {
  const { court, phone, status, send, teach, approve, healthy } = await openDay(service)
  await court.create('after', { amount: 400 })
  await phone.sms(creditOf(service, 10, 1000))
  await send('2 000р', '3 000р')
  const [{ id }] = await phone.messages()
  await phone.sms(creditOf(service, 400, 3400))
  assert.equal((await phone.messages())[0].reason, 'balance')
  assert.equal((await approve((await teach({ messageId: id })).body)).status, 200)
  const messages = await phone.messages()
  assert.deepEqual(
    messages.map((each: { state: string }) => each.state),
    ['recorded', 'recorded', 'recorded'],
  )
  assert.deepEqual([await status('first'), await status('after')], ['paid', 'paid'])
  await healthy()
})

onEngines(
  'a withdrawn template reads nothing, and what it read without bringing money waits again',
  async (service) => {
    const { court, phone, word, send, messageOf, healthy } = await openDay(service)
    const text = (amount: string) => `${word}: ушло ${amount} в магазин, теперь 900р`
    await phone.sms(text('100р'))
    const lesson = { kind: 'debit', marked: `${word}: ушло {amount:100р} в магазин, теперь {balance:900р}` }
    const { id: messageId } = await messageOf()
    // What brings no money needs no second person.
    const taught = await court.anna.call('POST', '/message-templates', { messageId, ...lesson })
    assert.deepEqual([taught.status, taught.body.state, taught.body.read], [201, 'used', 1])
    assert.deepEqual([(await messageOf()).kind, (await messageOf()).state], ['debit', 'noted'])
    const withdrawn = await court.anna.call('POST', `/message-templates/${taught.body.id}/withdraw`)
    assert.deepEqual([withdrawn.status, withdrawn.body.state, withdrawn.body.read], [200, 'withdrawn', 0])
    assert.equal((await court.anna.lastAudit()).action, 'message-template.withdraw')
    const again = await messageOf()
    assert.deepEqual(
      [again.kind, again.state, again.reason, again.amount],
      ['unknown', 'waiting', 'unknown-text', undefined],
    )
    service.clock.advance(minute)
    await phone.sms(text('150р'))
    assert.equal((await messageOf()).kind, 'unknown')
    assertProblem(await court.anna.call('POST', `/message-templates/${taught.body.id}/withdraw`), 409, 'invalid_state')
    const other = await court.anna.call('POST', '/message-templates', { messageId, ...lesson })
    assert.equal(other.body.read, 2)
    await send('2 000р', '3 000р')
    await healthy()
  },
)

onEngines('messages that another process received without a new template are read by a job', async (service) => {
  const { court, phone, word, messageOf } = await openDay(service)
  service.clock.advance(minute)
  await service.runJobs()
  await phone.sms(`${word}: ушло 100р, теперь 900р`)
  const lesson = { kind: 'debit', marked: `${word}: ушло {amount:100р}, теперь {balance:900р}` }
  const { id: messageId } = await messageOf()
  const taught = await court.anna.call('POST', '/message-templates', { messageId, ...lesson })
  await court.anna.call('POST', `/message-templates/${taught.body.id}/withdraw`)
  await phone.sms(`${word}: ушло 50р, теперь 850р`)
  await service.context.transaction(async (tx) => {
    // As a process does that has only saved it so far.
    const row = { ...{ bank: 'sberbank', kind: 'debit', template: taught.body.template, messageId } }
    await tx.query(insertTemplate, {
      ...{ ...row, kind: 'debit' as const, id: tx.newId(), taughtBy: 'operator:anna', taughtAt: tx.now },
      ...{ changedBy: null, usedSince: tx.now, withdrawnBy: null, withdrawnAt: null },
    })
    await raiseCatalogVersion(tx, 'templates')
  })
  await service.runJobs()
  assert.equal((await messageOf()).kind, 'unknown')
  service.clock.advance(minute)
  await service.runJobs()
  assert.deepEqual([(await messageOf()).kind, (await messageOf(1)).kind], ['debit', 'debit'])
})

onOne('an equal text without a time is read once, and asks the second time', async (service) => {
  const { court, phone, word, messageOf } = await openDay(service)
  const text = `${word}: прибыло 2 000р для счёта 4071`
  await phone.sms(text, { sentStamp: undefined })
  await phone.sms(text, { sentStamp: undefined })
  const { id: messageId } = await messageOf()
  const lesson = { kind: 'credit', marked: `${word}: прибыло {amount:2 000р} для счёта {account:4071}` }
  const { body } = await court.anna.call('POST', '/message-templates', { messageId, ...lesson })
  const { status } = await court.boris.call('POST', `/message-templates/${body.id}/approve`, {
    version: body.unapproved.version,
  })
  assert.equal(status, 200)
  assert.deepEqual(
    (await phone.messages()).map((each: { state: string; reason?: string }) => [each.state, each.reason]),
    [
      ['waiting', 'possible-duplicate'],
      ['recorded', undefined],
    ],
  )
})

onOne('a message of another SIM card than that of the account waits, also when it is read later', async (service) => {
  const { court, phone, word, requisiteId, messageOf, status, teach, approve } = await openDay(service, { digits: [] })
  const account = await court.anna.call('PUT', `/phones/${phone.id}/accounts`, { requisiteId, sim: '1' })
  assert.equal(account.status, 200, JSON.stringify(account.body))
  await phone.sms(`${word}: прибыло 2 000р сюда`, { sim: '2' })
  const taught = await teach({ marked: `${word}: прибыло {amount:2 000р} сюда` })
  assert.equal((await approve(taught.body)).status, 200)
  const { state, reason } = await messageOf()
  assert.deepEqual([state, reason, await status('first')], ['waiting', 'no-requisite', 'new'])
})

onOne('a template that contradicts what is read already is refused, and says how often', async (service) => {
  const { court, phone, word, tryOut, teach, messageOf } = await openDay(service)
  await phone.sms(`${word}: перевод 500р заморожен`)
  const first = { kind: 'hold', marked: `${word}: перевод {amount:500р} заморожен` }
  assert.equal((await teach(first)).body.read, 1)
  assertProblem(await tryOut({ ...first, kind: 'credit' }), 409, 'invalid_state')
  await phone.sms(`${word}: перевод 700р в магазине`)
  const second = { kind: 'debit', marked: `${word}: перевод {amount:700р} {text:в магазине}` }
  const { body } = await tryOut(second)
  assert.deepEqual([body.reads, body.contradicts], [1, 1])
  assert.deepEqual(
    body.messages.map((each: Record<string, unknown>) => [
      each['change'],
      each['kindNow'],
      each['kind'],
      each['amount'] ?? each['amountNow'],
    ]),
    [
      ['contradicted', 'hold', 'unknown', 500],
      ['read', 'unknown', 'debit', 700],
    ],
  )
  const refused = await teach(second)
  assertProblem(refused, 409, 'invalid_state')
  assert.match(refused.body.detail, /^It contradicts messages that are read already \(1\)/)
  assert.deepEqual([(await messageOf(0)).kind, (await messageOf(1)).kind], ['unknown', 'hold'])
  const { templates } = (await court.anna.get('/message-templates')).body
  assert.deepEqual(
    templates
      .filter(({ template }: { template: string }) => template.includes(word))
      .map(({ kind }: { kind: string }) => kind),
    ['hold'],
  )
})

onOne('whoever does not know what the bank has written learns nothing of it', async (service) => {
  const { send, tryOut, teach, word } = await openDay(service)
  await send('2 000р', '3 000р')
  for (const marked of [
    `${word}: получил {amount:2 000р}`,
    '{text:x}',
    `${word}: СЧЁТ{account:4071} получил {amount:2 000р} от {senderName:Инна К.} Теперь там {balance:3 000р}`,
  ])
    for (const act of [tryOut, teach]) {
      const answer = await act({ marked })
      assertProblem(answer, 400, 'validation_failed')
      assert.doesNotMatch(JSON.stringify(answer.body), /Глеб/)
    }
})

for (const [what, marked, fault] of [
  ['a mark that is not closed', 'Х {amount:5', /The mark of amount is not closed/],
  ['a mark of an unknown field', 'Х {money:5}', /After \{ comes one of amount/],
  ['a credit with a free text', undefined, /A credit has no text that is no field/],
  ['a credit without an amount', undefined, /A credit needs an amount/],
] as const)
  onOne(`${what} makes no template`, async (service) => {
    const { phone, word, tryOut } = await openDay(service)
    await phone.sms(`${word} привет 5 000р снова`)
    const own = what.includes('free') ? `${word} {text:привет} {amount:5 000р} снова` : `${word} привет 5 000р снова`
    const answer = await tryOut({ marked: marked ?? own })
    assertProblem(answer, 400, 'validation_failed')
    assert.match(JSON.stringify(answer.body), fault)
  })

onOne('a text with more marks, or more times, than that of any bank makes no template', async (service) => {
  const { phone, word, tryOut } = await openDay(service)
  for (const [own, each, marked] of [
    ['аб ', 21, '{text:аб} '],
    ['1:11 ', 40, '1:11 '],
  ] as const) {
    await phone.sms(`${word} ${own.repeat(each)}конец`)
    const answer = await tryOut({ kind: 'other', marked: `${word} ${marked.repeat(each)}конец` })
    assertProblem(answer, 400, 'validation_failed')
    assert.match(JSON.stringify(answer.body), /There are (?:more than 20|too many) marks/)
  }
})

test('between two messages on which a template is tried, or that wait for it, others have their turn', async () => {
  const rows = Array.from({ length: 99 }, () => ({ id: unknownId, contentSealed: '' }))
  const content = { channel: 'sms', sender: null, package: null, title: null, text: '' }
  const context = {
    ...{ clock: Date.now, settings: { messageDays: 30 }, vault: { decrypt: () => JSON.stringify(content) } },
    query: (asked: unknown) => Promise.resolve(asked === selectUsedTemplates ? [] : rows),
    catalog: { get: () => Promise.resolve(createMessageReader([])) },
  } as unknown as Context
  const findLone = () => Promise.reject(new Error('nothing is recorded'))
  const template = { messageId: unknownId, bank: 'sberbank', kind: 'other', template: 'Слово' } as const
  assert.ok((await turnsOf(() => tryOnKept(context, template))) >= 99)
  assert.ok((await turnsOf(() => readWaiting(context, 'sberbank', findLone))) >= 99)
})

onOne('a template has no line breaks, and reads the text that has', async (service) => {
  const { phone, word, teach } = await openDay(service)
  await phone.sms(`${word} привет 1\nWaits`)
  const { status, body } = await teach({ kind: 'other', marked: `${word} привет {text:1}\nWaits` })
  const [{ kind }] = await phone.messages()
  assert.deepEqual([status, /\s\s|\n/.test(body.template), kind], [201, false, 'other'])
})

onOne('only owners teach and withdraw; an approval names what was seen', async (service) => {
  const { court, send, teach, approve } = await openDay(service)
  await send('2 000р', '3 000р')
  const auditor = openOperator(service, 'vera')
  assertProblem(await teach({}, auditor), 403, 'role_missing')
  assertProblem(await teach({ messageId: unknownId }), 404, 'resource_not_found')
  const { body } = await teach()
  assertProblem(await teach(), 409, 'already_exists')
  assertProblem(await approve({ ...body, unapproved: { version: 'x' } }), 409, 'status_changed')
  assertProblem(await auditor.call('POST', `/message-templates/${body.id}/withdraw`), 403, 'role_missing')
  assert.equal((await court.boris.call('POST', `/message-templates/${body.id}/withdraw`)).status, 200)
  assertProblem(await approve(body), 409, 'invalid_state')
})

test('the demo gets one phone, and one of its messages can be taught', async () => {
  const service = await openTestService(usualEngine(), { PAYIN_DEMO: 'on', NODE_ENV: 'development' })
  try {
    await service.restart()
    const operator = openOperator(service)
    const [phone, ...others] = (await operator.get('/phones')).body.phones
    assert.deepEqual([phone.name, phone.waiting, others.length], ['Simulated phone', 1, 0])
    const { messages } = (await operator.get('/phone-messages')).body
    assert.deepEqual(
      messages.map((each: { kind: string; state: string }) => [each.kind, each.state]),
      [
        ['unknown', 'waiting'],
        ['debit', 'noted'],
        ['credit', 'recorded'],
      ],
    )
    await assertHealthy(service)
  } finally {
    await service.stop()
  }
})

onOne(
  'characters that change the direction of writing are not in a template, whose gaps they would swap',
  async (service) => {
    const { phone, word, teach, tryOut } = await openDay(service)
    const [rightToLeft, leftToRight, end] = ['\u2067', '\u2066', '\u2069']
    const text = (one: string, other: string) =>
      `${word}: СЧЁТ4071 получил ${rightToLeft}${leftToRight}${one}${end} там ${leftToRight}${other}${end}${end}`
    await phone.sms(text('500р', '60000р'))
    const marked = text('{balance:500р}', '{amount:60000р}').replace('4071', '{account:4071}')
    const tried = await tryOut({ marked })
    assert.equal(tried.status, 200, JSON.stringify(tried.body))
    const taught = await teach({ marked })
    assert.equal(taught.body.template, `${word}: СЧЁТ{account} получил {balance} там {amount}`)
  },
)
