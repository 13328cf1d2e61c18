// What one dishonest operator tried between the rules: by another mode, another zone, another amount or another payee.
import assert from 'node:assert/strict'
import { integer, query, uuid } from 'payin-database'
import { findings } from '../../src/engine/attention/findings.ts'
import { day, hour, minute } from '../../src/rules/time.ts'
import { openBank } from '../support/bank.ts'
import { openDestination } from '../support/destination.ts'
import { openCourt } from '../support/disputes.ts'
import { openOperator, unknownId } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { openFeed } from '../support/push.ts'
import { payinOf } from '../support/run-payin.ts'
import { assertHealthy, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { newNumber, openShop, payIn } from '../support/shop.ts'
import { camtOf, mt940Of } from '../support/statement-files.ts'

const bounds = { PAYIN_SECOND_PERSON_ABOVE: '100', PAYIN_LONE_REPORTS_ABOVE: '100' }
const { onEngines, onOne } = shareEngines(bounds)

onOne('outgoing money that the bank names another payee of is not explained by one person', async (service) => {
  service.clock.advance(25 * hour)
  const bank = await openBank(service)
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  const { body } = await bank.shop.create('twice', { amount: 50_000 })
  const payer = { sender: '+79161234567', senderName: 'PYOTR PAYER' }
  const ids: string[] = []
  for (const each of ['A', 'B']) {
    const reference = `${each} ${bank.account}`
    ids.push((await payIn(service, { requisiteId: bank.requisiteId, minor: 50_000_00n, reference, ...payer })).id)
  }
  const stranger = { payerAccount: '40817810099910004312', payer: 'TERENTY THIEF', text: 'consulting' }
  const { id: file } = await bank.upload(mt940Of, [{ minor: -50_000_00n, reference: 'OUTOUTOUT001', ...stranger }])
  assert.equal((await boris.call('POST', `/statements/${file}/confirm`)).status, 200)
  await service.runJobs()
  const [sent] = (await anna.get(`/outgoing?requisiteId=${bank.requisiteId}&limit=1`)).body.outgoing
  const confirm = (by: typeof anna, money: object) =>
    by.call('POST', `/outgoing/${bank.requisiteId}/${sent.id}/confirm`, money)
  const overpaid = { merchantId: bank.shop.merchantId, paymentId: body.payment.id }
  const propose = async (by: typeof anna, money: object) => {
    const { status, body: answer } = await confirm(by, money)
    assert.equal(status, 200, JSON.stringify(answer))
    return [answer.state, answer.purpose, answer.proposedBy ?? answer.decidedBy]
  }
  assert.deepEqual(await propose(anna, { transferId: ids[0] }), ['unexplained', 'reversal', 'operator:anna'])
  assert.equal((await anna.lastAudit()).details['proposed'], true)
  assert.deepEqual(await propose(boris, overpaid), ['unexplained', 'refund', 'operator:boris'])
  assertProblem(await confirm(anna, { ...overpaid, paymentId: unknownId }), 404, 'payment_not_found')
  await assertHealthy(service)
  // The payer asked for it on another account; who recorded the refund has not said that this money is it.
  const path = `/overpayments/${overpaid.merchantId}/${overpaid.paymentId}/decisions`
  const wish = { reference: 'refund', decision: 'refund', requisiteId: bank.requisiteId, reason: 'to another account' }
  const { body: refund } = await boris.call('POST', path, wish)
  const { id: documentId } = refund
  for (let times = 0; times < 2; times++)
    assert.deepEqual(await propose(anna, { documentId }), ['unexplained', 'refund', 'operator:anna'])
  await assertHealthy(service)
  assert.deepEqual(await propose(boris, { documentId }), ['booked', 'refund', 'operator:anna, operator:boris'])
  await assertHealthy(service)
})

onOne('a rouble, typed in or real, makes nobody a payer of what others sent', async (service) => {
  service.clock.advance(25 * hour)
  const bank = await openBank(service)
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  const { body } = await bank.shop.create('twice again', { amount: 50_000 })
  const overpaid = { merchantId: bank.shop.merchantId, paymentId: body.payment.id }
  const { requisiteId } = bank
  const payer = { sender: '+79161234567', senderName: 'PYOTR PAYER' }
  const thief = { sender: '40817810099910004312', senderName: 'TERENTY THIEF' }
  for (const each of ['C', 'D'])
    await payIn(service, { requisiteId, minor: 50_000_00n, reference: `${each} ${bank.account}`, ...payer })
  const { id: real } = await payIn(service, { requisiteId, minor: 100n, reference: `E ${bank.account}`, ...thief })
  const bookedAt = new Date(service.clock.now).toISOString()
  const rouble = { requisiteId, amount: 1, currency: 'rub', bookedAt, ...thief }
  const typed = (await anna.call('POST', '/transfers', { transfers: [rouble] })).body.transfers[0].id
  for (const id of [real, typed]) {
    const assigned = await anna.call('POST', `/transfers/${requisiteId}/${id}/assign`, {
      shares: [overpaid],
      note: 'x',
    })
    assert.equal(assigned.status, 200)
  }
  const stranger = { payerAccount: thief.sender, payer: thief.senderName, text: 'consulting' }
  const { id: file } = await bank.upload(mt940Of, [{ minor: -50_000_00n, reference: 'OUTOUTOUT002', ...stranger }])
  assert.equal((await boris.call('POST', `/statements/${file}/confirm`)).status, 200)
  await service.runJobs()
  const sent = async () => (await anna.get(`/outgoing?requisiteId=${requisiteId}&limit=1`)).body.outgoing[0]
  const { id } = await sent()
  const confirm = (by: typeof anna, money: object) => by.call('POST', `/outgoing/${requisiteId}/${id}/confirm`, money)
  assert.equal((await confirm(anna, overpaid)).body.state, 'unexplained')
  const path = `/overpayments/${overpaid.merchantId}/${overpaid.paymentId}/decisions`
  const wish = { reference: 'back', decision: 'refund', amount: 50_000, requisiteId, reason: 'back to the payer' }
  const { body: refund } = await anna.call('POST', path, wish)
  assert.equal((await sent()).state, 'unexplained')
  assert.equal((await confirm(anna, { documentId: refund.id })).body.state, 'unexplained')
  assert.equal((await confirm(boris, { documentId: refund.id })).body.purpose, 'refund')
  await assertHealthy(service)
})

onEngines('what the bank does not say was returned is confirmed by one person up to the bound', async (service) => {
  service.clock.advance(25 * hour)
  const bank = await openBank(service)
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  const { requisiteId } = bank
  /** Money that came in from a payer whose bank gives no name, and left to somebody; what confirms that it returned. */
  const take = async (amount: number, payee: object) => {
    await bank.shop.create(`sold ${amount}`, { amount })
    const minor = BigInt(amount) * 100n
    const reference = `SOLD${amount} ${bank.account}`
    const { id: transferId } = await payIn(service, { requisiteId, minor, reference, sender: '+79161234567' })
    await bank.bringAgreed(mt940Of, [
      { minor: -minor, reference: `OUT${amount}${bank.account}`.slice(0, 16), ...payee },
    ])
    const [{ id }] = (await anna.get(`/outgoing?requisiteId=${requisiteId}&limit=1`)).body.outgoing
    return (by = anna) => by.call('POST', `/outgoing/${requisiteId}/${id}/confirm`, { transferId })
  }
  const named = { payer: 'TERENTY THIEF', payerAccount: '40817810099910004312', text: 'consulting' }
  const available = async () => (await bank.shop.get('/balance')).body.available
  assert.equal((await (await take(6000, named))()).body.state, 'booked')
  // What the bank says of the payer has no bound, and uses up none.
  assert.equal((await (await take(20_000, { payerAccount: '79161234567', text: 'back' }))()).body.state, 'booked')
  const confirm = await take(3300, named)
  const before = await available()
  const proposed = (await confirm()).body
  assert.deepEqual([proposed.state, proposed.purpose, await available()], ['unexplained', 'reversal', before])
  assert.equal((await confirm(boris)).body.state, 'booked')
  assert.notEqual(await available(), before)
  await assertHealthy(service)
})

onEngines('what the service has booked is unbooked by two people', async (service) => {
  service.clock.advance(25 * hour)
  const bank = await openBank(service)
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  const { requisiteId } = bank
  const refund = async (amount: number) => {
    const { body } = await bank.shop.create(`twice ${amount}`, { amount })
    const minor = BigInt(amount) * 100n
    for (const each of ['A', 'B'])
      await payIn(service, {
        requisiteId,
        minor,
        reference: `${each}${amount} ${bank.account}`,
        sender: '+79161234567',
      })
    const path = `/overpayments/${bank.shop.merchantId}/${body.payment.id}/decisions`
    await boris.call('POST', path, { reference: `r${amount}`, decision: 'refund', requisiteId, reason: 'back' })
    const { id: statementId } = await bank.bringAgreed(mt940Of, [{ minor: -minor, payerAccount: '79161234567' }])
    const [sent] = (await anna.get(`/outgoing?requisiteId=${requisiteId}&limit=1`)).body.outgoing
    assert.deepEqual([sent.purpose, sent.decidedBy], ['refund', 'service'])
    return {
      unbook: async (by: typeof anna) => {
        const { body: answer } = await by.call('POST', `/outgoing/${requisiteId}/${sent.id}/unbook`, {
          reason: 'other',
        })
        return [answer.state, answer.decidedBy]
      },
      withdraw: async (by: typeof anna) =>
        (await by.call('POST', `/statements/${statementId}/withdraw`, { reason: 'wrong' })).body.state,
    }
  }
  const large = await refund(20_000)
  for (let times = 0; times < 2; times++)
    assert.deepEqual(await large.unbook(anna), ['booked', 'service, operator:anna'])
  await assertHealthy(service)
  assert.deepEqual(await large.unbook(boris), ['unexplained', undefined])
  // Nothing counts what one person has unbooked, so it does not matter how much it is.
  assert.deepEqual(await (await refund(3000)).unbook(anna), ['booked', 'service, operator:anna'])
  // Nor does who would unbook it keep its file from being withdrawn.
  const other = await refund(21_000)
  await other.unbook(anna)
  assert.equal(await other.withdraw(anna), 'imported')
  assert.equal(await other.withdraw(boris), 'withdrawing')
  await service.runJobs()
  await assertHealthy(service)
})

onOne('what two have agreed on about a credited payment, and no more, is decided by one', async (service) => {
  const court = await openCourt(service, { perMethod: 1 })
  const honest = await court.create('honest', { amount: 50_000 })
  const key = await payIn(service, { requisiteId: honest.requisiteId, minor: 50_000_00n, reference: 'ALL' })
  const { body: dispute } = await court.correct(honest, 49_000)
  assert.equal((await court.step('confirm', dispute.id, { amount: 49_000 }, court.boris)).status, 200)
  service.clock.advance(minute)
  const stray = await payIn(service, { requisiteId: honest.requisiteId, minor: 100_00n, reference: 'STRAY' })
  const keyOf = ({ id }: { readonly id: string }) => ({ requisiteId: honest.requisiteId, id })
  for (const more of [{ transfers: [keyOf(stray)], unassign: [keyOf(key)] }, {}]) {
    const { body } = await court.step('decision', dispute.id, { decision: 'accept', amount: 100, ...more })
    assert.deepEqual([body.state, body.correction.amount], ['open', 100])
  }
})

onOne('an account of the sandbox is not bound to a real requisite, nor the other way round', async (service) => {
  const anna = openOperator(service, 'anna')
  const cardOf = async (mode: 'live' | 'sandbox') => {
    const shop = await openShop(service, { mode, perMethod: 1 })
    const { body } = await shop.create(`of ${mode}`, { amount: 70_000, method: 'account-to-account' })
    return { id: body.card.id as string, number: body.card.pan as string }
  }
  const [live, sandbox] = [await cardOf('live'), await cardOf('sandbox')]
  for (const [one, other] of [
    [live, sandbox],
    [sandbox, live],
  ] as const) {
    const binding = { accounts: [{ number: one.number, requisiteIds: [other.id] }] }
    assertProblem(await anna.call('PUT', '/statement-accounts', binding), 400, 'validation_failed', [
      'accounts.0.requisiteIds',
    ])
  }
})

onOne(
  'no requisite is added with a number of the other mode, whether a requisite or a bound account has it',
  async (service) => {
    const anna = openOperator(service, 'anna')
    for (const [mode, other] of [
      ['live', 'sandbox'],
      ['sandbox', 'live'],
    ] as const) {
      const shop = await openShop(service, { mode, perMethod: 1 })
      const { body } = await shop.create(`of ${mode}`, { amount: 70_000, method: 'sbp' })
      const bound = newNumber('account-to-account')
      const binding = { accounts: [{ number: bound, requisiteIds: [body.card.id] }] }
      assert.equal((await anna.call('PUT', '/statement-accounts', binding)).status, 200)
      const common = { mode: other, currency: 'rub', bankIssuer: 'bank-a', holder: 'Ivan Petrov' }
      const add = (...requisites: readonly object[]) =>
        anna.call('POST', '/requisites', { requisites: requisites.map((each) => ({ ...common, ...each })) })
      const wrong = [
        { method: 'by-phone', transferScope: 'international', number: body.card.phone },
        { method: 'account-to-account', number: bound },
      ]
      const fields = ['requisites.0.number', 'requisites.1.number']
      assertProblem(await add(...wrong), 400, 'validation_failed', fields)
      assert.equal((await add({ ...wrong[0], mode })).status, 201)
      const both = { method: 'sbp', number: newNumber('sbp') }
      assertProblem(await add({ ...wrong[0], number: both.number, mode }, both), 400, 'validation_failed', fields)
    }
  },
)

onOne('an approved settlement is failed by whoever drafted and approved it, and otherwise by two', async (service) => {
  const shop = await openShop(service, { terms: { feePpm: 0 } })
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  const { body } = await shop.create('earned', { amount: 50_000 })
  await payIn(service, { requisiteId: body.card.id, minor: 50_000_00n })
  const destinationId = await openDestination(service, shop.merchantId)
  const draft = async (reference: string) => {
    const wish = { merchantId: shop.merchantId, reference, destinationId, amount: 90 }
    const { id } = (await anna.call('POST', '/settlements', wish)).body
    return (by: typeof anna, step: string) =>
      by.call('POST', `/settlements/${shop.merchantId}/${id}/${step}`, step === 'fail' ? { reason: 'lost' } : {})
  }
  const first = await draft('first')
  service.clock.advance(25 * hour)
  const second = await draft('second')
  assert.equal((await first(anna, 'approve')).body.status, 'approved')
  // Together they are more than one person may approve.
  assertProblem(await second(anna, 'approve'), 403, 'second_person_required')
  const approved = (await second(boris, 'approve')).body
  assert.deepEqual([approved.status, approved.secondPerson], ['approved', true])
  assert.equal((await second(anna, 'fail')).body.status, 'approved')
  assert.equal((await second(boris, 'fail')).body.status, 'failed')
  assert.equal((await first(boris, 'fail')).body.status, 'approved')
  assert.equal((await first(anna, 'fail')).body.status, 'failed')
  // Nothing sums what one person approves of another one's drafts, however small each is.
  service.clock.advance(25 * hour)
  const third = await draft('third')
  assert.equal((await third(boris, 'approve')).body.secondPerson, false)
  assert.equal((await third(boris, 'fail')).body.status, 'approved')
  assert.equal((await third(anna, 'fail')).body.status, 'failed')
})

onOne('a file that was read in another time zone than its account has is not confirmed', async (service) => {
  const bank = await openBank(service)
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  const move = async (utcOffsetMinutes: number) => {
    for (const each of [anna, boris])
      await each.call('PATCH', `/requisites/${bank.requisiteId}`, { limits: { utcOffsetMinutes } })
  }
  service.clock.advance(day)
  await move(715)
  const { id } = await bank.upload(camtOf, [{ reference: 'REALMONEY001' }])
  await move(180)
  assertProblem(await boris.call('POST', `/statements/${id}/confirm`), 409, 'invalid_state')
  await move(715)
  assert.equal((await boris.call('POST', `/statements/${id}/confirm`)).status, 200)
  await service.runJobs()
})

onOne('a merchant claims no more than the payment because of what an own key signed', async (service) => {
  service.clock.advance(25 * hour)
  const court = await openCourt(service, { perMethod: 1 })
  const { requisiteId } = await court.create('claimed', { amount: 5000 })
  const feed = await openFeed(service, 'of anna alone', [requisiteId], court.anna)
  const bookedAt = new Date(service.clock.now).toISOString()
  await feed([{ requisiteId, amount: 900_000, currency: 'rub', bookedAt, bankReference: 'INVENTED-1' }])
  await court.expire()
  assert.equal((await court.claim('claimed', { amount: 900_000 })).status, 422)
})

onOne('what money between own accounts came in as gives way to no report of the bank', async (service) => {
  service.clock.advance(25 * hour)
  const [from, to] = [await openBank(service), await openBank(service)]
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  const bring = async (bank: typeof from, minor: bigint) => {
    const { id } = await bank.upload(mt940Of, [{ minor, reference: `MOVED${bank.account.slice(-8)}` }])
    assert.equal((await boris.call('POST', `/statements/${id}/confirm`)).status, 200)
    await service.runJobs()
  }
  await bring(from, -5000_00n)
  const [sent] = (await anna.get(`/outgoing?requisiteId=${from.requisiteId}&limit=1`)).body.outgoing
  const bookedAt = new Date(service.clock.now).toISOString()
  const transfers = [{ requisiteId: to.requisiteId, amount: 5000, currency: 'rub', bookedAt }]
  const [{ id }] = (await anna.call('POST', '/transfers', { transfers })).body.transfers
  const own = { purpose: 'own-account', reason: 'ours', transferId: id }
  const booked = await anna.call('POST', `/outgoing/${from.requisiteId}/${sent.id}/book`, own)
  assert.equal(booked.body.state, 'booked', JSON.stringify(booked.body))
  await bring(to, 5000_00n)
  const listed = (await anna.get(`/transfers?requisiteId=${to.requisiteId}&limit=5`)).body.transfers
  assert.deepEqual(
    listed.map((each: { kind: string; duplicateOf?: string }) => [each.kind, each.duplicateOf]),
    [
      ['duplicate', id],
      ['ignored', undefined],
    ],
  )
  await assertHealthy(service)
})

/** Balances that one operator has entered for days of accounts, as many as the alert reads at most. */
const fillDays = query('test_fill_days', {
  parameters: { requisiteId: uuid, days: integer },
  text: `insert into closing_balances
      (requisite_id, day, statement_id, ends_at, currency, balance, source, recorded_at, reported_by)
    select :requisiteId, to_char(date '2099-01-01' + number, 'YYYY-MM-DD'), '00000000-0000-0000-0000-000000000000',
      timestamptz '2000-01-01' + number * interval '1 day', 'rub', 0, 'operator', now(), 'operator:anna'
    from generate_series(1, :days) as number`,
})

onOne('what one person says of other accounts, or of another day, ends no difference', async (service) => {
  service.clock.advance(25 * hour)
  const bank = await openBank(service)
  const { requisiteIds } = await openShop(service, { perMethod: 1, name: 'Other' })
  // The bank has a thousand less than the books.
  const balances = { opening: -1000_00n, closing: 4000_00n, closedOn: bank.date }
  await bank.bringAgreed(camtOf, [{ minor: 5000_00n, reference: `MISSING-${bank.account}` }], balances)
  const differences = async (): Promise<string[]> =>
    (await findings['reconciliation-difference'](service.context, {} as never, service.clock.now)).flatMap((found) =>
      found.subject === `requisite:${bank.requisiteId}` ? [found.summary] : [],
    )
  assert.equal((await differences()).length, 1)
  await service.context.query(fillDays, { requisiteId: requisiteIds[0] ?? '', days: 600 })
  assert.equal((await differences()).length, 1)
})

onOne('one person ends no difference by withdrawing what two have confirmed', async (service) => {
  service.clock.advance(25 * hour)
  const bank = await openBank(service)
  await bank.push(`PUSHED-${bank.account}`, { amount: 5000 })
  const differences = async (): Promise<number[]> => {
    const { days } = (await bank.operator.get(`/ledger/reconciliation?requisiteId=${bank.requisiteId}`)).body
    return days.map(({ difference }: { difference: number }) => difference)
  }
  const withdraw = async (name: 'anna' | 'boris', id: string) => {
    const body = { reason: 'a wrong file' }
    assert.equal((await openOperator(service, name).call('POST', `/statements/${id}/withdraw`, body)).status, 200)
    await service.runJobs()
    assert.equal((await bank.operator.get(`/statements/${id}`)).body.state, 'withdrawn')
  }
  // Its balance says that the bank has only 4,000, and it brings nothing new.
  const confirmed = await bank.bringAgreed(camtOf, [], { opening: 4000_00n, closedOn: bank.date })
  assert.deepEqual(await differences(), [-1000])
  await withdraw('anna', confirmed.id)
  assert.deepEqual(await differences(), [-1000])
  // What one person alone has said goes with its file.
  const alone = await bank.bring(mt940Of, [], { opening: 3000_00n, closedOn: bank.date })
  assert.deepEqual(
    (await differences()).toSorted((one, other) => other - one),
    [-1000, -2000],
  )
  await withdraw('anna', alone.id)
  assert.deepEqual(await differences(), [-1000])
})

onOne('one person does not withdraw what came in by a file that two have confirmed', async (service) => {
  service.clock.advance(25 * hour)
  const bank = await openBank(service)
  const { id } = await bank.bringAgreed(camtOf, [{ minor: 20_000_00n, reference: `TWO-${bank.account}` }])
  const withdraw = async (name: 'anna' | 'boris') => {
    const { body } = await openOperator(service, name).call('POST', `/statements/${id}/withdraw`, { reason: 'wrong' })
    await service.runJobs()
    return [body.state, (await bank.inbox()).length]
  }
  assert.deepEqual(await withdraw('anna'), ['imported', 1])
  assert.deepEqual(await withdraw('boris'), ['withdrawing', 0])
})

onOne('nobody replaces the closing balance that another person has entered', async (service) => {
  const bank = await openBank(service)
  service.clock.advance(day)
  const enter = async (name: 'anna' | 'boris', balance: number) => {
    const path = `/requisites/${bank.requisiteId}/closing-balances/${bank.date}`
    const { status } = await openOperator(service, name).call('PUT', path, { currency: 'rub', balance })
    assert.equal(status, 200)
  }
  await enter('boris', -4000)
  await enter('anna', 1)
  await enter('anna', 0)
  const { days } = (await bank.operator.get(`/ledger/reconciliation?requisiteId=${bank.requisiteId}`)).body
  const entered = days.map(({ closing, reportedBy }: { closing: number; reportedBy: string }) => [reportedBy, closing])
  assert.deepEqual(entered.toSorted(), [
    ['operator:anna', 0],
    ['operator:boris', -4000],
  ])
})

/** The alert about the balances of an account, and a file that two have agreed on, of a later day on which one rouble came. */
const watch = (service: TestService, { requisiteId, bringAgreed }: Awaited<ReturnType<typeof openBank>>) => ({
  differences: async (): Promise<string[]> =>
    (await findings['reconciliation-difference'](service.context, {} as never, service.clock.now))
      .filter(({ subject }) => subject === `requisite:${requisiteId}`)
      .map(({ summary }) => summary),
  closeLater: async (days: number, opening: bigint) => {
    service.clock.advance(days * day)
    const date = new Date(service.clock.now).toISOString().slice(0, 10)
    await bringAgreed(camtOf, [{ minor: 1_00n, date }], { closedOn: date, opening })
  },
})

for (const agoMs of [0, 20 * day])
  onEngines(
    `one person ends no difference of the bank by a refund that never leaves, dated ${agoMs / day} days back`,
    async (service) => {
      service.clock.advance(25 * hour)
      const bank = await openBank(service)
      const anna = openOperator(service, 'anna')
      const { requisiteId, shop } = bank
      const { differences, closeLater } = watch(service, bank)
      const paid = await shop.create('paid twice', { amount: 9001 })
      await bank.push('PUSHED-ABCDEF-1', { amount: 9001 })
      await bank.push('PUSHED-ABCDEF-2', { amount: 9001 })
      const bookedAt = new Date(service.clock.now).toISOString()
      const money = { requisiteId, currency: 'rub', amount: 9000, bookedAt, bankReference: 'TYPED-ABCDEF' }
      assert.equal((await anna.call('POST', '/transfers', { transfers: [money] })).status, 200)
      const rows = ['PUSHED-ABCDEF-1', 'PUSHED-ABCDEF-2'].map((reference) => ({ minor: 9001_00n, reference }))
      await bank.bringAgreed(camtOf, rows, { closedOn: bank.date })
      const missing = await differences()
      assert.match(missing[0] ?? '', / the ledger has more than the bank by 9000\.00 rub /)
      const refund = {
        ...{ reference: 'never-sent', decision: 'refund', amount: 9000, requisiteId, reason: 'sent back' },
        bookedAt: new Date(service.clock.now - agoMs).toISOString(),
      }
      const path = `/overpayments/${shop.merchantId}/${paid.body.payment.id}/decisions`
      assert.equal((await anna.call('POST', path, refund)).status, 200)
      assert.deepEqual(await differences(), missing)
      // A statement of later days says that it has still not left.
      await closeLater(10, 18_002_00n)
      const overdue = / refunds and reversals of 9000\.00 rub have not left for a week at the end of /
      assert.match((await differences())[0] ?? '', overdue)
    },
  )

onEngines('one person ends no difference of the bank by a reversal that it never reports', async (service) => {
  service.clock.advance(25 * hour)
  const bank = await openBank(service)
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  const { requisiteId, shop } = bank
  const { differences, closeLater } = watch(service, bank)
  const stray = await bank.push('STRAY-ABCDEF', { amount: 9000 })
  const bookedAt = new Date(service.clock.now).toISOString()
  await shop.create('friend', { amount: 4000 })
  await shop.create('other friend', { amount: 5000 })
  const transfers = [4000, 5000].map((amount) => {
    return { requisiteId, currency: 'rub', amount, bookedAt, bankReference: `TYPED-ABCDEF-${amount}` }
  })
  assert.equal((await anna.call('POST', '/transfers', { transfers })).status, 200)
  await bank.bringAgreed(camtOf, [{ minor: 9000_00n, reference: 'STRAY-ABCDEF' }], { closedOn: bank.date })
  const missing = await differences()
  assert.match(missing[0] ?? '', / the ledger has more than the bank by 9000\.00 rub /)
  const reverse = async (by: typeof anna) => {
    const dated = { reason: 'taken back', bookedAt: new Date(service.clock.now - 20 * day).toISOString() }
    assert.equal((await by.call('POST', `/transfers/${requisiteId}/${stray}/reverse`, dated)).status, 200)
  }
  await reverse(anna)
  await reverse(anna)
  assert.deepEqual(await differences(), missing)
  const read = async () => (await anna.get(`/ledger/reconciliation/${requisiteId}/${bank.date}`)).body
  const { inTransit, refundsInTransit, reversalsInTransit } = await read()
  assert.deepEqual([inTransit, refundsInTransit], [9000, []])
  assert.deepEqual(
    reversalsInTransit.map(({ bookedAt: _, ...each }: { bookedAt: string }) => each),
    [{ transferId: stray, amount: 9000, announcedBy: 'operator:anna' }],
  )
  await closeLater(10, 9000_00n)
  assert.match((await differences())[0] ?? '', / refunds and reversals of 9000\.00 rub have not left for a week at /)
  // Two who agree are believed.
  await reverse(boris)
  assert.deepEqual(await differences(), [])
  assert.deepEqual([(await read()).inTransit, (await read()).reversalsInTransit], [0, []])
  await assertHealthy(service)
})

onOne('nobody dates a refund or a reversal in the future, nor an adjustment', async (service) => {
  const bank = await openBank(service)
  const { requisiteId, shop, operator } = bank
  const { body } = await shop.create('paid twice', { amount: 500 })
  const id = await bank.push('FIRST-ABCDEF')
  await bank.push('SECOND-ABCDEF')
  const bookedAt = new Date(service.clock.now + hour).toISOString()
  const refund = { reference: 'R-1', decision: 'refund', requisiteId, reason: 'sent back', bookedAt }
  const adjustment = {
    ...{ reference: 'A-1', debitAccount: `bank:${requisiteId}`, creditAccount: 'rounding', currency: 'rub', amount: 1 },
    ...{ reason: 'found', bookedAt },
  }
  for (const refused of [
    await operator.call('POST', `/overpayments/${shop.merchantId}/${body.payment.id}/decisions`, refund),
    await operator.call('POST', `/transfers/${requisiteId}/${id}/reverse`, { reason: 'taken back', bookedAt }),
    await operator.call('POST', '/ledger/adjustments', adjustment),
  ]) {
    assertProblem(refused, 400, 'validation_failed')
    assert.match(refused.body.detail, /^bookedAt is in the future\./)
  }
})

onOne('nobody alone moves the zone of an account, which makes late money early', async (service) => {
  const { requisiteId, operator } = await openBank(service)
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  const set = async (by: typeof anna, limits: object) => {
    const { status, body } = await by.call('PATCH', `/requisites/${requisiteId}`, { limits })
    assert.equal(status, 200, JSON.stringify(body))
    return [body.limits.utcOffsetMinutes, body.proposedZone]
  }
  const proposed = (utcOffsetMinutes: number, by: string) => ({ utcOffsetMinutes, by: `operator:${by}` })
  for (let times = 0; times < 2; times++)
    assert.deepEqual(await set(anna, { utcOffsetMinutes: 420 }), [180, proposed(420, 'anna')])
  assert.deepEqual((await anna.lastAudit()).details['after'], {
    ...((await anna.lastAudit()).details['before'] as object),
    proposedZone: proposed(420, 'anna'),
  })
  // Other limits, and the zone that it has, leave the proposal of somebody else as it is.
  assert.deepEqual(await set(boris, { dayCount: 9, utcOffsetMinutes: 180 }), [180, proposed(420, 'anna')])
  const [listed] = (await operator.get(`/requisites/health?id=${requisiteId}`)).body.requisites
  assert.deepEqual([listed.limits.utcOffsetMinutes, listed.proposedZone], [180, proposed(420, 'anna')])
  const list = (await payinOf(service)(['requisites', 'list', '--limit', '500'])).out
  const command = `payin requisites limit ${requisiteId} --utc-offset 420`
  assert.ok(list.includes(` waits for another operator than anna: ${command}`), list)
  assert.deepEqual(await set(boris, { utcOffsetMinutes: 360 }), [180, proposed(360, 'boris')])
  assert.deepEqual(await set(boris, { utcOffsetMinutes: 180 }), [180, undefined])
  await set(boris, { utcOffsetMinutes: 420 })
  assert.deepEqual(await set(anna, { utcOffsetMinutes: 420 }), [420, undefined])
})

onOne('nobody alone adds an account with a zone of their own', async (service) => {
  const anna = openOperator(service, 'anna')
  const add = (fields: object) => {
    const account = { method: 'sbp', currency: 'rub', bankIssuer: 'bank-b', holder: 'Shop', number: newNumber('sbp') }
    return anna.call('POST', '/requisites', { requisites: [{ ...account, ...fields }] })
  }
  await openShop(service, { perMethod: 1 })
  const limits = { utcOffsetMinutes: 300 }
  const field = 'requisites.0.limits.utcOffsetMinutes'
  assertProblem(await add({ limits }), 403, 'second_person_required', [field])
  assert.equal((await add({ limits, mode: 'sandbox' })).status, 201)
  assertProblem(await add({ limits }), 403, 'second_person_required', [field])
  const added = await add({ limits: { utcOffsetMinutes: 180 } })
  assert.equal(added.status, 201, JSON.stringify(added.body))
  for (const name of ['anna', 'boris'] as const)
    await openOperator(service, name).call('PATCH', `/requisites/${added.body.ids[0]}`, { limits })
  // Another account of the bank has it now.
  assert.equal((await add({ limits })).status, 201)
  assertProblem(await add({ limits, bankIssuer: 'bank-a' }), 403, 'second_person_required', [field])
})

onOne('the audit says of whoever repeats what somebody else has done that it was repeated', async (service) => {
  service.clock.advance(25 * hour)
  const bank = await openBank(service)
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  const { merchantId } = bank.shop
  /** Both ask for the same, boris first; what the audit says of each. */
  const both = async (path: string, body?: object): Promise<unknown[]> => {
    for (const each of [boris, anna]) {
      const { status, body: answer } = await each.call('POST', path, body)
      assert.ok(status < 300, `${path}: ${JSON.stringify(answer)}`)
    }
    const { entries } = (await anna.get('/audit?limit=2')).body
    return entries.map((entry: { actor: string; details: object }) => [entry.actor, 'alreadyDone' in entry.details])
  }
  const onlyBoris = [
    ['operator:boris', false],
    ['operator:anna', true],
  ]
  const wanted = { merchantId, debitAccount: 'fees', creditAccount: 'merchant:available', currency: 'USDT' }
  const draft = { ...wanted, reference: 'twice', amount: 7, reason: 'found' }
  assert.deepEqual(await both('/ledger/adjustments', draft), onlyBoris)
  const { id } = (await anna.call('POST', '/ledger/adjustments', { ...draft, reference: 'of anna' })).body
  assert.deepEqual(await both(`/ledger/adjustments/${merchantId}/${id}/post`), onlyBoris)
  const destinationId = await openDestination(service, merchantId)
  const settling = { merchantId, destinationId, reference: 'paid twice', amount: 5 }
  const settlement = (await boris.call('POST', '/settlements', settling)).body.id
  await anna.call('POST', `/settlements/${merchantId}/${settlement}/approve`)
  const paid = { externalReference: 'tx' }
  assert.deepEqual(await both(`/settlements/${merchantId}/${settlement}/pay`, paid), onlyBoris)
  const file = await bank.upload(camtOf, [{ reference: 'CONFIRMED001' }])
  assert.deepEqual(await both(`/statements/${file.id}/confirm`), onlyBoris)
  await service.runJobs()
  const other = await bank.upload(camtOf, [{ reference: 'DISCARDED001' }])
  assert.deepEqual(await both(`/statements/${other.id}/discard`), onlyBoris)
  const { body } = await bank.shop.create('canceled', { amount: 777 })
  assert.deepEqual(await both(`/payments/${merchantId}/${body.payment.id}/cancel`), onlyBoris)
  const { body: over } = await bank.shop.create('paid twice', { amount: 611 })
  await bank.push('OVERPAID-A', { amount: 611 })
  await bank.push('OVERPAID-B', { amount: 611 })
  const owed = `/overpayments/${merchantId}/${over.payment.id}/decisions`
  const writeOff = { reference: 'kept', decision: 'write-off', reason: 'of an employee' }
  assert.deepEqual(await both(owed, writeOff), onlyBoris)
})
