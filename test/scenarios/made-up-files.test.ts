// What files of one dishonest operator, Anna, change about money that the bank reports: they bring nothing, or no more
// than the bound of one person, so that she confirms them alone. The bound is 100 USDT within a day; 1 USDT is 92.5 roubles.
import assert from 'node:assert/strict'
import { day, hour } from '../../src/rules/time.ts'
import { openBank } from '../support/bank.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import type { TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { exchangeOf, type Made, mt940Of, uploadFile } from '../support/statement-files.ts'

const { onEngines, onOne } = shareEngines({ PAYIN_SECOND_PERSON_ABOVE: '100', PAYIN_LONE_REPORTS_ABOVE: '100' })

/** Noon in the zone of the accounts, so that files of the day may be read until the evening. */
const open = async (service: TestService) => {
  service.clock.advance(2 * day - ((service.clock.now + 3 * hour) % day) + 12 * hour)
  const bank = await openBank(service)
  const anna = openOperator(service, 'anna')
  const upload = async (operatorToken: string, made: Omit<Made, 'account'>) => {
    const content = mt940Of({ account: bank.account, closedOn: bank.date, ...made })
    const { status, body } = await uploadFile({ url: service.url, operatorToken }, content)
    assert.equal(status, 201, JSON.stringify(body))
    return body
  }
  const uploadAlone = (made: Omit<Made, 'account'>) => upload(service.operatorTokens['anna'] ?? '', made)
  return {
    ...{ bank, anna, uploadAlone },
    before: new Date(Date.parse(`${bank.date}T00:00:00Z`) - day).toISOString().slice(0, 10),
    held: () => bank.balanceOf(`bank:${bank.requisiteId}`),
    bringAlone: async (made: Omit<Made, 'account'>) => bank.confirm((await uploadAlone(made)).id, anna),
    /** The bank's own file, which two honest people import. */
    bringAgreed: async (made: Omit<Made, 'account'>) =>
      bank.confirm((await upload(service.operatorToken, made)).id, openOperator(service, 'boris')),
  }
}

const payer = { payer: 'PYOTR PAYER', payerAccount: '40817810000000001111' }

/** The bank's file of two days with a payment of today, a payment that waits for its amount, and today's part, again. */
const openTwoDays = async (service: TestService) => {
  const world = await open(service)
  const { bank } = world
  const row = { minor: 20_000_00n, date: bank.date, text: 'for goods', ...payer }
  const early = { minor: 60_000_00n, date: world.before, text: 'early', payer: 'IVAN EARLY' }
  const other = { minor: 20_500_00n, date: bank.date, text: 'other', payer: 'IVAN OTHER' }
  await bank.shop.create('honest', { amount: 20_000 })
  await world.bringAgreed({ rows: [early, row, other] })
  assert.equal(await bank.shop.status('honest'), 'paid')
  service.clock.advance(2 * hour)
  const { body } = await bank.shop.create('mine', { amount: 20_000 })
  assert.equal(await world.held(), 100_500)
  return { ...world, row, mine: body.payment.id, again: { rows: [row, other], opening: 60_000_00n } }
}

onEngines('a file of one person that brings nothing makes no money of the bank’s next file new', async (service) => {
  const { bank, anna, bringAlone, bringAgreed, row, mine, again, held } = await openTwoDays(service)
  // The payment, between balances that never meet those of today's part.
  const { counts } = await bringAlone({ rows: [row] })
  assert.deepEqual([counts.new, counts.alreadyKnown], [0, 1])
  const next = await bringAgreed(again)
  assert.equal(next.counts.possibleDuplicates, 1)
  const waiting = (await bank.inbox()).find(({ duplicateOf }) => duplicateOf !== undefined)
  const path = `/transfers/${bank.requisiteId}/${waiting?.id}`
  const shares = [{ merchantId: bank.shop.merchantId, paymentId: mine }]
  assertProblem(await anna.call('POST', `${path}/assign`, { shares }), 403, 'second_person_required')
  const decide = { transfers: [{ requisiteId: bank.requisiteId, id: waiting?.id, decision: 'same-money' }], note: 'x' }
  assert.equal((await anna.call('POST', '/transfers/decide', decide)).body.transfers[0].state, 'done')
  assert.deepEqual([await held(), await bank.shop.status('mine')], [100_500, 'new'])
})

onOne('a file that nobody has confirmed makes nothing of the bank’s next file doubtful', async (service) => {
  const { uploadAlone, bringAgreed, row, again, held } = await openTwoDays(service)
  await uploadAlone({ rows: [row] })
  const { counts } = await bringAgreed(again)
  assert.deepEqual([counts.new, counts.possibleDuplicates, await held()], [0, 0, 100_500])
})

for (const [balances, opening] of [
  ['that begin like the bank’s file', 100_00n],
  ['with which the bank’s file ends', 1010_00n],
] as const)
  onOne(`what one person invents between balances ${balances} is found when that comes`, async (service) => {
    const { bank, anna, before, bringAlone, bringAgreed } = await open(service)
    await bringAgreed({ rows: [{ minor: 100_00n, date: before, text: 'eve' }], closedOn: before })
    const invented = { minor: 900_00n, date: bank.date, text: 'invented', payer: 'IVAN NOBODY' }
    await bringAlone({ rows: [invented], opening })
    const real = [350_00n, 560_00n].map((minor) => ({ minor, date: bank.date, text: `real ${minor}` }))
    const { accounts } = await bringAgreed({ rows: real, opening: 100_00n })
    assert.equal(accounts[0].difference, 900)
    await anna.call('PATCH', `/requisites/${bank.requisiteId}`, { crediting: 'automatic', reason: 'looked' })
  })

onOne('what one person says of a sender brings no chargeback upon another payment', async (service) => {
  const { bank, anna, bringAlone, bringAgreed } = await open(service)
  // The feed names no senders: the payer pays an order of Anna's, and somebody else another one.
  const pay = async (orderId: string) => {
    await bank.shop.create(orderId, { amount: 20_000 })
    service.clock.advance(hour / 4)
    const id = await bank.push(`FEED-${orderId}`, { amount: 20_000 })
    assert.equal(await bank.shop.status(orderId), 'paid')
    service.clock.advance(1.25 * hour)
    return id
  }
  await pay('of-anna')
  const theirs = await pay('of-another')
  // It brings no money.
  const { counts } = await bringAlone({ rows: [{ minor: 20_000_00n, date: bank.date, text: 'x', ...payer }] })
  assert.deepEqual([counts.new, counts.duplicates], [0, 1])
  const row = { minor: -20_000_00n, reversal: true as const, date: bank.date, text: 'chargeback', ...payer }
  await bringAgreed({ rows: [row], opening: 777n })
  assert.equal((await anna.get(`/transfers/${bank.requisiteId}/${theirs}`)).body.reversedAt, undefined)
  const { reversals } = (await anna.get('/reversals?limit=100')).body
  assert.equal(reversals.filter((each: { requisiteId: string }) => each.requisiteId === bank.requisiteId).length, 1)
})

onOne('what the preview of a file shows as known waits if another file has become that money', async (service) => {
  const { bank, anna, uploadAlone } = await open(service)
  await bank.push('REAL', { amount: 290_000 })
  service.clock.advance(hour / 6)
  await bank.shop.create('mine', { amount: 290_000 })
  const rows = ['FAKEFAKE0001', 'FAKEFAKE0002'].map((reference) => ({
    minor: 290_000_00n,
    date: bank.date,
    reference,
    text: 'order mine',
  }))
  const files = [await uploadAlone({ rows: rows.slice(0, 1) }), await uploadAlone({ rows: rows.slice(1) })]
  assert.deepEqual(
    files.map(({ counts }) => [counts.new, counts.duplicates]),
    [
      [0, 1],
      [0, 1],
    ],
  )
  for (const { id } of files) await bank.confirm(id, openOperator(service, 'boris'))
  const { transfers } = (await anna.get(`/transfers?requisiteId=${bank.requisiteId}`)).body
  assert.deepEqual(
    transfers.map(({ kind, duplicateOf }: { kind: string; duplicateOf?: string }) => [kind, duplicateOf !== undefined]),
    [
      ['suspense', true],
      ['duplicate', true],
      ['suspense', false],
    ],
  )
  assert.equal(await bank.shop.status('mine'), 'new')
})

onOne('money out that was known when one person’s file was read is not new when it is imported', async (service) => {
  const { bank, anna, bringAgreed } = await open(service)
  await bringAgreed({ rows: [{ minor: -50_000_00n, date: bank.date, reference: 'RENTRENT0001', text: 'rent' }] })
  const files: { readonly id: string; readonly counts: { readonly new: number; readonly alreadyKnown: number } }[] = []
  for (const reference of ['70011', '70012']) {
    const row = { minor: -50_000_00n, date: bank.date, reference, text: 'return', ...payer }
    files.push(await bank.upload(exchangeOf, [row], { openedOn: bank.date, closedOn: bank.date }))
  }
  for (const { id, counts } of files) {
    assert.deepEqual([counts.new, counts.alreadyKnown], [0, 1])
    await bank.confirm(id)
  }
  const { outgoing } = (await anna.get(`/outgoing?requisiteId=${bank.requisiteId}`)).body
  assert.deepEqual(
    outgoing.map(({ state }: { state: string }) => state),
    ['duplicate', 'unexplained'],
  )
})
