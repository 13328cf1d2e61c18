// Refunds that merchants ask for: from the request until a bank reports that the payer has the money.
import assert from 'node:assert/strict'
import { openBank } from '../support/bank.ts'
import { ledgerOf, newsOf, owedIn } from '../support/ledger.ts'
import { hour, minute } from '../../src/rules/time.ts'
import { openOperator, setAgreedRate } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { onBothEngines, onOneEngine, type TestService } from '../support/service.ts'
import { openShop, payIn } from '../support/shop.ts'
import { type Made, mt940Of } from '../support/statement-files.ts'

const payer = { sender: '40817810099910004312', senderName: 'Ivanov Ivan' }
const toPayer = { payer: payer.senderName, payerAccount: payer.sender, text: 'Refund' }

/** A bank with a shop whose payers have accounts, and what its merchant and an operator do about refunds. */
const openDesk = async (service: TestService, wanted: Parameters<typeof openBank>[2] = {}) => {
  const bank = await openBank(service, 'live', wanted)
  const { shop, requisiteId } = bank
  const { merchantId } = shop
  const finance = openOperator(service, 'anna')
  const read = async (id: string) => (await shop.get(`/refunds/${id}`)).body
  return {
    ...bank,
    merchantId,
    finance,
    /** A payment of roubles that its payer has paid. */
    paid: async (orderId: string, amount = 1000, from: object = payer) => {
      const { body } = await shop.create(orderId, { amount })
      assert.ok(body.payment, JSON.stringify(body))
      await payIn(service, { requisiteId, minor: BigInt(amount) * 100n, ...from })
      assert.equal(await shop.status(orderId), 'paid')
      return { merchantId, id: String(body.payment.id), requisiteId }
    },
    ask: (orderId: string, body: object) => shop.post(`/payments/byOrderId/${orderId}/refunds`, body),
    step: (id: string, verb: string, body?: object, by = finance) =>
      by.call('POST', `/refunds/${merchantId}/${id}/${verb}`, body),
    read,
    statusOf: async (id: string): Promise<string> => (await read(id)).status,
    bring: (...rows: Partial<Made['rows'][number]>[]) => bank.bringAgreed(mt940Of, rows),
  }
}

type Desk = Awaited<ReturnType<typeof openDesk>>

/** A refund that was asked for, and what was done about it: its id. */
const refund = async (desk: Desk, orderId: string, body: object, ...verbs: ('approve' | 'send')[]): Promise<string> => {
  const asked = await desk.ask(orderId, body)
  assert.equal(asked.status, 201, JSON.stringify(asked.body))
  for (const verb of verbs) {
    const done = await desk.step(asked.body.id, verb, verb === 'send' ? { requisiteId: desk.requisiteId } : undefined)
    assert.equal(done.status, 200, JSON.stringify(done.body))
  }
  return asked.body.id
}

onBothEngines('a refund goes from the merchant to the payer, and is done once the bank reports it', async (service) => {
  const desk = await openDesk(service, {
    settings: { quoteCurrency: 'rub' },
    hasRate: false,
    terms: { feePpm: 10_000 },
  })
  const { shop, merchantId, requisiteId } = desk
  const payment = await desk.paid('ord-1')
  assert.deepEqual(await owedIn(service, merchantId), ['available 990.00 rub', 'bank -1000.00 rub', 'fees 10.00 rub'])

  const asked = await desk.ask('ord-1', { reference: 'r-1', amount: 300.5, reason: 'Returned goods' })
  assert.equal(asked.status, 201, JSON.stringify(asked.body))
  const { id, createdAt, changedAt, ...shown } = asked.body
  assert.deepEqual(shown, {
    ...{
      paymentId: payment.id,
      orderId: 'ord-1',
      reference: 'r-1',
      status: 'requested',
      currency: 'rub',
      amount: 300.5,
    },
    ...{ balanceChange: { currency: 'rub', amount: -300.5, feeReturned: 0 }, reason: 'Returned goods' },
  })
  assert.equal(createdAt, changedAt)
  assert.equal((await desk.ask('ord-1', { reference: 'r-1', amount: 300.5 })).status, 200)
  assertProblem(await desk.ask('ord-1', { reference: 'r-1', amount: 300 }), 409, 'already_exists')
  assert.equal((await shop.get('/balance')).body.available, 689.5)

  assert.equal((await desk.step(id, 'approve')).body.status, 'approved')
  assert.equal((await desk.step(id, 'approve')).body.status, 'approved')
  assert.equal((await desk.step(id, 'reveal', { reason: 'to send it' })).body.number, payer.sender)
  const sent = await desk.step(id, 'send', { requisiteId })
  assert.deepEqual([sent.status, sent.body.status, sent.body.approvedBy], [200, 'sent', 'operator:anna'])
  assert.equal(await desk.balanceOf(`bank:${requisiteId}`), 699.5)
  await desk.bring({ minor: -300_50n, ...toPayer })
  assert.equal(await desk.statusOf(id), 'done')
  assert.equal(await desk.balanceOf(`bank:${requisiteId}`), 699.5)
  assert.deepEqual(
    (await desk.read(id)).events.map(({ status, actor }: { status: string; actor: string }) => `${status} ${actor}`),
    ['requested merchant', 'approved operator', 'sent operator', 'done service'],
  )
  const postings = (await ledgerOf(service, payment)).filter((line) => line.includes('refund:'))
  assert.deepEqual(postings, [
    'merchant:merchant:available → refund:payment 30050 rub',
    'refund:payment → overpayment:payment 30050 rub',
  ])
  const [news] = await newsOf(service, merchantId, 'refund.done')
  assert.deepEqual(news?.data, {
    ...{ id, paymentId: payment.id, orderId: 'ord-1', reference: 'r-1', sequence: 4, status: 'done', amount: 300.5 },
    ...{ currency: 'rub', balanceChange: { currency: 'rub', amount: -300.5 } },
  })
  const { entries } = (await shop.get('/entries')).body
  assert.deepEqual([entries[0].kind, entries[0].amount, entries[0].reference], ['refund', -300.5, 'r-1'])
})

onBothEngines('refunds take exactly what the credit gave, whatever the parts and the fee rule', async (service) => {
  for (const refundFee of ['kept', 'returned'] as const) {
    const terms = { feePpm: 33_333, feeFixedMicro: 70_001n, refundFee }
    const desk = await openDesk(service, { terms, settings: { maxDebt: 1 } })
    const { merchantId } = desk
    await desk.paid('ord-1', 1001)
    const before = await owedIn(service, merchantId)
    // 1001 roubles at 92.5 are 10.821621 USDT, with a fee of 0.430718.
    assert.ok(before.includes('available 10.390903 USDT') && before.includes('fees 0.430718 USDT'), before.join())
    const parts = [0.01, 333.33, 600.66, 66.99, 0.01]
    for (const [index, amount] of parts.entries()) await refund(desk, 'ord-1', { reference: `r-${index}`, amount })
    assertProblem(await desk.ask('ord-1', { reference: 'more', amount: 0.01 }), 409, 'balance_insufficient')
    const after = await owedIn(service, merchantId)
    const kept = refundFee === 'kept' ? ['available -0.430718 USDT', 'fees 0.430718 USDT'] : []
    assert.deepEqual(
      after.filter((line) => /available|fees|refund/.test(line)),
      [...kept, 'refund 1001.00 rub'],
    )
  }
})

onOneEngine('a fee that is kept leaves the merchant paying it; an agreed debt covers that', async (service) => {
  const desk = await openDesk(service, {
    settings: { quoteCurrency: 'rub', maxDebt: 15 },
    terms: { feePpm: 10_000 },
    hasRate: false,
  })
  await desk.paid('ord-1')
  await refund(desk, 'ord-1', { reference: 'all' })
  const owed = await owedIn(service, desk.merchantId)
  assert.deepEqual(
    owed.filter((line) => !line.startsWith('bank')),
    ['available -10.00 rub', 'fees 10.00 rub', 'refund 1000.00 rub'],
  )
  // 97.91 are available then, and with the debt 112.91.
  await desk.paid('ord-2', 109)
  await refund(desk, 'ord-2', { reference: 'whole' })
  await desk.paid('ord-3', 500)
  assertProblem(await desk.ask('ord-1', { reference: 'again' }), 409, 'balance_insufficient')
})

onBothEngines('what is refused, canceled or failed gives the merchant its share back', async (service) => {
  const desk = await openDesk(service, { terms: { feePpm: 10_000, refundFee: 'returned' } })
  const { merchantId, requisiteId, shop } = desk
  await desk.paid('ord-1')
  const before = await owedIn(service, merchantId)
  const end = async (id: string, verb: string, status: string) => {
    const ended = await desk.step(id, verb, { reason: 'The account is closed' })
    assert.deepEqual([ended.status, ended.body.status, ended.body.failure], [200, status, 'The account is closed'])
    assert.deepEqual((await desk.step(id, verb, { reason: 'The account is closed' })).body, ended.body)
    assert.deepEqual(await owedIn(service, merchantId), before)
    assert.equal((await newsOf(service, merchantId, `refund.${status}`)).length > 0, true)
  }
  await end(await refund(desk, 'ord-1', { reference: 'r-1' }), 'refuse', 'refused')
  await end(await refund(desk, 'ord-1', { reference: 'r-2' }, 'approve'), 'fail', 'failed')
  await end(await refund(desk, 'ord-1', { reference: 'r-3' }, 'approve', 'send'), 'fail', 'failed')
  for (const verbs of [[], ['approve']] as const) {
    const id = await refund(desk, 'ord-1', { reference: `c-${verbs.length}`, amount: 1 }, ...verbs)
    assert.equal((await shop.post(`/refunds/${id}/cancel`, {})).body.status, 'canceled')
    assert.equal((await shop.post(`/refunds/${id}/cancel`, {})).status, 200)
    assert.deepEqual(await owedIn(service, merchantId), before)
  }
  const sent = await refund(desk, 'ord-1', { reference: 'r-4' }, 'approve', 'send')
  assertProblem(await shop.post(`/refunds/${sent}/cancel`, {}), 409, 'invalid_state')
  assertProblem(await desk.step(sent, 'refuse', { reason: 'late' }), 409, 'invalid_state')
  assert.equal((await desk.step(sent, 'send', { requisiteId })).body.status, 'sent')
})

onBothEngines('only what was paid, and is not given back otherwise, is refunded', async (service) => {
  const desk = await openDesk(service)
  const { shop } = desk
  await shop.create('open', { amount: 700 })
  assertProblem(await desk.ask('open', { reference: 'r' }), 409, 'invalid_state')
  assertProblem(await desk.ask('unknown', { reference: 'r' }), 404, 'payment_not_found')
  const payment = await desk.paid('ord-1')
  assertProblem(await desk.ask('ord-1', { reference: 'r', amount: 1000.01 }), 409, 'balance_insufficient')
  assertProblem(await desk.ask('ord-1', { reference: 'r', amount: 1.001 }), 422, 'amount_precision')
  assertProblem(await desk.ask('ord-1', { reference: 'r', payTo: 'card 4276' }), 400, 'validation_failed')
  const asked = await Promise.all([1, 2, 3].map((index) => desk.ask('ord-1', { reference: `r-${index}`, amount: 400 })))
  assert.deepEqual(asked.map(({ status }) => String(status)).toSorted(), ['201', '201', '409'])
  assert.equal((await shop.get('/refunds?orderId=ord-1')).body.refunds.length, 2)
  assert.equal((await shop.get('/refunds?status=requested')).body.refunds.length, 2)
  assert.equal((await desk.finance.get(`/refunds?merchantId=${payment.merchantId}`)).body.refunds.length, 2)
})

onBothEngines(
  'a bank that takes the money back stops a refund that is not sent, and keeps the fee right',
  async (service) => {
    const desk = await openDesk(service, {
      settings: { quoteCurrency: 'rub' },
      hasRate: false,
      terms: { feePpm: 10_000, refundFee: 'returned' },
    })
    const { merchantId } = desk
    await desk.paid('other', 5000)
    await desk.paid('ord-1')
    const id = await refund(desk, 'ord-1', { reference: 'r-1' }, 'approve', 'send')
    await desk.bring({ minor: -1000_00n, ...toPayer })
    assert.equal(await desk.statusOf(id), 'done')
    await desk.paid('ord-2', 2000)
    const waiting = await refund(desk, 'ord-2', { reference: 'r-2', amount: 600 }, 'approve')
    const [first, second] = (await desk.operator.get('/transfers?limit=500')).body.transfers.filter(
      ({ amount }: { amount: number }) => amount === 1000 || amount === 2000,
    )
    for (const { requisiteId, id: transferId } of [first, second]) {
      const taken = await desk.finance.call('POST', `/transfers/${requisiteId}/${transferId}/reverse`, {
        reason: 'chargeback',
      })
      assert.equal(taken.status, 200, JSON.stringify(taken.body))
    }
    // The merchant has lost both refunds and both payments; no fee was returned twice.
    const fees = (await owedIn(service, merchantId)).find((line) => line.startsWith('fees'))
    assert.equal(fees, 'fees 50.00 rub')
    assertProblem(await desk.step(waiting, 'send', { requisiteId: desk.requisiteId }), 409, 'invalid_state')
    assert.equal((await desk.step(waiting, 'fail', { reason: 'The bank took it' })).body.status, 'failed')
  },
)

onBothEngines(
  'money that left before it was recorded as sent is its refund, until that is unbooked',
  async (service) => {
    const desk = await openDesk(service)
    const { requisiteId, merchantId, operator } = desk
    const payment = await desk.paid('ord-1')
    const id = await refund(desk, 'ord-1', { reference: 'r-1', amount: 300 }, 'approve')
    await desk.bring({ minor: -300_00n, ...toPayer })
    const [outgoing] = (await operator.get(`/outgoing?requisiteId=${requisiteId}`)).body.outgoing
    assert.deepEqual([outgoing.state, outgoing.proposals[0]?.paymentId], ['unexplained', payment.id])
    const path = `/outgoing/${requisiteId}/${outgoing.id}`
    const confirm = { merchantId, paymentId: payment.id, reason: 'refund r-1' }
    const confirmed = await desk.finance.call('POST', `${path}/confirm`, confirm)
    assert.deepEqual([confirmed.status, confirmed.body.state], [200, 'booked'], JSON.stringify(confirmed.body))
    assert.equal(await desk.statusOf(id), 'done')
    const unbooked = await desk.finance.call('POST', `${path}/unbook`, { reason: 'wrong' })
    assert.equal(unbooked.status, 200, JSON.stringify(unbooked.body))
    assert.equal(await desk.statusOf(id), 'approved')
    // Recorded as sent, it finds the money that its bank has reported.
    assert.equal((await desk.step(id, 'send', { requisiteId })).body.status, 'done')
  },
)

onBothEngines(
  'a withdrawn report makes a refund wait for its bank again; money given back ends it',
  async (service) => {
    const desk = await openDesk(service, { terms: { feePpm: 0 } })
    const { merchantId, shop } = desk
    await desk.paid('ord-1')
    const before = await owedIn(service, merchantId)
    const id = await refund(desk, 'ord-1', { reference: 'r-1' }, 'approve', 'send')
    const brought = await desk.bring({ minor: -1000_00n, ...toPayer })
    assert.equal(await desk.statusOf(id), 'done')
    assertProblem(await desk.step(id, 'fail', { reason: 'no' }), 409, 'invalid_state')
    for (const name of ['anna', 'boris'] as const)
      await openOperator(service, name).call('POST', `/statements/${brought.id}/withdraw`, { reason: 'wrong file' })
    await service.runJobs()
    assert.equal(await desk.statusOf(id), 'sent')
    await desk.bring({ minor: -1000_00n, ...toPayer, reference: 'BANKREF-OUT-7' })
    assert.equal(await desk.statusOf(id), 'done')
    await desk.bring({ minor: 1000_00n, reference: 'BANKREF-OUT-7', reversal: true })
    const failed = await desk.read(id)
    assert.deepEqual([failed.status, failed.failure], ['failed', 'The bank gave the money back.'])
    assert.deepEqual(await owedIn(service, merchantId), before)
    assert.equal((await shop.get('/balance')).body.available > 10, true)
  },
)

onBothEngines('to an account that the merchant names, large refunds take two operators', async (service) => {
  const desk = await openDesk(service)
  const { requisiteId } = desk
  for (const [index, orderId] of ['a', 'b', 'c'].entries())
    await desk.paid(orderId, 60_000 + index, { sender: '*1234' })
  await desk.paid('covers fees', 1000)
  const nameless = await desk.paid('nameless', 700, {})
  const early = await refund(desk, 'nameless', {
    reference: 'early',
    payTo: 'Petrov, 40817810099910005555',
    amount: 10,
  })
  // An overpayment names nobody as the payer.
  assert.equal((await payIn(service, { ...nameless, minor: 700_00n, ...payer })).outcome, 'paid-again')
  assert.equal((await desk.step(early, 'approve')).body.status, 'approved')
  const asked = await desk.ask('a', { reference: 'nowhere', amount: 100 })
  assertProblem(await desk.step(asked.body.id, 'approve'), 409, 'invalid_state')
  const payTo = 'Ivanov Ivan, 40817810099910004312'
  const small = await refund(desk, 'a', { reference: 'small', payTo, amount: 4000 }, 'approve')
  const { payTo: masked } = await desk.read(small)
  assert.ok(masked.includes('4312') && !masked.includes('40817810099910004312'), masked)
  const revealed = await desk.step(small, 'reveal', { reason: 'to send it' })
  assert.equal(revealed.body.number, payTo)
  // 64,000 roubles are less than 1000 USDT, and with 60,000 more they are not.
  for (const orderId of ['b', 'c']) {
    const id = await refund(desk, orderId, { reference: orderId, payTo })
    const first = await desk.step(id, 'approve')
    if (orderId === 'b') {
      assert.equal(first.body.status, 'approved')
      continue
    }
    assert.deepEqual([first.body.status, first.body.proposedBy], ['requested', 'operator:anna'])
    assert.equal((await desk.step(id, 'approve')).body.status, 'requested')
    const second = await desk.step(id, 'approve', undefined, openOperator(service, 'boris'))
    assert.deepEqual([second.body.status, second.body.approvedBy], ['approved', 'operator:boris'])
    assert.equal((await desk.step(id, 'send', { requisiteId })).body.status, 'sent')
  }
})

onBothEngines(
  'the money of sent refunds may be under way: one operator fails few of them within a day, two fail any',
  async (service) => {
    const desk = await openDesk(service, { terms: { feePpm: 0 } })
    const { merchantId, requisiteId, shop } = desk
    const fail = (id: string, by = desk.finance) => desk.step(id, 'fail', { reason: 'It came back' }, by)
    await desk.paid('a', 61_000)
    await desk.paid('b', 62_000)
    await desk.paid('c', 63_000)
    const before = await owedIn(service, merchantId)
    const [a, b] = [
      await refund(desk, 'a', { reference: 'a' }, 'approve', 'send'),
      await refund(desk, 'b', { reference: 'b' }, 'approve', 'send'),
    ]
    // One that was not sent needs nobody else, and counts for nothing.
    assert.equal((await fail(await refund(desk, 'c', { reference: 'c' }, 'approve'))).body.status, 'failed')
    assert.equal((await fail(a)).body.status, 'failed')
    // 61,000 roubles are less than 1000 USDT, and with 62,000 more they are not.
    for (let times = 0; times < 2; times++) {
      const { status, failingBy, failure } = (await fail(b)).body
      assert.deepEqual([status, failingBy, failure], ['sent', 'operator:anna', undefined])
      assert.equal((await desk.finance.lastAudit()).details['proposed'], true)
    }
    assert.deepEqual([(await desk.read(b)).status, (await desk.read(b)).failingBy], ['sent', undefined])
    const waiting = (await desk.finance.get('/overview')).body.waiting
    assert.equal(waiting.find(({ kind }: { kind: string }) => kind === 'refunds-to-fail')?.count, 1)
    // The bank reports it meanwhile: nobody would fail it any more, not even once that is withdrawn.
    const brought = await desk.bring({ minor: -62_000_00n, ...toPayer })
    assert.equal(await desk.statusOf(b), 'done')
    const boris = openOperator(service, 'boris')
    for (const by of [desk.finance, boris])
      await by.call('POST', `/statements/${brought.id}/withdraw`, { reason: 'wrong file' })
    await service.runJobs()
    assert.equal((await desk.finance.get(`/refunds/${merchantId}/${b}`)).body.failingBy, undefined)
    assert.equal((await fail(b)).body.failingBy, 'operator:anna')
    assert.equal((await fail(b, boris)).body.status, 'failed')
    assert.deepEqual(await owedIn(service, merchantId), before)
    assert.equal((await newsOf(service, merchantId, 'refund.failed')).length, 3)
    // What two agreed on counts for neither: the other one has the whole bound.
    const again = await refund(desk, 'b', { reference: 'b again' }, 'approve', 'send')
    assert.equal((await fail(again, boris)).body.status, 'failed')
    service.clock.advance(25 * hour)
    const next = await refund(desk, 'a', { reference: 'a again' }, 'approve')
    assert.equal((await desk.step(next, 'send', { requisiteId })).body.status, 'sent')
    assert.equal((await fail(next)).body.status, 'failed')
    assert.equal((await shop.get('/refunds?status=failed')).body.refunds.length, 5)
  },
)

onOneEngine(
  'a person who works alone fails whatever was sent',
  async (service) => {
    const shop = await openShop(service, { perMethod: 1, terms: { feePpm: 0 } })
    const { body } = await shop.create('a', { amount: 193_000 })
    await payIn(service, { requisiteId: body.card.id, minor: 193_000_00n, ...payer })
    const { id } = (await shop.post('/payments/byOrderId/a/refunds', { reference: 'a' })).body
    const step = (verb: string, reason?: object) =>
      openOperator(service).call('POST', `/refunds/${shop.merchantId}/${id}/${verb}`, reason ?? {})
    for (const verb of ['approve', 'send']) assert.equal((await step(verb)).status, 200)
    assert.equal((await step('fail', { reason: 'It came back' })).body.status, 'failed')
  },
  { PAYIN_OPERATOR_TOKENS: '' },
)

onOneEngine('a correction leaves what refunds give back credited', async (service) => {
  const desk = await openDesk(service, { terms: { feePpm: 0 } })
  const payment = await desk.paid('ord-1')
  await refund(desk, 'ord-1', { reference: 'r-1', amount: 600 })
  const path = `/payments/${payment.merchantId}/${payment.id}/disputes`
  const opened = await desk.finance.call('POST', path, { amount: 500, note: 'too much' })
  assert.equal(opened.status, 201, JSON.stringify(opened.body))
  const about = `/disputes/${payment.merchantId}/${opened.body.id}`
  const boris = openOperator(service, 'boris')
  assert.equal((await boris.call('POST', `${about}/confirm`, { amount: 500 })).status, 200)
  const decide = (amount: number) =>
    boris.call('POST', `${about}/decision`, { decision: 'accept', amount, note: 'seen' })
  assertProblem(await decide(500), 409, 'invalid_state')
  assertProblem(await desk.ask('ord-1', { reference: 'r-2', amount: 1 }), 409, 'invalid_state')
  const rejected = await boris.call('POST', `${about}/decision`, { decision: 'reject', note: 'as it was' })
  assert.equal(rejected.status, 200, JSON.stringify(rejected.body))
  assertProblem(await desk.ask('ord-1', { reference: 'r-2', amount: 400.01 }), 409, 'balance_insufficient')
})

onOneEngine('a correction at a worse rate leaves no more of the fee returned than it has', async (service) => {
  const desk = await openDesk(service, { terms: { feePpm: 100_000, refundFee: 'returned' } })
  const { shop, merchantId, requisiteId } = desk
  const { body } = await shop.create('late', { amount: 1000 })
  service.clock.advance(50 * minute)
  await service.runJobs()
  assert.equal((await payIn(service, { requisiteId, minor: 1000_00n, ...payer })).outcome, 'late')
  await refund(desk, 'late', { reference: 'r-1', amount: 900 })
  // 1.081081 USDT were the fee, and a tenth of that is left.
  assert.ok((await owedIn(service, merchantId)).includes('fees 0.108109 USDT'))
  await setAgreedRate(service, 'rub', 185)
  const opened = await desk.finance.call('POST', `/payments/${merchantId}/${body.payment.id}/disputes`, {
    amount: 900,
    note: 'too much',
  })
  const about = `/disputes/${merchantId}/${opened.body.id}`
  const boris = openOperator(service, 'boris')
  assert.equal((await boris.call('POST', `${about}/confirm`, { amount: 900 })).status, 200)
  const accepted = await boris.call('POST', `${about}/decision`, { decision: 'accept', amount: 900, note: 'seen' })
  assert.equal(accepted.status, 200, JSON.stringify(accepted.body))
  const owed = await owedIn(service, merchantId)
  assert.deepEqual(
    owed.filter((line) => line.startsWith('fees')),
    [],
  )
})

onOneEngine('money that one person has reported is not refunded before its bank reports it', async (service) => {
  const desk = await openDesk(service)
  await desk.paid('other')
  await desk.shop.create('ord-1', { amount: 900 })
  const recorded = await desk.finance.call('POST', '/transfers', {
    transfers: [
      {
        ...{ requisiteId: desk.requisiteId, amount: 900, currency: 'rub', bankReference: 'T-1' },
        ...{ bookedAt: new Date(service.clock.now).toISOString(), sender: payer.sender },
      },
    ],
  })
  assert.equal(recorded.status, 200, JSON.stringify(recorded.body))
  assert.equal(await desk.shop.status('ord-1'), 'paid')
  const asked = await desk.ask('ord-1', { reference: 'r-1' })
  assert.equal(asked.status, 201)
  assertProblem(await desk.step(asked.body.id, 'approve'), 409, 'invalid_state')
})
