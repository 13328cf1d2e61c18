// What the payer chooses and sends on the page: the method, a claim, receipts; and what the operator does with them.
import assert from 'node:assert/strict'
import { hour, minute } from '../../src/rules/time.ts'
import { claimPayment } from '../../src/engine/payments/payer-changes.ts'
import { findPaymentById } from '../../src/engine/payments/read.ts'
import { listHolders } from '../../src/engine/requisites/read.ts'
import { requisitePool } from '../../src/engine/requisites/requisite-pool.ts'
import { updateRequisite } from '../../src/engine/requisites/update-requisite.ts'
import { openOperator } from '../support/operator.ts'
import { createStatePage, openBookshop, sendForm } from '../support/page-states.ts'
import { onOneEngine, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { payIn, send } from '../support/shop.ts'

// Tests that list all claims have a service of their own.
const { onEngines, onOne } = shareEngines()

const png = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR and more', 'latin1')
const heading = (page: { body: string }): string => /<h1[^>]*>([^<]*)/.exec(page.body)?.[1] ?? ''
const show = (service: TestService, path: string) => send(service, `/en${path}`)

const upload = (content: Buffer | undefined, fields: Record<string, string> = {}): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  if (content) form.set('receipt', new Blob([new Uint8Array(content)], { type: 'text/plain' }), '../receipt.exe')
  return form
}

const claimFields = (service: TestService) => ({
  amount: '5000,37',
  paidAt: new Date(service.clock.now + 170 * minute).toISOString().slice(0, 16),
})

onEngines('303: a payer of either type pays by SBP instead, and money on both accounts counts', async (service) => {
  const shop = await openBookshop(service)
  const direct = await createStatePage(shop, 'direct', { method: 'card-to-card', sbpEnabled: true })
  const stored = () => findPaymentById(service.context, shop.merchantId, direct.id)
  assert.match((await show(service, direct.path)).body, /Pay another way: By phone number \(SBP\)/)
  assert.equal((await sendForm(service, `${direct.path}/method`, { method: 'sbp' })).status, 303)
  const switched = await stored()
  assert.notEqual(switched?.requisiteId, direct.requisiteId)
  assert.match((await show(service, direct.path)).body, /data-copy="\+7999/)
  const repeated = await shop.create(direct.orderId, {
    ...{ method: 'card-to-card', sbpEnabled: true, amount: 5000.37, returnUrl: 'https://shop.example/orders/1' },
  })
  assert.deepEqual([repeated.status, repeated.body.card.id], [200, switched?.requisiteId])
  assert.match(repeated.body.card.phone, /^7999/)
  // Switching back and forth uses no third account.
  await sendForm(service, `${direct.path}/method`, { method: 'card-to-card' })
  assert.equal((await stored())?.requisiteId, direct.requisiteId)
  await sendForm(service, `${direct.path}/method`, { method: 'sbp' })
  const { now } = service.clock
  const lists = await Promise.all(
    shop.requisiteIds.map((id) => listHolders(service.context, [{ requisiteId: id, since: now, until: now }])),
  )
  assert.equal(lists.flat().length, 2)
  await payIn(service, { requisiteId: direct.requisiteId, minor: 200_000n, reference: 'card' })
  await payIn(service, { requisiteId: switched?.requisiteId ?? '', minor: 300_037n, reference: 'sbp' })
  assert.equal(await shop.status(direct.orderId), 'paid')

  const staged = await createStatePage(shop, 'staged', { type: 'staged', method: 'card-to-card', sbpEnabled: true })
  await sendForm(service, `${staged.path}/details`, { phone: '+79123456789', bank: 'bank-b', method: 'sbp' })
  assert.match((await show(service, staged.path)).body, /Enter the phone number/)
  assert.equal(
    (await listHolders(service.context, [{ requisiteId: staged.requisiteId, since: now, until: now }])).length,
    0,
    'nobody saw it',
  )
})

onEngines(
  '303: the longer windows of two accounts count for a payment that moves from one to the other',
  async (service) => {
    const shop = await openBookshop(service, { terms: { lateWindowMs: 4 * hour, coolDownMs: hour } })
    const own = { lateWindowMs: hour, coolDownMs: 2 * hour }
    const { byId } = await service.context.catalog.get(requisitePool)
    for (const { id, merchantId, method } of byId.values()) {
      if (merchantId !== shop.merchantId || method !== 'card-to-card') continue
      await service.context.transaction((tx) => updateRequisite(tx, id, { limits: own }))
    }
    const windows = async (id: string) => {
      const { lateWindowMs, coolDownMs } = (await findPaymentById(service.context, shop.merchantId, id))?.terms ?? {}
      return { lateWindowMs, coolDownMs }
    }
    const heldFor = async (requisiteId: string, id: string) => {
      const { now } = service.clock
      const holders = await listHolders(service.context, [{ requisiteId, since: now, until: now }])
      return (holders.find(({ paymentId }) => paymentId === id)?.heldUntil ?? now) - now
    }
    const toPay = 45 * minute
    const direct = await createStatePage(shop, 'moved-direct', { method: 'card-to-card', sbpEnabled: true })
    const staged = await createStatePage(shop, 'moved-staged', {
      ...{ type: 'staged', method: 'card-to-card', sbpEnabled: true },
    })
    for (const { id, requisiteId } of [direct, staged]) {
      assert.deepEqual(await windows(id), own)
      assert.equal(await heldFor(requisiteId, id), toPay + hour)
    }
    await sendForm(service, `${direct.path}/method`, { method: 'sbp' })
    await sendForm(service, `${staged.path}/details`, { phone: '+79123456789', bank: 'bank-b', method: 'sbp' })
    for (const { id, requisiteId } of [direct, staged]) {
      const moved = (await findPaymentById(service.context, shop.merchantId, id))?.requisiteId ?? ''
      assert.notEqual(moved, requisiteId)
      assert.deepEqual(await windows(id), { lateWindowMs: 4 * hour, coolDownMs: 2 * hour })
      assert.equal(await heldFor(moved, id), toPay + 4 * hour)
    }
  },
)

onOne('409: says when no SBP account is free, and offers none where there is none', async (service) => {
  const shop = await openBookshop(service, { perMethod: 1 })
  await createStatePage(shop, 'taken', { method: 'sbp' })
  const made = await createStatePage(shop, 'card', { method: 'card-to-card', sbpEnabled: true })
  const answer = await sendForm(service, `/en${made.path}/method`, { method: 'sbp' })
  assert.equal(answer.status, 409)
  assert.match(answer.body, /isn’t available right now/)
  const plain = await createStatePage(shop, 'plain', { method: 'account-to-account' })
  assert.doesNotMatch((await show(service, plain.path)).body, /Pay another way/)
  await sendForm(service, `${plain.path}/method`, { method: 'sbp' })
  const stored = await findPaymentById(service.context, shop.merchantId, plain.id)
  assert.equal(stored?.requisiteId, plain.requisiteId)
})

onEngines('303: a claim is stored once, listed for the operator, and late money is still credited', async (service) => {
  const shop = await openBookshop(service)
  const operator = openOperator(service)
  const made = await createStatePage(shop, 'late')
  const early = await sendForm(service, `${made.path}/paid`, upload(png, claimFields(service)))
  assert.equal(early.status, 303)
  assert.deepEqual((await operator.get('/claims')).body, { claims: [] }, 'not while the payer can still pay')
  service.clock.advance(31 * minute)
  const fields = claimFields(service)
  const wrong = await sendForm(service, `/en${made.path}/paid`, upload(Buffer.from('MZ'), { amount: 'x', paidAt: '' }))
  assert.equal(wrong.status, 422)
  assert.equal(wrong.body.match(/role="alert"/g)?.length, 3)
  const tooMuch = await sendForm(service, `/en${made.path}/paid`, upload(png, { ...fields, amount: '250000' }))
  assert.deepEqual([tooMuch.status, tooMuch.body.match(/at most [^<]+/)?.[0]], [422, 'at most RUB 5,000.37.'])
  for (let press = 0; press < 2; press++) {
    assert.equal((await sendForm(service, `${made.path}/paid`, upload(png, fields))).status, 303)
  }
  assert.equal(heading(await show(service, made.path)), 'We’re looking for your transfer')
  await service.runJobs()
  assert.equal(heading(await show(service, made.path)), 'We’re looking for your transfer')
  const { claims } = (await operator.get('/claims')).body
  assert.equal(claims.length, 1)
  const { receipts, ...claim } = claims[0]
  assert.deepEqual([claim.amount, claim.paymentAmount, claim.status], [5000.37, 5000.37, 'expired'])
  assert.equal(claim.paidAt, new Date(Date.parse(`${fields.paidAt}Z`) - 180 * minute).toISOString())
  assert.deepEqual([receipts.length, receipts[0].contentType, receipts[0].size], [1, 'image/png', png.length])
  const payment = `/payments/${shop.merchantId}/${made.id}`
  assert.deepEqual((await operator.get(payment)).body.receipts, receipts)

  const file = await fetch(`${service.url}/api/v1/operator${payment}/receipts/${receipts[0].id}`, {
    headers: { authorization: `Bearer ${service.operatorToken}` },
  })
  assert.deepEqual(Buffer.from(await file.arrayBuffer()), png)
  assert.equal(file.headers.get('content-type'), 'image/png')
  assert.equal(file.headers.get('content-disposition'), `attachment; filename="receipt-${receipts[0].id}.png"`)
  assert.deepEqual((await operator.lastAudit()).action, 'receipt.read')
  assert.equal((await send(service, `/api/v1/operator${payment}/receipts/${receipts[0].id}`)).status, 401)
  assert.equal((await operator.get(`${payment}/receipts/${made.id}`)).status, 404)

  await payIn(service, { requisiteId: made.requisiteId, minor: 500_037n })
  assert.equal(await shop.status(made.orderId), 'paid')
  assert.equal(heading(await show(service, made.path)), 'Paid')
})

onOneEngine(
  '303: a month after the late window no claim is accepted, and the page says to ask the shop',
  async (service) => {
    const shop = await openBookshop(service)
    const claimed = await createStatePage(shop, 'claimed')
    const made = await createStatePage(shop, 'long')
    service.clock.advance(31 * minute)
    await sendForm(service, `${claimed.path}/paid`, upload(undefined, claimFields(service)))
    assert.match((await show(service, made.path)).body, /I’ve already paid/)
    service.clock.advance(32 * 24 * 60 * minute)
    await service.runJobs()
    for (const { path, id } of [made, claimed]) {
      const { body } = await show(service, path)
      assert.match(body, /This payment expired long ago/)
      assert.doesNotMatch(body, /I’ve already paid|<form|We’re still looking/)
      for (const form of ['paid', 'receipt']) {
        assert.equal((await sendForm(service, `${path}/${form}`, upload(png, claimFields(service)))).status, 303)
      }
      assert.equal((await findPaymentById(service.context, shop.merchantId, id))?.receiptAt, null)
    }
    assert.equal((await openOperator(service).get('/claims')).body.claims.length, 1)
  },
)

onOneEngine('200: claims are listed page by page, newest first', async (service) => {
  const shop = await openBookshop(service)
  const operator = openOperator(service)
  const made = []
  for (const name of ['1', '2', '3']) made.push(await createStatePage(shop, name))
  service.clock.advance(31 * minute)
  for (const { path } of made) await sendForm(service, `${path}/paid`, upload(undefined, claimFields(service)))
  const orders: string[][] = []
  let cursor = ''
  do {
    const { body } = await operator.get(`/claims?limit=2${cursor}`)
    orders.push(body.claims.map((claim: { orderId: string }) => claim.orderId))
    cursor = body.nextCursor === undefined ? '' : `&cursor=${body.nextCursor}`
  } while (cursor !== '')
  assert.deepEqual(orders, [['order-3', 'order-2'], ['order-1']])
})

onEngines('422, 415: accepts receipts by their content, at most five, each once', async (service) => {
  const shop = await openBookshop(service)
  const made = await createStatePage(shop, 'receipts')
  const path = `/en${made.path}/receipt`
  await sendForm(service, path, upload(png))
  assert.equal((await findPaymentById(service.context, shop.merchantId, made.id))?.receiptAt, null)
  await sendForm(service, `${made.path}/claim`, {})
  const large = Buffer.concat([png, Buffer.alloc(5 * 1024 * 1024)])
  for (const content of [Buffer.alloc(0), Buffer.from('<html>'), large]) {
    const answer = await sendForm(service, path, upload(content))
    assert.equal(answer.status, 422)
    assert.match(answer.body, /Choose a file first|We can’t open this type|This file is larger than 5 MB/)
  }
  assert.equal((await sendForm(service, path, { receipt: 'x' })).status, 415)
  for (let index = 0; index < 7; index++) {
    const content = Buffer.concat([png, Buffer.from([Math.max(0, index - 1)])])
    assert.equal((await sendForm(service, path, upload(content))).status, 303)
  }
  const { body } = await openOperator(service).get(`/payments/${shop.merchantId}/${made.id}`)
  assert.equal(body.receipts.length, 5)
  assert.match((await show(service, made.path)).body, /We have enough receipts, thank you/)
  service.clock.advance(3 * 60 * minute)
  await service.runJobs()
  assert.equal(await shop.status(made.orderId), 'disput', 'a receipt keeps the payment from expiring')
  assert.equal(heading(await show(service, made.path)), 'Your payment is under review')
})

onOne("200: shows the operator's guide for the payer's bank, with a link that is filled in", async (service) => {
  const shop = await openBookshop(service)
  const operator = openOperator(service)
  const guide = {
    links: { sbp: 'bankapp://pay/{number}/{amount}' },
    steps: { sbp: { en: ['Do this.', 'Then <that>.'] } },
  }
  const refused = await operator.call('PUT', '/bank-issuers/bank-b/guide', {
    ...guide,
    links: { sbp: 'javascript:alert(1)' },
  })
  assert.deepEqual([refused.status, refused.body.errors[0].field], [400, 'links.sbp'])
  assert.equal((await operator.call('PUT', '/bank-issuers/nowhere/guide', guide)).status, 404)
  assert.equal((await operator.call('PUT', '/bank-issuers/bank-b/guide', guide)).status, 200)
  assert.deepEqual((await operator.get('/bank-issuers/bank-b/guide')).body, guide)
  const made = await createStatePage(shop, 'guide', { type: 'staged' })
  await sendForm(service, `${made.path}/details`, { phone: '+79123456789', bank: 'bank-b' })
  const { body } = await show(service, made.path)
  assert.match(body, /href="bankapp:\/\/pay\/%2B7999\d{7}\/5000\.37"[^>]*><span>Open <span lang="ru">Т-Банк/)
  assert.match(
    body,
    /How to pay in <span lang="ru">Т-Банк<\/span><\/span><\/h2>\s*<ol><li>Do this\.<\/li><li>Then &#60;that&#62;\.<\/li>/,
  )
  const direct = await createStatePage(shop, 'direct')
  assert.match((await show(service, direct.path)).body, /Open your bank<\/summary>/)
})

onOne('200: shows a payment code only for accounts whose bank is known', async (service) => {
  const shop = await openBookshop(service)
  const account = await createStatePage(shop, 'account', { method: 'account-to-account', bankIssuer: 'bank-a' })
  const code = await fetch(`${service.url}${account.path}/code`)
  assert.deepEqual([code.status, code.headers.get('content-type')], [200, 'image/png'])
  assert.equal(code.headers.get('cache-control'), 'no-store')
  const sbp = await createStatePage(shop, 'sbp')
  assert.equal((await send(service, `${sbp.path}/code`)).status, 404)
  assert.doesNotMatch((await show(service, sbp.path)).body, /Pay by QR code/)
  const receipt = await send(service, `${sbp.path}/receipt`)
  assert.deepEqual([receipt.status, receipt.headers.get('location')], [303, sbp.path])
})

onOne('200: links back to registered hosts only, even when one was removed later', async (service) => {
  const shop = await openBookshop(service)
  const made = await createStatePage(shop, 'back')
  await shop.post('/payments/byOrderId/cancel', { orderId: made.orderId })
  assert.match((await show(service, made.path)).body, /href="https:\/\/shop\.example\/orders\/1"/)
  const settings = { returnHosts: [] }
  await openOperator(service).call('PATCH', `/merchants/${shop.merchantId}`, { settings })
  assert.doesNotMatch((await show(service, made.path)).body, /shop\.example/)
})

onOne('303: reads a phone by the country that its payer chose among those with banks', async (service) => {
  const shop = await openBookshop(service)
  const fields = { type: 'staged', method: 'by-phone', transferScope: 'international' }
  const made = await createStatePage(shop, 'abroad', fields)
  const { body } = await show(service, made.path)
  assert.deepEqual(
    [...body.matchAll(/<option value="(\w*)"[^>]*>([^<]*)/g)].map(([, code, name]) => `${code} ${name}`),
    [' Choose a country', 'KZ Kazakhstan +7', 'RU Russia +7', 'UZ Uzbekistan +998', 'other Another country'],
  )
  // Roubles are sent from Russia, and the code of its phones is filled in.
  assert.match(body, /<option value="RU" selected>/)
  assert.match(body, /id="phone"[^>]* value="\+7 "/)
  const phone = '8 701 234 56 78'
  for (const country of ['', 'UZ', 'US', 'other']) {
    const answer = await sendForm(service, `${made.path}/details`, { phone, country, bank: '' })
    assert.equal(answer.status, 422, country)
  }
  assert.equal((await sendForm(service, `${made.path}/details`, { phone, country: 'KZ', bank: 'bank-k' })).status, 303)
  const stored = await findPaymentById(service.context, shop.merchantId, made.id)
  assert.deepEqual([stored?.sourcePan, stored?.payerBank], ['*******5678', 'bank-k'])
})

onEngines(
  '303: a payer cancels; its slot stays taken, and money that comes all the same waits for a person',
  async (service) => {
    const shop = await openBookshop(service, { perMethod: 1 })
    const made = await createStatePage(shop, 'canceled')
    assert.equal(heading(await show(service, `${made.path}/cancel`)), 'Cancel this payment?')
    assert.equal(await shop.status(made.orderId), 'new', 'the question changes nothing')
    for (let press = 0; press < 2; press++) {
      assert.equal((await sendForm(service, `${made.path}/cancel`, {})).status, 303)
    }
    const stored = await findPaymentById(service.context, shop.merchantId, made.id)
    assert.deepEqual([stored?.status, stored?.statusReason, stored?.sequence], ['canceled', 'canceled-by-payer', 2])
    assert.equal(heading(await show(service, made.path)), 'You canceled this payment')
    assert.equal((await send(service, `${made.path}/cancel`)).headers.get('location'), made.path)
    const again = await shop.create('again', { amount: 5000.37 })
    assert.equal(again.body.code, 'requisites_unavailable', 'money for the canceled payment may be on its way')
    await payIn(service, { requisiteId: made.requisiteId, minor: 500_037n })
    assert.equal(await shop.status(made.orderId), 'canceled')
    assert.match((await show(service, made.path)).body, /I’ve already paid/)

    const other = await openBookshop(service)
    const part = await createStatePage(other, 'part')
    await payIn(service, { requisiteId: part.requisiteId, minor: 200_000n, reference: 'part' })
    await sendForm(service, `${part.path}/cancel`, {})
    assert.equal(await other.status(part.orderId), 'processing', 'money has come')
  },
)

onOne(
  '303: when the time is over, a payer is shown no account, claims nothing and cancels nothing',
  async (service) => {
    const shop = await openBookshop(service)
    const direct = await createStatePage(shop, 'over')
    const staged = await createStatePage(shop, 'over-staged', { type: 'staged' })
    service.clock.advance(30 * minute)
    // The job has not expired them yet.
    for (const form of ['claim', 'cancel']) {
      assert.equal((await sendForm(service, `${direct.path}/${form}`, {})).status, 303)
      assert.equal(await shop.status(direct.orderId), 'new')
    }
    await claimPayment(service.context, shop.merchantId, direct.id)
    assert.equal(await shop.status(direct.orderId), 'new')
    await sendForm(service, `${staged.path}/details`, { phone: '+79123456789', bank: 'bank-a' })
    const stored = await findPaymentById(service.context, shop.merchantId, staged.id)
    assert.deepEqual([stored?.requisiteShown, stored?.sourcePan], [false, ''])
    assert.doesNotMatch((await show(service, staged.path)).body, /data-copy="\+7999/)
  },
)

onEngines(
  '303: a payer corrects its phone and bank up to three times, and keeps what it was shown',
  async (service) => {
    const shop = await openBookshop(service)
    const made = await createStatePage(shop, 'changed', { type: 'staged' })
    const stored = () => findPaymentById(service.context, shop.merchantId, made.id)
    const change = (phone: string, bank = '') => sendForm(service, `/en${made.path}/change`, { phone, bank })
    assert.equal((await change('+79120000001')).status, 303)
    assert.equal((await stored())?.sourcePan, '', 'not before the first details')
    await sendForm(service, `${made.path}/details`, { phone: '+79123456789', bank: 'bank-a' })
    const before = await stored()
    assert.match((await show(service, made.path)).body, /You’re paying from •••\u{a0}67\u{a0}89, Сбербанк/u)
    assert.match((await show(service, `${made.path}/change`)).body, /<fieldset class="banks">(?!.*same bank)/s)
    const wrong = await change('12', 'bank-b')
    assert.deepEqual([wrong.status, heading(wrong)], [422, 'Change your details'])
    assert.match(wrong.body, /value="bank-b" checked/)
    for (const last of ['1', '2', '3', '4']) assert.equal((await change(`+7912000000${last}`, 'bank-b')).status, 303)
    const after = await stored()
    assert.deepEqual([after?.sourcePan, after?.payerBank, after?.payerChanges], ['*******0003', 'bank-b', 3])
    assert.deepEqual([after?.requisiteId, after?.sequence], [before?.requisiteId, before?.sequence])
    const { body } = await show(service, made.path)
    assert.match(body, /Т-Банк/)
    assert.doesNotMatch(body, /\/change"/)
    assert.deepEqual((await openOperator(service).lastAudit()).action, 'payment.payer-changed')
    await payIn(service, { requisiteId: made.requisiteId, minor: 500_037n, sender: '+79123456789' })
    assert.equal(await shop.status(made.orderId), 'paid', 'money from the former number counts')
  },
)

onOne('303: a browser gets its wrong form back after a redirect, without its text in the address', async (service) => {
  const shop = await openBookshop(service)
  const made = await createStatePage(shop, 'kept', { type: 'staged' })
  const other = await createStatePage(shop, 'other', { type: 'staged' })
  const accept = 'text/html,*/*;q=0.8'
  const body = new URLSearchParams({ phone: '912 345', bank: 'bank-b' })
  const answer = await send(service, `/en${made.path}/details`, { method: 'POST', headers: { accept }, body })
  assert.deepEqual([answer.status, answer.headers.get('location')], [303, `/en${made.path}`])
  const set = answer.headers.get('set-cookie') ?? ''
  assert.match(set, /^payin_form=v1\.[^;]+; Max-Age=60; Path=\/en\/[^;]+; HttpOnly; SameSite=Strict$/)
  assert.doesNotMatch(set, /912/)
  const cookie = set.split(';')[0] ?? ''
  const page = await send(service, `/en${made.path}`, { headers: { accept, cookie } })
  assert.match(page.body, /This phone number isn’t complete/)
  assert.match(page.body, /value="912 345"/)
  assert.match(page.headers.get('set-cookie') ?? '', /^payin_form=; Max-Age=0;/)
  for (const [path, sent] of [
    [other.path, cookie],
    [made.path, 'payin_form=v1.k.AAAA'],
  ] as const) {
    assert.doesNotMatch((await send(service, `/en${path}`, { headers: { cookie: sent } })).body, /isn’t complete/)
  }
  service.clock.advance(2 * minute)
  assert.doesNotMatch((await send(service, `/en${made.path}`, { headers: { cookie } })).body, /isn’t complete/)
})

onOne('4xx: a browser meets a page that leads back to the payment; bad endings name the support', async (service) => {
  const shop = await openBookshop(service)
  const made = await createStatePage(shop, 'refused')
  const headers = { accept: 'text/html' }
  for (const [method, part, type, status, title] of [
    ['PUT', '', 'text/plain', 405, 'That didn’t work'],
    ['POST', '', 'text/plain', 405, 'That didn’t work'],
    ['POST', '/details', 'text/plain', 415, 'That didn’t work'],
    ['POST', '/details', 'application/x-www-form-urlencoded', 413, 'That was too large to send'],
  ] as const) {
    const body = 'x'.repeat(status === 413 ? 5000 : 1)
    const page = await send(service, `/en${made.path}${part}`, {
      method,
      headers: { ...headers, 'content-type': type },
      body,
    })
    assert.deepEqual([page.status, heading(page)], [status, title])
    assert.ok(page.body.includes(`<a class="main" href="/en${made.path}">Back to the payment</a>`))
  }
  const settings = {
    supportEmail: 'help+me@shop.example',
    supportPhone: '+78005553535',
    supportLink: null,
    supportMessenger: 'https://t.me/shop',
  }
  await openOperator(service).call('PATCH', `/merchants/${shop.merchantId}`, { settings })
  assert.doesNotMatch((await show(service, made.path)).body, /Contact the shop/)
  await sendForm(service, `${made.path}/cancel`, {})
  const { body } = await show(service, made.path)
  for (const link of ['mailto:help%2Bme@shop.example', 'tel:+78005553535', 'https://t.me/shop']) {
    assert.ok(body.replaceAll('&#61;', '=').includes(`href="${link}"`), link)
  }
  assert.match(body, />\+7 800 555 35 35</)
})
