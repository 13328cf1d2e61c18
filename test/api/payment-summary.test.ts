// What became of the payments of a period, in the operator API: the figures of the overview.
import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { integer, query } from 'payin-database'
import { hourOf } from '../../src/rules/payments/payment-totals.ts'
import { day, hour, minute } from '../../src/rules/time.ts'
import { claimPayment } from '../../src/engine/payments/payer-changes.ts'
import { countHours } from '../../src/engine/payments/hours/count-hours.ts'
import { openOperator, unknownId } from '../support/operator.ts'
import { runPayin } from '../support/run-payin.ts'
import { onBothEngines, onOneEngine } from '../support/service.ts'
import { openShop } from '../support/shop.ts'

const countRows = query('test_count_payment_hours', {
  row: { hours: integer, notes: integer },
  text: `select (select count(*) from payment_hours)::integer as hours,
    (select count(*) from payment_hour_changes)::integer as notes`,
})

const iso = (at: number) => new Date(at).toISOString()
const rub = (amount: string) => [{ currency: 'rub', amount }]

onBothEngines(
  'the payments of a period are summed up to the kopeck, before and after they are counted',
  async (service) => {
    const operator = openOperator(service)
    service.clock.now = hourOf(service.clock.now) + hour + 50 * minute
    const start = hourOf(service.clock.now)
    const sandbox = await openShop(service, { mode: 'sandbox' })
    const period = `from=${iso(start)}&to=${iso(start + 3 * hour)}`
    assert.equal((await operator.get(`/overview/payments?${period}`)).body.mode, 'sandbox')
    const shop = await openShop(service)
    const summary = async (search = '') => {
      const { status, body } = await operator.get(`/overview/payments?${period}${search}`)
      assert.equal(status, 200, JSON.stringify(body))
      return body
    }
    const report = async (card: { id: string }, amount: number, bankReference: string) => {
      const transfer = {
        requisiteId: card.id,
        currency: 'rub',
        bookedAt: iso(service.clock.now),
        bankReference,
        amount,
      }
      const answer = await operator.call('POST', '/transfers', { transfers: [transfer] })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      return answer.body.transfers[0].id as string
    }
    const nothing = { created: 0, shown: 0, claimed: 0, paid: 0, expired: 0, credited: [] }
    assert.deepEqual(await summary(), {
      ...{
        from: iso(start),
        to: iso(start + 3 * hour),
        mode: 'live',
        total: nothing,
        hours: [],
        methods: [],
        banks: [],
      },
    })

    const one = (await shop.create('one', { amount: 1000.1 })).body
    const two = (await shop.create('two', { amount: 2000.25 })).body
    const late = (await shop.create('late', { amount: 3000.3, method: 'card-to-card' })).body
    await sandbox.create('other', { amount: 4000 })
    await claimPayment(service.context, shop.merchantId, two.payment.id)
    service.clock.advance(minute)
    await report(one.card, 1000.1, 'one')
    service.clock.advance(20 * minute)
    const next = (await shop.create('next', { amount: 5000 })).body
    await report(next.card, 4999.95, 'next')
    service.clock.advance(2 * day)
    await service.runJobs()

    const first = {
      created: 3,
      shown: 3,
      claimed: 2,
      paid: 1,
      expired: 2,
      successRate: 1 / 3,
      credited: rub('1000.10'),
    }
    const second = { created: 1, shown: 1, claimed: 1, paid: 1, expired: 0, successRate: 1, credited: rub('4999.95') }
    const expected = await summary()
    assert.deepEqual(expected, {
      ...{ from: iso(start), to: iso(start + 3 * hour), mode: 'live', medianMs: minute },
      total: { created: 4, shown: 4, claimed: 3, paid: 2, expired: 2, successRate: 0.5, credited: rub('6000.05') },
      hours: [
        { at: iso(start), ...first },
        { at: iso(start + hour), ...second },
      ],
      methods: [
        {
          method: 'sbp',
          created: 3,
          shown: 3,
          claimed: 3,
          paid: 2,
          expired: 1,
          successRate: 2 / 3,
          credited: rub('6000.05'),
        },
        { method: 'card-to-card', created: 1, shown: 1, claimed: 0, paid: 0, expired: 1, successRate: 0, credited: [] },
      ],
      banks: expected.banks,
    })
    const words = ['payments', 'summary', '--from', iso(start), '--to', iso(start + 3 * hour)]
    const printed = await runPayin(words, {
      environment: { PAYIN_URL: service.url, PAYIN_OPERATOR_TOKEN: service.operatorToken },
      input: '',
      folder: tmpdir(),
    })
    assert.match(printed.out, /^ *4 +4 +3 +2 +2 +50.0 % +6000.05 rub$/m, printed.error)
    const { balances } = (await operator.get(`/ledger/balances?merchantId=${shop.merchantId}`)).body
    assert.equal(
      balances.find(({ account, currency }: Record<string, string>) => account === 'fx:rub' && currency === 'rub')
        ?.balance,
      '-6000.05',
    )
    const others = ['', `&merchantId=${sandbox.merchantId}`, '&mode=sandbox']
    assert.deepEqual(await Promise.all(others.map(async (other) => (await summary(other)).total.created)), [4, 1, 1])

    const stored = () => service.context.query(countRows, {})
    assert.equal((await stored())[0]?.hours, 0)
    service.clock.advance(3 * hour)
    while ((await countHours(service.context)) > 0);
    assert.deepEqual((await stored())[0]?.notes, 0)
    assert.deepEqual(await summary(), expected)

    // Money comes for a payment whose hour was counted long ago.
    const transferId = await report(late.card, 3000.3, 'late')
    const payments = [{ merchantId: shop.merchantId, paymentId: late.payment.id }]
    const path = `/transfers/${late.card.id}/${transferId}/assign`
    const assigned = await operator.call('POST', path, { shares: payments })
    assert.equal(assigned.status, 200, JSON.stringify(assigned.body))
    const changed = await summary()
    assert.deepEqual(changed.total, {
      ...{ created: 4, shown: 4, claimed: 4, paid: 3, expired: 1, successRate: 0.75, credited: rub('9000.35') },
    })
    assert.deepEqual((await stored())[0]?.notes, 1)
    while ((await countHours(service.context)) > 0);
    assert.deepEqual((await stored())[0]?.notes, 0)
    assert.deepEqual(await summary(), changed)
  },
)

onOneEngine(
  'a period is refused that is empty within whole hours or too long; so is an unknown merchant',
  async (service) => {
    const operator = openOperator(service)
    const refused = async (search: string) => {
      const { status, body } = await operator.get(`/overview/payments?${search}`)
      return `${status} ${body.code}`
    }
    assert.deepEqual(
      await Promise.all(
        [
          'from=2026-01-01T00:10:00Z&to=2026-01-01T00:50:00Z',
          'from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z',
          'from=2026-01-01T00:00:00Z&to=2026-03-01T00:00:00Z',
          `from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&merchantId=${unknownId}`,
        ].map(refused),
      ),
      ['400 validation_failed', '400 validation_failed', '400 validation_failed', '404 resource_not_found'],
    )
  },
)
