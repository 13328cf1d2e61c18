import assert from 'node:assert/strict'
import { test } from 'node:test'
import { currencyDecimals } from '../../src/rules/values/currency.ts'
import { minute } from '../../src/rules/time.ts'
import { setLimits } from '../../src/engine/merchants/merchant.ts'
import { setRate } from '../../src/engine/merchants/rates/rate.ts'
import { addRequisites } from '../../src/engine/requisites/add-requisites.ts'
import { assertProblem } from '../support/problem.ts'
import type { TestService } from '../support/service.ts'
import { shareService } from '../support/shared-service.ts'
import { newNumber, openShop, type Shop } from '../support/shop.ts'

const opened = shareService()

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Every key of a body at every level, with the type of its value. */
const shapeOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shapeOf(each)]))
    : typeof value

/** The body of docs/contract.md §2.3: exactly its fields; `number` is the one that shows the requisite's number. */
const contractShape = (number: 'pan' | 'phone' | undefined) => ({
  payment: {
    id: 'string',
    rate: { USDT: { price: 'number', createdAt: 'string' } },
    orderId: 'string',
    userId: 'string',
    status: 'string',
    amount: 'number',
    sourcePan: 'string',
    currency: 'string',
    total: { currency: 'string', amount: 'number' },
    expiredAt: 'string',
  },
  card: { id: 'string', ...(number === undefined ? {} : { [number]: 'string' }), bankIssuer: 'string' },
  redirectUrl: 'string',
})

type Row = {
  readonly title: string
  readonly fields: Record<string, unknown>
  readonly number?: readonly ['pan' | 'phone', length: number]
}

const international = { transferScope: 'international' }

const combinations: readonly Row[] = [
  {
    title: 'direct card-to-card shows the card number',
    fields: { type: 'direct', method: 'card-to-card' },
    number: ['pan', 16],
  },
  {
    title: 'direct sbp shows the phone number',
    fields: { type: 'direct', method: 'sbp' },
    number: ['phone', 11],
  },
  {
    title: 'direct sbp with sbpEnabled shows the phone number',
    fields: { type: 'direct', method: 'sbp', sbpEnabled: true },
    number: ['phone', 11],
  },
  {
    title: 'direct sbp with sbpEnabled false is as without it',
    fields: { type: 'direct', method: 'sbp', sbpEnabled: false },
    number: ['phone', 11],
  },
  {
    title: 'direct with sbpEnabled and no method is sbp',
    fields: { type: 'direct', method: undefined, sbpEnabled: true },
    number: ['phone', 11],
  },
  {
    title: 'direct account-to-account shows the account number',
    fields: { type: 'direct', method: 'account-to-account' },
    number: ['pan', 20],
  },
  {
    title: 'direct by-phone shows the phone number abroad',
    fields: { type: 'direct', method: 'by-phone', ...international },
    number: ['phone', 12],
  },
  {
    title: 'direct card-to-card with sbpEnabled still shows the card number',
    fields: { type: 'direct', method: 'card-to-card', sbpEnabled: true },
    number: ['pan', 16],
  },
  {
    title: 'direct account-to-account with sbpEnabled false is as without it',
    fields: { type: 'direct', method: 'account-to-account', sbpEnabled: false },
    number: ['pan', 20],
  },
  {
    title: 'direct sbp of a bank',
    fields: { type: 'direct', method: 'sbp', bankIssuer: 'bank-b' },
    number: ['phone', 11],
  },
  { title: 'staged sbp shows no number', fields: { type: 'staged', method: 'sbp' } },
  { title: 'staged with sbpEnabled shows no number', fields: { type: 'staged', method: undefined, sbpEnabled: true } },
  {
    title: 'staged sbp of a bank shows no number',
    fields: { type: 'staged', method: 'sbp', bankIssuer: 'bank-b' },
  },
  { title: 'staged account-to-account shows no number', fields: { type: 'staged', method: 'account-to-account' } },
  { title: 'staged card-to-card shows no number', fields: { type: 'staged', method: 'card-to-card' } },
  { title: 'staged by-phone shows no number', fields: { type: 'staged', method: 'by-phone', ...international } },
]

for (const { title, fields, number } of combinations) {
  test(`201: ${title}`, async () => {
    const service = opened()
    const shop = await openShop(service)
    const { status, headers, body } = await shop.create('order-1', { ...fields, amount: 5000.37 })
    assert.equal(status, 201, JSON.stringify(body))
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('idempotent-replayed'), null)
    assert.deepEqual(shapeOf(body), contractShape(number?.[0]))
    const { payment, card, redirectUrl } = body
    assert.match(payment.id, uuid)
    assert.match(card.id, uuid)
    assert.ok(shop.requisiteIds.includes(card.id))
    assert.match(payment.expiredAt, time)
    assert.match(payment.rate.USDT.createdAt, time)
    assert.equal(payment.rate.USDT.price, 92.5)
    assert.deepEqual(payment.total, { currency: 'USDT', amount: 54.058054 })
    assert.equal(payment.status, 'new')
    assert.equal(payment.amount, 5000.37)
    assert.equal(payment.currency, 'rub')
    assert.equal(payment.orderId, 'order-1')
    assert.equal(payment.sourcePan, '')
    assert.notEqual(payment.userId, '')
    assert.equal(Date.parse(payment.expiredAt), service.clock.now + 30 * minute)
    assert.match(redirectUrl, /^http:\/\/payin\.test\/[\w-]{66}\/payment-sbp$/)
    if (number) assert.match(card[number[0]], new RegExp(`^\\d{${number[1]}}$`))
    if (fields['bankIssuer']) assert.equal(card.bankIssuer, fields['bankIssuer'])
    else assert.match(card.bankIssuer, /^bank-[ab]$/)
  })
}

test('201: the answer of a staged payment nowhere holds the number of its requisite', async () => {
  const shop = await openShop(opened(), { perMethod: 1 })
  const direct = await shop.create('direct')
  const staged = await shop.create('staged', { type: 'staged', amount: 5001 })
  assert.equal(staged.body.card.id, direct.body.card.id)
  assert.ok(!JSON.stringify(staged.body).includes(direct.body.card.phone))
})

test('201: the locale is a segment of the link, and the token is the only other one before payment-sbp', async () => {
  const shop = await openShop(opened())
  for (const locale of ['ru', 'en']) {
    const { body } = await shop.create(`in-${locale}`, { locale })
    assert.match(body.redirectUrl, new RegExp(`^http://payin\\.test/${locale}/[\\w-]{66}/payment-sbp$`))
  }
})

test('201: the token of the link is opaque and of this payment alone', async () => {
  const shop = await openShop(opened(), { perMethod: 8 })
  const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => shop.create(`token-${index}`)))
  const tokens = answers.map(({ body }) => new URL(body.redirectUrl).pathname.split('/').at(-2) ?? '')
  assert.equal(new Set(tokens).size, tokens.length)
  for (const [index, token] of tokens.entries()) {
    const plain = Buffer.from(token, 'base64url').toString('latin1')
    for (const text of [`token-${index}`, answers[index]?.body.payment.id, shop.token]) {
      assert.ok(!token.includes(text) && !plain.includes(text))
    }
  }
})

test('201: userId is the one that was given, and each payment has one of its own where none was', async () => {
  const shop = await openShop(opened())
  const given = await shop.create('given', { userId: 'пользователь 7' })
  assert.equal(given.body.payment.userId, 'пользователь 7')
  const first = await shop.create('first')
  const second = await shop.create('second')
  assert.notEqual(first.body.payment.userId, second.body.payment.userId)
})

test("201: the time to pay is the merchant's own for the method", async () => {
  const service = opened()
  const shop = await openShop(service, { terms: { timeToPayMs: 7 * minute } })
  const { body } = await shop.create('soon')
  assert.equal(Date.parse(body.payment.expiredAt), service.clock.now + 7 * minute)
})

test('201: returnUrl is taken on a registered host, with its port', async () => {
  const shop = await openShop(opened(), { settings: { returnHosts: ['shop.example.com', 'shop.example.com:8443'] } })
  for (const [index, returnUrl] of [
    'https://shop.example.com/back?order=1#top',
    'http://shop.example.com',
    'https://shop.example.com:443/',
    'https://SHOP.example.com:8443/x',
  ].entries()) {
    assert.equal((await shop.create(`return-${index}`, { returnUrl })).status, 201, returnUrl)
  }
})

test('400: refuses a returnUrl that is no URL of a registered host', async () => {
  const shop = await openShop(opened(), { settings: { returnHosts: ['shop.example.com'] } })
  for (const returnUrl of [
    'https://evil.example.com/',
    'https://shop.example.com.evil.example/',
    'https://shop.example.com:8443/',
    'https://shop.example.com@evil.example/',
    'https://evil.example/@shop.example.com',
    'https://user:pass@shop.example.com/',
    'https:\\\\evil.example\\shop.example.com',
    'javascript:alert(1)//shop.example.com',
    'data:text/html,shop.example.com',
    'ftp://shop.example.com/',
    '//shop.example.com/',
    '/back',
    '',
    `https://shop.example.com/${'x'.repeat(2000)}`,
  ]) {
    assertProblem(await shop.create('return', { returnUrl }), 400, 'validation_failed', ['returnUrl'])
  }
})

// Amounts are exact: as written in the request, without a double in between.
const amounts: readonly (readonly [literal: string, amount: number])[] = [
  ['100', 100],
  ['1e2', 100],
  ['100.000', 100],
  ['1000.10e-1', 100.01],
  ['100.01', 100.01],
  ['100.29', 100.29],
  ['1.15e2', 115],
  ['128.55', 128.55],
  ['4999.99', 4999.99],
  ['299999.99', 299_999.99],
  ['300000', 300_000],
]

test('201: amounts come back as they were written, and total is their exact quotient rounded down', async () => {
  const service = opened()
  for (const price of [92_50000000n, 3_00000000n, 99_99999999n, 1000000n, 7_00000001n, 123456_78901234n]) {
    // A slot is one amount on one requisite: each price needs requisites of its own.
    const shop = await openShop(service)
    await service.context.transaction((tx) => setRate(tx, { currency: 'rub', price, source: 'test', validUntil: null }))
    for (const [literal, amount] of amounts) {
      const orderId = `${price}-${literal}`
      const { status, body } = await shop.post(
        '/payments',
        `{"type":"direct","amount":${literal},"orderId":"${orderId}","currency":"rub","method":"card-to-card"}`,
      )
      assert.equal(status, 201, JSON.stringify(body))
      assert.equal(body.payment.amount, amount)
      assert.equal(body.payment.rate.USDT.price, Number(price) / 1e8)
      const micro = (BigInt(Math.round(amount * 100)) * 10n ** 12n) / price
      assert.equal(
        body.payment.total.amount,
        Number(`${micro / 1_000_000n}.${String(micro % 1_000_000n).padStart(6, '0')}`),
      )
    }
  }
})

/** Sets limits, a rate and a requisite for one more currency. */
const addCurrency = (service: TestService, shop: Shop, currency: string): Promise<void> =>
  service.context.transaction(async (tx) => {
    const unit = 10n ** BigInt(currencyDecimals(currency))
    await setLimits(tx, null, { currency, min: unit, max: 1_000_000n * unit })
    await setRate(tx, { currency, price: 3_00000000n, source: 'test', validUntil: null })
    await addRequisites(tx, [
      {
        merchantId: shop.merchantId,
        mode: 'live',
        method: 'sbp',
        currency,
        transferScope: null,
        bankIssuer: 'bank-a',
        holder: 'Ivan Petrov',
        number: newNumber('sbp'),
        limits: {},
      },
    ])
  })

for (const [currency, good, total, tooFine] of [
  ['jpy', 1000, 333.333333, 1000.5],
  ['kzt', 1000.01, 333.336666, 1000.001],
  ['kwd', 1000.001, 333.333666, 1000.0001],
] as const) {
  test(`201: ${currency} has ${currencyDecimals(currency)} decimals, and 422 for one more`, async () => {
    const shop = await openShop(opened())
    await addCurrency(opened(), shop, currency)
    const { status, body } = await shop.create(currency, { currency, amount: good })
    assert.equal(status, 201, JSON.stringify(body))
    assert.equal(body.payment.amount, good)
    assert.equal(body.payment.currency, currency)
    assert.equal(body.payment.total.amount, total)
    assertProblem(await shop.create('fine', { currency, amount: tooFine }), 422, 'amount_precision', ['amount'])
  })
}

// Read as text: what a double would hide shows in the digits.
test('201: the numbers of the answer are plain decimals', async () => {
  const service = opened()
  const shop = await openShop(service)
  const response = await fetch(`${service.url}/api/v1/merchant/payments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json' },
    body: '{"type":"direct","amount":1.0001e2,"orderId":"digits","currency":"rub","method":"sbp"}',
  })
  const text = await response.text()
  assert.equal(response.status, 201, text)
  assert.match(text, /"amount":100\.01,/)
  assert.match(text, /"price":92\.5,/)
  assert.match(text, /"total":\{"currency":"USDT","amount":1\.081189\}/)
})

const wrong: readonly (readonly [title: string, fields: Record<string, unknown>, field: string])[] = [
  ['type that is neither direct nor staged', { type: 'indirect' }, 'type'],
  ['no type', { type: undefined }, 'type'],
  ['no amount', { amount: undefined }, 'amount'],
  ['no orderId', { orderId: undefined }, 'orderId'],
  ['no currency', { currency: undefined }, 'currency'],
  ['neither method nor sbpEnabled', { method: undefined }, 'method'],
  ['sbpEnabled false without a method', { method: undefined, sbpEnabled: false }, 'method'],
  ['unknown method', { method: 'cash' }, 'method'],
  ['method in another case', { method: 'SBP' }, 'method'],
  ['sbpEnabled that is no boolean', { sbpEnabled: 'true' }, 'sbpEnabled'],
  ['currency in upper case', { currency: 'RUB' }, 'currency'],
  ['transferScope that does not exist', { method: 'by-phone', transferScope: 'domestic' }, 'transferScope'],
  ['empty bankIssuer', { bankIssuer: '' }, 'bankIssuer'],
  ['locale that the page does not speak', { locale: 'xx' }, 'locale'],
  ['userId that is no text', { userId: 7 }, 'userId'],
  ['null in place of nothing', { userId: null }, 'userId'],
  ['empty orderId', { orderId: '' }, 'orderId'],
  ['orderId of 129 characters', { orderId: 'x'.repeat(129) }, 'orderId'],
  ['orderId that is a number', { orderId: 1001 }, 'orderId'],
  ['unknown field', { webhookUrl: 'https://shop.example.com' }, 'webhookUrl'],
]

for (const [title, fields, field] of wrong) {
  test(`400: refuses ${title}, with the name of the field`, async () => {
    const shop = await openShop(opened(), { perMethod: 0 })
    assertProblem(await shop.create('wrong', fields), 400, 'validation_failed', [field])
  })
}

test('201: an orderId of 128 characters, also of those that take two places in UTF-16', async () => {
  const shop = await openShop(opened())
  for (const orderId of ['x'.repeat(128), '😀'.repeat(128)]) {
    assert.equal((await shop.create(orderId)).status, 201)
    assert.equal(await shop.status(orderId), 'new')
  }
  assertProblem(await shop.create('😀'.repeat(129)), 400, 'validation_failed', ['orderId'])
})

test('201: the body is that of the contract to the byte', async () => {
  const service = opened()
  const shop = await openShop(service)
  const body = { type: 'direct', amount: 5000.37, orderId: 'bytes', currency: 'rub', method: 'sbp', userId: 'user-17' }
  const response = await fetch(`${service.url}/api/v1/merchant/payments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  const { payment, card, redirectUrl } = JSON.parse(text)
  assert.equal(
    text,
    `{"payment":{"id":"${payment.id}","rate":{"USDT":{"price":92.5,"createdAt":"${payment.rate.USDT.createdAt}"}},` +
      `"orderId":"bytes","userId":"user-17","status":"new","amount":5000.37,"sourcePan":"","currency":"rub",` +
      `"total":{"currency":"USDT","amount":54.058054},"expiredAt":"${payment.expiredAt}"},` +
      `"card":{"id":"${card.id}","bankIssuer":"${card.bankIssuer}","phone":"${card.phone}"},"redirectUrl":"${redirectUrl}"}`,
  )
})
