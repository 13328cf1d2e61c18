// The rates by which the bounds of one person are measured: the bound is 1000 USDT within a day, and nobody raises alone
// what that is worth, neither in a currency that no payment uses nor in one that merchants are credited in.
import assert from 'node:assert/strict'
import { recordTransfers } from '../../src/engine/transfers/record-transfers.ts'
import { feedChannel } from '../../src/rules/transfers/channel.ts'
import { day, minute } from '../../src/rules/time.ts'
import { openDestination } from '../support/destination.ts'
import { openOperator, setAgreedRate } from '../support/operator.ts'
import { creditOf, openPhone } from '../support/phones.ts'
import { onBothEngines, onOneEngine, type TestService } from '../support/service.ts'
import { openShop, payIn, type Shop } from '../support/shop.ts'

const bounded = { PAYIN_LONE_REPORTS_ABOVE: '' }

type Person = ReturnType<typeof openOperator>

/** A payment of roubles, and money for it that one operator types in; returns what became of that. */
const typeIn = async (service: TestService, shop: Shop, by: Person, orderId: string, amount: number) => {
  const made = await shop.create(orderId, { amount })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  service.clock.advance(minute)
  const bookedAt = new Date(service.clock.now).toISOString()
  const transfers = [{ requisiteId: made.body.card.id, currency: 'rub', amount, bookedAt, bankReference: orderId }]
  const { status, body } = await by.call('POST', '/transfers', { transfers })
  assert.equal(status, 200, JSON.stringify(body))
  const [transfer] = body.transfers
  const shares = [{ merchantId: shop.merchantId, paymentId: made.body.payment.id }]
  const path = `/transfers/${transfer.requisiteId}/${transfer.id}/assign`
  return {
    state: await shop.status(orderId),
    reason: transfer.reasons[0],
    assign: async (who: Person) => (await who.call('POST', path, { shares, note: 'seen' })).body.code ?? 'done',
  }
}

/** One operator raises the price of a currency by 20 % on each of some days; returns the last price. */
const raise = async (service: TestService, by: Person, currency: string, price: number, days: number) => {
  let raised = price
  for (let times = 0; times < days; times++) {
    service.clock.advance(day + minute)
    raised = Math.floor(raised * 1.2e6) / 1e6
    const { status, body } = await by.call('PUT', `/rates/${currency}`, { price: raised })
    assert.deepEqual([status, body.proposed], [200, undefined])
  }
  return raised
}

onBothEngines(
  'the rate of roubles that nobody is credited by raises the bounds only as far as two people agree',
  async (service) => {
    const inRoubles = { settings: { quoteCurrency: 'rub' }, hasRate: false, terms: { feePpm: 0 } }
    const shop = await openShop(service, { ...inRoubles, perMethod: 8 })
    const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
    await setAgreedRate(service, 'rub', 92.5)
    const price = await raise(service, anna, 'rub', 92.5, 6)
    service.clock.advance(91 * day)
    const beyond = await typeIn(service, shop, anna, 'beyond', 92_600)
    assert.equal(beyond.state, 'new')
    assert.deepEqual([await beyond.assign(anna), await beyond.assign(boris)], ['second_person_required', 'done'])
    const destinationId = await openDestination(service, shop.merchantId, 'Shop account', 'ru-account')
    const drafted = await anna.call('POST', '/settlements', {
      merchantId: shop.merchantId,
      reference: 'r',
      destinationId,
    })
    assert.equal(drafted.body.secondPerson, true)

    // What two insist on is an agreement even if one may set it.
    const insist = async (by: Person) =>
      (await by.call('PUT', '/rates/rub', { price, outsideBand: true })).body.proposed
    assert.deepEqual([await insist(anna), await insist(anna), await insist(boris)], [true, true, undefined])
    service.clock.advance(day + minute)
    assert.equal((await typeIn(service, shop, anna, 'within', 92_600)).state, 'paid')
  },
  bounded,
)

onOneEngine(
  'where nobody else sets rates, payments use the first price of one person, and no bound does',
  async (service) => {
    const anna = openOperator(service)
    const shop = await openShop(service, { hasRate: false })
    const source = { currency: 'rub', kind: 'fixed', name: 'mine', price: 9_000_000 }
    const added = (await anna.call('POST', '/rate-sources', source)).body
    await service.runJobs()
    assert.deepEqual((await anna.get('/rates')).body.rates, [])
    const accepted = await anna.call('POST', `/rate-sources/${added.id}/accept`, { price: 9_000_000 })
    assert.equal(accepted.status, 200, JSON.stringify(accepted.body))
    const { body } = await anna.get('/rates')
    assert.deepEqual([body.rates[0].price, body.proposals], [9_000_000, []])
    assert.equal((await typeIn(service, shop, anna, 'typed', 5000)).state, 'new')
    assert.equal((await anna.call('PUT', '/rates/rub', { price: 92.5, outsideBand: true })).body.proposed, undefined)
    assert.equal((await typeIn(service, shop, anna, 'again', 5000)).state, 'new')

    const inEuro = await openShop(service, { settings: { quoteCurrency: 'eur' } })
    assert.equal((await anna.call('PUT', '/rates/eur', { price: 0.9 })).body.usable, true)
    const { body: made } = await inEuro.create('banked', { amount: 5000 })
    await payIn(service, { requisiteId: made.card.id, minor: 5000_00n })
    assert.equal(await inEuro.status('banked'), 'paid')
  },
  {
    ...bounded,
    PAYIN_OPERATOR_TOKENS: ['otto', 'pavel'].map((name) => `${name}/operator:${`va1ueOf${name}`.repeat(4)}`).join(),
  },
)

onOneEngine(
  'whoever is alone is bounded by the price that the same one has set',
  async (service) => {
    const anna = openOperator(service)
    const shop = await openShop(service, { hasRate: false })
    assert.equal((await anna.call('PUT', '/rates/rub', { price: 92.5 })).body.usable, true)
    const within = await typeIn(service, shop, anna, 'within', 5000)
    const beyond = await typeIn(service, shop, anna, 'beyond', 95_000)
    assert.deepEqual([within.state, beyond.state], ['paid', 'new'])
  },
  { PAYIN_LONE_REPORTS_ABOVE: '1000', PAYIN_OPERATOR_TOKENS: '' },
)

/** A shop that is credited in euros at prices on which two have agreed. */
const openEuro = async (service: TestService) => {
  const shop = await openShop(service, { settings: { quoteCurrency: 'eur' }, perMethod: 8, terms: { feePpm: 0 } })
  await setAgreedRate(service, 'eur', 0.9)
  await setAgreedRate(service, 'rub', 92.5)
  service.clock.advance(minute)
  return { shop, anna: openOperator(service, 'anna'), boris: openOperator(service, 'boris') }
}

onBothEngines(
  'whoever raises the price of euros credits no more of them alone than within the band',
  async (service) => {
    const { shop, anna, boris } = await openEuro(service)
    const before = await typeIn(service, shop, anna, 'before', 10_000)
    const { body: older } = await shop.create('older', { amount: 10_100 })
    await raise(service, anna, 'eur', 0.9, 1)
    const moved = await typeIn(service, shop, anna, 'moved', 10_200)
    assert.deepEqual([before.state, moved.state], ['paid', 'paid'])

    await raise(service, anna, 'eur', 1.08, 1)
    const high = await typeIn(service, shop, anna, 'high', 10_300)
    assert.equal(high.state, 'new')
    assert.match(high.reason, /^one person's report, for a payment whose rate is lower/)
    assert.equal(await high.assign(anna), 'second_person_required')
    assert.equal(await high.assign(boris), 'done')
    // The bank's own report, and money of an older payment, are credited as before.
    const { body: banked } = await shop.create('banked', { amount: 10_400 })
    await payIn(service, { requisiteId: banked.card.id, minor: 10_400_00n })
    assert.equal(await shop.status('banked'), 'paid')
    const bookedAt = new Date(service.clock.now).toISOString()
    const late = { requisiteId: older.card.id, currency: 'rub', amount: 10_100, bookedAt, bankReference: 'late' }
    const typed = (await anna.call('POST', '/transfers', { transfers: [late] })).body.transfers[0]
    const shares = [{ merchantId: shop.merchantId, paymentId: older.payment.id }]
    const assigned = await anna.call('POST', `/transfers/${typed.requisiteId}/${typed.id}/assign`, {
      shares,
      note: 'x',
    })
    assert.equal(assigned.status, 200, JSON.stringify(assigned.body))
  },
  bounded,
)

onOneEngine(
  'nobody alone credits what only a phone reports, or what may be a duplicate, at a raised price of euros',
  async (service) => {
    const { shop, anna } = await openEuro(service)
    await raise(service, anna, 'eur', 0.9, 2)
    const { body: made } = await shop.create('phone', { amount: 6000 })
    const requisiteId = made.card.id
    const phone = await openPhone(service, [requisiteId])
    await phone.sms(creditOf(service, 6000, 10_000))
    assert.equal(await shop.status('phone'), 'new')
    const assign = async (id: string) => {
      const shares = [{ merchantId: shop.merchantId, paymentId: made.payment.id }]
      return anna.call('POST', `/transfers/${requisiteId}/${id}/assign`, { shares, note: 'x' })
    }
    const waiting = async () => (await anna.get('/transfers?unmatched=true')).body.transfers[0]
    const { id, reasons } = await waiting()
    assert.match(reasons[0], /^one person's report/)
    assert.equal((await assign(id)).body.code, 'second_person_required')

    const report = async (source: string) => {
      const money = {
        requisiteId,
        currency: 'rub',
        amount: 6100_00n,
        bookedAt: service.clock.now,
        bankReference: source,
      }
      const transfer = { ...money, sender: null, source, channel: feedChannel(source) }
      const [recorded] = await service.context.transaction((tx) => recordTransfers(tx, [transfer]))
      assert.ok(recorded)
      return recorded
    }
    await report('one')
    const again = await report('two')
    assert.match(again.reasons[0] ?? '', /^may be the same money/)
    assert.equal((await assign(again.id)).body.code, 'second_person_required')
  },
  bounded,
)
