// Canaries: what is secret or personal is sent through operations and error paths, and is in no log.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { query } from 'payin-database'
import { endToken, issueToken } from '../../src/engine/merchants/tokens.ts'
import { addRequisites } from '../../src/engine/requisites/add-requisites.ts'
import { openOperator } from '../support/operator.ts'
import { rawRequest, sendRaw } from '../support/raw-http.ts'
import { type Engine, engines, openTestService, type TestService } from '../support/service.ts'
import { openShop, payIn, send, type Shop } from '../support/shop.ts'

const phone = '79161230987'
const account = '40817810099910004321'
const card = '2200770239031232'
const sender = '79265550102'
const userId = 'canary-user-7f3a'
const body = 'canary-body-91bc'

const findCanaries = (service: TestService, tokens: readonly string[]): string[] => {
  const written = service.logs.join('')
  return [phone, account, card, sender, userId, body, service.operatorToken, ...tokens].filter((canary) =>
    written.includes(canary),
  )
}

/** A check that no new payment passes: the database quotes the whole row in its error. */
const refuseRows = query('test_refuse_rows', {
  text: 'alter table payments add constraint test_refuses_rows check (amount < 0) not valid',
})

const hideTransfers = query('test_hide_transfers', {
  text: 'alter table transfer_parts rename to hidden',
})

const addCanaries = (service: TestService, shop: Shop): Promise<string[]> =>
  service.context.transaction((tx) => {
    const { merchantId } = shop
    const shared = {
      merchantId,
      mode: 'sandbox',
      currency: 'rub',
      transferScope: null,
      bankIssuer: 'bank-a',
      holder: 'Ivan Petrov',
      limits: {},
    } as const
    return addRequisites(tx, [
      { ...shared, method: 'sbp', number: phone },
      { ...shared, method: 'account-to-account', number: account },
      { ...shared, method: 'card-to-card', number: card },
    ])
  })

const runOperations = async (service: TestService, shop: Shop): Promise<void> => {
  const api = '/api/v1/merchant'
  for (const [index, method] of ['sbp', 'account-to-account', 'card-to-card'].entries()) {
    const created = await shop.create(`order-${index}`, { method, userId })
    assert.equal(created.status, 201)
    await shop.create(`order-${index}`, { method, userId: `${userId}-2` })
    const transfer = await payIn(service, { requisiteId: created.body.card.id, minor: 5000_00n, sender })
    const operator = openOperator(service)
    const reveal = (path: string) => operator.call('POST', `${path}/reveal`, { reason: body })
    assert.equal((await reveal(`/requisites/${created.body.card.id}`)).status, 200)
    assert.equal((await reveal(`/transfers/${created.body.card.id}/${transfer.id}`)).body.number, sender)
    assert.equal((await reveal(`/payments/${shop.merchantId}/${created.body.payment.id}`)).body.number, sender)
    await shop.get(`/payments/byOrderId/order-${index}`)
    await shop.post('/payments/byOrderId/ack', { orderId: `order-${index}` })
    await shop.post('/payments/byOrderId/cancel', { orderId: `order-${index}` })
    await shop.create('none', { method, userId })
  }
  await shop.get('/payments')
  await shop.get(`/payments/byOrderId/${body}`)
  await shop.get(`/nowhere/${body}?q=${body}`)
  await shop.get(`/payments/byOrderId/%zz${body}`)
  await shop.post('/payments', `{"${body}":"${phone}"`)
  await shop.post('/payments', { [body]: body, orderId: body, userId: { a: userId }, bankIssuer: account })
  await shop.post('/payments', JSON.stringify({ userId: body.repeat(6000) }))
  await shop.post('/payments', body, { 'content-type': 'text/plain' })
  await shop.create('order-x', {
    currency: 'xxx',
    bankIssuer: body,
    userId,
    returnUrl: `https://${body}.example/${userId}`,
  })
  await shop.get(`/payments/currencies?token=${shop.token}`, { origin: `https://${body}.example` })
  await send(service, `${api}/payments`, { headers: { authorization: `Basic ${shop.token}` } })
  await send(service, `${api}/payments`, { headers: { authorization: `Bearer ${shop.token}x` } })
  await sendRaw(
    service,
    rawRequest('GET', `${api}/payments`, ['Host: a', `Authorization: Bearer ${shop.token}`, `Bad Header ${body}`]),
  )
  await sendRaw(service, rawRequest('GET', `${api}/payments`, ['Host: a', `X-${body}: ${'x'.repeat(20_000)}`]))
  const operator = openOperator(service)
  await operator.call('POST', '/requisites', {
    requisites: [{ method: 'sbp', currency: 'rub', bankIssuer: 'bank-a', holder: body, number: phone }],
  })
  await operator.get(`/merchants/${body}`)
  await operator.get('/requisites')
}

for (const engine of engines satisfies readonly Engine[]) {
  const skip = engine === 'postgres' && !process.env['TEST_DATABASE_URL'] ? 'no PostgreSQL on this machine' : false
  test(`no canary is in the logs, neither of operations nor of refusals nor of failures [${engine}]`, {
    skip,
  }, async () => {
    const service = await openTestService(engine)
    try {
      const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
      await addCanaries(service, shop)
      const ended = await service.context.transaction((tx) =>
        issueToken(tx, {
          merchantId: shop.merchantId,
          name: 'ended',
          scopes: ['payments:read'],
          allowList: [],
          expiresAt: null,
        }),
      )
      await service.context.transaction((tx) => endToken(tx, ended.id, 0))
      await send(service, '/api/v1/merchant/payments', { headers: { authorization: `Bearer ${ended.token}` } })
      const tokens = [shop.token, ended.token]
      await runOperations(service, shop)
      assert.ok(service.logs.length > 30, 'the log says what was asked')
      assert.deepEqual(findCanaries(service, tokens), [])

      // Failures that nobody foresaw are logged whole, but without the rows.
      await service.context.query(refuseRows, {})
      const failed = await shop.create('fails', { userId, amount: 7000 })
      assert.equal(failed.status, 500)
      await service.context.query(hideTransfers, {})
      const requisites = (await openOperator(service).get('/requisites')).body.requisites
      const transfer = {
        requisiteId: requisites[0].id,
        currency: 'rub',
        amount: 10,
        bookedAt: new Date(service.clock.now).toISOString(),
        sender,
      }
      const unrecorded = await openOperator(service).call('POST', '/transfers', { transfers: [transfer] })
      assert.equal(unrecorded.status, 500, JSON.stringify(unrecorded.body))
      assert.match(service.logs.join(''), /test_refuses_rows/)
      assert.deepEqual(findCanaries(service, tokens), [])
      // The control: a canary that was logged would be found.
      service.logs.push(`{"msg":"${userId}"}`)
      assert.deepEqual(findCanaries(service, tokens), [userId])
    } finally {
      await service.stop()
    }
  })
}
