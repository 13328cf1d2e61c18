// What a merchant reads before it creates: limits of currencies (docs/contract.md §4.1) and codes of banks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setLimits } from '../../src/engine/merchants/merchant.ts'
import { setBankIssuers } from '../../src/engine/requisites/bank-issuers.ts'
import { assertProblem } from '../support/problem.ts'
import { shareEngines } from '../support/shared-service.ts'
import { openShop } from '../support/shop.ts'

const { opened, onEngines } = shareEngines()

onEngines(
  "200: currencies have exactly the fields of the contract, with the merchant's own limits where it has some",
  async (service) => {
    const shop = await openShop(service, { perMethod: 1 })
    const other = await openShop(service, { perMethod: 1 })
    await service.context.transaction(async (tx) => {
      await setLimits(tx, shop.merchantId, { currency: 'rub', min: 250_50n, max: 1_000_00n })
      await setLimits(tx, null, { currency: 'jpy', min: 100n, max: 999_999_999_999_999n })
    })
    const answer = await shop.get('/payments/currencies')
    assert.equal(answer.status, 200)
    assert.deepEqual(Object.keys(answer.body), ['currencies'])
    assert.deepEqual(
      answer.body.currencies.toSorted((a: { code: string }, b: { code: string }) => (a.code < b.code ? -1 : 1)),
      [
        { code: 'jpy', min: 100, max: 999_999_999_999_999 },
        { code: 'rub', min: 250.5, max: 1000 },
      ],
    )
    const others = await other.get('/payments/currencies')
    assert.deepEqual(
      others.body.currencies.find((each: { code: string }) => each.code === 'rub'),
      { code: 'rub', min: 100, max: 300_000 },
    )
    // The bounds that are listed are the bounds that hold.
    for (const [amount, status] of [
      [250.49, 422],
      [250.5, 201],
      [1000.01, 422],
    ]) {
      assert.equal((await shop.create(`amount-${amount}`, { amount })).status, status)
    }
  },
)

test('200: bank issuers have code, name and country, and what is listed may be asked for', async () => {
  const service = opened()
  const shop = await openShop(service, { perMethod: 2 })
  await service.context.transaction((tx) =>
    setBankIssuers(tx, [{ code: 'bank-c', name: 'Банк «C»', country: 'KZ', sbpMemberId: '100000000001' }]),
  )
  const answer = await shop.get('/payments/bankIssuers')
  assert.equal(answer.status, 200)
  assert.deepEqual(answer.body, {
    bankIssuers: [
      { code: 'bank-a', name: 'Bank A', country: 'RU' },
      { code: 'bank-b', name: 'Bank B', country: 'RU' },
      { code: 'bank-c', name: 'Банк «C»', country: 'KZ' },
    ],
  })
  assertProblem(await shop.create('none', { bankIssuer: 'bank-c' }), 409, 'requisites_unavailable')
})
