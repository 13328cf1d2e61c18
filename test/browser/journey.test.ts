// The payer's journey in real Chromium: with and without JavaScript, away and back, twice, too late.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Locator, Page } from 'playwright-core'
import { minute } from '../../src/rules/time.ts'
import { findPaymentById } from '../../src/engine/payments/read.ts'
import { axeFaults, openBrowser, openPage } from '../support/browser.ts'
import { withoutBrowser } from '../support/chromium.ts'
import { openPlace } from '../support/cluster.ts'
import { addManyBanks, createStatePage, openBookshop, sendForm } from '../support/page-states.ts'
import { freePort, startProcess } from '../support/process.ts'
import { assertHealthy, openTestService, type TestService, usualEngine } from '../support/service.ts'
import { creditOf, openPhone } from '../support/phones.ts'
import { payIn, send, type Shop } from '../support/shop.ts'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
)

const sees = (page: Page, heading: string): Promise<void> => page.getByRole('heading', { name: heading }).waitFor()

describe("the payer's journey", { skip: withoutBrowser() }, () => {
  let service: TestService
  let browser: Browser
  let shop: Shop

  before(async () => {
    service = await openTestService(usualEngine())
    ;[browser, shop] = await Promise.all([openBrowser(), openBookshop(service)])
    await addManyBanks(service)
  })
  after(async () => {
    await browser?.close()
    await service?.runJobs()
    await assertHealthy(service)
    await service?.stop()
  })

  const open = async (path: string, options: Parameters<typeof openPage>[1] = {}) => {
    const opened = await openPage(browser, options)
    await opened.page.goto(`${service.url}/en${path}`)
    return opened
  }
  const stored = (id: string) => findPaymentById(service.context, shop.merchantId, id)

  for (const [app, method] of [
    ['smsgate', 'sbp'],
    ['sms-webhook', 'card-to-card'],
    ['smsforwarder', 'sbp'],
    ['other', 'card-to-card'],
  ] as const) {
    test(`${method}: the page shows that it is paid as soon as ${app} forwards the bank's message`, async () => {
      const made = await createStatePage(shop, app, { method })
      const phone = await openPhone(service, [made.requisiteId], { app })
      const { page, close } = await open(made.path)
      await sees(page, 'Transfer the exact amount')
      assert.equal((await phone.inOwnForm(creditOf(service, 5000.37, 6000.37))).status, 200)
      await sees(page, 'Paid')
      await close()
    })
  }

  test('a payer without JavaScript pays by a payment link, once', async () => {
    const { body: link } = await shop.post('/links', { title: 'Pottery course', currency: 'rub', minAmount: 200 })
    const { pathname } = new URL(link.url)
    const { page, faults, close } = await open(pathname, { javaScriptEnabled: false })
    await sees(page, 'Pottery course')
    await page.getByLabel('How much would you like to pay?').fill('12')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('This is too little: the smallest amount is').waitFor()
    assert.equal(await page.getByLabel('How much would you like to pay?').inputValue(), '12')
    await page.getByLabel('How much would you like to pay?').fill('1 300,50')
    await page.getByLabel('By card number').check()
    await page.getByRole('button', { name: 'Continue' }).click()
    await sees(page, 'Who is paying?')
    const first = page.url()
    // Somebody else, in a browser of their own.
    const other = await open(pathname)
    await sees(other.page, 'Somebody is already paying')
    assert.deepEqual(await axeFaults(other.page), [])
    await other.close()
    await page.getByLabel('Your phone number').fill('+79123456789')
    await page.getByRole('button', { name: 'Continue' }).click()
    await sees(page, 'Transfer the exact amount')
    assert.equal(page.url(), first)
    const [payment] = (await shop.get(`/payments?linkId=${link.id}`)).body.payments
    assert.deepEqual([payment.amount, payment.method], [1300.5, 'card-to-card'])
    const requisiteId = (await stored(payment.id))?.requisiteId ?? assert.fail('no payment')
    await payIn(service, { requisiteId, minor: 1300_50n })
    await page.reload()
    await sees(page, 'Paid')
    await page.goto(`${service.url}/en${pathname}`)
    await sees(page, 'This has been paid')
    assert.deepEqual(faults, [])
    await close()
  })

  test('copy buttons put what machines read into the clipboard', async () => {
    const { path } = await createStatePage(shop, 'copy', { bankIssuer: 'bank-a' })
    const { page, faults, close } = await open(path, { permissions: ['clipboard-read', 'clipboard-write'] })
    const number = (await page.getByRole('button', { name: 'Copy the number' }).getAttribute('data-copy')) ?? ''
    assert.match(number, /^\+7999\d{7}$/)
    for (const [name, value] of [
      ['amount', '5000.37'],
      ['number', number],
      ['bank', 'Сбербанк'],
    ] as const) {
      await page.getByRole('button', { name: `Copy the ${name}` }).click()
      await page.locator('#said', { hasText: 'Copied' }).waitFor({ state: 'attached' })
      assert.equal(await page.evaluate('navigator.clipboard.readText()'), value)
    }
    assert.deepEqual(faults, [])
    await close()
  })

  test('where the clipboard is closed to a page, copy buttons fill it all the same', async () => {
    const { path } = await createStatePage(shop, 'copy-closed')
    const { page, faults, close } = await openPage(browser, { permissions: ['clipboard-read'] })
    // As without https, and in a frame that may not write.
    await page.addInitScript('navigator.clipboard.writeText = undefined')
    await page.goto(`${service.url}/en${path}`)
    await page.getByRole('button', { name: 'Copy the amount' }).click()
    await page.locator('#said', { hasText: 'Copied' }).waitFor({ state: 'attached' })
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), '5000.37')
    assert.deepEqual(faults, [])
    await close()
  })

  test('a large photo of a receipt is made smaller before it is sent, with its progress', async () => {
    const made = await createStatePage(shop, 'photo')
    await sendForm(service, `${made.path}/claim`, {})
    const { page, faults, close } = await open(made.path)
    await page.getByText('Attach your bank’s receipt').click()
    // Noise: a photo of more than 5 MB.
    const chosen = await page.evaluate<number>(`(async () => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 2400, height: 1200 })
      const picture = canvas.getContext('2d').createImageData(2400, 1200)
      for (let at = 0; at < picture.data.length; at += 65536) crypto.getRandomValues(picture.data.subarray(at, at + 65536))
      canvas.getContext('2d').putImageData(picture, 0, 0)
      const photo = await new Promise((done) => canvas.toBlob(done))
      const list = new DataTransfer()
      list.items.add(new File([photo], 'photo.png', { type: photo.type }))
      const field = document.querySelector('#receipt')
      field.files = list.files
      field.dispatchEvent(new Event('change', { bubbles: true }))
      return photo.size
    })()`)
    assert.ok(chosen > 5_242_880, `${chosen}`)
    const nameOfFile = () => page.evaluate<string>("document.querySelector('#receipt').files[0].name")
    while ((await nameOfFile()) !== 'receipt.jpg') await page.waitForTimeout(50)
    assert.equal(await page.locator('.wrong').count(), 0)
    const answered = Promise.withResolvers<void>()
    await page.route('**/receipt', async (route) => {
      await answered.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Send the receipt' }).click()
    await page.locator('progress').waitFor()
    assert.deepEqual(await axeFaults(page), [])
    answered.resolve()
    await page.getByText('We have your receipt.').waitFor()
    assert.equal(await page.locator('progress').count(), 0)
    assert.deepEqual(faults, [])
    await close()
  })

  for (const javaScriptEnabled of [true, false]) {
    test(`a staged payment from the phone to the receipt, JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
      const name = `staged-${javaScriptEnabled}`
      const made = await createStatePage(shop, name, { type: 'staged', method: 'card-to-card', sbpEnabled: true })
      const { page, faults, close } = await open(made.path, { javaScriptEnabled })
      const refresh = () =>
        javaScriptEnabled ? undefined : page.getByRole('link', { name: 'Check the status' }).click()
      await sees(page, 'Who is paying?')
      await page.getByLabel('Your phone number').fill('912 345')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByText('This phone number isn’t complete').waitFor()
      if (javaScriptEnabled) assert.deepEqual(await axeFaults(page), [])
      await page.getByLabel('Your phone number').fill('8 912 345-67-89')
      await page.getByRole('radio', { name: 'By phone number (SBP)' }).check()
      assert.equal(await page.getByText('Альфа-Банк').count(), 0, 'only those where the shop has accounts')
      const search = page.getByPlaceholder('Find your bank')
      await search.fill('развитие')
      if (!javaScriptEnabled) {
        await page.getByRole('button', { name: 'Continue' }).click()
        await page.getByText('Several banks match that name').waitFor()
        assert.equal(await page.getByLabel('Your phone number').inputValue(), '8 912 345-67-89')
        assert.equal(await page.getByRole('radio', { name: 'By phone number (SBP)' }).isChecked(), true)
      }
      const tile = page.getByRole('radio', { name: 'Банк «Промышленное развитие 1»' })
      await tile.check()
      if (javaScriptEnabled) {
        await search.fill('альфабанк')
        await page.getByRole('radio', { name: 'Альфа-Банк' }).waitFor()
        assert.equal(await tile.isChecked(), true, 'the choice stays')
        assert.deepEqual(await axeFaults(page), [])
      }
      await page.getByRole('button', { name: 'Continue' }).click()
      await sees(page, 'Transfer the exact amount')
      await page.getByText('Enter the phone number', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'I’ve sent it' }).click()
      await sees(page, 'Looking for your transfer')
      const { requisiteId, payerBank } = (await stored(made.id)) ?? { requisiteId: '' }
      assert.equal(payerBank, 'more-1')
      await payIn(service, { requisiteId, minor: 200_000n, reference: `${name}-1` })
      await refresh()
      await sees(page, 'Part of the amount has arrived')
      await payIn(service, { requisiteId, minor: 300_037n, reference: `${name}-2` })
      await refresh()
      await sees(page, 'Paid')
      await page.getByRole('link', { name: 'Receipt' }).click()
      await sees(page, 'Receipt')
      await page.getByText('•••• 6789').waitFor()
      await page.getByRole('link', { name: 'Back to the payment' }).click()
      const back = page.getByRole('link', { name: 'Back to Книжный двор' })
      assert.equal(await back.getAttribute('href'), 'https://shop.example/orders/1')
      assert.deepEqual(faults, [])
      await close()
    })
  }

  test('the heading has the focus when the state changes, and screen readers announce five minutes and one', async () => {
    const made = await createStatePage(shop, 'focus')
    const { page, close } = await openPage(browser)
    await page.clock.install()
    await page.goto(`${service.url}/en${made.path}`)
    const said = page.locator('#said')
    await page.clock.runFor(24 * minute)
    assert.equal(await said.textContent(), '')
    await page.clock.runFor(minute + 1000)
    assert.equal(await said.textContent(), '5 minutes left to pay')
    await page.clock.runFor(4 * minute)
    assert.equal(await said.textContent(), '1 minute left to pay')
    await payIn(service, { requisiteId: made.requisiteId, minor: 500_037n })
    await sees(page, 'Paid')
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1')
    await close()
  })

  test('a hidden page sends no requests, and shows what happened when it comes back', async () => {
    const made = await createStatePage(shop, 'hidden')
    const { page, close } = await open(made.path)
    await page.locator('.live').waitFor()
    const show = (hidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${hidden} });
        document.dispatchEvent(new Event('visibilitychange'))`)
    await show(true)
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await payIn(service, { requisiteId: made.requisiteId, minor: 500_037n })
    await page.waitForTimeout(300)
    assert.deepEqual(asked, [])
    await sees(page, 'Transfer the exact amount')
    await show(false)
    await sees(page, 'Paid')
    await close()
  })

  test('two tabs stay in step', async () => {
    const made = await createStatePage(shop, 'tabs', { type: 'staged' })
    const first = await open(made.path)
    const second = await first.page.context().newPage()
    await second.goto(`${service.url}/ru${made.path}`)
    await first.page.getByLabel('Your phone number').fill('+7 912 345 67 89')
    await first.page.getByRole('button', { name: 'Continue' }).click()
    await sees(first.page, 'Transfer the exact amount')
    await sees(second, 'Переведите точную сумму')
    await second.getByRole('button', { name: 'Перевод отправлен' }).click()
    await sees(first.page, 'Looking for your transfer')
    await first.close()
  })

  test('pressing twice sends a form once', async () => {
    const made = await createStatePage(shop, 'twice')
    const { page, close } = await open(made.path)
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()))
    await page.getByRole('button', { name: 'I’ve sent it' }).dblclick()
    await sees(page, 'Looking for your transfer')
    assert.equal(sent.length, 1)
    assert.equal((await stored(made.id))?.sequence, 2)
    await close()
  })

  test('the payer of an expired payment is warned and claims to have paid, with a receipt', async () => {
    const made = await createStatePage(shop, 'late')
    service.clock.advance(31 * minute)
    await service.runJobs()
    const { page, faults, close } = await open(made.path)
    await sees(page, 'Don’t send money to these details')
    assert.equal(await page.locator('[data-copy]').count(), 0)
    await page.getByText('I’ve already paid').click()
    await page.getByLabel('When did you send it?').fill(new Date(service.clock.now).toISOString().slice(0, 16))
    await page.getByLabel('How much did you send?').fill('five')
    const file = page.getByLabel('Receipt from your bank')
    await file.setInputFiles({ name: 'receipt.png', mimeType: 'image/png', buffer: Buffer.from('<html>') })
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Enter the amount in digits').waitFor()
    await page.getByText('can’t open this type of file').waitFor()
    assert.deepEqual(await axeFaults(page), [])
    await page.getByLabel('How much did you send?').fill('5 000,37')
    await file.setInputFiles({ name: 'receipt.png', mimeType: 'image/png', buffer: png })
    await page.getByRole('button', { name: 'Send' }).click()
    await sees(page, 'We’re looking for your transfer')
    await page.getByText('We have your receipt.').waitFor()
    assert.deepEqual(faults, [])
    await payIn(service, { requisiteId: made.requisiteId, minor: 500_037n })
    await sees(page, 'Paid')
    await close()
  })
})

test('a page survives a restart of the service and shows what happened', { skip: withoutBrowser() }, async () => {
  const place = await openPlace(usualEngine())
  const port = String(await freePort())
  const settings = { ...place.environment, PORT: port, PAYIN_LOG_LEVEL: 'silent' }
  const url = `http://127.0.0.1:${port}`
  let running = await startProcess(settings)
  const browser = await openBrowser()
  try {
    const [token] = /payin_test_\w+/.exec(running.output()) ?? []
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const order = { type: 'direct', amount: 1500, orderId: '1', currency: 'rub', method: 'sbp', locale: 'en' }
    const body = JSON.stringify(order)
    const made = await send({ url }, '/api/v1/merchant/payments', { method: 'POST', headers, body })
    const { page, close } = await openPage(browser)
    // The page waits longer after each failure: its clock is turned on until it has looked again.
    await page.clock.install()
    const seesLater = async (shown: Locator): Promise<void> => {
      for (let turns = 0; turns < 60 && !(await shown.isVisible()); turns++) {
        await page.clock.fastForward(5000)
        await shown.waitFor({ timeout: 500 }).catch(() => undefined)
      }
      assert.ok(await shown.isVisible())
    }
    await page.goto(url + new URL(made.body.redirectUrl).pathname)
    await sees(page, 'Transfer the exact amount')
    assert.equal(await running.end('SIGTERM'), 0, 'open streams do not delay the end')
    await seesLater(page.locator('.live', { hasText: 'You’re offline' }))
    running = await startProcess(settings)
    const paid = await send({ url }, '/api/v1/sandbox/payments/byOrderId/1/simulate', {
      method: 'POST',
      headers,
      body: JSON.stringify({ event: 'paid' }),
    })
    assert.equal(paid.status, 202)
    await seesLater(page.getByRole('heading', { name: 'Paid' }))
    await close()
  } finally {
    await browser.close()
    await running.end('SIGKILL')
    await place.drop()
  }
})
