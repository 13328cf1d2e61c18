// Behaviour that needs a browser: the countdown, no connection at its end, other time zones, keys.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { minute } from '../../src/rules/time.ts'
import { axeFaults, openBrowser, openPage } from '../support/browser.ts'
import { withoutBrowser } from '../support/chromium.ts'
import { addManyBanks, createStatePage, openBookshop, sendForm } from '../support/page-states.ts'
import { openTestService, type TestService, usualEngine } from '../support/service.ts'
import { payIn, type Shop } from '../support/shop.ts'

const sees = (page: Page, heading: string): Promise<void> => page.getByRole('heading', { name: heading }).waitFor()

describe('time and forms', { skip: withoutBrowser() }, () => {
  let service: TestService
  let browser: Browser
  let shop: Shop

  before(async () => {
    service = await openTestService(usualEngine())
    ;[browser, shop] = await Promise.all([openBrowser(), openBookshop(service)])
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })

  test('without a connection the page stops asking for money when the time is over', async () => {
    const pay = await createStatePage(shop, 'off')
    const part = await createStatePage(shop, 'off-part')
    await payIn(service, { requisiteId: part.requisiteId, minor: 200_000n, reference: 'off-part' })
    const checking = await createStatePage(shop, 'off-checking')
    await sendForm(service, `${checking.path}/claim`, {})
    for (const [path, heading] of [
      [pay.path, 'Don’t send money to these details'],
      [part.path, 'Don’t send any more money'],
      [checking.path, 'Looking for your transfer'],
    ] as const) {
      const { page, close } = await openPage(browser)
      await page.clock.install()
      await page.goto(`${service.url}/en${path}`)
      await page.context().setOffline(true)
      await page.clock.runFor(31 * minute)
      await sees(page, heading)
      assert.equal(await page.locator('[data-copy]').count(), 0)
      assert.equal(await page.getByRole('button', { name: 'I’ve sent it' }).count(), 0)
      assert.deepEqual(await axeFaults(page), [])
      await close()
    }
  })

  test('a change in the same state keeps the chosen file and the opened sections', async () => {
    const made = await createStatePage(shop, 'file')
    await sendForm(service, `${made.path}/claim`, {})
    const { page, close } = await openPage(browser)
    await page.goto(`${service.url}/en${made.path}`)
    await page.getByText('Attach your bank’s receipt').click()
    await page.locator('#receipt').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('x') })
    service.clock.advance(31 * minute)
    await page.evaluate("dispatchEvent(new Event('online'))")
    await page.getByText('don’t send it now').waitFor()
    assert.equal(await page.evaluate("document.querySelector('#receipt').files.length"), 1)
    assert.equal(await page.evaluate("document.querySelector('#receipt').closest('details').open"), true)
    await close()
  })

  test('a change in the same state leaves the focus where it was', async () => {
    const made = await createStatePage(shop, 'focus')
    const { page, close } = await openPage(browser)
    await page.goto(`${service.url}/en${made.path}`)
    for (const name of ['Copy the number', 'I’ve sent it']) {
      await page.getByRole('button', { name }).focus()
      await page.evaluate("document.querySelector('main').dataset.tag = 'old'; dispatchEvent(new Event('online'))")
      await page.locator('main:not([data-tag="old"])').waitFor()
      assert.equal(await page.getByRole('button', { name }).and(page.locator(':focus')).count(), 1, name)
    }
    await close()
  })

  test("a page from the browser's cache updates when it is shown again, and its forms can be sent", async () => {
    const made = await createStatePage(shop, 'kept')
    const { page, close } = await openPage(browser)
    // Neither stream nor clock, as while the page was in the browser's cache.
    await page.route('**/events', (route) => route.abort())
    await page.clock.install()
    await page.goto(`${service.url}/en${made.path}`)
    await page.evaluate("document.forms[0].dataset.sent = 'yes'")
    const show = (persisted: boolean) =>
      page.evaluate(`dispatchEvent(new PageTransitionEvent('pageshow', { persisted: ${persisted} }))`)
    await show(false)
    assert.equal(await page.locator('form[data-sent]').count(), 1)
    await show(true)
    assert.equal(await page.locator('form[data-sent]').count(), 0)
    await payIn(service, { requisiteId: made.requisiteId, minor: 500_037n, reference: 'kept' })
    await sees(page, 'Transfer the exact amount')
    await show(true)
    await sees(page, 'Paid')
    await close()
  })

  test("the form for the payer's details disappears when the time is over, even without a connection", async () => {
    const made = await createStatePage(shop, 'details-over', { type: 'staged' })
    const { page, close } = await openPage(browser)
    await page.clock.install()
    await page.goto(`${service.url}/en${made.path}`)
    await page.getByLabel('Your phone number').fill('8 912 345-67-89')
    await page.context().setOffline(true)
    await page.clock.runFor(31 * minute)
    await sees(page, 'The time to pay has run out')
    assert.equal(await page.locator('form').count(), 0)
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1')
    assert.deepEqual(await axeFaults(page), [])
    await close()
  })

  test('the first wrong field has the focus', async () => {
    const made = await createStatePage(shop, 'wrong')
    service.clock.advance(31 * minute)
    const { page, close } = await openPage(browser, { viewport: { width: 375, height: 667 } })
    await page.goto(`${service.url}/en${made.path}`)
    await page.getByText('I’ve already paid').click()
    await page.getByLabel('How much did you send?').fill('five')
    await page.getByLabel('When did you send it?').fill(new Date(service.clock.now).toISOString().slice(0, 16))
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Enter the amount in digits').waitFor()
    assert.equal(await page.evaluate('document.activeElement.id'), 'amount')
    assert.equal(await page.title(), 'Error · Don’t send money to these details · Payment to Книжный двор')
    await close()
  })

  test('Enter in the search of banks chooses the only one found, sends nothing, and a change keeps it', async () => {
    await addManyBanks(service)
    const made = await createStatePage(shop, 'enter', { type: 'staged' })
    const { page, close } = await openPage(browser)
    await page.goto(`${service.url}/en${made.path}`)
    await page.getByLabel('Your phone number').fill('8 912 345-67-89')
    const search = page.getByPlaceholder('Find your bank')
    const none = page.locator('.tiles .hint', { hasText: 'We couldn’t find that bank' })
    await search.fill('nowhere')
    await none.waitFor()
    assert.equal(await page.getByRole('radio').count(), 1)
    await search.fill('альфа')
    await search.press('Enter')
    const found = page.getByRole('radio', { name: 'Альфа-Банк' })
    await found.and(page.locator(':checked')).waitFor()
    assert.equal(await page.locator('#said').textContent(), 'Альфа-Банк, Another bank')
    // A change of the payment discards nothing of it.
    await search.focus()
    await page.evaluate("document.querySelector('main').dataset.tag = 'old'; dispatchEvent(new Event('online'))")
    await page.locator('main:not([data-tag="old"])').waitFor()
    assert.equal(await page.evaluate('document.activeElement.id'), 'find')
    assert.deepEqual([await search.inputValue(), await found.isChecked()], ['альфа', true])
    assert.equal(await page.getByLabel('Your phone number').inputValue(), '8 912 345-67-89')
    await sees(page, 'Who is paying?')
    await close()
  })

  test('a payer in another time zone can say when it paid', async () => {
    const made = await createStatePage(shop, 'zone')
    service.clock.advance(31 * minute)
    const { page, close } = await openPage(browser, { timezoneId: 'Asia/Vladivostok' })
    await page.clock.setFixedTime(service.clock.now)
    await page.goto(`${service.url}/en${made.path}`)
    await page.getByText('I’ve already paid').click()
    // The payer's clock: seven hours ahead of the account's.
    const now = new Date(service.clock.now + 10 * 60 * minute).toISOString().slice(0, 16)
    assert.equal(await page.getByLabel('When did you send it?').inputValue(), now)
    await page.getByRole('button', { name: 'Send' }).click()
    await sees(page, 'We’re looking for your transfer')
    await close()
  })

  test('without JavaScript, Back, a reload, two presses and a file that is too large all lead to the page', async () => {
    const made = await createStatePage(shop, 'plain', { type: 'staged', method: 'card-to-card', sbpEnabled: true })
    const { page, close } = await openPage(browser, { javaScriptEnabled: false })
    await page.goto(`${service.url}/en${made.path}`)
    await page.getByLabel('Your phone number').fill('12')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('This phone number isn’t complete').waitFor()
    await page.reload()
    await sees(page, 'Who is paying?')
    await page.getByLabel('Your phone number').fill('8 912 345-67-89')
    await page.getByRole('button', { name: 'Continue' }).dblclick()
    await sees(page, 'Transfer the exact amount')
    await page.goBack()
    await sees(page, 'Transfer the exact amount')
    await page.getByRole('button', { name: 'I’ve sent it' }).dblclick()
    await sees(page, 'Looking for your transfer')
    await page.goBack()
    await sees(page, 'Looking for your transfer')
    await page.getByText('Attach your bank’s receipt').click()
    const buffer = Buffer.alloc(6_000_000)
    await page.locator('#receipt').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer })
    await page.getByRole('button', { name: 'Send the receipt' }).click()
    await page.getByText('This file is larger than 5 MB').waitFor()
    await close()
  })

  test('the next step follows the payer, mistakes are undone in place, and a form waits for the connection', async () => {
    // Its form has a field that is called as a property of forms.
    const made = await createStatePage(shop, 'undo', { type: 'staged', method: 'card-to-card', sbpEnabled: true })
    const { page, faults, close } = await openPage(browser)
    await page.goto(`${service.url}/en${made.path}`)
    await page.getByLabel('Your phone number').fill('12')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('This phone number isn’t complete').waitFor()
    await page.context().setOffline(true)
    await page.locator('.live', { hasText: 'You’re offline' }).waitFor()
    await page.getByLabel('Your phone number').fill('+7 912 345-67-89')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.locator('#unsent', { hasText: 'You’re offline' }).waitFor()
    assert.equal(await page.locator('.live').isVisible(), false, 'it is said once')
    await page.context().setOffline(false)
    await sees(page, 'Transfer the exact amount')
    assert.equal(await page.locator('#said').textContent(), '')
    await page.getByRole('link', { name: 'Change' }).click()
    await sees(page, 'Change your details')
    assert.deepEqual(await axeFaults(page), [])
    await page.getByLabel('Your phone number').fill('+7 912 000-00-01')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('••• 00 01'.replaceAll(' ', '\u{a0}')).waitFor()
    assert.equal(new URL(page.url()).pathname, `/en${made.path}`)
    assert.equal(await page.locator('button.main').count(), 0)
    await page.getByRole('button', { name: 'Copy the number' }).click()
    await page.locator('button.main', { hasText: 'I’ve sent it' }).waitFor()
    await page.getByRole('link', { name: 'Cancel this payment' }).click()
    await sees(page, 'Cancel this payment?')
    assert.deepEqual(await axeFaults(page), [])
    await page.getByRole('button', { name: 'Yes, cancel it' }).click()
    await sees(page, 'You canceled this payment')
    await page.goBack()
    await sees(page, 'You canceled this payment')
    assert.deepEqual(faults, [])
    await close()
  })
})
