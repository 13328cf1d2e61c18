// Money that one operator alone reports: typed in, in a file that the same one uploads and confirms, or signed with a key
// that the same one has made. The bound is 100 USDT within a day; 1 USDT is 92.5 roubles.
import assert from 'node:assert/strict'
import { integer, query, text, uuid } from 'payin-database'
import { findAloneBound } from '../../src/engine/members/refuse-one-person.ts'
import { day, hour } from '../../src/rules/time.ts'
import { mostLoneRows } from '../../src/engine/statements/confirm-or-discard.ts'
import { updateSource } from '../../src/engine/statements/sources/sources.ts'
import { recordReversals } from '../../src/engine/transfers/reversals/reversals.ts'
import { enrolMember, growOlder } from '../support/console.ts'
import { openCourt } from '../support/disputes.ts'
import { openOperator, setAgreedRate } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { openApprovedFeed, openFeed } from '../support/push.ts'
import { assertHealthy, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { type Answer, openShop, payIn } from '../support/shop.ts'
import { camtOf, uploadFile } from '../support/statement-files.ts'

const { onEngines, onOne } = shareEngines({ PAYIN_LONE_REPORTS_ABOVE: '100', PAYIN_TRUST_PROXY: '127.0.0.1' })

/** A day later nobody has reported anything within 24 hours. */
const openDay = async (service: TestService) => {
  // At nine in the morning it is the same day in the zone of the accounts.
  const morning = Math.ceil((service.clock.now + 16 * hour) / day) * day + 9 * hour
  service.clock.advance(morning - service.clock.now)
  return openCourt(service, { perMethod: 1 })
}

const report = (service: TestService, requisiteId: string, amount: number, bankReference?: string) => ({
  ...{ requisiteId, amount, currency: 'rub', bookedAt: new Date(service.clock.now).toISOString() },
  ...(bankReference === undefined ? {} : { bankReference }),
})

type Court = Awaited<ReturnType<typeof openDay>>

/** An operator types in what a payment needs. */
const typeIn = async (court: Court, payment: { requisiteId: string }, amount: number, by = court.anna) => {
  const transfers = [report(court.service, payment.requisiteId, amount)]
  const { status, body } = await by.call('POST', '/transfers', { transfers })
  assert.equal(status, 200, JSON.stringify(body))
  return body.transfers[0]
}

const keyOf = (transfer?: { requisiteId: string; id: string }) => ({
  requisiteId: transfer?.requisiteId,
  id: transfer?.id,
})

const aloneReason = /^reported by anna alone, who may report 100 USDT within 24 hours: another operator decides$/

onEngines('what an operator types in beyond the bound waits for another one, over all merchants', async (service) => {
  const court = await openDay(service)
  const other = await openCourt(service, { perMethod: 1 })
  const first = await court.create('first', { amount: 5000 })
  const second = await other.create('second', { amount: 5100 })
  assert.equal((await typeIn(court, first, 5000)).kind, 'payment')
  assert.equal(await court.shop.status('first'), 'paid')
  const waiting = await typeIn(other, second, 5100)
  assert.deepEqual([waiting.kind, waiting.suggestions[0]?.orderId], ['suspense', 'second'])
  assert.match(waiting.reasons[0], aloneReason)
  const path = `/transfers/${waiting.requisiteId}/${waiting.id}`
  assert.equal((await other.anna.get(path)).body.reportedBy, 'operator:anna')

  const shares = [{ merchantId: second.merchantId, paymentId: second.id }]
  assertProblem(await other.anna.call('POST', `${path}/assign`, { shares }), 403, 'second_person_required')
  const named = { requisiteId: waiting.requisiteId, id: waiting.id, decision: 'accept' }
  const accepted = await other.anna.call('POST', '/transfers/decide', { transfers: [named] })
  assert.deepEqual(
    [accepted.body.transfers[0].state, accepted.body.transfers[0].code],
    ['refused', 'second_person_required'],
  )
  assert.equal(await other.shop.status('second'), 'new')
  // Whoever has reported it may say that it was a mistake; that gives no room for more.
  const mistake = await typeIn(other, second, 10)
  const wrong = { requisiteId: mistake.requisiteId, id: mistake.id, decision: 'ignore', note: 'mistyped' }
  assert.equal(
    (await other.anna.call('POST', '/transfers/decide', { transfers: [wrong] })).body.transfers[0].state,
    'done',
  )
  assert.equal(
    (await other.boris.call('POST', '/transfers/decide', { transfers: [named] })).body.transfers[0].state,
    'done',
  )
  assert.equal(await other.shop.status('second'), 'paid')
  await assertHealthy(service)
})

onEngines('another operator has a bound of one’s own, and a day later there is room again', async (service) => {
  const court = await openDay(service)
  let amount = 6000
  const pay = async (orderId: string, by = court.anna) => {
    amount += 1
    return (await typeIn(court, await court.create(orderId, { amount }), amount, by)).kind
  }
  assert.equal(await pay('of anna'), 'payment')
  assert.equal(await pay('of boris', court.boris), 'payment')
  const held = await court.create('held', { amount: 6100 })
  assert.equal((await typeIn(court, held, 6100)).kind, 'suspense')
  service.clock.advance(25 * hour)
  // What waits stays another one's decision.
  const [waiting] = await court.inbox()
  const accept = { transfers: [{ ...keyOf(waiting), decision: 'accept' }] }
  const refused = await court.anna.call('POST', '/transfers/decide', accept)
  assert.equal(refused.body.transfers[0].code, 'second_person_required')
  assert.equal(await pay('next day'), 'payment')
})

onEngines('nobody accepts a claim with money that only the same operator has seen', async (service) => {
  const court = await openDay(service)
  const payment = await court.create('claimed', { amount: 20_000 })
  await court.expire()
  const { body: dispute } = await court.claim('claimed', { amount: 20_000 })
  const waiting = await typeIn(court, payment, 20_000)
  const transfers = [{ requisiteId: waiting.requisiteId, id: waiting.id }]
  const alone = await court.step('decision', dispute.id, { decision: 'accept', transfers })
  assertProblem(alone, 403, 'second_person_required')
  assert.equal((await court.preview(dispute.id, { decision: 'accept', transfers })).code, 'second_person_required')
  assert.equal(await court.shop.status('claimed'), 'disput')
  assert.equal((await court.step('decision', dispute.id, { decision: 'accept', transfers }, court.boris)).status, 200)
  assert.equal(await court.shop.status('claimed'), 'disput-paid')
})

onEngines(
  'the key of a source is approved by another operator; then what it signs is the bank’s report',
  async (service) => {
    const court = await openDay(service)
    const payment = await court.create('typed', { amount: 20_000 })
    const feed = await openFeed(service, court.shop.merchantId, [payment.requisiteId])
    const path = `/statement-sources/${feed.sourceId}`
    const main = openOperator(service)
    const find = async () =>
      (await main.get('/statement-sources')).body.sources.find((each: { id: string }) => each.id === feed.sourceId)
    const { by, version } = (await find()).unapproved
    assert.match(version, /^[0-9a-f]{64}$/, 'its author cannot make another source with it')
    assert.equal(by, 'operator:operator')
    const push = (reference: string, amount: number): Promise<Answer> =>
      feed([report(service, payment.requisiteId, amount, reference)])
    await push('forged', 20_000)
    assert.equal(await court.shop.status('typed'), 'new')
    const [forged] = await court.inbox()
    const ignore = { transfers: [{ ...keyOf(forged), decision: 'ignore', note: 'the bank knows nothing of it' }] }
    assert.equal((await main.call('POST', '/transfers/decide', ignore)).body.transfers[0].state, 'done')
    assertProblem(await main.call('POST', `${path}/approve`, { version }), 403, 'second_person_required')
    // Nobody approves what was changed after the look, nor changes what another one's change hides.
    await main.call('PATCH', path, { sameMoneyAs: null, requisiteIds: [...court.shop.requisiteIds].toReversed() })
    assertProblem(await court.boris.call('POST', `${path}/approve`, { version }), 409, 'status_changed')
    assertProblem(await court.boris.call('PATCH', path, { sameMoneyAs: null }), 409, 'invalid_state')
    assertProblem(await court.boris.call('POST', `${path}/key`), 409, 'invalid_state')
    // Whoever is left alone, and needs no approval, is not shut out.
    const alone = { sameMoneyAs: null, changedBy: null }
    await service.context.transaction((tx) => updateSource(tx, feed.sourceId, alone))
    assert.equal((await find()).unapproved.by, 'operator:operator')
    const seen = { version: (await find()).unapproved.version }
    assert.equal((await court.boris.call('POST', `${path}/approve`, seen)).body.unapproved, undefined)
    assertProblem(await court.boris.call('POST', `${path}/approve`, seen), 409, 'invalid_state')

    // The bank's own report takes the place of what an operator has typed in before.
    const { requisiteId } = await court.create('confirmed', { amount: 21_000 })
    const transfers = [report(service, requisiteId, 21_000, 'seen')]
    const typed = (await court.anna.call('POST', '/transfers', { transfers })).body.transfers[0]
    assert.equal(typed.kind, 'suspense')
    const [own] = (await push('seen', 21_000)).body.transfers
    assert.equal(own.state, 'recorded')
    assert.equal(await court.shop.status('confirmed'), 'paid')
    const replaced = (await court.anna.get(`/transfers/${requisiteId}/${typed.id}`)).body
    assert.deepEqual([replaced.kind, replaced.duplicateOf], ['duplicate', own.id])
    assert.equal((await push('seen', 21_000)).body.transfers[0].state, 'already-known')
    const next = await court.create('pushed', { amount: 30_000 })
    await push('real', 30_000)
    assert.equal(await court.shop.status(next.orderId), 'paid')
    // Whoever changes the source alone could direct its money elsewhere.
    const change = { requisiteIds: [...court.shop.requisiteIds] }
    const changed = await court.anna.call('PATCH', `/statement-sources/${feed.sourceId}`, change)
    assert.equal(changed.body.unapproved.by, 'operator:anna')
  },
)

onEngines('a bank takes back nothing that waits for a second person', async (service) => {
  const court = await openDay(service)
  const { requisiteId } = await court.create('credited', { amount: 20_000 })
  const feed = await openFeed(service, `bank of ${requisiteId}`, [requisiteId])
  await court.boris.call('POST', `/statement-sources/${feed.sourceId}/approve`, { version: feed.version })
  const sender = '40817810000000001111'
  const [real] = (await feed([{ ...report(service, requisiteId, 20_000, 'REAL-1'), sender }])).body.transfers
  assert.equal(await court.shop.status('credited'), 'paid')
  const type = async (fields: object) => {
    const transfers = [{ ...report(service, requisiteId, 20_000), sender, ...fields }]
    return (await court.anna.call('POST', '/transfers', { transfers })).body.transfers[0]
  }
  const twin = await type({})
  assert.equal(twin.duplicateOf, real.id)
  const fake = await type({ bookedAt: new Date(service.clock.now - 3 * day).toISOString() })
  const path = `/transfers/${requisiteId}/${fake.id}`
  assert.equal((await court.anna.get(path)).body.reportedBy, 'operator:anna')
  const larger = await type({ amount: 30_000, bankReference: 'CHARGEBACK-1' })
  const named = await type({ amount: 30_000, bankReference: 'NAMED-1' })
  assertProblem(await court.anna.call('POST', `${path}/reverse`, { reason: 'the bank took it' }), 409, 'invalid_state')

  const reversal = (name: string, minor: bigint) => ({
    ...{ requisiteId, currency: 'rub', amount: minor, bookedAt: service.clock.now, bankReference: name, sender },
    ...{ text: 'return of NAMED-1', source: 'file', channel: 'file', dedupeKey: `reversal:${name}` },
  })
  const record = (name: string, minor: bigint) =>
    service.context.transaction((tx) => recordReversals(tx, [reversal(name, minor)]))
  const [waits] = await record('CHARGEBACK-2', 1000_00n)
  assert.equal(waits?.transferId, null)
  const one = `/reversals/${requisiteId}/${waits?.id}`
  for (const { id: transferId } of [twin, fake, larger, named]) {
    const refused = await court.boris.call('POST', `${one}/assign`, { transferId })
    assertProblem(refused, 409, 'invalid_state')
    assert.match(refused.body.detail, /another operator assign this one first/)
  }
  // The reference, the text and the sender would mean the typed transfers, too.
  const [reversed] = await record('CHARGEBACK-1', 20_000_00n)
  assert.equal(reversed?.transferId, real.id)

  // What another operator has assigned can be taken back.
  const payment = await court.create('confirmed', { amount: 20_001 })
  const shares = [{ merchantId: payment.merchantId, paymentId: payment.id }]
  assert.equal((await court.boris.call('POST', `${path}/assign`, { shares })).status, 200)
  assert.equal((await court.boris.call('POST', `${one}/assign`, { transferId: fake.id })).status, 200)
  await service.runJobs()
  await assertHealthy(service)
})

onOne('a large file is confirmed by another operator than the one who uploaded it', async (service) => {
  const court = await openDay(service)
  const payment = await court.create('in a file', { amount: 20_000 })
  const small = await court.create('in a small file', { amount: 900 })
  const account = `4070281000000${String(service.clock.now).slice(-7)}`
  await court.anna.call('PUT', '/statement-accounts', {
    accounts: [{ number: account, requisiteIds: [payment.requisiteId] }],
  })
  const date = new Date(service.clock.now).toISOString().slice(0, 10)
  const upload = async (minor: bigint): Promise<string> => {
    const rows = [{ minor, date, reference: `REFERENCE-${minor}` }]
    const { status, body } = await uploadFile(service, camtOf({ account, rows }))
    assert.equal(status, 201, JSON.stringify(body))
    return `/statements/${body.id}/confirm`
  }
  const uploader = openOperator(service)
  const confirmSmall = await upload(900_00n)
  assert.equal((await uploader.call('POST', confirmSmall)).status, 200)
  await service.runJobs()
  assert.equal(await court.shop.status(small.orderId), 'paid')
  const confirm = await upload(20_000_00n)
  const alone = await uploader.call('POST', confirm)
  assertProblem(alone, 403, 'second_person_required')
  assert.match(alone.body.detail, /more money within 24 hours than one may \(100 USDT\): another operator/)
  assert.equal((await court.boris.call('POST', confirm)).status, 200)
  await service.runJobs()
  assert.equal(await court.shop.status(payment.orderId), 'paid')
  await assertHealthy(service)

  // What a bank gives back is owed to a payer again, so it counts, too.
  service.clock.advance(25 * hour)
  const giveBack = async (minor: bigint): Promise<Answer> => {
    const today = new Date(service.clock.now).toISOString().slice(0, 10)
    const rows = [{ minor, date: today, reference: `GIVEN-BACK-${minor}`, reversal: true as const }]
    const { body } = await uploadFile(service, camtOf({ account, rows }))
    return uploader.call('POST', `/statements/${body.id}/confirm`)
  }
  assert.equal((await giveBack(6000_00n)).status, 200)
  await service.runJobs()
  assertProblem(await giveBack(6001_00n), 403, 'second_person_required')
  const typed = await court.create('typed, too', { amount: 6002 })
  assert.equal((await typeIn(court, typed, 6002, uploader)).kind, 'suspense')
})

/** A statement gets as many further rows, as if it had brought them. */
const addRows = query('test_add_statement_rows', {
  parameters: { id: uuid, count: integer },
  text: `insert into statement_rows
    select (jsonb_populate_record(statement_rows, jsonb_build_object('position', 100 + number))).*
    from statement_rows cross join generate_series(1, :count) as number where statement_id = :id`,
})
const removeRows = query('test_remove_statement_rows', {
  parameters: { id: uuid },
  text: `delete from statement_rows where statement_id = :id and position > 100`,
})

onOne('a file of very many small sums is confirmed by another operator', async (service) => {
  const court = await openDay(service)
  const { requisiteId } = await court.create('among many', { amount: 5000 })
  const date = new Date(service.clock.now).toISOString().slice(0, 10)
  const confirmFile = async (reference: string): Promise<Answer & { readonly id: string }> => {
    const rows = [{ minor: 1n, date, reference }]
    const made = camtOf({ account: `4070281100000${String(service.clock.now).slice(-7)}`, rows })
    const { status, body } = await uploadFile(service, made, { requisiteId })
    assert.equal(status, 201, JSON.stringify(body))
    const confirmed = await openOperator(service).call('POST', `/statements/${body.id}/confirm`)
    await service.runJobs()
    return { ...confirmed, id: body.id }
  }
  const { id, status } = await confirmFile('ONE-OF-MANY')
  assert.equal(status, 200)
  await service.context.query(addRows, { id, count: mostLoneRows - 2 })
  try {
    assert.equal((await confirmFile('THE-LAST-OF-MANY')).status, 200)
    const more = await confirmFile('ONE-TOO-MANY')
    assertProblem(more, 403, 'second_person_required')
    assert.match(more.body.detail, /more rows than one person may report within 24 hours \(10000\): another operator/)
  } finally {
    await service.context.query(removeRows, { id })
  }
})

onOne('whoever changed how a source is read confirms no file of it alone', async (service) => {
  const court = await openDay(service)
  const payment = await court.create('in a file', { amount: 20_000 })
  const { requisiteId } = payment
  const mapping = { columns: { date: 'Date', credit: 'Wanted' } }
  const added = await court.anna.call('POST', '/statement-sources', {
    ...{ name: `files of ${requisiteId}`, requisiteIds: [requisiteId], mapping },
  })
  assert.equal(added.status, 201, JSON.stringify(added.body))
  const date = new Date(service.clock.now).toISOString().slice(0, 10)
  const path = `/statement-sources/${added.body.id}`
  const upload = async (): Promise<string> => {
    const file = await uploadFile(service, `Date;Amount;Wanted\n${date};20000,00;30000,00\n`, {
      sourceId: added.body.id,
    })
    assert.equal(file.status, 201, JSON.stringify(file.body))
    return `/statements/${file.body.id}`
  }
  const read = await upload()
  const confirm = (file: string) => court.anna.call('POST', `${file}/confirm`)
  assertProblem(await confirm(read), 403, 'second_person_required')
  // What is approved is no longer what the file was read by.
  const changed = await court.anna.call('PATCH', path, { mapping: { columns: { date: 'Date', credit: 'Amount' } } })
  const { version } = changed.body.unapproved
  assert.equal((await court.boris.call('POST', `${path}/approve`, { version })).status, 200)
  assertProblem(await confirm(read), 403, 'second_person_required')
  assert.equal((await court.anna.call('POST', `${read}/discard`)).status, 200)
  assert.equal((await confirm(await upload())).status, 200)
  await service.runJobs()
  assert.equal(await court.shop.status(payment.orderId), 'paid')
})

onEngines('whoever says whose money an account has does not confirm its first file alone', async (service) => {
  const court = await openDay(service)
  const other = await openCourt(service, { perMethod: 1 })
  const [one, two] = [`407028100${court.shop.merchantId}`, `407028102${court.shop.merchantId}`].map((start, index) =>
    `${start.replace(/\D/g, '')}${service.clock.now}`.slice(0, 19).concat(String(index)),
  )
  const payment = await other.create('of another merchant', { amount: 20_000 })
  const requisites = [
    { method: 'account-to-account', currency: 'rub', bankIssuer: 'bank-a', holder: 'Ivan Petrov', number: two },
  ]
  const bound = { accounts: [{ number: one, requisiteIds: [payment.requisiteId] }] }
  assert.equal((await court.anna.call('PUT', '/statement-accounts', bound)).status, 200)
  assert.equal((await court.anna.call('POST', '/requisites', { requisites })).status, 201)
  const date = new Date(service.clock.now).toISOString().slice(0, 10)
  for (const [index, account = ''] of [one, two].entries()) {
    const upload = async (minor: bigint): Promise<string> => {
      const rows = [{ minor, date, reference: `FILE-${index}-${minor}` }]
      const { status, body } = await uploadFile(service, camtOf({ account, rows }))
      assert.equal(status, 201, JSON.stringify(body))
      return `/statements/${body.id}/confirm`
    }
    const [first, next] = [await upload(20_000_00n), await upload(20_001_00n)]
    service.clock.advance(10 * day)
    assertProblem(await court.anna.call('POST', first), 403, 'second_person_required')
    assert.equal((await court.boris.call('POST', first)).status, 200)
    await service.runJobs()
    assert.equal((await court.anna.call('POST', next)).status, 200)
    await service.runJobs()
  }
})

onOne('a price that one operator raises day by day makes the bound no larger', async (service) => {
  const court = await openDay(service)
  const payment = await court.create('old', { amount: 20_000 })
  for (const price of [110, 130, 155, 185, 220]) {
    service.clock.advance(25 * hour)
    const set = await court.anna.call('PUT', '/rates/rub', { price })
    assert.equal(set.status, 200, JSON.stringify(set.body))
  }
  // 20,000 roubles are worth 91 USDT at the last price, and 216 at the price of the payment.
  const typed = await typeIn(court, payment, 20_000)
  const shares = [{ merchantId: payment.merchantId, paymentId: payment.id }]
  const path = `/transfers/${typed.requisiteId}/${typed.id}/assign`
  assertProblem(await court.anna.call('POST', path, { shares }), 403, 'second_person_required')
  await setAgreedRate(service, 'rub', 92.5)
})

onOne('a price that falls after a report makes no more of it either', async (service) => {
  const court = await openDay(service)
  const { requisiteId } = await court.create('any', { amount: 777 })
  // 9,200 roubles are worth 99.5 USDT at the price of the day, and 124 at the later one.
  const typed = await typeIn(court, { requisiteId }, 9200)
  service.clock.advance(hour)
  assert.equal((await court.anna.call('PUT', '/rates/rub', { price: 74 })).body.usable, true)
  const { merchantId, id: paymentId } = await court.create('later', { amount: 9200 })
  const path = `/transfers/${typed.requisiteId}/${typed.id}/assign`
  const body = { shares: [{ merchantId, paymentId }] }
  assertProblem(await court.anna.call('POST', path, body), 403, 'second_person_required')
  assert.equal((await court.boris.call('POST', path, body)).status, 200)
  await setAgreedRate(service, 'rub', 92.5)
})

onOne('who invites accounts has no further bounds: a new account reports nothing alone', async (service) => {
  const court = await openDay(service)
  const puppet = await enrolMember(service, { role: 'operator' })
  const payment = await court.create('small', { amount: 900 })
  const body = { transfers: [report(service, payment.requisiteId, 900)] }
  const typed = await puppet.operate('/transfers', body)
  assert.equal(typed.status, 200, JSON.stringify(typed.body))
  assert.match(typed.body.transfers[0].reasons[0], /alone, who may report 0 USDT within 24 hours/)
  assert.equal(await court.shop.status('small'), 'new')
})

onOne('a new account has no bound either when the service imports its file, or books its refund', async (service) => {
  const court = await openDay(service)
  const young = await enrolMember(service, { role: 'finance' })
  const payment = await court.create('twice', { amount: 5000 })
  for (const reference of ['A', 'B'])
    await payIn(service, { requisiteId: payment.requisiteId, minor: 5000_00n, reference: `${reference} ${payment.id}` })
  const { merchantId, id, requisiteId } = payment
  const decision = { reference: 'tverskaya', decision: 'refund', requisiteId, reason: 'paid twice' }
  const made = await young.operate(`/overpayments/${merchantId}/${id}/decisions`, decision)
  assert.equal(made.status, 200, JSON.stringify(made.body))
  const date = new Date(service.clock.now).toISOString().slice(0, 10)
  const row = { minor: -5000_00n, date, text: 'ATM CASH TVERSKAYA' }
  const { body } = await uploadFile(service, camtOf({ account: 'T1', rows: [row] }), { requisiteId })
  await court.boris.call('POST', `/statements/${body.id}/confirm`)
  await service.runJobs()
  const [sent] = (await court.anna.get(`/outgoing?requisiteId=${requisiteId}`)).body.outgoing
  assert.equal(sent.state, 'unexplained')
})

onOne('who moves money no longer has no bound; a bank, which has no access to lose, keeps its own', async (service) => {
  const { context } = service
  const boundsOf = (names: readonly string[]) =>
    context.transaction(async (tx) => Promise.all(names.map((name) => findAloneBound(context, tx, name))))
  const bound = context.settings.secondPersonAbove
  assert.ok(bound > 0n)
  assert.deepEqual(await boundsOf(['operator:anna', 'feed:bank']), [bound, bound])
  // An auditor, and somebody whose token is gone.
  assert.deepEqual(await boundsOf(['operator:vera', 'operator:nobody']), [0n, 0n])
})

onEngines('one operator does not turn one transfer into two beyond the bound', async (service) => {
  const court = await openDay(service)
  const first = await court.create('first', { amount: 20_000 })
  const second = await court.create('second', { amount: 20_001 })
  const reported = (reference: string) => [report(service, first.requisiteId, 20_000, reference)]
  for (const reference of ['by minute', 'by day']) {
    const feed = await openFeed(service, `${reference} ${court.shop.merchantId}`, [first.requisiteId])
    const approval = { version: feed.version }
    await court.boris.call('POST', `/statement-sources/${feed.sourceId}/approve`, approval)
    await feed(reported(reference))
  }
  assert.equal(await court.shop.status('first'), 'paid')
  const [again] = await court.inbox()
  const path = `/transfers/${again?.requisiteId}/${again?.id}`
  const shares = [{ merchantId: second.merchantId, paymentId: second.id }]
  const alone = await court.anna.call('POST', `${path}/assign`, { shares })
  assertProblem(alone, 403, 'second_person_required')
  assert.match(
    alone.body.detail,
    /^It may be the same money as transfer .* ignore it as other money, return it to the inbox, and let another/,
  )
  const other = await court.anna.call('POST', `${path}/ignore`, { reason: 'two payments', otherMoney: true })
  assert.equal(other.status, 200, JSON.stringify(other.body))
  await court.anna.call('POST', `${path}/unassign`, { reason: 'two payments' })
  assertProblem(await court.anna.call('POST', `${path}/assign`, { shares }), 403, 'second_person_required')
  assert.equal((await court.boris.call('POST', `${path}/assign`, { shares })).status, 200)
  await service.runJobs()
  await assertHealthy(service)
})

onOne('who may have bound an account is no second person for its uploaded file', async (service) => {
  const court = await openDay(service)
  const { requisiteId } = await court.create('of a strange account', { amount: 20_000 })
  const number = `4081781000001${String(service.clock.now).slice(-7)}`
  const member = await enrolMember(service, { role: 'operator' })
  const bound = { accounts: [{ number, requisiteIds: [requisiteId] }] }
  assert.equal((await member.operate('/statement-accounts', bound, 'PUT')).status, 200)
  const date = new Date(service.clock.now).toISOString().slice(0, 10)
  const made = camtOf({ account: number, rows: [{ minor: 20_000_00n, date, reference: `UPLOADED-${number}` }] })
  const { body } = await uploadFile(service, made)
  const confirm = `/statements/${body.id}/confirm`
  assertProblem(await court.boris.call('POST', confirm), 403, 'second_person_required')
})

const pretendSetUp = query('test_pretend_set_up_by_removed_token', {
  parameters: { id: uuid, requisiteId: uuid, uploadedBy: text },
  text: `with requisite as (update requisites set added_by = 'operator:removed' where id = :requisiteId)
    update statements set uploaded_by = :uploadedBy where id = :id`,
})
const findNumber = query('test_find_sealed_number', {
  parameters: { id: uuid },
  row: { numberSealed: text },
  text: `select number_sealed from requisites where id = :id`,
})

onOne('two people agree on a file, although the token that added its requisite was removed', async (service) => {
  const court = await openDay(service)
  const { requisiteId } = await court.create('of an old token', { amount: 20_000 })
  const [one, other] = [
    await enrolMember(service, { role: 'operator' }),
    await enrolMember(service, { role: 'operator' }),
  ]
  await growOlder(service, one.name, other.name)
  const date = new Date(service.clock.now).toISOString().slice(0, 10)
  const [sealed] = await service.context.query(findNumber, { id: requisiteId })
  const cell = { table: 'requisites', column: 'number_sealed', row: requisiteId }
  const number = service.context.vault.decrypt(sealed?.numberSealed ?? '', cell)
  const made = camtOf({ account: number, rows: [{ minor: 20_000_00n, date, reference: `SET-UP-${requisiteId}` }] })
  const { body } = await uploadFile(service, made)
  await service.context.query(pretendSetUp, { id: body.id, requisiteId, uploadedBy: `operator:${one.name}` })
  assert.equal((await other.operate(`/statements/${body.id}/confirm`, undefined, 'POST')).status, 200)
  await service.runJobs()
  assert.equal(await court.shop.status('of an old token'), 'paid')
})

onOne('the requisites of an account are in one time zone', async (service) => {
  const court = await openDay(service)
  const east = await openShop(service, { perMethod: 1 })
  const [requisiteId = ''] = east.requisiteIds
  for (const each of [court.anna, court.boris])
    await each.call('PATCH', `/requisites/${requisiteId}`, { limits: { utcOffsetMinutes: 720 } })
  const bound = await court.anna.call('PUT', '/statement-accounts', {
    accounts: [{ number: '40702810000000088888', requisiteIds: [requisiteId, court.shop.requisiteIds[0]] }],
  })
  assertProblem(bound, 400, 'validation_failed', ['accounts.0.requisiteIds'])
  assert.match(bound.body.detail, /several time zones/)

  // One person may bind it to the one in the east: whoever looks at its file sees by which zone its times are read.
  const [number, date] = ['40702810000000088888', new Date(service.clock.now).toISOString().slice(0, 10)]
  const accounts = [{ number, requisiteIds: [requisiteId] }]
  assert.equal((await court.anna.call('PUT', '/statement-accounts', { accounts })).status, 200)
  const file = camtOf({ account: number, rows: [{ minor: 100n, date, reference: 'ZONE0000001' }] })
  const { body } = await uploadFile(service, file)
  assert.equal(body.accounts[0].utcOffsetMinutes, 720)
})

const pretendPickedUp = query('test_pretend_statement_picked_up', {
  parameters: { id: uuid },
  text: `update statements set uploaded_by = 'source:bank' where id = :id`,
})

onOne('who may have bound an account does not agree to a file of it that was picked up', async (service) => {
  const court = await openDay(service)
  const { requisiteId } = await court.create('of a stranger', { amount: 20_000 })
  const number = `4081781000000${String(service.clock.now).slice(-7)}`
  const bound = { accounts: [{ number, requisiteIds: [requisiteId] }] }
  assert.equal((await court.anna.call('PUT', '/statement-accounts', bound)).status, 200)
  const date = new Date(service.clock.now).toISOString().slice(0, 10)
  const made = camtOf({ account: number, rows: [{ minor: 20_000_00n, date, reference: `BY-ITSELF-${number}` }] })
  const { body } = await uploadFile(service, made)
  await service.context.query(pretendPickedUp, { id: body.id })
  const confirm = `/statements/${body.id}/confirm`
  // An account of the console and a token may be one person.
  const member = await enrolMember(service, { role: 'operator' })
  assertProblem(await member.operate(confirm, undefined, 'POST'), 403, 'second_person_required')
  assertProblem(await court.anna.call('POST', confirm), 403, 'second_person_required')
  assert.equal((await court.boris.call('POST', confirm)).status, 200)
  await service.runJobs()
  assert.equal(await court.shop.status('of a stranger'), 'paid')
})

onOne('an account is of live requisites, or of simulated ones', async (service) => {
  const court = await openDay(service)
  const sandbox = await openShop(service, { mode: 'sandbox', perMethod: 1 })
  const requisiteIds = [sandbox.requisiteIds[0], court.shop.requisiteIds[0]]
  const bound = await court.anna.call('PUT', '/statement-accounts', {
    accounts: [{ number: '40702810000000077777', requisiteIds }],
  })
  assertProblem(bound, 400, 'validation_failed', ['accounts.0.requisiteIds'])
})

onOne('what one operator types in within a day is at most as large as the largest amount', async (service) => {
  const court = await openDay(service)
  const { requisiteId } = await court.create('next to it', { amount: 5000 })
  const type = (amount: number) =>
    court.anna.call('POST', '/transfers', { transfers: [report(service, requisiteId, amount)] })
  assert.equal((await type(9_999_999_999_999)).status, 200)
  assertProblem(await type(1), 422, 'amount_above_max')
  service.clock.advance(day)
  assert.equal((await type(1)).status, 200)
})

onEngines('what one operator has typed in for another day does not stop the push of a bank', async (service) => {
  const court = await openDay(service)
  const own = await court.create('own', { amount: 100 })
  const { requisiteId } = own
  const feed = await openApprovedFeed(service, `pushes to ${requisiteId}`, [requisiteId])
  const typed = { ...report(service, requisiteId, 100, 'BANK-77'), sender: '+79991234567' }
  const { body } = await court.anna.call('POST', '/transfers', { transfers: [typed] })
  assert.equal(body.transfers[0].kind, 'payment')
  service.clock.advance(5 * day)
  const honest = await court.create('honest', { amount: 5000 })
  const transfers = [report(service, requisiteId, 5000, 'BANK-76'), report(service, requisiteId, 100, 'BANK-77')]
  for (const known of [false, true]) {
    const pushed = await feed(transfers)
    assert.equal(pushed.status, 200, JSON.stringify(pushed.body))
    const states = pushed.body.transfers.map(({ state }: { state: string }) => state)
    assert.deepEqual(states, Array(2).fill(known ? 'already-known' : 'recorded'))
  }
  assert.equal(await court.shop.status(honest.orderId), 'paid')
  const waiting = (await court.boris.get(`/transfers?unmatched=true&requisiteId=${requisiteId}`)).body.transfers
  assert.equal(waiting.length, 1)
  assert.deepEqual([waiting[0].amount, waiting[0].duplicateOf], [100, body.transfers[0].id])
})
