// Which of many banks the page shows, and how the others are found, with the script and without.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findPaymentById } from '../../src/engine/payments/read.ts'
import { setBankGuide, type NewBankIssuer, setBankIssuers } from '../../src/engine/requisites/bank-issuers.ts'
import { qrImage } from '../../src/http/payment-page/qr-image.ts'
import { openOperator } from '../support/operator.ts'
import { addManyBanks, createStatePage, openBookshop, sendForm } from '../support/page-states.ts'
import { onOneEngine, openTestService, type TestService, usualEngine } from '../support/service.ts'
import { type Answer, send } from '../support/shop.ts'

const tiles = ({ body }: Answer): string[] =>
  [...body.matchAll(/name="bank" value="[^"]*"[^>]*><span>([^<]*)/g)].map((match) => match[1] ?? '')

const setBanks = (service: TestService, banks: readonly NewBankIssuer[]): Promise<void> =>
  service.context.transaction((tx) => setBankIssuers(tx, banks))

onOneEngine(
  "200: shows all banks where they fit, else those of the shop's accounts, and finds the rest",
  async (service) => {
    const shop = await openBookshop(service)
    const made = await createStatePage(shop, 'few', { type: 'staged' })
    assert.equal(tiles(await send(service, `/en${made.path}`)).length, 9)
    await addManyBanks(service)
    const page = await send(service, `/en${made.path}`)
    await setBanks(service, [
      { code: 'bank-b', name: 'Т-Банк', country: 'RU', sbpMemberId: null, aliases: ['Тинькофф'] },
    ])
    assert.deepEqual(tiles(page), ['Сбербанк', 'Т-Банк', 'Another bank'])
    assert.doesNotMatch(page.body, /name="bank"[^>]* checked/)
    assert.match(page.body, /<label class="tile" lang="ru">/)
    assert.doesNotMatch((await send(service, `/ru${made.path}`)).body, /lang="ru"><input/)
    const find = async (text: string) =>
      tiles(await send(service, `/ru${made.path}/banks?find=${encodeURIComponent(text)}`)).slice(0, -1)
    const searches: [text: string, found: string[]][] = [
      ['альфабанк', ['Альфа-Банк']],
      ['  АЛЬФА банк ', ['Альфа-Банк']],
      ['«Промышленное развитие 199»', ['Банк «Промышленное развитие 199»']],
      ['BANK-H', ['Россельхозбанк']],
      ['sber', ['Сбербанк']],
      ['СБЕР', ['Сбербанк']],
      ['vtb', ['ВТБ']],
      ['tinkoff', ['Т-Банк']],
      ['тинькоф', ['Т-Банк']],
      ['gazprom', ['Газпромбанк']],
      ['ь', ['Альфа-Банк', 'Россельхозбанк', 'Т-Банк']],
      ['nowhere', []],
      ['<script>', []],
      ['—', ['Сбербанк', 'Т-Банк']],
    ]
    for (const [text, found] of searches) assert.deepEqual(await find(text), found, text)
    assert.equal((await find('развитие')).length, 9)
    // Banks with a rank follow those of the shop, the first ranks first.
    await setBanks(service, [
      { code: 'bank-d', name: 'Альфа-Банк', country: 'RU', sbpMemberId: null, rank: 4 },
      { code: 'bank-c', name: 'ВТБ', country: 'RU', sbpMemberId: null, rank: 3 },
    ])
    const ranked = tiles(await send(service, `/en${made.path}`))
    assert.deepEqual(ranked, ['Сбербанк', 'Т-Банк', 'ВТБ', 'Альфа-Банк', 'Another bank'])
    // In a browser the address redirects to the page.
    const answer = await send(service, `${made.path}/banks`, { headers: { accept: 'text/html' } })
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, made.path])
  },
)

onOneEngine(
  '303, 422: without the script a submitted name finds the bank, or several to choose from',
  async (service) => {
    const shop = await openBookshop(service)
    await addManyBanks(service)
    const phone = '+79123456789'
    const cases: [name: string, form: Record<string, string>, bank: string | null | undefined][] = [
      ['only', { find: 'альфа' }, 'bank-d'],
      ['called so', { find: 'Банк «Промышленное развитие 1»' }, 'more-1'],
      ['several', { find: 'развитие' }, undefined],
      ['none of several', { find: 'развитие', seen: 'развитие', bank: '' }, null],
      ['chosen', { find: 'развитие', bank: 'bank-b' }, 'bank-b'],
      ['unknown', { find: 'nowhere' }, null],
      ['nothing', { find: '' }, null],
      ['no bank of ours', { bank: 'nowhere' }, null],
    ]
    for (const [name, form, bank] of cases) {
      const made = await createStatePage(shop, name, { type: 'staged' })
      const answer = await sendForm(service, `/en${made.path}/details`, { phone, ...form })
      const stored = await findPaymentById(service.context, shop.merchantId, made.id)
      assert.deepEqual([answer.status, stored?.payerBank], bank === undefined ? [422, null] : [303, bank], name)
      if (bank !== undefined) continue
      assert.match(answer.body, /Several banks match that name/)
      assert.doesNotMatch(answer.body, /phone number isn’t complete/)
      assert.match(answer.body, /name="seen" value="развитие"/)
      assert.equal(tiles(answer).length, 10)
    }
  },
)

onOneEngine('200: finds the link into a bank, with the script and without', async (service) => {
  const shop = await openBookshop(service)
  await addManyBanks(service)
  const links = { sbp: 'https://bank.example/?sum={amount}' }
  await service.context.transaction(async (tx) => {
    for (let bank = 0; bank < 20; bank++) await setBankGuide(tx, `more-${bank}`, { links, steps: {} })
  })
  const { path } = await createStatePage(shop, 'links')
  const banks = ({ body }: Answer): string[] =>
    [...body.matchAll(/href="https:\/\/bank\.example[^>]*>([^<]*)</g)].map(([, at]) => at)
  assert.deepEqual(banks(await send(service, `/en${path}`)), [], 'the bank of the payer is unknown')
  for (const accept of ['*/*', 'text/html']) {
    const found = await send(service, `/en${path}/banks?find=${encodeURIComponent('развитие 7')}`, {
      headers: { accept },
    })
    assert.deepEqual(banks(found), ['Банк «Промышленное развитие 7»'])
    assert.equal(/<h1>Open your bank/.test(found.body), accept === 'text/html')
    assert.match(found.body, /sum&#61;5000\.37/)
  }
  const none = await send(service, `/en${path}/banks?find=nowhere`, { headers: { accept: 'text/html' } })
  assert.match(none.body, /We have no link for this bank/)
  await shop.post('/payments/byOrderId/cancel', { orderId: 'order-links' })
  assert.equal((await send(service, `${path}/banks?find=x`)).headers.get('location'), path)
})

onOneEngine(
  '200: a static SBP link opens in the bank, is a code to scan, and replaces links into banks',
  async (service) => {
    const shop = await openBookshop(service)
    const operator = openOperator(service)
    const { path, requisiteId } = await createStatePage(shop, 'sbp', { bankIssuer: 'bank-a' })
    const sbpLink = `https://qr.nspk.ru/AS${'1'.repeat(30)}?type=01&bank=100000000111&crc=F3D0`
    const set = (link: string | null) =>
      operator.call('PATCH', `/requisites/${requisiteId}/recipient`, { sbpLink: link }).then(({ status }) => status)
    assert.match((await send(service, `/en${path}`)).body, /Open Сбербанк|Open <span lang="ru">Сбербанк/)
    assert.deepEqual([await set('https://qr.example/AS1'), await set(sbpLink)], [400, 200])
    const { body } = await send(service, `/en${path}`)
    const [, href] = /href="(https:\/\/qr[^"]*)"/.exec(body) ?? []
    assert.equal(href?.replaceAll('&#61;', '=').replaceAll('&#38;', '&'), sbpLink)
    assert.match(body, /Enter exactly RUB\u{a0}5,000\.37/u)
    assert.doesNotMatch(body, /bank\.example|payment-sbp\/link/)
    const code = async () => fetch(`${service.url}${path}/code`).then((answer) => answer.arrayBuffer())
    assert.deepEqual(Buffer.from(await code()), qrImage(sbpLink))
    assert.equal(await set(null), 200)
    assert.doesNotMatch((await send(service, `/en${path}`)).body, /nspk/)
  },
)

test('200: the demo shows the steps in a bank and a link that leads to nobody', async () => {
  const service = await openTestService(usualEngine(), { PAYIN_DEMO: 'on', NODE_ENV: 'development' })
  try {
    const headers = { authorization: `Bearer ${service.demoToken}`, 'content-type': 'application/json' }
    const order = { type: 'direct', amount: 1500, orderId: '1', currency: 'rub', method: 'sbp', bankIssuer: 'sberbank' }
    const made = await send(service, '/api/v1/merchant/payments', {
      ...{ method: 'POST', headers, body: JSON.stringify(order) },
    })
    const { body } = await send(service, `/en${new URL(made.body.redirectUrl).pathname}`)
    assert.match(body, /How to pay in Sberbank<\/h2>\s*<ol><li>Open “Payments”/)
    assert.match(body, /href="https:\/\/sberbank\.example\/[^"]*"[^>]*>Open Sberbank<\/a>/)
    // As the bank's app may have it, and as it is copied.
    assert.match(body, /<data value="Сбербанк" lang="ru">Sberbank \(Сбербанк\)<\/data>/)
  } finally {
    await service.stop()
  }
})
