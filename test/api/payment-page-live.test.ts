// The event stream of a page: changes, limits, its end at shutdown; and what the page may load.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encode } from 'uqr'
import { inflateSync } from 'node:zlib'
import { qrImage } from '../../src/http/payment-page/qr-image.ts'
import { addManyBanks, createStatePage, openBookshop, sendForm } from '../support/page-states.ts'
import { onBothEngines, onOneEngine, openTestService, type TestService, usualEngine } from '../support/service.ts'
import { setLogo } from '../../src/engine/merchants/merchant.ts'
import { maxLogoBytes } from '../../src/rules/merchants/merchant.ts'
import { setBankGuide } from '../../src/engine/requisites/bank-issuers.ts'
import { addRequisites } from '../../src/engine/requisites/add-requisites.ts'
import { openOperator } from '../support/operator.ts'
import { newNumber, openShop, payIn, send } from '../support/shop.ts'

type Stream = {
  readonly status: number
  readonly headers: Headers
  /** The next chunk that is not a heartbeat; `undefined` at the end. */
  next(): Promise<string | undefined>
  close(): void
}

const listen = async (service: TestService, path: string): Promise<Stream> => {
  const abort = new AbortController()
  const { status, headers, body } = await fetch(`${service.url}${path}/events`, { signal: abort.signal })
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  return { status, headers, next: async () => (await reader?.read())?.value, close: () => abort.abort() }
}

onBothEngines('200: a stream sends the current tag, then every change, without contents', async (service) => {
  const shop = await openShop(service)
  const { body } = await shop.create('1')
  const path = new URL(body.redirectUrl).pathname
  const tag = /data-tag="([^"]*)"/.exec((await send(service, path)).body)?.[1]?.replaceAll('&#34;', '"')
  const stream = await listen(service, path)
  assert.equal(stream.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  assert.equal(stream.headers.get('cache-control'), 'no-store')
  assert.match((await stream.next()) ?? '', /^retry: \d{4}\n/)
  const again = await listen(service, path)
  assert.equal((await again.next())?.split('data: ')[1], `${tag}\n\n`)
  await payIn(service, { requisiteId: body.card.id, minor: 300_000n })
  assert.equal(await stream.next(), 'data: changed\n\n')
  assert.equal(await again.next(), 'data: changed\n\n')
  stream.close()
  again.close()
})

test('405: a stream refuses HEAD, which would never end', async () => {
  const service = await openTestService(usualEngine())
  try {
    const path = new URL((await (await openShop(service)).create('1')).body.redirectUrl).pathname
    const signal = AbortSignal.timeout(5000)
    assert.equal((await fetch(`${service.url}${path}/events`, { method: 'HEAD', signal })).status, 405)
    for (let count = 0; count < 2; count++) {
      await send(service, path, { headers: { 'x-forwarded-for': '192.0.2.1' } })
    }
    assert.equal(service.logs.filter((line) => line.includes('PAYIN_TRUST_PROXY')).length, 1)
  } finally {
    await service.stop()
  }
})

test('404: the stream of an unknown page is refused like the page', async () => {
  const service = await openTestService(usualEngine())
  try {
    const { status } = await listen(service, '/nothing/payment-sbp')
    assert.equal(status, 404)
  } finally {
    await service.stop()
  }
})

test('429: streams and requests are limited per payment and per address; a closed stream no longer counts', async () => {
  const service = await openTestService(usualEngine(), { PAYIN_PAGE_STREAMS: '8', PAYIN_PAGE_RATE_LIMIT: '40' })
  try {
    const shop = await openShop(service)
    const [one, other] = await Promise.all(
      ['1', '2'].map(async (id) => new URL((await shop.create(id)).body.redirectUrl).pathname),
    )
    assert.ok(one && other)
    const first = await Promise.all(Array.from({ length: 6 }, () => listen(service, one)))
    assert.equal((await listen(service, one)).status, 429, 'the seventh of one payment')
    const second = await Promise.all([listen(service, other), listen(service, other)])
    assert.equal((await listen(service, other)).status, 429, 'the ninth of one address')
    for (const stream of [...first, ...second]) {
      assert.equal(stream.status, 200)
      stream.close()
    }
    for (let waited = 0; (await listen(service, one)).status !== 200; waited++) {
      assert.ok(waited < 400, 'closed streams still count')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    const statuses = new Set<number>()
    for (let count = 0; count < 40; count++) {
      const page = await send(service, one, { headers: { 'accept-language': 'en' } })
      statuses.add(page.status)
      if (page.status !== 429) continue
      assert.equal(page.headers.get('retry-after'), '60')
      assert.match(page.body, /Too many requests/)
    }
    assert.deepEqual([...statuses], [200, 429])
    assert.equal((await send(service, '/assets/logo/x')).status, 429, 'reads from the database count as well')
  } finally {
    await service.stop()
  }
})

test('open streams end when the service stops, and do not delay it', async () => {
  const service = await openTestService(usualEngine())
  const shop = await openShop(service)
  const path = new URL((await shop.create('1')).body.redirectUrl).pathname
  const stream = await listen(service, path)
  await stream.next()
  const stopped = service.stop()
  assert.equal(await stream.next(), undefined)
  await stopped
})

test('the image of a QR code has the modules of the code, and little more', () => {
  for (const text of ['https://pay.example/ru/token/payment-sbp', `ST00012|Name=${'Я'.repeat(160)}`]) {
    const picture = qrImage(text)
    assert.ok(picture.length < 4000, `${picture.length} bytes`)
    const { data, size } = encode(text, { ecc: 'M', border: 4 })
    const width = picture.readUInt32BE(16)
    assert.equal(width, size * 6)
    const from = picture.indexOf('IDAT') + 4
    const pixels = inflateSync(picture.subarray(from, from + picture.readUInt32BE(from - 8)))
    const row = 1 + Math.ceil(width / 8)
    const isDark = (x: number, y: number): boolean => ((pixels[y * row + 1 + (x >> 3)] ?? 0) & (0x80 >> (x & 7))) === 0
    const read = data.map((line, y) => line.map((_, x) => isDark(x * 6 + 3, y * 6 + 3)))
    assert.deepEqual(read, data)
  }
})

test('200: everything that a page loads is at most 30 kB with 210 banks, its logo apart', async () => {
  const service = await openTestService(usualEngine())
  try {
    const shop = await openBookshop(service, {
      settings: { accent: '#ffcc00', returnHosts: ['shop.example'] },
    })
    await addManyBanks(service)
    await service.context.transaction(async (tx) => {
      const link = 'https://bank.example/transfer?phone={number}&sum={amount}'
      const links = { sbp: link, 'account-to-account': link }
      for (let bank = 0; bank < 200; bank++) await setBankGuide(tx, `more-${bank}`, { links, steps: {} })
      const { merchantId } = shop
      // At as many banks as the page shows at once.
      const accounts = (['sbp', 'account-to-account', 'card-to-card'] as const).flatMap((method) =>
        Array.from({ length: 20 }, (_, bank) => ({
          ...{
            merchantId,
            mode: 'live' as const,
            method,
            currency: 'rub',
            transferScope: null,
            holder: 'ООО «Книжный двор»',
          },
          ...{ bankIssuer: `more-${bank}`, number: newNumber(method), limits: {} },
        })),
      )
      await addRequisites(tx, accounts)
      const logo = Buffer.concat([qrImage('logo'), Buffer.alloc(maxLogoBytes)]).subarray(0, maxLogoBytes)
      await setLogo(tx, shop.merchantId, logo)
    })
    const account = await createStatePage(shop, 'account', {
      method: 'account-to-account',
      bankIssuer: 'bank-a',
      sbpEnabled: true,
    })
    const staged = await createStatePage(shop, 'staged', { type: 'staged', method: 'card-to-card', sbpEnabled: true })
    const direct = await createStatePage(shop, 'direct')
    const part = await createStatePage(shop, 'part')
    await payIn(service, { requisiteId: part.requisiteId, minor: 200_000n, reference: 'part' })
    const checking = await createStatePage(shop, 'checking')
    await sendForm(service, `${checking.path}/claim`, {})
    const given = await createStatePage(shop, 'given', { type: 'staged', method: 'card-to-card', sbpEnabled: true })
    await sendForm(service, `${given.path}/details`, { phone: '+79123456789' })
    const change = { name: 'change', path: `${given.path}/change` }
    // Plus what one search of the script loads, where there is one.
    const found = '/banks?find=%D0%B1%D0%B0%D0%BD%D0%BA'
    for (const [{ path, name }, search, loads] of [
      [account, '', 5],
      [staged, found, 5],
      [direct, found, 5],
      [part, found, 4],
      [checking, '', 5],
      [change, found, 5],
    ] as const) {
      const { body } = await send(service, `/ru${path}`)
      const more = search === '' ? '' : (await send(service, `/ru${path.replace('/change', '')}${search}`)).body
      const addresses = [...body.matchAll(/(?:href|src)="([^"#]+)"/g)]
        .map(
          (match) =>
            new URL(match[1].replaceAll('&#61;', '='), `${service.url}/ru${path}`).pathname +
            new URL(match[1], service.url + path).search,
        )
        .filter((address) => /^\/assets|\/link$|\/code\?/.test(address))
      // What the script itself loads, for a phone and for a file.
      const script = addresses.find((address) => address.endsWith('/page.js')) ?? assert.fail(name)
      if (/ id="phone"/.test(body)) addresses.push(script.replace('page.js', 'phone-field.js'))
      if (/ type="file"/.test(body)) addresses.push(script.replace('page.js', 'receipt-file.js'))
      assert.equal(new Set(addresses).size, loads, name)
      const parts = await Promise.all(
        [...new Set(addresses)].map(async (address) => {
          const asset = await fetch(service.url + address, { headers: { 'accept-encoding': 'identity' } })
          assert.equal(asset.status, 200, address)
          return (await asset.arrayBuffer()).byteLength
        }),
      )
      const logo = /"\/assets\/logo\//.test(body) ? maxLogoBytes : 0
      const size = parts.reduce((sum, each) => sum + each, Buffer.byteLength(body + more) - logo)
      assert.ok(size <= 30_000, `${name}: ${size} bytes`)
    }
  } finally {
    await service.stop()
  }
})

onOneEngine("200: shows a merchant's logo, colour and frame, as the operator sets them", async (service) => {
  const operator = openOperator(service)
  const shop = await openShop(service)
  const path = new URL((await shop.create('1')).body.redirectUrl).pathname
  const merchant = `/merchants/${shop.merchantId}`
  const picture = qrImage('logo')
  const put = (image: string | null) => operator.call('PUT', `${merchant}/logo`, { image })
  for (const wrong of ['not base64!', Buffer.from('<svg/>').toString('base64'), 'A'.repeat(44_000)]) {
    assert.equal((await put(wrong)).status, 400)
  }
  const { body } = await put(picture.toString('base64'))
  assert.match(body.logo, /^\/assets\/logo\/[0-9a-f]{32}$/)
  await operator.call('PATCH', merchant, { settings: { accent: '#FFCC00', frameHosts: ['shop.example'] } })
  const page = await send(service, path)
  assert.match(page.body, new RegExp(`<img class="logo" src="${body.logo}" width="(\\d+)" height="\\1" alt="">`))
  assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors https:\/\/shop\.example;/)
  const [style = ''] = /\/assets\/accent\/ffcc00\.css/.exec(page.body) ?? []
  assert.match((await send(service, style)).body, /^:root\{--accent:#[0-9a-f]{6};--fill:#ffcc00;--fill-ink:#000000;/)
  const logo = await fetch(service.url + body.logo)
  assert.deepEqual(Buffer.from(await logo.arrayBuffer()), picture)
  assert.deepEqual([logo.headers.get('content-type'), (await put(null)).body.logo], ['image/png', null])
  assert.equal((await send(service, body.logo)).status, 404)
  assert.doesNotMatch((await send(service, path)).body, /class="logo"/)
  assert.equal((await send(service, '/assets/accent/red.css')).status, 404)
  for (const hash of ['0'.repeat(32), 'x', '%00'])
    assert.equal((await send(service, `/assets/logo/${hash}`)).status, 404)
})

test('200: the stylesheet and the script are compressed for browsers that accept it', async () => {
  const service = await openTestService(usualEngine())
  try {
    const shop = await openShop(service)
    const page = await send(service, new URL((await shop.create('1')).body.redirectUrl).pathname)
    const [style = ''] = /\/assets\/[0-9a-f]{16}\/page\.css/.exec(page.body) ?? []
    for (const [accepted, coding] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['identity', null],
    ] as const) {
      const answer = await fetch(service.url + style, { headers: { 'accept-encoding': accepted } })
      assert.equal(answer.headers.get('content-encoding'), coding)
      assert.equal(answer.headers.get('vary'), 'accept-encoding')
      assert.match(await answer.text(), /^:root/)
    }
  } finally {
    await service.stop()
  }
})
