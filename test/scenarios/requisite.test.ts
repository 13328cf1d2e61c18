import assert from 'node:assert/strict'
import { onBothEngines } from '../support/service.ts'
import { openShop, send } from '../support/shop.ts'

onBothEngines(
  'retiring a requisite fails the payments whose payers have not seen it, and only those',
  async (service) => {
    const shop = await openShop(service, { perMethod: 1 })
    const staged = await shop.create('unseen', { type: 'staged' })
    await shop.create('seen', { amount: 6000 })
    const answer = await send(service, `/api/v1/operator/requisites/${staged.body.card.id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${service.operatorToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ status: 'retired' }),
    })
    assert.equal(answer.status, 200)
    assert.equal(await shop.status('unseen'), 'failed')
    assert.equal(await shop.status('seen'), 'new')
  },
)
