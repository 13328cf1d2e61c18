// What requests about endpoints are refused, or taken, at their edges.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addEndpoint, notified } from '../support/notified.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { shareService } from '../support/shared-service.ts'
import { openShop } from '../support/shop.ts'

const opened = shareService({ environment: notified })
const url = 'https://shop.example.com/payin'

/** A merchant and an operator who do the same with the endpoints of one shop. */
const openSides = async (mode: 'live' | 'sandbox' = 'live') => {
  const shop = await openShop(opened(), { mode, perMethod: 0 })
  const operator = openOperator(opened())
  const base = `/merchants/${shop.merchantId}/endpoints`
  return {
    shop,
    operator,
    sides: [
      { post: shop.post, patch: shop.patch },
      {
        post: (path: string, body: unknown) => operator.call('POST', path.replace('/endpoints', base), body),
        patch: (path: string, body: unknown) => operator.call('PATCH', path.replace('/endpoints', base), body),
      },
    ],
  }
}

test('400: an address that percent-encoding makes too long is refused by name; the longest is taken', async () => {
  const { shop, sides } = await openSides()
  const { id } = await addEndpoint(shop, { url })
  const start = 'https://e.com/'
  const long = start + 'я'.repeat(1000)
  const longest = start + 'x'.repeat((2048 - start.length) % 6) + 'я'.repeat(Math.floor((2048 - start.length) / 6))
  for (const side of sides) {
    assertProblem(await side.post('/endpoints', { url: long }), 400, 'validation_failed', ['url'])
    assertProblem(await side.patch(`/endpoints/${id}`, { url: long }), 400, 'validation_failed', ['url'])
    assert.equal((await side.post('/endpoints', { url: longest })).status, 201)
    assert.equal((await side.patch(`/endpoints/${id}`, { url: longest })).body.url.length, 2048)
  }
})
