// What a bank takes back again, as an operator and the ledger see it afterwards.
import assert from 'node:assert/strict'
import { day, hour, minute } from '../../src/rules/time.ts'
import { openCourt } from '../support/disputes.ts'
import { newsOf, owedIn } from '../support/ledger.ts'
import { openOperator, unknownId } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { assertHealthy, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { openShop, payIn } from '../support/shop.ts'
import { camtOf, type MadeRow, uploadFile } from '../support/statement-files.ts'

const { onEngines, onOne } = shareEngines()
const moscow = 3 * 60 * 60 * 1000
const dateOf = (at: number): string => new Date(at + moscow).toISOString().slice(0, 10)

/** Imports a statement that takes money back from a requisite; answers its id. */
const takeBackFrom = async (
  service: TestService,
  requisiteId: string,
  rows: readonly Omit<MadeRow, 'date' | 'reversal'>[],
): Promise<string> => {
  const date = dateOf(service.clock.now)
  const made = rows.map((row) => ({ ...row, minor: -row.minor, date, reversal: true as const }))
  const uploaded = await uploadFile(service, camtOf({ account: `of ${requisiteId}`, rows: made }), { requisiteId })
  assert.equal(uploaded.status, 201, JSON.stringify(uploaded.body))
  const operator = openOperator(service)
  await operator.call('POST', `/statements/${uploaded.body.id}/confirm`)
  await service.runJobs()
  assert.equal((await operator.get(`/statements/${uploaded.body.id}`)).body.state, 'imported')
  return uploaded.body.id
}

/** A shop with one requisite, and the bank's way to take money back from it. */
const openPlace = async (service: TestService) => {
  const shop = await openShop(service, { perMethod: 1 })
  const waits = await shop.create('waits', { amount: 99_999 })
  const requisiteId: string = waits.body.card.id
  const operator = openOperator(service)
  const takeBack = (rows: Parameters<typeof takeBackFrom>[2]) => takeBackFrom(service, requisiteId, rows)
  const create = async (orderId: string, amount: number) => {
    const { body, status } = await shop.create(orderId, { amount })
    assert.equal(status, 201, JSON.stringify(body))
    return body.payment.id as string
  }
  const partsOf = async (id: string): Promise<[string, number][]> => {
    const { transfers } = (await operator.get('/transfers?limit=500')).body
    const transfer = transfers.find((each: { id: string }) => each.id === id)
    return transfer.parts.map((part: { kind: string; amount: number }) => [part.kind, part.amount])
  }
  return { shop, requisiteId, operator, takeBack, create, partsOf }
}

onOne('a payment whose part is taken back ends while it still has its slot', async (service) => {
  const terms = { graceMs: 0, lateWindowMs: 0, confirmDeadlineMs: 2 * hour }
  const shop = await openShop(service, { perMethod: 1, terms })
  const { card } = (await shop.create('part', { amount: 1000 })).body
  const { id } = await payIn(service, { requisiteId: card.id, minor: 600_00n, reference: 'BANKREF-PART' })
  assert.equal(await shop.status('part'), 'processing')
  const operator = openOperator(service)
  const reversed = await operator.call('POST', `/transfers/${card.id}/${id}/reverse`, { reason: 'bank' })
  assert.equal(reversed.status, 200, JSON.stringify(reversed.body))
  service.clock.advance(31 * minute)
  await service.runJobs()
  assert.equal(await shop.status('part'), 'expired')
  await assertHealthy(service)
})

onOne('of a transfer that was split, what is credited stays and the rest goes back', async (service) => {
  const { shop, requisiteId, operator, takeBack, create, partsOf } = await openPlace(service)
  const paymentId = await create('split', 1000)
  const { id } = await payIn(service, { requisiteId, minor: 1700_00n, reference: 'BANKREF-SPLIT' })
  assert.deepEqual(await partsOf(id), [['suspense', 1700]])
  const shares = [{ merchantId: shop.merchantId, paymentId, amount: 1000 }]
  const assigned = await operator.call('POST', `/transfers/${requisiteId}/${id}/assign`, { shares })
  assert.equal(assigned.status, 200, JSON.stringify(assigned.body))
  assert.equal(await shop.status('split'), 'paid')
  await takeBack([{ minor: 1700_00n, reference: 'BANKREF-SPLIT' }])
  assert.equal(await shop.status('split'), 'paid')
  assert.deepEqual(await partsOf(id), [
    ['payment', 1000],
    ['reversed', 700],
  ])
})

onEngines('parts of a transfer are taken back under its reference, each once, up to its amount', async (service) => {
  const { requisiteId, operator, takeBack, partsOf } = await openPlace(service)
  const large = await payIn(service, { requisiteId, minor: 1700_00n, reference: 'BANKREF-PARTLY' })
  const equal = await payIn(service, { requisiteId, minor: 600_00n, reference: 'BANKREF-OTHER' })
  const listed = async () => (await operator.get(`/transfers/${requisiteId}/${large.id}`)).body
  await takeBack([{ minor: 600_00n, reference: 'BANKREF-PARTLY' }])
  assert.deepEqual(await partsOf(large.id), [
    ['reversed', 600],
    ['suspense', 1100],
  ])
  assert.deepEqual(await partsOf(equal.id), [['suspense', 600]])
  const { reversedAmount, reversedAt } = await listed()
  assert.deepEqual([reversedAmount, reversedAt], [600, undefined])
  // The same row in another file, and then an equal part on another day.
  await takeBack([
    { minor: 600_00n, reference: 'BANKREF-PARTLY' },
    { minor: 100_00n, reference: 'BANKREF-PARTLY' },
  ])
  assert.equal((await listed()).reversedAmount, 700)
  service.clock.advance(day)
  for (const _ of [1, 2]) await takeBack([{ minor: 600_00n, reference: 'BANKREF-PARTLY', text: `again ${_}` }])
  assert.equal((await listed()).reversedAmount, 1300)
  // More than the rest is a question.
  await takeBack([{ minor: 500_00n, reference: 'BANKREF-PARTLY' }])
  assert.equal((await listed()).reversedAmount, 1300)
  const { reversals } = (await operator.get('/reversals?limit=100')).body
  const open = reversals.find((each: { requisiteId: string }) => each.requisiteId === requisiteId)
  assert.ok(open.candidates.includes(large.id))
  const path = `/reversals/${requisiteId}/${open.id}`
  assertProblem(await operator.call('POST', `${path}/assign`, { transferId: large.id }), 409, 'invalid_state')
  assert.equal((await operator.call('POST', `${path}/ignore`, { reason: 'a mistake of the bank' })).status, 200)
  await takeBack([{ minor: 400_00n, reference: 'BANKREF-PARTLY' }])
  assert.deepEqual([(await listed()).reversedAmount, typeof (await listed()).reversedAt], [1700, 'string'])
  assert.ok((await partsOf(large.id)).every(([kind]) => kind === 'reversed'))
  await assertHealthy(service)
})

onOne('a part is taken back from the transfer whose number the text of its row names', async (service) => {
  const { requisiteId, operator, partsOf } = await openPlace(service)
  const date = dateOf(service.clock.now).split('-').toReversed().join('.')
  const bring = async (...lines: string[]): Promise<void> => {
    const header = 'Дата операции;Номер операции;Сумма;Назначение платежа;Статус'
    const uploaded = await uploadFile(service, [header, ...lines, ''].join('\r\n'), { requisiteId })
    assert.equal(uploaded.status, 201, JSON.stringify(uploaded.body))
    await operator.call('POST', `/statements/${uploaded.body.id}/confirm`)
    await service.runJobs()
  }
  const idOf = async (bankReference: string): Promise<string> =>
    (await operator.get('/transfers?limit=500')).body.transfers.find(
      (each: { bankReference?: string; requisiteId: string }) =>
        each.requisiteId === requisiteId && each.bankReference === bankReference,
    ).id
  await bring(
    `${date};OPER-100077;+1700,00;Перевод;Исполнено`,
    `${date};OPER-100078;+1700,00;Перевод;Исполнено`,
    // Numbers of a day, which begin again.
    `${date};1;+5,00;Перевод;Исполнено`,
    `${date};1;+5,00;Перевод;Исполнено`,
    `${date};OPER-100090;-600,00;Возврат по операции №OPER-100077.;Сторно`,
  )
  assert.deepEqual(await partsOf(await idOf('OPER-100077')), [
    ['reversed', 600],
    ['suspense', 1100],
  ])
  await bring(`${date};OPER-100091;-1700,00;Возврат (OPER-100078);Сторно`)
  assert.deepEqual(await partsOf(await idOf('OPER-100078')), [['reversed', 1700]])
  // More than is left of the one that is named takes nothing from another one.
  await bring(`${date};OPER-100092;-1700,00;Возврат OPER-100077;Сторно`)
  const { reversals } = (await operator.get('/reversals?limit=100')).body
  const open = reversals.filter((each: { requisiteId: string }) => each.requisiteId === requisiteId)
  assert.deepEqual(
    open.map(({ bankReference }: { bankReference: string }) => bankReference),
    ['OPER-100092'],
  )
  await assertHealthy(service)
})

onOne('parts of a credit that are taken back leave the worth of the rest, and nothing in the end', async (service) => {
  const { shop, requisiteId, takeBack, create, partsOf } = await openPlace(service)
  await create('in parts', 5000)
  const { id } = await payIn(service, { requisiteId, minor: 5000_00n, reference: 'BANKREF-CREDIT' })
  const available = async () => (await shop.get('/balance')).body.available
  const whole = await available()
  const changes = async () =>
    (await newsOf(service, shop.merchantId, 'payment.reversed')).map(({ data }) => [
      data['reversedAmount'],
      (data['balanceChange'] as { amount: number }).amount,
    ])
  await takeBack([{ minor: 1700_01n, reference: 'BANKREF-CREDIT' }])
  assert.equal(await shop.status('in parts'), 'paid')
  assert.deepEqual(await partsOf(id), [['payment', 5000]])
  const [[reversedAmount, change] = []] = await changes()
  assert.equal(reversedAmount, 1700.01)
  // What is left is 3299.99 at the rate, less the fee of that: no part of the rounding is lost or made.
  assert.equal((await available()).toFixed(6), (whole + Number(change)).toFixed(6))
  await takeBack([{ minor: 3299_99n, reference: 'BANKREF-CREDIT' }])
  assert.deepEqual(await owedIn(service, shop.merchantId), [])
  const sum = (await changes()).reduce((total, [, each]) => total + Number(each), 0)
  assert.equal(sum.toFixed(6), (-whole).toFixed(6))
  await assertHealthy(service)
})

onOne('a part that is taken back from a payment that waits leaves it waiting with the rest', async (service) => {
  const { shop, requisiteId, takeBack, partsOf } = await openPlace(service)
  const { id } = await payIn(service, { requisiteId, minor: 60_000_00n, reference: 'BANKREF-WAITING' })
  assert.equal(await shop.status('waits'), 'processing')
  await takeBack([{ minor: 20_000_00n, reference: 'BANKREF-WAITING' }])
  assert.deepEqual(await partsOf(id), [
    ['reversed', 20_000],
    ['payment', 40_000],
  ])
  await payIn(service, { requisiteId, minor: 59_999_00n, reference: 'BANKREF-REST' })
  assert.equal(await shop.status('waits'), 'paid')
  // Credited by now.
  await takeBack([{ minor: 30_000_00n, reference: 'BANKREF-WAITING' }])
  assert.deepEqual(await partsOf(id), [
    ['reversed', 20_000],
    ['payment', 40_000],
  ])
  await takeBack([{ minor: 10_000_00n, reference: 'BANKREF-WAITING' }])
  const last = (await newsOf(service, shop.merchantId, 'payment.reversed')).at(-1)
  assert.equal(last?.data['reversedAmount'], 10_000)
  await assertHealthy(service)
})

onEngines('of a transfer that several payments share, an operator confirms the reversal of a part', async (service) => {
  const { shop, requisiteId, operator, takeBack, create, partsOf } = await openPlace(service)
  const ids = [await create('shared one', 1000), await create('shared two', 600)]
  const { id } = await payIn(service, { requisiteId, minor: 2000_00n, reference: 'BANKREF-SHARED' })
  const shares = [1000, 600].map((amount, index) => ({ merchantId: shop.merchantId, paymentId: ids[index], amount }))
  const assigned = await operator.call('POST', `/transfers/${requisiteId}/${id}/assign`, { shares })
  assert.equal(assigned.status, 200, JSON.stringify(assigned.body))
  // What waits in the inbox goes first, without a question.
  await takeBack([{ minor: 400_00n, reference: 'BANKREF-SHARED' }])
  const credited = [
    ['payment', 1000],
    ['payment', 600],
    ['reversed', 400],
  ]
  assert.deepEqual(await partsOf(id), credited)
  await takeBack([{ minor: 700_00n, reference: 'BANKREF-SHARED' }])
  const open = async () =>
    (await operator.get('/reversals?limit=100')).body.reversals.filter(
      (each: { requisiteId: string }) => each.requisiteId === requisiteId,
    )
  const [waiting] = await open()
  assert.deepEqual([waiting.amount, waiting.candidates], [700, [id]])
  await service.runJobs()
  assert.equal((await open()).length, 1)
  const path = `/reversals/${requisiteId}/${waiting.id}`
  const preview = await operator.call('POST', `${path}/preview`, { transferId: id })
  assert.deepEqual(
    preview.body.entries.map(({ kind, amount }: { kind: string; amount: number }) => [kind, amount]),
    [
      ['return', 700],
      ['return', 7.491891],
      ['return', 0.075676],
    ],
  )
  assert.deepEqual(await partsOf(id), credited)
  assert.equal((await operator.call('POST', `${path}/assign`, { transferId: id })).status, 200)
  const { parts, reversedAmount } = (await operator.get(`/transfers/${requisiteId}/${id}`)).body
  assert.deepEqual(
    [reversedAmount, parts.map((part: { reversedAmount?: number }) => part.reversedAmount)],
    [1100, [700, undefined, undefined]],
  )
  // An operator announces the rest.
  const announced = await operator.call('POST', `/transfers/${requisiteId}/${id}/reverse`, { reason: 'by phone' })
  assert.deepEqual([announced.body.reversedAmount, typeof announced.body.reversedAt], [2000, 'string'])
  await takeBack([{ minor: 900_00n, reference: 'BANKREF-SHARED' }])
  assert.deepEqual(await open(), [])
  assert.deepEqual(await owedIn(service, shop.merchantId), [])
  await assertHealthy(service)
})

onOne('a reversal of a part that comes before its transfer waits for it', async (service) => {
  const { requisiteId, takeBack, partsOf } = await openPlace(service)
  await takeBack([{ minor: 50_00n, reference: 'BANKREF-EARLY' }])
  const { id } = await payIn(service, { requisiteId, minor: 80_00n, reference: 'BANKREF-EARLY' })
  await service.runJobs()
  assert.deepEqual(await partsOf(id), [
    ['reversed', 50],
    ['suspense', 30],
  ])
  await assertHealthy(service)
})

onOne('a reversed overpayment is no longer owed, and cannot be decided again', async (service) => {
  const { requisiteId, operator, takeBack, create, partsOf } = await openPlace(service)
  await create('twice', 1000)
  await payIn(service, { requisiteId, minor: 1000_00n, reference: 'BANKREF-ONE' })
  const { id } = await payIn(service, { requisiteId, minor: 1000_00n, reference: 'BANKREF-TWO' })
  assert.deepEqual(await partsOf(id), [['overpayment', 1000]])
  await takeBack([{ minor: 1000_00n, reference: 'BANKREF-TWO' }])
  assert.deepEqual(await partsOf(id), [['reversed', 1000]])
  for (const [name, body] of [
    ['unassign', { reason: 'x' }],
    ['ignore', { reason: 'x' }],
  ] as const) {
    assertProblem(await operator.call('POST', `/transfers/${requisiteId}/${id}/${name}`, body), 409, 'invalid_state')
  }
})

onOne('of many equal transfers the one that is named is taken back, however old', async (service) => {
  const { requisiteId, operator, takeBack, create, partsOf } = await openPlace(service)
  await create('waits, too', 99_998)
  const date = dateOf(service.clock.now)
  const account = (index: number): string => `408178100000000${String(index).padStart(5, '0')}`
  const rows = Array.from({ length: 150 }, (_, index) => ({
    ...{ minor: 55_00n, date, reference: `BANKREF-M${index}`, payerAccount: account(index) },
  }))
  const { body } = await uploadFile(service, camtOf({ account: `of ${requisiteId}`, rows }), { requisiteId })
  await operator.call('POST', `/statements/${body.id}/confirm`)
  await service.runJobs()
  const listed = (await operator.get(`/statements/${body.id}/rows?limit=3`)).body.rows
  const [byReference, bySender, byId]: string[] = listed.map((row: { transferId: string }) => row.transferId)
  await takeBack([
    { minor: 55_00n, reference: 'BANKREF-M0', payerAccount: '40817810000000999999' },
    { minor: 55_00n, payerAccount: account(1) },
  ])
  const isReturned = async (id = '') =>
    (await operator.get(`/transfers/${requisiteId}/${id}`)).body.parts.every(
      (part: { kind: string }) => part.kind === 'reversed',
    )
  assert.deepEqual([await isReturned(byReference), await isReturned(bySender)], [true, true])

  await takeBack([{ minor: 55_00n }])
  const { reversals } = (await operator.get('/reversals?limit=100')).body
  const open = reversals.find((each: { requisiteId: string }) => each.requisiteId === requisiteId)
  assert.equal(await isReturned(byId), false)
  const assigned = await operator.call('POST', `/reversals/${requisiteId}/${open.id}/assign`, { transferId: byId })
  assert.equal(assigned.status, 200, JSON.stringify(assigned.body))
  assert.equal(await isReturned(byId), true)
  assert.deepEqual(await partsOf(String(byId)), [['reversed', 55]])
})

onOne(
  'a reversal that can mean no transfer or several waits for an operator, who names one or says there is none',
  async (service) => {
    const { requisiteId, operator, takeBack, create, partsOf } = await openPlace(service)
    // With two that wait, money of another amount is for neither.
    await create('waits, too', 99_998)
    const [one, two] = [
      await payIn(service, { requisiteId, minor: 33_00n, reference: 'BANKREF-A' }),
      await payIn(service, { requisiteId, minor: 33_00n, reference: 'BANKREF-B' }),
    ]
    const other = await payIn(service, { requisiteId, minor: 32_00n, reference: 'BANKREF-C' })
    const statementId = await takeBack([{ minor: 33_00n, payerAccount: '40817810000000001234' }, { minor: 77_00n }])
    const open = async (): Promise<{ id: string; amount: number; sender?: string; candidates: string[] }[]> =>
      (await operator.get('/reversals?limit=100')).body.reversals.filter(
        (each: { requisiteId: string }) => each.requisiteId === requisiteId,
      )
    const outcomes = async () => (await operator.get(`/statements/${statementId}`)).body.outcomes
    const [unknown, ambiguous] = await open()
    assert.deepEqual([unknown?.amount, unknown?.candidates], [77, []])
    assert.deepEqual([ambiguous?.amount, ambiguous?.candidates.toSorted()], [33, [one.id, two.id].toSorted()])
    assert.equal(ambiguous?.sender, '•••• 1234')
    assert.deepEqual(await outcomes(), [{ outcome: 'reversal', kind: 'open', transfers: 2 }])
    assert.deepEqual(await partsOf(one.id), [['suspense', 33]])

    const decide = (id: string | undefined, word: string, body: object) =>
      operator.call('POST', `/reversals/${requisiteId}/${id}/${word}`, body)
    assertProblem(await decide(ambiguous?.id, 'assign', { transferId: other.id }), 409, 'invalid_state')
    assertProblem(await decide(ambiguous?.id, 'assign', { transferId: unknownId }), 404, 'resource_not_found')
    assertProblem(await decide(unknownId, 'ignore', { reason: 'x' }), 404, 'resource_not_found')
    const assigned = await decide(ambiguous?.id, 'assign', { transferId: two.id, note: 'the bank said so' })
    assert.deepEqual([assigned.status, assigned.body.transferId], [200, two.id])
    const audit = await operator.lastAudit()
    assert.deepEqual([audit.action, audit.details['transferId']], ['reversal.assign', two.id])
    assert.deepEqual([await partsOf(one.id), await partsOf(two.id)], [[['suspense', 33]], [['reversed', 33]]])
    assertProblem(await decide(ambiguous?.id, 'ignore', { reason: 'x' }), 404, 'resource_not_found')
    assert.equal((await decide(unknown?.id, 'ignore', { reason: 'before our time' })).status, 200)
    assert.deepEqual(await open(), [])
    assert.deepEqual(await outcomes(), [
      { outcome: 'reversal', kind: 'ignored', transfers: 1 },
      { outcome: 'reversal', kind: 'reversed', transfers: 1 },
    ])
  },
)

onEngines(
  'a credit is reversed in the ledger when the bank takes the money back, and its payment stays paid',
  async (service) => {
    const { shop, requisiteId, operator, takeBack, create, partsOf } = await openPlace(service)
    await create('credited', 5000)
    const { id } = await payIn(service, { requisiteId, minor: 5000_00n, reference: 'BANKREF-CREDIT' })
    assert.equal((await shop.post('/payments/byOrderId/ack', { orderId: 'credited' })).status, 200)
    await takeBack([{ minor: 5000_00n, reference: 'BANKREF-CREDIT' }])
    const { status, body } = await shop.post('/payments/byOrderId/ack', { orderId: 'credited', status: 'paid' })
    assert.deepEqual([status, body.status], [200, 'paid'])
    assert.deepEqual(await partsOf(id), [['payment', 5000]])
    assert.deepEqual(await owedIn(service, shop.merchantId), [])
    const news = await newsOf(service, shop.merchantId, 'payment.reversed')
    assert.deepEqual(
      news.map(({ data }) => [data['orderId'], data['reversedAmount'], data['balanceChange']]),
      [['credited', 5000, { currency: 'USDT', amount: -53.513514 }]],
    )
    const again = await operator.call('POST', `/transfers/${requisiteId}/${id}/reverse`, { reason: 'x' })
    assert.deepEqual([again.status, typeof again.body.reversedAt], [200, 'string'])
    assert.equal((await newsOf(service, shop.merchantId, 'payment.reversed')).length, 1)
    await assertHealthy(service)
  },
)

onEngines('what an operator announced and the bank then reports is one reversal', async (service) => {
  const { requisiteId, operator, takeBack, create, partsOf } = await openPlace(service)
  // With two that wait, money of another amount is for neither.
  await create('waits, too', 99_998)
  const twins = []
  for (const reference of ['T1', 'T2']) twins.push(await payIn(service, { requisiteId, minor: 44_00n, reference }))
  const [one, two] = twins.map(({ id }) => id)
  const announced = await operator.call('POST', `/transfers/${requisiteId}/${one}/reverse`, { reason: 'by phone' })
  assert.equal(announced.status, 200, JSON.stringify(announced.body))
  // Nothing in it tells the two from each other.
  await takeBack([{ minor: 44_00n }])
  assert.deepEqual([await partsOf(one ?? ''), await partsOf(two ?? '')], [[['reversed', 44]], [['suspense', 44]]])
  // Alone, another one may be the same with another text; next to it, it is another reversal.
  service.clock.advance(1000)
  await takeBack([{ minor: 44_00n }, { minor: 44_00n, text: 'and the other' }])
  assert.deepEqual(await partsOf(two ?? ''), [['reversed', 44]])
  await assertHealthy(service)
})

onOne('a reversed credit is not corrected; a decided overpayment is not unassigned', async (service) => {
  const court = await openCourt(service)
  const payment = await court.create('undone')
  const { merchantId } = court.shop
  const { requisiteId } = payment
  await payIn(service, { requisiteId, minor: 5000_00n, reference: 'BANKREF-GONE' })
  service.clock.advance(1000)
  const more = await payIn(service, { requisiteId, minor: 5000_00n, reference: 'BANKREF-MORE' })
  const proposed = (await court.correct(payment, 4000)).body
  await takeBackFrom(service, requisiteId, [{ minor: 5000_00n, reference: 'BANKREF-GONE' }])
  assertProblem(await court.step('confirm', proposed.id, { amount: 4000 }, court.boris), 409, 'invalid_state')
  await court.step('decision', proposed.id, { decision: 'reject', note: 'x' })
  assertProblem(await court.correct(payment, 4000), 409, 'invalid_state')

  const operator = openOperator(service)
  const decision = { reference: 'BANKREF-w', decision: 'write-off', amount: 1, reason: 'x' }
  assert.equal(
    (await operator.call('POST', `/overpayments/${merchantId}/${payment.id}/decisions`, decision)).status,
    200,
  )
  const unassigned = await operator.call('POST', `/transfers/${requisiteId}/${more.id}/unassign`, { reason: 'x' })
  assertProblem(unassigned, 409, 'invalid_state')
  assert.match(unassigned.body.detail, /already been decided/)
  await assertHealthy(service)
})

onEngines(
  'closing balances of an imported statement are reconciled automatically, and forgotten when it is withdrawn',
  async (service) => {
    const { requisiteId, operator, create } = await openPlace(service)
    await create('waits, too', 99_998)
    const date = dateOf(service.clock.now)
    const days = async () =>
      (await operator.get(`/ledger/reconciliation?requisiteId=${requisiteId}`)).body.days.map(
        (each: { day: string; closing: number; ledger: number; statementId?: string }) => [
          ...[each.day, each.closing, each.ledger, each.statementId],
        ],
      )
    const file = camtOf({
      account: 'X',
      closedOn: date,
      closing: 100_50n,
      rows: [{ minor: 100_50n, date, reference: 'BANKREF-IN' }],
    })
    const { id } = (await uploadFile(service, file, { requisiteId })).body
    assert.deepEqual(await days(), [])
    await operator.call('POST', `/statements/${id}/confirm`)
    await service.runJobs()
    assert.deepEqual(await days(), [[date, 100.5, 100.5, id]])
    const note = { balance: 100, currency: 'rub' }
    assert.equal((await operator.call('PUT', `/requisites/${requisiteId}/closing-balances/${date}`, note)).status, 200)
    assert.deepEqual((await days()).length, 2)
    assert.equal((await operator.call('POST', `/statements/${id}/withdraw`, { reason: 'x' })).status, 200)
    await service.runJobs()
    assert.deepEqual(await days(), [[date, 100, 0, undefined]])
  },
)
