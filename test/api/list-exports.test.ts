// Exports of lists as CSV that are not searched by amounts: all pages, with names, and never with a whole number.
import assert from 'node:assert/strict'
import { openOperator } from '../support/operator.ts'
import { shareEngines } from '../support/shared-service.ts'
import { newNumber, openShop, payIn } from '../support/shop.ts'

const { onEngines, onOne } = shareEngines()

const linesOf = (answer: { status: number; body: string }): string[] => {
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.trimEnd().split('\r\n')
}

onEngines(
  'requisites are exported in all pages, filtered, with masked numbers and what they carry',
  async (service) => {
    const shop = await openShop(service, { perMethod: 0, name: 'Corner Shop' })
    const operator = openOperator(service)
    const requisites = Array.from({ length: 502 }, (_, at) => ({
      ...{ method: 'sbp', currency: 'rub', bankIssuer: 'bank-a', holder: 'Ivan Petrov', number: newNumber('sbp') },
      ...{ merchantId: shop.merchantId, label: `Account ${at}`, limits: { dayAmount: 5000 } },
    }))
    const added = await operator.call('POST', '/requisites', { requisites })
    assert.equal(added.status, 201, JSON.stringify(added.body).slice(-500))
    await shop.create('first')
    const [header, ...rows] = linesOf(await operator.get(`/requisites/health.csv?merchantId=${shop.merchantId}`))
    assert.match(header ?? '', /^id,label,merchantId,merchantName,mode,method,bankIssuer,number,holder,status/)
    assert.equal(new Set(rows.map((row) => row.slice(0, 36))).size, 502)
    assert.match(rows[0] ?? '', /,Account 0,.*,Corner Shop,live,sbp,bank-a,•••• \d{4},Ivan Petrov,active,,rub,/)
    const whole = rows.join()
    assert.ok(requisites.every(({ number }) => !whole.includes(number)))
    const carried = (row: string): string | undefined => row.split(',')[14]
    assert.equal(rows.filter((row) => carried(row) === '5000').length, 1, 'one has an open payment')
    assert.equal(
      linesOf(await operator.get(`/requisites/health.csv?merchantId=${shop.merchantId}&status=paused`)).length,
      1,
    )
  },
)

onOne('merchants, overpayments, blocks and decisions are exported with the filters of their lists', async (service) => {
  const shop = await openShop(service, { name: 'Exported, Ltd' })
  const operator = openOperator(service)
  const [, ...named] = linesOf(await operator.get('/merchants.csv?name=exported&mode=live&status=active'))
  assert.equal(named.length, 1)
  assert.match(named[0] ?? '', /,"Exported, Ltd",live,active,/)
  assert.equal(linesOf(await operator.get('/merchants.csv?name=exported&status=suspended')).length, 1)
  assert.deepEqual((await operator.get('/merchants?name=exported&mode=sandbox')).body.merchants, [])

  const { body } = await shop.create('order-1', { userId: 'user-1' })
  await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
  await payIn(service, { requisiteId: body.card.id, minor: 5000_00n, reference: 'again' })
  const owed = linesOf(await operator.get(`/overpayments.csv?merchantId=${shop.merchantId}`))
  assert.deepEqual(owed[0], 'orderId,merchantId,merchantName,paymentId,currency,amount')
  assert.deepEqual(owed.slice(1), [`order-1,${shop.merchantId},"Exported, Ltd",${body.payment.id},rub,5000`])

  const block = { kind: 'user', value: 'user-secret-1', merchantId: shop.merchantId, reason: '=1+1' }
  assert.equal((await operator.call('POST', '/risk/blocks', block)).status, 201)
  const blocks = linesOf(await operator.get('/risk/blocks.csv')).filter((line) => line.includes(shop.merchantId))
  assert.match(blocks[0] ?? '', /,"Exported, Ltd",'=1\+1,operator:/)
  assert.ok(!blocks.join().includes('user-secret-1'))
  await shop.create('refused', { userId: 'user-secret-1' })
  const decisions = linesOf(await operator.get(`/risk/decisions.csv?merchantId=${shop.merchantId}`))
  assert.match(decisions[1] ?? '', /,refused,create,refused,block,/)
})
