import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { formatLeft, formatMoney, formatRequisite } from '../../src/http/payment-page/formats.ts'
import { findPaymentById } from '../../src/engine/payments/read.ts'
import { listHolders } from '../../src/engine/requisites/read.ts'
import type { TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { type Answer, openShop, payIn, send, type Shop } from '../support/shop.ts'

const { onEngines, onOne } = shareEngines()

const minute = 60_000

/** Creates a payment; returns the path of its page and the body of the answer. */
const createPage = async (shop: Shop, orderId: string, fields: Record<string, unknown> = {}) => {
  const { status, body } = await shop.create(orderId, { locale: 'en', ...fields })
  assert.equal(status, 201, JSON.stringify(body))
  return { ...body, path: new URL(body.redirectUrl).pathname }
}

const submit = (
  service: TestService,
  path: string,
  form: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Answer> => send(service, path, { method: 'POST', body: new URLSearchParams(form), headers })

const heading = (page: Answer): string => /<h1[^>]*>([^<]*)/.exec(page.body)?.[1] ?? ''

const copied = (page: Answer): string[] =>
  [...page.body.matchAll(/data-copy="([^"]*)"/g)].map((match) => match[1] ?? '')

onOne('200: shows a direct payment at once, with the values that its buttons copy', async (service) => {
  const shop = await openShop(service)
  const { path, card } = await createPage(shop, 'order <b>1', { amount: 5000.37 })
  const page = await send(service, path)
  assert.equal(page.status, 200)
  assert.deepEqual(copied(page), ['5000.37', 'Bank A', `+${card.phone}`, '5000.37'])
  assert.match(page.body, /RUB\u{a0}5,000\.37/u)
  assert.match(page.body, /Ivan P\./)
  assert.match(page.body, /Bank A/)
  assert.match(page.body, /data-left="1800000">30:00</)
  assert.match(page.body, /order &#60;b&#62;1/)
  assert.doesNotMatch(page.body, /Petrov|class="simulator"/)
})

onOne('200: shows cards and accounts in groups and copies their digits', async (service) => {
  const shop = await openShop(service)
  for (const method of ['card-to-card', 'account-to-account']) {
    const { path, card } = await createPage(shop, method, { method })
    const page = await send(service, path)
    assert.equal(copied(page)[0], '5000')
    assert.ok(copied(page).includes(card.pan))
    assert.ok(page.body.includes(`>${card.pan.match(/.{4}/g).join(' ')}<`))
  }
})

onOne('200: sends nothing inline, under a strict policy, within 30 kB in all', async (service) => {
  const shop = await openShop(service, { mode: 'sandbox' })
  const { path } = await createPage(shop, '1', { locale: 'ru' })
  const page = await send(service, path)
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
  assert.equal(
    page.headers.get('content-security-policy'),
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types page",
  )
  assert.equal(page.headers.get('referrer-policy'), 'no-referrer')
  assert.equal(page.headers.get('cache-control'), 'no-store')
  assert.equal(page.headers.get('x-robots-tag'), 'noindex')
  assert.doesNotMatch(page.body, /<style|\sstyle=|\son\w+=|<script(?![^>]*src=)/)
  const folder = join(import.meta.dirname, '../../src/http/payment-page')
  let size = Buffer.byteLength(page.body)
  for (const [name, type] of [
    ['page.css', 'text/css'],
    ['page.js', 'text/javascript'],
  ] as const) {
    const [asset] = new RegExp(`/assets/[0-9a-f]{16}/${name}`).exec(page.body) ?? []
    assert.ok(asset, `no address of ${name}`)
    const served = await send(service, asset)
    assert.equal(served.status, 200)
    assert.equal(served.headers.get('content-type'), `${type}; charset=utf-8`)
    assert.equal(served.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    const bare = (text: string) =>
      text.replace(/^\s*\/\/.*\n|^\s*\/\*[\s\S]*?\*\/\n/gm, '').replace(/\s+|;(?=\s*\})|(?<!\d)0(?=\.\d)/g, '')
    assert.equal(bare(served.body), bare(readFileSync(join(folder, name), 'utf8')))
    size += Buffer.byteLength(served.body)
    assert.equal((await send(service, asset.replace(/[0-9a-f]{16}/, '0'.repeat(16)))).status, 404)
  }
  assert.ok(size <= 30_000, `${size} bytes`)
})

onOne('200: uses the language of the address, else of the payment, else of the browser', async (service) => {
  const shop = await openShop(service)
  const russian = await createPage(shop, 'ru', { locale: 'ru' })
  const open = await shop.create('open')
  const token = new URL(open.body.redirectUrl).pathname.split('/')[1]
  const bare = `/${token}/payment-sbp`
  const cases: [path: string, accept: string, language: string][] = [
    [russian.path, 'en', 'ru'],
    [russian.path.replace('/ru/', '/en/'), 'ru', 'en'],
    [russian.path.replace('/ru/', '/'), 'en', 'ru'],
    [russian.path.replace('/ru/', '/de/'), 'en', 'ru'],
    [bare, 'en-GB,ru;q=0.5', 'en'],
    [bare, 'de, ru;q=0.4, en;q=0.9', 'en'],
    [bare, 'ru;q=0', 'ru'],
    [bare, 'de', 'ru'],
  ]
  for (const [path, accept, language] of cases) {
    const page = await send(service, path, { headers: { 'accept-language': accept } })
    assert.match(page.body, new RegExp(`<html lang="${language}">`), `${path} ${accept}`)
  }
})

onOne('404: answers every link that opens nothing with the same page', async (service) => {
  const shop = await openShop(service)
  const { path } = await createPage(shop, '1')
  const { context } = service
  const unknown = context.checkoutTokens.issue(shop.merchantId, context.newId())
  const other = path.at(-14) === 'A' ? 'B' : 'A'
  const forged = `${path.slice(0, -14)}${other}${path.slice(-13)}`
  const paths = [`/en/${unknown}/payment-sbp`, forged, '/en/x/payment-sbp', '/en/%00/payment-sbp']
  const pages = await Promise.all(paths.map((each) => send(service, each)))
  for (const page of pages) {
    assert.equal(page.status, 404)
    assert.equal(page.body, pages[0]?.body)
    assert.equal(page.headers.get('cache-control'), 'no-store')
    assert.equal(heading(page), 'We can’t find this payment')
  }
  const accept = 'text/html,*/*;q=0.8'
  for (const nowhere of ['/nothing', '/en/x/y/z']) {
    const page = await send(service, nowhere, { headers: { accept, 'accept-language': 'en' } })
    assert.deepEqual([page.status, page.body], [404, pages[0]?.body])
    assert.equal((await send(service, nowhere)).body.code, 'route_not_found')
  }
  assert.equal((await send(service, '/api/v1/x', { headers: { accept } })).body.code, 'route_not_found')
  for (const form of ['details', 'claim', 'simulate']) {
    assert.equal((await submit(service, `/en/${unknown}/payment-sbp/${form}`, { event: 'paid' })).body, pages[0]?.body)
  }
})

onOne('303: asks for the phone of a staged payment before it shows the requisite', async (service) => {
  const shop = await openShop(service)
  const { path, card, payment } = await createPage(shop, '1', { type: 'staged' })
  assert.equal(card.phone, undefined)
  const before = await send(service, path)
  assert.equal(heading(before), 'Who is paying?')
  assert.deepEqual(copied(before), [])
  const answer = await submit(service, `${path}/details`, { phone: '8 (912) 345-67-89', bank: '' })
  assert.equal(answer.status, 303)
  assert.equal(answer.headers.get('location'), path)
  const after = await send(service, path)
  assert.equal(heading(after), 'Transfer the exact amount')
  assert.match(copied(after)[2] ?? '', /^\+7\d{10}$/)
  const stored = await findPaymentById(service.context, shop.merchantId, payment.id)
  assert.equal(stored?.sourcePan, '*******6789')
  assert.equal(stored?.requisiteShown, true)
  assert.equal(stored?.requisiteId, card.id)
  // What was accepted stays.
  assert.equal((await submit(service, `${path}/details`, { phone: '+79120000000', bank: 'bank-b' })).status, 303)
  assert.deepEqual(await findPaymentById(service.context, shop.merchantId, payment.id), stored)
  await payIn(service, { requisiteId: card.id, minor: 500_000n, sender: '+7 912 345-67-89' })
  assert.equal(await shop.status('1'), 'paid')
})

onOne('422: says what is wrong with a phone and keeps what was filled in', async (service) => {
  const shop = await openShop(service)
  const { path } = await createPage(shop, '1', { type: 'staged' })
  for (const phone of ['', '+7 ']) {
    assert.match((await submit(service, `${path}/details`, { phone })).body, /Enter your phone number\./)
  }
  for (const phone of ['12', '+7 912 345', 'hello', '"><script>', '9'.repeat(41), '+999 123 456 78 90']) {
    const page = await submit(service, `${path}/details`, { phone, bank: 'bank-b' })
    assert.equal(page.status, 422, phone)
    assert.match(page.body, /aria-invalid="true"/)
    assert.match(page.body, /This phone number isn’t complete/)
    assert.match(page.body, /value="bank-b" checked/)
    assert.doesNotMatch(page.body, /"><script>/)
  }
  for (const phone of ['+7 912 345-67-89 доб. 12', '+7 912 345-67-89 ext 5', '+79123456789,12', '+79123456789#1']) {
    const page = await submit(service, `${path}/details`, { phone })
    assert.equal(page.status, 422, phone)
    assert.match(page.body, /A number with an extension/)
  }
  assert.equal((await send(service, `${path}/details`)).headers.get('location'), path)
  assert.equal(heading(await send(service, path)), 'Who is paying?')
})

onOne('303: takes a Russian number as it is typed or pasted behind +7', async (service) => {
  const shop = await openShop(service)
  const typed = ['+7 912 345 67 89', '8 (912) 345-67-89', '+7 8 912 345-67-89', '+7 +7 912 345 67 89', '+7 89123456789']
  for (const [index, phone] of typed.entries()) {
    const { path, payment } = await createPage(shop, `typed-${index}`, { type: 'staged', amount: 100 + index })
    assert.match((await send(service, path)).body, /type="tel"[^>]* value="\+7 "/)
    assert.equal((await submit(service, `${path}/details`, { phone })).status, 303, phone)
    const stored = await findPaymentById(service.context, shop.merchantId, payment.id)
    assert.equal(stored?.sourcePan, '*******6789', phone)
  }
})

onOne('303: takes the country of an international payment from the number itself', async (service) => {
  const shop = await openShop(service)
  const fields = { type: 'staged', method: 'by-phone', transferScope: 'international' }
  const { path, payment } = await createPage(shop, '1', fields)
  assert.equal((await submit(service, `${path}/details`, { phone: '901234567' })).status, 422)
  assert.equal((await submit(service, `${path}/details`, { phone: '998 90 123-45-67' })).status, 303)
  assert.equal((await findPaymentById(service.context, shop.merchantId, payment.id))?.sourcePan, '********4567')
})

onEngines('303: moves the slot to the bank that the payer chose', async (service) => {
  const shop = await openShop(service, { perMethod: 2 })
  const { path, card } = await createPage(shop, '1', { type: 'staged' })
  assert.equal(card.bankIssuer, 'bank-a')
  await submit(service, `${path}/details`, { phone: '+79123456789', bank: 'bank-b' })
  const other = shop.requisiteIds.filter((id) => id !== card.id)
  const { now } = service.clock
  const lists = await Promise.all(
    [card.id, ...other].map((id) => listHolders(service.context, [{ requisiteId: id, since: now, until: now }])),
  )
  const held = lists.flat()
  assert.equal(held.length, 1)
  assert.match((await send(service, path)).body, /Bank B/)
  // The old slot is free at once, and money that reaches it is not this payment's.
  const next = await createPage(shop, '2', { bankIssuer: 'bank-a' })
  assert.equal(next.card.id, card.id)
  await payIn(service, { requisiteId: held[0]?.requisiteId ?? '', minor: 500_000n })
  assert.deepEqual([await shop.status('1'), await shop.status('2')], ['paid', 'new'])
})

onOne('303: keeps the requisite where the chosen bank has no free slot', async (service) => {
  const shop = await openShop(service, { perMethod: 2 })
  await createPage(shop, 'taken', { bankIssuer: 'bank-b' })
  const { path, card, payment } = await createPage(shop, '1', { type: 'staged' })
  await submit(service, `${path}/details`, { phone: '+79123456789', bank: 'bank-b' })
  assert.equal((await findPaymentById(service.context, shop.merchantId, payment.id))?.requisiteId, card.id)
  assert.match((await send(service, path)).body, /Bank A/)
})

onEngines('303: two payers who choose the last slot of a bank get one each', async (service) => {
  const shop = await openShop(service, { perMethod: 3 })
  const pages = [
    await createPage(shop, '1', { type: 'staged', bankIssuer: 'bank-a' }),
    await createPage(shop, '2', { type: 'staged', bankIssuer: 'bank-a' }),
  ]
  await Promise.all(
    pages.map(({ path }) => submit(service, `${path}/details`, { phone: '+79123456789', bank: 'bank-b' })),
  )
  const ids = await Promise.all(
    pages.map(async (page) => (await findPaymentById(service.context, shop.merchantId, page.payment.id))?.requisiteId),
  )
  assert.equal(new Set(ids).size, 2)
  assert.equal(ids.filter((id, index) => id !== pages[index]?.card.id).length, 1)
})

onOne('303: "I have paid" changes the status once, and moves no money', async (service) => {
  const shop = await openShop(service)
  const { path, card } = await createPage(shop, '1')
  const answer = await submit(service, `${path}/claim`)
  assert.deepEqual([answer.status, answer.headers.get('location')], [303, path])
  assert.equal(await shop.status('1'), 'processing')
  assert.equal(heading(await send(service, path)), 'Looking for your transfer')
  assert.equal((await submit(service, `${path}/claim`)).status, 303)
  await payIn(service, { requisiteId: card.id, minor: 500_000n })
  const paid = await send(service, path)
  assert.equal(heading(paid), 'Paid')
  assert.deepEqual(copied(paid), [])
  const staged = await createPage(shop, '2', { type: 'staged' })
  await submit(service, `${staged.path}/claim`)
  assert.equal(await shop.status('2'), 'new')
})

onOne('403: refuses forms that another site has sent', async (service) => {
  const shop = await openShop(service)
  const { path } = await createPage(shop, '1')
  const foreign: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: 'null' },
    { origin: 'https://evil.example' },
    { origin: 'http://payin.test.evil.example' },
    { origin: 'file://' },
  ]
  for (const headers of foreign) {
    const page = await submit(service, `${path}/claim`, {}, headers)
    assert.equal(page.status, 403, JSON.stringify(headers))
    assert.equal(heading(page), 'This form wasn’t sent from the payment page')
  }
  assert.equal(await shop.status('1'), 'new')
  const own: Record<string, string>[] = [
    { origin: 'http://payin.test' },
    { origin: service.url },
    { 'sec-fetch-site': 'same-origin', origin: 'null' },
  ]
  for (const headers of own) assert.equal((await submit(service, `${path}/claim`, {}, headers)).status, 303)
})

onOne('303: an address cannot lead the answer to another site', async (service) => {
  const shop = await openShop(service)
  const { path } = await createPage(shop, '1')
  const token = path.split('/')[2]
  for (const locale of ['%2Fevil.example', '%0d%0aset-cookie:a', '..%2F..', '%5Cevil.example']) {
    const answer = await submit(service, `/${locale}/${token}/payment-sbp/claim`)
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, `/${token}/payment-sbp`])
  }
})

onOne('413, 415: answers anything but a small form with a page', async (service) => {
  const shop = await openShop(service)
  const { path } = await createPage(shop, '1', { type: 'staged' })
  assert.equal((await submit(service, `${path}/details`, { phone: '1'.repeat(5000) })).status, 413)
  const headers = { 'content-type': 'application/json' }
  const page = await send(service, `${path}/details`, { method: 'POST', headers, body: '{}' })
  assert.deepEqual([page.status, heading(page)], [415, 'That didn’t work'])
})

onOne('200: warns against the details as soon as the time is over, before any job has run', async (service) => {
  const shop = await openShop(service, { settings: { returnHosts: ['shop.example'] } })
  const direct = await createPage(shop, 'direct', { returnUrl: 'https://shop.example/?a=1&b=2' })
  const staged = await createPage(shop, 'staged', { type: 'staged' })
  const claimed = await createPage(shop, 'claimed')
  await submit(service, `${claimed.path}/claim`)
  service.clock.advance(30 * minute)
  const late = await send(service, direct.path)
  assert.equal(heading(late), 'Don’t send money to these details')
  assert.deepEqual(copied(late), [])
  assert.match(late.body, /href="https:\/\/shop\.example\/\?a&#61;1&#38;b&#61;2"/)
  assert.equal(heading(await send(service, staged.path)), 'The time to pay has run out')
  await submit(service, `${staged.path}/details`, { phone: '+79123456789' })
  await submit(service, `${direct.path}/claim`)
  assert.deepEqual([await shop.status('direct'), await shop.status('staged')], ['new', 'new'])
  const checking = await send(service, claimed.path)
  assert.equal(heading(checking), 'Looking for your transfer')
  assert.deepEqual(copied(checking), [], 'no details once the time is over')
  service.clock.advance(90 * minute)
  assert.equal(heading(await send(service, claimed.path)), 'Don’t send money to these details')
  await service.runJobs()
  assert.equal(heading(await send(service, claimed.path)), 'Don’t send money to these details')
})

onOne('200: says how much is missing, and stops asking for it in time', async (service) => {
  const shop = await openShop(service)
  const { path, card } = await createPage(shop, '1', { amount: 5000.37 })
  await payIn(service, { requisiteId: card.id, minor: 200_000n })
  const part = await send(service, path)
  assert.equal(heading(part), 'Part of the amount has arrived')
  assert.deepEqual(copied(part), ['3000.37', 'Bank A', `+${card.phone}`, '3000.37'])
  service.clock.advance(31 * minute)
  const over = await send(service, path)
  assert.equal(heading(over), 'Don’t send any more money')
  assert.deepEqual(copied(over), [])
  service.clock.advance(15 * minute)
  await service.runJobs()
  assert.equal(heading(await send(service, path)), 'Credited RUB\u{a0}2,000.00')
})

onOne('200: shows a payment under review and a canceled one', async (service) => {
  const shop = await openShop(service, { terms: { mismatchPolicy: 'review' } })
  const { path, card } = await createPage(shop, '1')
  await payIn(service, { requisiteId: card.id, minor: 600_000n })
  assert.equal(heading(await send(service, path)), 'Your payment is under review')
  const canceled = await createPage(shop, '2')
  await shop.post('/payments/byOrderId/cancel', { orderId: '2' })
  assert.equal(heading(await send(service, canceled.path)), 'This payment was canceled')
})

onOne('304: sends its script a new page only when there is something new to see', async (service) => {
  const shop = await openShop(service)
  const { path, card } = await createPage(shop, '1')
  const tagOf = (page: Answer): string => (/data-tag="([^"]*)"/.exec(page.body)?.[1] ?? '').replaceAll('&#34;', '"')
  const look = (tag: string) => send(service, path, { headers: { 'if-none-match': tag } })
  const first = tagOf(await send(service, path))
  assert.equal((await look(first)).status, 304)
  service.clock.advance(minute)
  assert.equal((await look(first)).status, 304)
  await payIn(service, { requisiteId: card.id, minor: 200_000n })
  const second = await look(first)
  assert.equal(second.status, 200)
  await payIn(service, { requisiteId: card.id, minor: 200_000n, reference: 'second' })
  assert.equal((await look(tagOf(second))).status, 200)
})

onOne('303: simulates money for sandbox payments only', async (service) => {
  const shop = await openShop(service, { mode: 'sandbox' })
  const { path } = await createPage(shop, '1')
  const page = await send(service, path)
  assert.match(page.body, /Test mode/)
  const events = [...page.body.matchAll(/name="event" value="(\w+)"/g)].map((match) => match[1])
  assert.deepEqual(events, ['paid', 'partial', 'underpaid', 'overpaid', 'late', 'expired'])
  assert.equal((await submit(service, `${path}/simulate`, { event: 'riches' })).status, 400)
  assert.equal((await submit(service, `${path}/simulate`, { event: 'paid' })).status, 303)
  await service.runJobs()
  assert.equal(heading(await send(service, path)), 'Paid')
  const live = await createPage(await openShop(service), '1')
  assert.doesNotMatch((await send(service, live.path)).body, /Test mode|simulate/)
  assert.equal((await submit(service, `${live.path}/simulate`, { event: 'paid' })).status, 404)
})

test('amounts and numbers are written for people and copied for machines', () => {
  const amounts: [minor: bigint, currency: string, shown: string, machine: string][] = [
    [500_037n, 'rub', 'RUB 5,000.37', '5000.37'],
    [500_000n, 'rub', 'RUB 5,000.00', '5000'],
    [999_999_999_999_999n, 'usd', '$9,999,999,999,999.99', '9999999999999.99'],
    [1500n, 'jpy', '¥1,500', '1500'],
    [1_234_567n, 'kwd', 'KWD 1,234.567', '1234.567'],
  ]
  for (const [minor, currency, shown, machine] of amounts) {
    const money = formatMoney('en', minor, currency)
    assert.deepEqual([money.shown.replaceAll('\u{a0}', ' '), money.machine], [shown, machine])
  }
  assert.deepEqual(formatRequisite('sbp', '79991234567'), { shown: '+7 999 123 45 67', machine: '+79991234567' })
  assert.deepEqual(formatRequisite('by-phone', '99912345'), { shown: '+99912345', machine: '+99912345' })
  const groups = ['2200 1234 5678 9010', '4081 7810 0000 0012 3456', '2200 1234 5678 90123', '2200 1234 5678 90']
  for (const shown of groups) {
    assert.equal(formatRequisite('card-to-card', shown.replaceAll(' ', '')).shown, shown, 'no lonely last digit')
  }
  assert.deepEqual([0, 59_999, 1_771_000, 3_905_000].map(formatLeft), ['0:00', '0:59', '29:31', '1:05:05'])
})
