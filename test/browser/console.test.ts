// The console of operators, in a browser, on a service with data.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { axeFaults, openBrowser, openPage } from '../support/browser.ts'
import { withoutBrowser } from '../support/chromium.ts'
import {
  addMember,
  buildConsole,
  consoleSettings,
  desktop,
  lookAtAll,
  type Member,
  openConsole,
  openSignedIn,
} from '../support/console-page.ts'
import { openOperator } from '../support/operator.ts'
import { openTestService, type TestService, usualEngine } from '../support/service.ts'
import { openShop, type Shop } from '../support/shop.ts'

describe('the console', { skip: withoutBrowser() }, () => {
  let service: TestService
  let browser: Browser
  let shop: Shop
  let owner: Member

  before(async () => {
    await buildConsole()
    ;[service, browser] = await Promise.all([openTestService(usualEngine(), await consoleSettings()), openBrowser()])
    owner = await addMember(service, 'maria', 'owner')
    shop = await openShop(service, { name: 'Bookshop' })
    await openShop(service, { name: 'Playground', mode: 'sandbox', perMethod: 0 })
    await shop.create('order-1', { amount: 5000.37, userId: 'reader-1' })
    await shop.create('order-2', { amount: 12_000, method: 'card-to-card' })
    // Its payer pays twice, the second time another amount.
    const created = await shop.create('order-3', { amount: 4900 })
    const operator = openOperator(service)
    for (const amount of [4900, 3000]) {
      const transfer = { requisiteId: created.body.card.id, amount, currency: 'rub', sender: '+79991234567' }
      const bookedAt = new Date(service.clock.now).toISOString()
      await operator.call('POST', '/transfers', { transfers: [{ ...transfer, bookedAt }] })
    }
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })

  const open = (path: string, options: BrowserContextOptions = {}) =>
    openConsole(service, browser, owner, path, options)

  test('every page is free of faults, on a phone and a desktop, in both themes', async () => {
    const pages = [
      ['/', 'How far payments get'],
      ['/?of=sandbox&within=30d', 'Your first payment will be here'],
      ['/endpoints', 'Every endpoint answers'],
      ['/payments', 'order-2'],
      ['/matching', '1 waiting'],
    ] as const
    await lookAtAll(service, browser, owner, pages)
  })

  test('the overview says what became of the payments of a time, and each figure lists them', async () => {
    const { page, faults, close } = await open('/')
    const tile = (name: string) => page.getByLabel('Figures').getByRole('link', { name: new RegExp(`^${name}`) })
    await tile('Created').getByText('3', { exact: true }).waitFor()
    // A trend ends with the current hour. In the first hour of a day there is none yet.
    const begun = await page.evaluate(() => new Date().getHours() + 1)
    const trend = await tile('Created')
      .locator('polyline')
      .evaluateAll((all) => all.map((each) => each.getAttribute('points')))
    assert.equal(trend[0]?.split(' ').length ?? 1, begun)
    await tile('Credited').getByText('4\u202f900.00').waitFor()
    await page.getByText('2 went no further').waitFor()
    await page.getByText('30 days').click()
    await page.getByText('By the day of creation').waitFor()
    await tile('Paid').click()
    await page.getByText('order-3').waitFor()
    assert.equal(await page.getByText('order-1').count(), 0)
    assert.match(page.url(), /within=30d&status=paid/)
    await page.goBack()
    await page.getByRole('link', { name: 'card-to-card' }).click()
    await page.getByText('order-2').waitFor()
    assert.equal(await page.getByText('order-3').count(), 0)
    assert.deepEqual(faults, [])
    await close()
  })

  test('a payment is found by filters in the address and opened by keys', async () => {
    const { page, faults, close } = await open('/payments?status=new')
    await page.getByText('order-2').waitFor()
    assert.equal(await page.getByText('order-3').count(), 0)
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    const drawer = page.getByRole('dialog')
    await drawer.getByText('What happened').waitFor()
    assert.match(page.url(), /status=new&open=/)
    await drawer.getByLabel('Note', { exact: true }).fill('The payer will call')
    await drawer.getByRole('button', { name: 'Add' }).click()
    await drawer.getByRole('listitem').filter({ hasText: 'The payer will call' }).waitFor()
    assert.deepEqual(await axeFaults(page), [])
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    assert.deepEqual(faults, [])
    await close()
  })

  test('an odd transfer is matched by keys, and the decision is undone by another', async () => {
    const operator = openOperator(service)
    const waiting = async () => (await operator.get('/transfers?unmatched=true')).body.transfers.length
    const { page, faults, close } = await open('/matching')
    await page.getByText('What assigning it does').waitFor()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('the payment is paid, with another amount').waitFor()
    await dialog.getByText('stays so').waitFor()
    await dialog.getByText('You can undo it with').waitFor()
    const decided = page.waitForResponse((response) => response.url().endsWith('/transfers/decide'))
    await page.keyboard.press('Enter')
    await page.getByText('Everything is matched').waitFor()
    await decided
    assert.equal(await waiting(), 0)
    assert.equal((await operator.get('/transfers?kind=overpayment')).body.transfers[0].orderId, 'order-3')
    await page.keyboard.press('u')
    await page.getByText('1 transfer back in the queue').waitFor()
    await page.getByText('What assigning it does').waitFor()
    assert.equal(await waiting(), 1)
    // Parked by two keys: the usual reason is filled in.
    await page.keyboard.press('p')
    await page.getByRole('dialog').waitFor()
    assert.deepEqual(await axeFaults(page), [])
    await page.keyboard.press('Enter')
    await page.getByText('Everything is matched').waitFor()
    await page.getByText('Parked', { exact: true }).click()
    await page.getByText(/parked by maria: Look at it later/).waitFor()
    await page.locator('dd', { hasText: 'Look at it later' }).waitFor()
    await page.getByText('1 waiting, 1 of them parked').waitFor()
    // A share gets what the others leave by one button.
    await page.keyboard.press('s')
    const split = page.getByRole('dialog')
    await split
      .getByText(/Bookshop · 4.900\.00.RUB/)
      .first()
      .waitFor()
    await split.getByRole('button', { name: 'The rest to order-3' }).click()
    assert.equal(await split.getByLabel('order-3', { exact: true }).inputValue(), '3000')
    await split.getByText(/^0\.00.RUB stays in the queue/).waitFor()
    await page.keyboard.press('Escape')
    // A narrow screen shows the queue or what was opened from it, never a list inside a list.
    await page.setViewportSize({ width: 375, height: 740 })
    await page.getByRole('option').waitFor()
    assert.equal(await page.getByText('What assigning it does').isVisible(), false)
    await page.getByRole('option').click()
    await page.getByText('What assigning it does').waitFor()
    assert.equal(await page.getByRole('option').isVisible(), false)
    assert.deepEqual(await axeFaults(page), [])
    await page.getByRole('button', { name: 'Back to the queue' }).click()
    await page.getByRole('option').waitFor()
    assert.deepEqual(faults, [])
    await close()
  })

  test("a colleague's decision is told to whoever comes too late", async () => {
    const operator = openOperator(service)
    const { body } = await shop.create('order-4', { amount: 6200 })
    const bookedAt = new Date(service.clock.now).toISOString()
    const requisiteId = body.card.id
    const record = async (amount: number): Promise<string> => {
      const money = { requisiteId, amount, currency: 'rub', sender: '+79991234567', bookedAt }
      return (await operator.call('POST', '/transfers', { transfers: [money] })).body.transfers[0].id
    }
    await record(6200)
    const id = await record(3100)
    const { page, close } = await open(`/matching?requisiteId=${requisiteId}&amount=3100`)
    await page.getByText('What assigning it does').waitFor()
    await page.keyboard.press('.')
    const shares = [{ merchantId: shop.merchantId, paymentId: body.payment.id }]
    await operator.call('POST', `/transfers/${requisiteId}/${id}/assign`, { shares })
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText(/assigned to order-4 by operator, \d\d:\d\d/).waitFor()
    await close()
  })

  test('the search box leads from an order, an amount or digits of a phone to the payment, and from a name to its page', async () => {
    // The words of what was written are indexed when it is some seconds old.
    service.clock.advance(3000)
    await service.runJobs('all')
    const { page, faults, close } = await open('/')
    await page.getByText('Needs attention').waitFor()
    for (const [typed, result, order] of [
      ['order-1', 'order-1', 'order-1'],
      ['5000.37', 'order-1', 'order-1'],
      ['4567', /4.900/, 'order-3'],
      ['+7 999 123-45-67', /4.900/, 'order-3'],
    ] as const) {
      await page.keyboard.press('/')
      await page.keyboard.type(typed)
      const option = page.getByRole('option').filter({ hasText: result }).first()
      await option.waitFor()
      if (typed === 'order-1') {
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          assert.deepEqual(await axeFaults(page), [], `results, ${colorScheme}`)
        }
        await page.emulateMedia({ colorScheme: 'light' })
      }
      if (typed.startsWith('order')) await page.keyboard.press('Enter')
      else await option.click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('What happened').waitFor()
      await dialog.getByText(order).filter({ visible: true }).first().waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    }
    // A day narrows the search, or lists what it has.
    const box = page.getByRole('textbox', { name: 'Search' })
    for (const [typed, shown] of [
      ['order-1 today', /^“order-1” of /],
      ['today', /^Everything of /],
    ] as const) {
      await box.fill(typed)
      await page.getByText(shown).waitFor()
      await page.getByRole('option').filter({ hasText: 'order-1' }).first().waitFor()
    }
    await box.fill('order-1 yesterday')
    await page.getByText(/^Nothing has “order-1” on that day/).waitFor()
    await box.fill('')
    await page.keyboard.press('Escape')
    await page.keyboard.press('/')
    await page.keyboard.type('Bookshop')
    await page.getByRole('option', { name: /^merchant/ }).click()
    await page.getByText('Owed to the merchant').waitFor()
    assert.deepEqual(faults, [])
    await close()
  })

  test('Enter waits for the results of what was typed: those of half a word are not opened', async () => {
    await service.runJobs('all')
    const { page, faults, close } = await open('/')
    await page.getByText('Needs attention').waitFor()
    await page.route(/\/search\?.*q=order-1/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 400))
      await route.continue()
    })
    await page.keyboard.press('/')
    await page.keyboard.type('order')
    const options = page.getByRole('option')
    await options.filter({ hasText: 'order-2' }).first().waitFor()
    assert.doesNotMatch((await options.first().textContent()) ?? '', /order-1/)
    await page.keyboard.type('-1')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('What happened').waitFor()
    await dialog.getByText('order-1').filter({ visible: true }).first().waitFor()
    assert.deepEqual(faults, [])
    await close()
  })

  test('whoever is not signed in sees nothing but the sign-in page', async () => {
    const { page, faults, close } = await openPage(browser, { viewport: desktop })
    await page.goto(`${service.url}/console/payments`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    assert.equal(await page.getByRole('navigation').count(), 0)
    assert.deepEqual(await axeFaults(page), [])
    assert.deepEqual(faults, [])
    await close()
  })

  test('deep links answer the page, which is never kept; its files are kept for ever and come compressed', async () => {
    const page = await fetch(`${service.url}/console/payments`)
    const html = await page.text()
    const policy = page.headers.get('content-security-policy') ?? ''
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? ''
    assert.equal(page.headers.get('cache-control'), 'no-store')
    assert.ok(nonce.length >= 24 && html.includes(nonce))
    assert.doesNotMatch(policy, /unsafe|\*/)
    assert.doesNotMatch(await (await fetch(`${service.url}/console/`)).text(), new RegExp(RegExp.escape(nonce)))
    const source = /\/console\/assets\/[\w-]+\.js/.exec(html)?.[0] ?? ''
    for (const coding of ['br', 'gzip', 'identity']) {
      const file = await fetch(service.url + source, { headers: { 'accept-encoding': coding } })
      assert.equal(file.headers.get('content-encoding') ?? 'identity', coding)
      assert.match(file.headers.get('cache-control') ?? '', /immutable/)
      assert.match(await file.text(), /^import|^var|^const|^function|^\(/)
    }
    for (const path of ['/console/assets/none.js', '/console/favicon.ico', '/console/assets/..%2Findex.html']) {
      assert.equal((await fetch(service.url + path)).status, 404, path)
    }
  })

  test('a second build finds nothing to do', async () => {
    assert.match(await buildConsole(), /up to date/)
  })

  test('the first load is at most 250 kB, and the budget is printed', async (t) => {
    const { page, close } = await openSignedIn(service, browser, owner)
    const sizes = new Map<string, number>()
    page.on('response', (response) => {
      if (response.url().includes('/console/assets/'))
        sizes.set(response.url(), Number(response.headers()['content-length'] ?? 0))
    })
    const sum = (): number => sizes.values().reduce((total, size) => total + size, 0)
    const kB = (bytes: number): string => `${(bytes / 1000).toFixed(0)} kB`
    const url = `${service.context.settings.publicUrl}/console`
    await page.goto(`${url}/`)
    await page.getByText('Needs attention').waitFor()
    const bytes = sum()
    const interactive = await page.evaluate<number>("performance.getEntriesByType('navigation')[0].domInteractive")
    // Each page adds what it alone needs, once.
    let largest = { path: '', bytes: 0 }
    for (const path of ['/payments', '/matching', '/rates', `/merchants/${shop.merchantId}`]) {
      const loaded = sum()
      await page.goto(url + path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      if (sum() - loaded > largest.bytes) largest = { path, bytes: sum() - loaded }
    }
    const startedAt = performance.now()
    await page.goto(`${url}/payments`)
    await page.getByRole('row').filter({ hasText: 'order-1' }).waitFor()
    const row = performance.now() - startedAt
    t.diagnostic(
      `first load ${kB(bytes)} of 250 kB; most for a page ${kB(largest.bytes)} (${largest.path.replace(shop.merchantId, '…')}); ` +
        `interactive ${interactive.toFixed(0)} ms, first row ${row.toFixed(0)} ms`,
    )
    assert.ok(bytes > 50_000 && bytes <= 250_000, `${bytes} bytes`)
    assert.ok(largest.bytes <= 250_000, `${largest.path} adds ${largest.bytes} bytes`)
    await close()
  })
})
