// What the payer of a refunded payment sees, and is asked.
import assert from 'node:assert/strict'
import { openOperator } from '../support/operator.ts'
import { sendForm } from '../support/page-states.ts'
import { shareEngines } from '../support/shared-service.ts'
import { openShop, payIn, send } from '../support/shop.ts'

const { onOne } = shareEngines()

onOne('the payer sees what is given back, and says where to if the bank has not named the account', async (service) => {
  const shop = await openShop(service, { terms: { feePpm: 0 } })
  const { body } = await shop.create('ord-1', { amount: 1000 })
  const path = `/en${new URL(body.redirectUrl).pathname}`
  const page = async (): Promise<string> => (await send(service, path)).body
  const ask = (reference: string, amount: number) =>
    shop.post('/payments/byOrderId/ord-1/refunds', { reference, amount })
  const payTo = async (): Promise<(string | undefined)[]> =>
    (await shop.get('/refunds')).body.refunds.map((each: { payTo?: string }) => each.payTo)
  const account = (text: string) => sendForm(service, `${path}/refund`, { account: text })
  await payIn(service, { requisiteId: body.card.id, minor: 1000_00n })

  assert.doesNotMatch(await page(), /Refund|Where should we send it/)
  assert.equal((await account('40817810099910004312')).status, 303)
  const asked = await ask('r-1', 300)
  assert.match(
    await page(),
    /The shop is giving RUB\s300\.00 back to you\. It hasn’t been sent yet[\s\S]*Where should we/,
  )
  assert.equal((await account('my card')).status, 422)
  assert.deepEqual(await payTo(), [undefined])
  assert.equal((await account(' 4081 7810 0999 1000 4312,  Bank A ')).status, 303)
  const [shown = ''] = await payTo()
  assert.match(shown, /4312/)
  assert.doesNotMatch(shown, /4081 7810/)
  assert.match(await page(), /The shop is giving RUB\s300\.00 back to you, to .*4312.*It hasn’t been sent yet/)
  assert.doesNotMatch(await page(), /Where should we send it/)
  // Whoever has the link later cannot change it.
  await account('40817810099910009999')
  assert.deepEqual(await payTo(), [shown])

  const anna = openOperator(service, 'anna')
  const step = (verb: string, fields?: object) =>
    anna.call('POST', `/refunds/${shop.merchantId}/${asked.body.id}/${verb}`, fields)
  assert.equal((await step('approve')).body.status, 'approved')
  assert.equal((await step('reveal', { reason: 'to send it' })).body.number, '4081 7810 0999 1000 4312, Bank A')
  assert.equal((await step('send', {})).body.status, 'sent')
  assert.match(await page(), /RUB\s300\.00 has been sent back to you\. Your bank may take a few days/)
})

onOne('where a payer has paid from an account that a bank has named, nobody is asked', async (service) => {
  const shop = await openShop(service, { terms: { feePpm: 0 } })
  const { body } = await shop.create('ord-2', { amount: 1000 })
  const path = `/en${new URL(body.redirectUrl).pathname}`
  await payIn(service, { requisiteId: body.card.id, minor: 1000_00n, sender: '40817810099910004312' })
  assert.equal((await shop.post('/payments/byOrderId/ord-2/refunds', { reference: 'r-1' })).status, 201)
  const shown: string = (await send(service, path)).body
  assert.match(shown, /The shop is giving RUB\s1,000\.00 back to you/)
  assert.doesNotMatch(shown, /Where should we send it/)
  await sendForm(service, `${path}/refund`, { account: '40817810099910009999' })
  assert.equal((await shop.get('/refunds')).body.refunds[0].payTo, undefined)
})
