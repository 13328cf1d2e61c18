// What the page says: the amounts that arrived and counted, and what to do next in every case.
import assert from 'node:assert/strict'
import { locales } from '../../src/http/payment-page/languages.ts'
import { minute } from '../../src/rules/time.ts'
import { acceptReview, createEveryState, createStatePage, openBookshop, sendForm } from '../support/page-states.ts'
import { onOneEngine, type TestService } from '../support/service.ts'
import { payIn, send } from '../support/shop.ts'

const show = async (service: TestService, path: string): Promise<string> =>
  (await send(service, `/en${path}`)).body.replaceAll('\u{a0}', ' ')

onOneEngine('200: says what arrived and what was credited, also within the tolerance', async (service) => {
  const shop = await openBookshop(service, { terms: { toleranceMinor: 5000n } })
  const near = await createStatePage(shop, 'near')
  await payIn(service, { requisiteId: near.requisiteId, minor: 496_000n, reference: 'near' })
  assert.equal(await shop.status(near.orderId), 'paid')
  const page = await show(service, near.path)
  assert.match(page, /We’ve received RUB 4,960\.00, and your order of RUB 5,000\.37 counts as paid in full/)
  const receipt = await show(service, `${near.path}/receipt`)
  assert.match(receipt, /Received<\/span> <b class="big">RUB 4,960\.00/)
  assert.match(receipt, /Order amount<\/dt><dd>RUB 5,000\.37/)
  const exact = await createStatePage(shop, 'exact')
  await payIn(service, { requisiteId: exact.requisiteId, minor: 500_037n, reference: 'exact' })
  assert.match(await show(service, exact.path), /We’ve received RUB 5,000\.37\. You’re all set/)
  assert.doesNotMatch(await show(service, `${exact.path}/receipt`), /Order amount/)
})

onOneEngine('200: says that staff have credited the money', async (service) => {
  const shop = await openBookshop(service, { terms: { mismatchPolicy: 'review' } })
  const made = await createStatePage(shop, 'decided')
  await payIn(service, { requisiteId: made.requisiteId, minor: 550_000n })
  assert.match(await show(service, made.path), /Your payment is under review/)
  await acceptReview(service, shop, made.id)
  const page = await show(service, made.path)
  assert.match(page, /Credited RUB 5,500\.00/)
  assert.match(page, /The order was for RUB 5,000\.37\. Our staff checked the payment and credited RUB 5,500\.00/)
  const receipt = await show(service, `${made.path}/receipt`)
  assert.match(receipt, /Received<\/span> <b class="big">RUB 5,500\.00/)
})

onOneEngine('200: shows no check mark where less than the order was credited', async (service) => {
  const shop = await openBookshop(service)
  for (const [name, minor, sign] of [
    ['less', 450_000n, 'part'],
    ['more', 550_000n, 'done'],
  ] as const) {
    const made = await createStatePage(shop, name)
    await payIn(service, { requisiteId: made.requisiteId, minor, reference: name })
    if (name === 'less') {
      service.clock.advance(46 * minute)
      await service.runJobs()
    }
    const page = await show(service, made.path)
    assert.match(page, /Credited RUB [45],500\.00/)
    assert.match(page, new RegExp(`<svg class="icon icon-${sign}"`))
    assert.match(await show(service, `${made.path}/receipt`), /Order amount<\/dt><dd>RUB 5,000\.37/)
  }
})

onOneEngine('200: a payment order has every field of its bank, and nobody else sees a family name', async (service) => {
  const copied = (page: string) => [...page.matchAll(/data-copy="([^"]*)"/g)].map((match) => match[1])
  const shop = await openBookshop(service, { holder: 'Петров Иван Сергеевич' })
  const account = await createStatePage(shop, 'account', { method: 'account-to-account', bankIssuer: 'bank-a' })
  const [, holder, number, ...others] = copied(await show(service, account.path))
  assert.deepEqual(
    [holder, ...others],
    ['Петров Иван Сергеевич', 'Сбербанк', '044525225', '30101810400000000225', 'Payment for order order-account'],
  )
  assert.match(number ?? '', /^\d{20}$/)
  const whole = await createStatePage(shop, 'whole', { method: 'account-to-account', bankIssuer: 'bank-d' })
  const page = await show(service, whole.path)
  assert.deepEqual(copied(page).slice(2, 4), ['1234567894', '770001001'])
  assert.match(page, /30101810800000000123/)
  assert.match(await (await fetch(`${service.url}/ru${whole.path}`)).text(), /Оплата заказа order-whole/)
  for (const [method, more] of [
    ['sbp', {}],
    ['card-to-card', {}],
    ['by-phone', { transferScope: 'international' }],
  ] as const) {
    const { path } = await createStatePage(shop, method, { method, ...more })
    const shown = await show(service, path)
    assert.match(shown, />Иван П\.</)
    assert.doesNotMatch(shown, /Петров|Сергеевич/)
    const { body } = await shop.get(`/payments/byOrderId/order-${method}`)
    assert.doesNotMatch(JSON.stringify(body), /Петров|Иван/)
  }
})

onOneEngine('200: a transfer abroad names the country and the number as it is dialled there', async (service) => {
  const shop = await openBookshop(service)
  const fields = { method: 'by-phone', transferScope: 'international', bankIssuer: 'bank-u' }
  const { path } = await createStatePage(shop, 'abroad', fields)
  const page = await show(service, path)
  const labels = [...page.matchAll(/<dt>([^<]*)</g)].map((match) => match[1])
  assert.deepEqual(labels, [
    'Choose the country',
    'Enter the number, country code +998',
    'Choose the bank',
    'Enter the amount',
    'Check the recipient’s name',
  ])
  assert.match(page, />Uzbekistan</)
  assert.match(page, /data-copy="\+99890\d{7}"/)
  assert.match(page, /<data value="\+99890\d{7}">90 \d{3} \d\d \d\d</)
  assert.match(page, /exactly RUB\s5,000\.37 must arrive/)
})

onOneEngine(
  '303, 422: whatever form an old page or another tab sends leads to the page in its state',
  async (service) => {
    const pages = (await createEveryState(service)).filter(({ path }) => path.endsWith('/payment-sbp'))
    for (const { name, path } of pages.filter((page) => page.name !== 'unknown')) {
      for (const form of ['details', 'change', 'method', 'claim', 'receipt', 'paid', 'cancel']) {
        const isUpload = form === 'receipt' || form === 'paid'
        const answer = await sendForm(service, `${path}/${form}`, isUpload ? new FormData() : {})
        assert.ok([303, 422].includes(answer.status), `${form} of ${name}: ${answer.status}`)
        if (answer.status === 303) assert.equal(answer.headers.get('location'), path)
        const { status, headers } = await send(service, `${path}/${form}`)
        assert.ok(status === 200 || headers.get('location') === path, `${form} of ${name}: ${status}`)
        assert.equal((await send(service, path)).status, 200)
      }
    }
  },
)

onOneEngine('200: the page of languages is in the language of the page, and links to each', async (service) => {
  const { path } = await createStatePage(await openBookshop(service), 'languages')
  const page = await show(service, `${path}/languages`)
  assert.match(page, /<title>Language · .*<h1>Language<\/h1>/s)
  const links = [...page.matchAll(/<a href="([^"]*)" lang="(\w\w)"/g)].map(([, href, lang]) => [href, lang])
  assert.deepEqual(
    links,
    locales.map((locale) => [`/${locale}${path}`, locale]),
  )
})

onOneEngine('200: the title of a page begins with its state, or says that something is wrong', async (service) => {
  const shop = await openBookshop(service)
  const made = await createStatePage(shop, 'title', { type: 'staged' })
  assert.match(await show(service, made.path), /<title>Who is paying\? · Payment to Книжный двор</)
  const wrong = await sendForm(service, `/en${made.path}/details`, { phone: '12', bank: '' })
  assert.match(wrong.body, /<title>Error · Who is paying\? · Payment to/)
})

onOneEngine('409: says that the chosen SBP has no free account', async (service) => {
  const shop = await openBookshop(service, { perMethod: 1 })
  await createStatePage(shop, 'taken', { method: 'sbp' })
  const made = await createStatePage(shop, 'card', { type: 'staged', method: 'card-to-card', sbpEnabled: true })
  const form = { phone: '+79123456789', name: 'Ivan P.', bank: '', method: 'sbp' }
  const answer = await sendForm(service, `/en${made.path}/details`, form)
  assert.equal(answer.status, 409)
  assert.match(answer.body, /role="alert">“By phone number \(SBP\)” isn’t available right now/)
  assert.match(answer.body, /<dt>Enter the card number/)
})

onOneEngine('200: every case says what to do next', async (service) => {
  const shop = await openBookshop(service)
  const part = await createStatePage(shop, 'part')
  await payIn(service, { requisiteId: part.requisiteId, minor: 200_000n, reference: 'part' })
  const rest = await show(service, part.path)
  assert.doesNotMatch(rest, /I’ve sent it/)
  assert.match(rest, /Without the rest, your order isn’t paid in full/)
  assert.match(rest, /href="https:\/\/shop\.example\/orders\/1"/)
  const checking = await createStatePage(shop, 'checking')
  await sendForm(service, `${checking.path}/claim`, {})
  assert.doesNotMatch(await show(service, checking.path), /don’t send it now/)
  assert.match(await show(service, checking.path), /Pay by \d\d:\d\d \(UTC\+3\)/)
  const canceled = await createStatePage(shop, 'canceled')
  await shop.post('/payments/byOrderId/cancel', { orderId: canceled.orderId })
  const form = new FormData()
  form.set('amount', '5000.37')
  form.set('paidAt', new Date(service.clock.now + 170 * minute).toISOString().slice(0, 16))
  assert.equal((await sendForm(service, `${canceled.path}/paid`, form)).status, 303)
  assert.match(await show(service, canceled.path), /the transfer can’t be matched automatically/)
  service.clock.advance(31 * minute)
  assert.match(await show(service, checking.path), /If you haven’t sent the money yet, don’t send it now/)
})
