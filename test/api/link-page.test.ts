// The payer's page of a payment link: what it shows, and what starts a payment (docs/decisions/0029-payment-links.md).
import assert from 'node:assert/strict'
import { query, uuid } from 'payin-database'
import { day, hour, minute } from '../../src/rules/time.ts'
import { amountDigits } from '../../src/rules/values/currency.ts'
import { startLinkPayment } from '../../src/engine/links/start-link-payment.ts'
import { getProfile } from '../../src/engine/merchants/merchant-directory.ts'
import { cancelPayment } from '../../src/engine/payments/close-payments.ts'
import { collectPayer } from '../../src/engine/payments/payer-changes.ts'
import { openOperator } from '../support/operator.ts'
import { sendForm } from '../support/page-states.ts'
import type { TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { type Answer, openShop, payIn, send, type Shop } from '../support/shop.ts'

// All payers of these tests have one address.
const { onEngines, onOne } = shareEngines({ PAYIN_LINK_UNPAID_PER_ADDRESS: '1000' })

/** As when another node has given a use up that was written long ago. */
const releaseAll = query('test_release_link_uses', {
  parameters: { linkId: uuid },
  text: `update payment_link_uses set released_at = started_at where link_id = :linkId and released_at is null`,
})

const course = { title: 'Pottery course', currency: 'rub', amount: 5000, method: 'sbp' }

type Link = { readonly id: string; readonly path: string }

const openLink = async (shop: Shop, fields: Record<string, unknown> = {}): Promise<Link> => {
  const { status, body } = await shop.post('/links', { ...course, ...fields })
  assert.equal(status, 201, JSON.stringify(body))
  return { id: body.id, path: new URL(body.url).pathname }
}

const openDonation = (shop: Shop, fields: Record<string, unknown> = {}): Promise<Link> =>
  openLink(shop, { title: 'Donation', amount: undefined, uses: 'many', ...fields })

const textOf = ({ body }: Answer): string => String(body).replaceAll('\u{a0}', ' ')

const look = (service: TestService, { path }: Link): Promise<Answer> => send(service, `/en${path}`)

const visitOf = (answer: Answer): string => /name="visit" value="([\w-]{22})"/.exec(textOf(answer))?.[1] ?? ''

/** One visitor: opens the page and sends its form. */
const visit = async (service: TestService, link: Link, form: Record<string, string> = {}): Promise<Answer> =>
  sendForm(service, `/en${link.path}`, { visit: visitOf(await look(service, link)), ...form })

const pathOf = (answer: Answer): string => {
  assert.equal(answer.status, 303, textOf(answer))
  return answer.headers.get('location') ?? ''
}

const paymentsOf = async (shop: Shop, { id }: Link) => (await shop.get(`/payments?linkId=${id}`)).body.payments

/** Says who pays, which shows where to, and sends the money. */
const pay = async (service: TestService, shop: Shop, path: string, minor = 5000_00n): Promise<void> => {
  assert.equal((await sendForm(service, `${path}/details`, { phone: '+79123456789', bank: '' })).status, 303)
  const token = path.split('/').at(-2) ?? ''
  const opened = service.context.checkoutTokens.open(token)
  const found = await openOperator(service).get(`/payments/${shop.merchantId}/${opened?.paymentId}`)
  await payIn(service, { requisiteId: found.body.requisiteId, minor })
}

const stateOf = async (shop: Shop, { id }: Link) => {
  const { state, payments } = (await shop.get(`/links/${id}`)).body
  return [state, payments.paid, payments.underWay]
}

onEngines(
  'a link for one payment: one payer pays, nobody has to acknowledge it, and the link is used up',
  async (service) => {
    const shop = await openShop(service)
    const link = await openLink(shop, { metadata: { group: 'b' }, description: 'Eight evenings, clay included' })
    const page = await look(service, link)
    assert.equal(page.status, 200)
    assert.match(textOf(page), /<title>Pottery course · Payment to /)
    assert.match(textOf(page), /<h1[^>]*>Pottery course<\/h1>\s*<p>Eight evenings, clay included<\/p>/)
    assert.match(textOf(page), /RUB 5,000\.00/)
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
    assert.doesNotMatch(textOf(page), /<script|set-cookie/)
    assert.equal(page.headers.get('set-cookie'), null)
    const [style = ''] = /\/assets\/[\w/]+\/page\.css/.exec(textOf(page)) ?? []
    const size = Buffer.byteLength(page.body) + Buffer.byteLength((await send(service, style)).body)
    assert.ok(size <= 15_000, `${size} bytes`)

    const first = await sendForm(service, `/en${link.path}`, { visit: visitOf(page) })
    const path = pathOf(first)
    assert.match(path, /^\/en\/[\w-]{66}\/payment-sbp$/)
    assert.equal(pathOf(await sendForm(service, `/en${link.path}`, { visit: visitOf(page) })), path)
    const [payment, ...others] = await paymentsOf(shop, link)
    assert.deepEqual(others, [])
    assert.match(payment.orderId, /^link-[0-9a-hjkmnp-z]{4}-[0-9a-hjkmnp-z]{4}-[0-9a-hjkmnp-z]{4}$/)
    const { type, amount, linkId, metadata } = payment
    assert.deepEqual([type, amount, linkId, metadata], ['staged', 5000, link.id, { group: 'b' }])
    assert.deepEqual(await stateOf(shop, link), ['open', 0, 1])

    const second = await look(service, link)
    assert.equal(second.status, 409)
    assert.match(textOf(second), /Somebody is already paying/)
    assert.match(textOf(second), /you can pay here in 30 minutes/)
    assert.equal(Number(second.headers.get('retry-after')), 1800)
    assert.equal((await sendForm(service, link.path, { visit: 'x'.repeat(22) })).status, 409)

    await pay(service, shop, path)
    assert.equal(await shop.status(payment.orderId), 'paid')
    const [paid] = await paymentsOf(shop, link)
    assert.equal(paid.acknowledgedAt, paid.changedAt)
    assert.deepEqual((await shop.get('/payments?acknowledged=false')).body.payments, [])
    assert.equal((await shop.post('/payments/byOrderId/ack', { orderId: payment.orderId })).status, 200)
    await service.runJobs()
    service.clock.advance(day)
    await service.runJobs()
    const { events } = (await shop.get('/events')).body
    assert.deepEqual(
      events.map(({ type: kind, data }: { type: string; data: { linkId: string } }) => [kind, data.linkId]),
      [['payment.paid', link.id]],
    )
    assert.deepEqual(await stateOf(shop, link), ['used-up', 1, 0])
    const last = await look(service, link)
    assert.equal(last.status, 410)
    assert.match(textOf(last), /This has been paid/)
  },
)

onEngines('of many visitors at once as many start a payment as the link has uses', async (service) => {
  const shop = await openShop(service, { perMethod: 20 })
  for (const [fields, seats] of [
    [{}, 1],
    [{ uses: 'many', maxUses: 3 }, 3],
  ] as const) {
    const link = await openLink(shop, fields)
    const visits = await Promise.all(Array.from({ length: 12 }, () => look(service, link)))
    const answers = await Promise.all(visits.map((page) => sendForm(service, link.path, { visit: visitOf(page) })))
    const started = answers.filter(({ status }) => status === 303)
    assert.equal(started.length, seats)
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([303, 409]))
    assert.equal((await paymentsOf(shop, link)).length, seats)
  }
})

onEngines('a form that is sent many times at once starts one payment', async (service) => {
  const shop = await openShop(service, { perMethod: 10 })
  const link = await openDonation(shop)
  const form = { visit: visitOf(await look(service, link)), amount: '700' }
  const answers = await Promise.all(Array.from({ length: 8 }, () => sendForm(service, link.path, form)))
  assert.equal(new Set(answers.map(pathOf)).size, 1)
  assert.equal((await paymentsOf(shop, link)).length, 1)
})

onEngines(
  'a link is free again when its payment expired or was canceled, and late money still counts',
  async (service) => {
    const shop = await openShop(service)
    const link = await openLink(shop)
    const first = pathOf(await visit(service, link))
    assert.equal((await sendForm(service, `${first}/cancel`, {})).status, 303)
    const canceled = textOf(await send(service, first))
    assert.match(canceled, /You canceled this payment[^]*start again\./)
    assert.match(canceled, new RegExp(`href="http://payin.test${link.path}">Start again<`))
    const second = pathOf(await visit(service, link))
    assert.notEqual(second, first)
    assert.equal((await sendForm(service, `${second}/details`, { phone: '+79123456789', bank: '' })).status, 303)
    service.clock.advance(31 * minute)
    await service.runJobs()
    assert.match(textOf(await send(service, second)), new RegExp(`href="http://payin.test${link.path}"`))
    const third = pathOf(await visit(service, link))
    assert.notEqual(third, second)
    // The money of the second one comes late: it pays, and the link is used up although the third may be paid, too.
    const expired = (await paymentsOf(shop, link)).find(({ status }: { status: string }) => status === 'expired')
    const { body } = await openOperator(service).get(`/payments/${shop.merchantId}/${expired.id}`)
    await payIn(service, { requisiteId: body.requisiteId, minor: 5000_00n, bookedAt: service.clock.now })
    assert.equal(await shop.status(expired.orderId), 'paid')
    assert.deepEqual(await stateOf(shop, link), ['used-up', 1, 1])
    assert.equal((await look(service, link)).status, 410)
    await sendForm(service, `${third}/cancel`, {})
    assert.equal((await look(service, link)).status, 410)
    assert.equal((await sendForm(service, link.path, { visit: 'y'.repeat(22) })).status, 410)
  },
)

onOne('422: says what is wrong with an amount, and keeps what was written', async (service) => {
  const shop = await openShop(service)
  const link = await openDonation(shop, { minAmount: 200, maxAmount: 9000.5 })
  const page = textOf(await look(service, link))
  assert.match(page, /From RUB 200\.00 to RUB 9,000\.50\./)
  for (const [amount, words] of [
    ['', /Enter the amount\./],
    ['199.99', /too little: the smallest amount is RUB 200\.00/],
    ['9000,51', /too much: the largest amount is RUB 9,000\.50/],
    ['1.005', /Does 1\.005 mean thousands\? Then enter 1005\. Otherwise, .*: 1\.00\./],
    ['7,000', /Then enter 7000/],
    ['1000.000', /at most 2 digits after the decimal point/],
    ['200.001 USD', /in digits, such as 200\./],
    ['a lot', /in digits/],
    ['-500', /in digits/],
    ['1e3', /in digits/],
    ['99999999999999999999', /too much/],
    ['<b>', /in digits/],
  ] as const) {
    const answer = await visit(service, link, { amount })
    assert.equal(answer.status, 422, amount)
    assert.match(textOf(answer), words)
    assert.match(textOf(answer), /<title>Error · Donation/)
    assert.ok(textOf(answer).includes(`value="${amount.replace('<b>', '&#60;b&#62;')}" aria-invalid`))
  }
  assert.deepEqual(await paymentsOf(shop, link), [])
  for (const [amount, minor] of [
    ['1 234,50', 123450n],
    ['1,234.50', 123450n],
    ['1.234,50', 123450n],
    ['1\u{a0}234', 123400n],
    ['250.5', 25050n],
    ['300 ₽', 30000n],
  ] as const) {
    pathOf(await visit(service, link, { amount }))
    const [payment] = await paymentsOf(shop, link)
    assert.equal(payment.amount, Number(amountDigits(minor, 'rub')))
  }
})

onOne('a payer who goes back and corrects the amount has one payment', async (service) => {
  const shop = await openShop(service, { perMethod: 4 })
  const link = await openDonation(shop)
  const form = { visit: visitOf(await look(service, link)) }
  const wrong = pathOf(await sendForm(service, link.path, { ...form, amount: '500' }))
  const right = pathOf(await sendForm(service, link.path, { ...form, amount: '5000' }))
  assert.notEqual(right, wrong)
  const statuses = (await paymentsOf(shop, link)).map(({ status, amount }: Record<string, unknown>) => [status, amount])
  assert.deepEqual(statuses, [
    ['new', 5000],
    ['canceled', 500],
  ])
  // Whoever still has the page of the first one open is led to the one that has replaced it.
  const old = textOf(await send(service, wrong.replace(/^(\/en)?/, '/en')))
  assert.match(old, /A newer payment has replaced this one/)
  assert.match(old, /Already sent it\? Don’t send it again\./)
  assert.ok(old.includes(`href="/en${right.replace(/^\/en/, '')}"`), old)
  // Once the account has been shown, money may be on its way.
  await sendForm(service, `${right}/details`, { phone: '+79123456789', bank: '' })
  assert.equal(pathOf(await sendForm(service, link.path, { ...form, amount: '700' })), right)
  // Paid, it stays as it is: the same amount leads to it, and another one is a payment more.
  await pay(service, shop, right)
  assert.match(textOf(await send(service, `/en${right}`)), /We’ve received RUB 5,000\.00\. You’re all set\./)
  assert.equal(pathOf(await sendForm(service, link.path, { ...form, amount: '5000' })), right)
  assert.notEqual(pathOf(await sendForm(service, link.path, { ...form, amount: '700' })), right)
  assert.deepEqual(await stateOf(shop, link), ['open', 1, 1])
})

onOne('the payer chooses among the methods that would take the amount', async (service) => {
  const shop = await openShop(service)
  const link = await openDonation(shop, { method: undefined })
  const page = textOf(await look(service, link))
  assert.deepEqual(
    [...page.matchAll(/name="method" value="([\w-]+)"( checked)?/g)].map(([, method, checked]) => [method, checked]),
    [
      ['sbp', ' checked'],
      ['card-to-card', undefined],
      ['account-to-account', undefined],
      ['by-phone', undefined],
    ],
  )
  for (const method of ['card-to-card', 'by-phone']) {
    pathOf(await visit(service, link, { amount: '1500', method }))
    assert.equal((await paymentsOf(shop, link))[0].method, method)
  }
})

onOne('says so where no account is free, where the link is over, and where there is none', async (service) => {
  const shop = await openShop(service, { perMethod: 1, terms: { equalAmounts: 'refuse' } })
  const link = await openDonation(shop)
  pathOf(await visit(service, link, { amount: '900' }))
  const taken = await visit(service, link, { amount: '900' })
  assert.equal(taken.status, 409)
  // A link's payment would hold its amount for 105 minutes.
  assert.equal(taken.headers.get('retry-after'), String(105 * 60))
  assert.match(textOf(taken), /We can’t take this amount at the moment/)
  assert.match(textOf(taken), /value="900"/)
  const fixed = await openLink(shop, { amount: 900, uses: 'many' })
  const stuck = await visit(service, fixed)
  assert.equal(stuck.status, 409)
  assert.match(textOf(stuck), /Payments aren’t possible right now/)
  // A refused payment takes nothing of the link.
  const once = await openLink(shop, { amount: 900 })
  assert.equal((await visit(service, once)).status, 409)
  assert.deepEqual(await stateOf(shop, once), ['open', 0, 0])
  assert.equal((await look(service, once)).status, 200)

  await shop.post(`/links/${link.id}/close`, {})
  const closed = await look(service, link)
  assert.equal(closed.status, 410)
  assert.match(textOf(closed), /This link has been closed/)
  assert.equal((await sendForm(service, link.path, { visit: 'z'.repeat(22), amount: '500' })).status, 410)
  const ending = await openDonation(shop, { endsAt: new Date(service.clock.now + hour).toISOString() })
  service.clock.advance(hour)
  assert.match(textOf(await look(service, ending)), /The time for this payment is over/)
  const other = `${link.path.slice(0, -1)}${link.path.endsWith('_') ? '-' : '_'}`
  for (const path of ['/l/x', other, `/en/l/${'A'.repeat(44)}`]) {
    const unknown = await send(service, path)
    assert.equal(unknown.status, 404)
    assert.match(unknown.headers.get('content-type') ?? '', /html/)
  }
  const wrong = await send(service, fixed.path, { method: 'PUT', headers: { accept: 'text/html' } })
  assert.deepEqual([wrong.status, wrong.headers.get('content-type')], [405, 'text/html; charset=utf-8'])
  const code = await fetch(`${service.url}${fixed.path}/code`)
  assert.deepEqual([code.status, code.headers.get('content-type')], [200, 'image/png'])
  const foreign = await send(service, fixed.path, { method: 'POST', headers: { origin: 'https://elsewhere.example' } })
  assert.equal(foreign.status, 403)
  const operator = openOperator(service)
  await operator.call('PATCH', `/merchants/${shop.merchantId}`, { status: 'suspended' })
  assert.equal((await look(service, fixed)).status, 410)
  assert.equal((await sendForm(service, fixed.path, { visit: 'q'.repeat(22) })).status, 410)
})

const unbindUses = query('test_unbind_link_uses', {
  parameters: { linkId: uuid },
  text: `update payment_link_uses set payment_id = null where link_id = :linkId`,
})

onEngines('429: an address may have a few unpaid payments, and a link too', async (service) => {
  const shop = await openShop(service, { perMethod: 4 })
  const link = await openDonation(shop)
  const { context } = service
  const profile = await getProfile(context, shop.merchantId)
  const settings = { ...context.settings, linkUnpaidPerAddress: 3, linkUnpaid: 5 }
  const start = (number: number, address: string) =>
    startLinkPayment({ ...context, settings }, profile, {
      ...{ linkId: link.id, amount: 100_00n + BigInt(number), method: 'sbp', visit: `visit-${number}`, address },
    })
  const kinds = async (numbers: readonly number[], address: string) =>
    (await Promise.all(numbers.map((number) => start(number, address)))).map(({ kind }) => kind).toSorted()
  assert.deepEqual(await kinds([1, 2, 3, 4, 5, 6], '192.0.2.1'), [
    ...Array.from({ length: 3 }, () => 'limited'),
    ...Array.from({ length: 3 }, () => 'started'),
  ])
  // As it is between the creation of a payment and the note of it: each counts once.
  await context.query(unbindUses, { linkId: link.id })
  assert.deepEqual(await kinds([11, 12, 13, 14], '192.0.2.2'), ['limited', 'limited', 'started', 'started'])
  const limited = await start(20, '192.0.2.3')
  assert.deepEqual(limited, { kind: 'limited', retryAfterSeconds: 6300 })
  service.clock.advance(10 * minute)
  assert.deepEqual(await start(20, '192.0.2.1'), { kind: 'limited', retryAfterSeconds: 5700 })
  service.clock.advance(94 * minute)
  assert.equal((await start(20, '192.0.2.1')).kind, 'limited', 'expired, but money may still come')
  service.clock.advance(minute)
  assert.equal((await start(21, '192.0.2.1')).kind, 'started')
  await service.runJobs()
  service.clock.advance(3 * day)
  await service.runJobs('all')
})

onEngines('429: an address that creates and cancels in a loop takes no more than its quota', async (service) => {
  const shop = await openShop(service, { perMethod: 12, terms: { equalAmounts: 'refuse' } })
  const link = await openDonation(shop)
  const context = { ...service.context, settings: { ...service.context.settings, linkUnpaidPerAddress: 10 } }
  const profile = await getProfile(context, shop.merchantId)
  const results: string[] = []
  for (let index = 0; index < 20; index++) {
    const order = { linkId: link.id, amount: 900_00n, visit: `loop-${index}`, address: '192.0.2.66' }
    const started = await startLinkPayment(context, profile, { ...order, method: 'sbp' })
    results.push(started.kind)
    if (started.kind !== 'started') continue
    const { merchantId, id } = started.payment
    // It looks at the account and cancels.
    await collectPayer(context, merchantId, id, { phone: '79991234567', bankIssuer: null })
    await context.transaction((tx) =>
      cancelPayment(tx, { merchantId, id }, { actor: 'payer', reason: 'canceled-by-payer' }),
    )
  }
  assert.deepEqual([...new Set(results.slice(0, 10)), ...new Set(results.slice(10))], ['started', 'limited'])
  // Others still find an account.
  const other = { linkId: link.id, amount: 900_00n, visit: 'other', address: '192.0.2.67' }
  assert.equal((await startLinkPayment(context, profile, { ...other, method: 'sbp' })).kind, 'started')
})

onOne('in the sandbox the unpaid payments of an address are not counted', async (service) => {
  const shop = await openShop(service, { mode: 'sandbox', perMethod: 4 })
  const { id } = await openDonation(shop)
  const { context } = service
  const profile = await getProfile(context, shop.merchantId)
  const settings = { ...context.settings, linkUnpaidPerAddress: 1 }
  for (const amount of [100_00n, 200_00n, 300_00n]) {
    const order = { ...{ linkId: id, amount, visit: `visit-${amount}` }, method: 'sbp', address: '192.0.2.1' } as const
    assert.equal((await startLinkPayment({ ...context, settings }, profile, order)).kind, 'started')
  }
})

onOne(
  'a form without its visit, or with a method that is not offered, starts nothing and is shown again',
  async (service) => {
    const shop = await openShop(service)
    const link = await openLink(shop, { method: undefined })
    const carried = visitOf(await look(service, link))
    for (const form of [{}, { visit: 'short' }, { visit: carried, method: 'bogus' }] as Record<string, string>[]) {
      const answer = await sendForm(service, `/en${link.path}`, form)
      assert.equal(answer.status, 422)
      assert.match(textOf(answer), /Please check it and send it again\./)
      assert.match(visitOf(answer), /./)
    }
    assert.deepEqual(await paymentsOf(shop, link), [])
  },
)

onOne('a link for several payments says that all of them have been started', async (service) => {
  const shop = await openShop(service, { perMethod: 4 })
  const link = await openLink(shop, { uses: 'many', maxUses: 2 })
  await pay(service, shop, pathOf(await visit(service, link)))
  pathOf(await visit(service, link))
  const busy = await look(service, link)
  assert.equal(busy.status, 409)
  assert.match(textOf(busy), /all of them have been started\. If a payment isn’t made, you can pay here in 30 minutes/)
  assert.doesNotMatch(textOf(busy), /single payment/)
})

onEngines(
  'a seat that a process left behind is free after two minutes, and its payment is given back',
  async (service) => {
    const shop = await openShop(service, { perMethod: 4 })
    const { context } = service
    const profile = await getProfile(context, shop.merchantId)
    const link = await openLink(shop)
    const order = (visitor: string) => ({
      ...({ linkId: link.id, amount: 5000_00n, method: 'sbp', address: '192.0.2.9', visit: visitor } as const),
    })
    // The process dies before the payment is created.
    const dying = {
      ...context,
      catalog: { ...context.catalog, get: () => Promise.reject(new Error('the process dies')) },
    }
    await assert.rejects(startLinkPayment(dying, profile, order('dying')), /dies/)
    const { kind } = await startLinkPayment(context, profile, order('early'))
    assert.equal(kind, 'busy')
    // The same payer tries again, and goes on with the use that is there.
    const again = await startLinkPayment(context, profile, order('dying'))
    assert.equal(again.kind, 'started')
    const [payment] = await paymentsOf(shop, link)
    await shop.post('/payments/byOrderId/cancel', { orderId: payment.orderId })

    await assert.rejects(startLinkPayment(dying, profile, order('slow')), /dies/)
    service.clock.advance(2 * minute + 1)
    // Another payer takes the seat while the first one's payment is being created after all.
    let other: Promise<{ readonly kind: string }> | undefined
    const slow = {
      ...context,
      query: async (...asked: Parameters<typeof context.query>) => {
        if (asked[0].name === 'bind_payment_link_use' && other === undefined) {
          service.clock.advance(3 * minute)
          await context.query(releaseAll, { linkId: link.id })
          other = startLinkPayment(context, profile, order('other'))
          await other
        }
        return context.query(...asked)
      },
    } as typeof context
    // While both payments might be shown, neither is: the first one's is given back, and then the seat is free.
    assert.equal((await startLinkPayment(slow, profile, order('slow'))).kind, 'busy')
    assert.equal((await other)?.kind, 'busy')
    assert.equal((await startLinkPayment(context, profile, order('other'))).kind, 'started')
    const statuses = (await paymentsOf(shop, link)).map(({ status }: { status: string }) => status)
    assert.deepEqual(statuses, ['new', 'canceled', 'canceled'])
  },
)
