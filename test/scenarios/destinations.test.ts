// Where settlements may be sent, over HTTP: proposed by one, approved by another, cooling, used and retired.
import assert from 'node:assert/strict'
import { destinationRules } from '../../src/rules/money/destination.ts'
import { day } from '../../src/rules/time.ts'
import { openDestination } from '../support/destination.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { assertHealthy, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { openShop, payIn, type Shop } from '../support/shop.ts'

const { onEngines, onOne } = shareEngines()
const { onOne: onSmall } = shareEngines({ PAYIN_OPERATOR_TOKENS: '', PAYIN_DESTINATION_COOLING_HOURS: '0' })

const wallet = destinationRules.tron.example

const earn = async (service: TestService, shop: Shop, orderId = 'earned'): Promise<void> => {
  const { body } = await shop.create(orderId)
  assert.equal((await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })).outcome, 'exact')
}

onEngines('a destination is proposed, approved by another operator, cools and is used', async (service) => {
  const shop = await openShop(service)
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  await earn(service, shop)
  const { merchantId } = shop
  const wanted = { merchantId, kind: 'tron', address: wallet, label: 'Main wallet' }
  const mistyped = { ...wanted, address: wallet.replace('wb', 'bw') }
  assertProblem(await anna.call('POST', '/destinations', mistyped), 400, 'validation_failed', ['address'])
  const proposed = await anna.call('POST', '/destinations', wanted)
  assert.equal(proposed.status, 201, JSON.stringify(proposed.body))
  const { id, status, proposedBy } = proposed.body
  assert.deepEqual([status, proposedBy], ['proposed', 'operator:anna'])
  const again = await boris.call('POST', '/destinations', { ...wanted, address: ` ${wallet} ` })
  assert.deepEqual([again.status, again.body], [200, proposed.body])
  const other = { ...wanted, label: 'Other wallet' }
  assertProblem(await anna.call('POST', '/destinations', other), 409, 'already_exists')

  const free = { merchantId, reference: 'june', destination: `TRC20 ${wallet}` }
  const refused = await anna.call('POST', '/settlements', free)
  assertProblem(refused, 400, 'validation_failed', ['destination', 'destinationId'])
  const draft = () => anna.call('POST', '/settlements', { merchantId, reference: 'june', destinationId: id })
  const assertUnready = async (why: RegExp): Promise<void> => {
    const answer = await draft()
    assertProblem(answer, 409, 'invalid_state')
    assert.match(answer.body.detail, why)
  }
  await assertUnready(/^The destination Main wallet is not approved yet\.$/)

  const one = `/destinations/${merchantId}/${id}`
  assertProblem(await anna.call('POST', `${one}/approve`), 403, 'second_person_required')
  const approved = await boris.call('POST', `${one}/approve`)
  const readyAt = new Date(service.clock.now + day).toISOString()
  assert.deepEqual(
    [approved.status, approved.body.status, approved.body.approvedBy, approved.body.readyAt],
    [200, 'cooling', 'operator:boris', readyAt],
  )
  const audit = await boris.lastAudit()
  assert.deepEqual(
    [audit.action, audit.actor, audit.subject, audit.details],
    [
      'destination.approve',
      'operator:boris',
      `destination:${merchantId}/${id}`,
      { destination: `Main wallet: ${wallet} (USDT on TRON)`, requestedBy: null, proposedBy: 'operator:anna', readyAt },
    ],
  )
  assert.match(audit.credential ?? '', /^token:/)
  assert.deepEqual((await boris.call('POST', `${one}/approve`)).body, approved.body)
  assertProblem(await anna.call('POST', `${one}/approve`), 409, 'invalid_state')

  await assertUnready(new RegExp(`may be used from ${readyAt} on\\.$`))
  service.clock.advance(day - 1)
  await assertUnready(/may be used from/)
  service.clock.advance(1)
  const drafted = await draft()
  assert.equal(drafted.status, 201, JSON.stringify(drafted.body))
  assert.equal(drafted.body.destination, `Main wallet: ${wallet} (USDT on TRON)`)
  assert.equal(drafted.body.destinationId, id)
  const settlement = `/settlements/${merchantId}/${drafted.body.id}`
  assert.equal((await boris.call('POST', `${settlement}/approve`)).status, 200)
  assert.equal((await boris.call('POST', `${settlement}/pay`, { externalReference: 'tx-1' })).body.status, 'paid')

  // The merchant sees where its money may go, but not who decided so.
  const [seen] = (await shop.get('/destinations')).body.destinations
  assert.deepEqual(Object.keys(seen), ['id', 'kind', 'address', 'label', 'status', 'proposedAt', 'readyAt'])
  assert.deepEqual([seen.id, seen.status], [id, 'ready'])
  assert.equal((await shop.get(`/settlements/${drafted.body.id}`)).body.destinationId, id)
  assert.deepEqual((await anna.get(`/destinations?merchantId=${merchantId}`)).body, {
    destinations: [{ ...approved.body, status: 'ready' }],
  })
})

onEngines('nothing is sent to a retired destination, or to one of another merchant', async (service) => {
  const [shop, stranger] = [await openShop(service), await openShop(service)]
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  await earn(service, shop)
  await earn(service, stranger)
  const { merchantId } = shop
  const destinationId = await openDestination(service, merchantId)
  const draft = (reference: string) =>
    anna.call('POST', '/settlements', { merchantId, reference, amount: 10, destinationId })
  const foreign = { merchantId: stranger.merchantId, reference: 'foreign', destinationId }
  assertProblem(await anna.call('POST', '/settlements', foreign), 404, 'resource_not_found')
  const [drafted, approved, paid] = [await draft('drafted'), await draft('approved'), await draft('paid')]
  const step = (of: typeof drafted, name: string, body?: object) =>
    boris.call('POST', `/settlements/${merchantId}/${of.body.id}/${name}`, body)
  for (const each of [approved, paid]) assert.equal((await step(each, 'approve')).status, 200)
  const payout = { externalReference: 'tx-1' }
  assert.equal((await step(paid, 'pay', payout)).status, 200)

  // Whoever retires it at the same time as a settlement goes there is either too late or wins.
  const one = `/destinations/${merchantId}/${destinationId}`
  const [retired, racing] = await Promise.all([anna.call('POST', `${one}/retire`), draft('racing')])
  assert.deepEqual([retired.status, retired.body.status, retired.body.retiredBy], [200, 'retired', 'operator:anna'])
  assert.ok([201, 409].includes(racing.status))
  assert.deepEqual((await boris.call('POST', `${one}/retire`)).body, retired.body)
  for (const answer of [
    await draft('late'),
    await step(drafted, 'approve'),
    await boris.call('POST', `${one}/approve`),
  ]) {
    assertProblem(answer, 409, 'invalid_state')
    assert.match(answer.body.detail, /^The destination Main wallet is retired\.$/)
  }
  // What is done may be repeated; the money of what was approved may have left before; what is not done is given up.
  assert.equal((await draft('drafted')).status, 200)
  assert.equal((await step(paid, 'pay', payout)).status, 200)
  assert.equal((await step(approved, 'pay', { externalReference: 'tx-2' })).body.status, 'paid')
  assert.equal((await step(drafted, 'fail', { reason: 'retired' })).body.status, 'failed')
  const { body } = await anna.call('POST', '/destinations', {
    ...{ merchantId, kind: 'tron', address: wallet, label: 'Main wallet' },
  })
  assert.notEqual(body.id, destinationId)
  assert.equal(body.status, 'proposed')
  await assertHealthy(service)
})

onOne('operators propose destinations of merchants that there are, and only with the duty', async (service) => {
  const { merchantId } = await openShop(service)
  const wanted = { merchantId, kind: 'iban', address: 'de89 3704 0044 0532 0130 00', label: 'Bank' }
  assertProblem(await openOperator(service, 'vera').call('POST', '/destinations', wanted), 403, 'role_missing')
  const anna = openOperator(service, 'anna')
  const nobody = { ...wanted, merchantId: '019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10' }
  assertProblem(await anna.call('POST', '/destinations', nobody), 404, 'resource_not_found')
  assertProblem(await anna.call('POST', '/destinations', { ...wanted, kind: 'ton' }), 400, 'validation_failed', [
    'kind',
  ])
  const { body } = await anna.call('POST', '/destinations', wanted)
  assert.equal(body.address, 'DE89370400440532013000')
  const csv = (await anna.get(`/destinations.csv?merchantId=${merchantId}`)).body as string
  assert.match(csv, /^merchantId,merchantName,id,.*\r\n.*,iban,DE89370400440532013000,Bank,proposed,/)
  const found = await anna.get('/resolve?kind=destination&text=DE89370400440532013000')
  assert.equal(found.body.id, body.id)
})

onEngines('a destination cannot be taken for another one of its merchant', async (service) => {
  const [shop, stranger] = [await openShop(service), await openShop(service)]
  const anna = openOperator(service, 'anna')
  const iban = destinationRules.iban.example
  const propose = (fields: object, { merchantId } = shop) =>
    anna.call('POST', '/destinations', { merchantId, kind: 'iban', address: iban, ...fields })
  const { body } = await anna.call('POST', '/destinations', {
    ...{ merchantId: shop.merchantId, kind: 'tron', address: wallet, label: 'Main wallet' },
  })
  for (const label of ['Main wallet', 'MAIN WALLET', wallet]) {
    const refused = await propose({ label })
    assertProblem(refused, 409, 'already_exists')
    assert.match(refused.body.detail, /could be taken for the destination Main wallet \(T/)
  }
  assert.equal((await propose({ label: 'Main wallet' }, stranger)).status, 201)
  const racing = await Promise.all([
    propose({ label: 'Bank' }),
    propose({ label: 'Bank', kind: 'ru-account', address: destinationRules['ru-account'].example }),
  ])
  assert.deepEqual(new Set(racing.map(({ status }) => status)), new Set([201, 409]))
  // An address that is the label of another one, the other way round.
  const ethereum = destinationRules.ethereum.example
  const first = racing.find(({ status }) => status === 201)
  await anna.call('POST', `/destinations/${shop.merchantId}/${first?.body.id}/retire`)
  assert.equal((await propose({ label: ethereum })).status, 201)
  assertProblem(await propose({ label: 'Mine', kind: 'ethereum', address: ethereum }), 409, 'already_exists')
  // The label of a retired destination is free again.
  await anna.call('POST', `/destinations/${shop.merchantId}/${body.id}/retire`)
  const next = { label: 'Main wallet', kind: 'ru-account', address: destinationRules['ru-account'].example }
  assert.equal((await propose(next)).status, 201)
})

onSmall('who works alone approves alone', async (service) => {
  const shop = await openShop(service)
  const operator = openOperator(service)
  await earn(service, shop)
  const { merchantId } = shop
  const wanted = { merchantId, kind: 'tron', address: wallet, label: 'Main wallet' }
  const { id } = (await operator.call('POST', '/destinations', wanted)).body
  const approved = await operator.call('POST', `/destinations/${merchantId}/${id}/approve`)
  assert.deepEqual([approved.status, approved.body.status], [200, 'ready'], JSON.stringify(approved.body))
  const settlement = { merchantId, reference: 'june', destinationId: id }
  assert.equal((await operator.call('POST', '/settlements', settlement)).status, 201)
})
