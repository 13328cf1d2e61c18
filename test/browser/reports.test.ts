// Reports in a browser: an operator has them sent to a merchant, and the merchant opens one.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { axeFaults, openBrowser, overflow } from '../support/browser.ts'
import { withoutBrowser } from '../support/chromium.ts'
import {
  addMember,
  buildConsole,
  consoleSettings,
  desktop,
  lookAtAll,
  lookNow,
  openConsole,
  phone,
} from '../support/console-page.ts'
import { type MailServer, openMailServer } from '../support/mail-server.ts'
import { day } from '../../src/rules/time.ts'
import { openTestService, type TestService, usualEngine } from '../support/service.ts'
import { openShop, payIn, type Shop } from '../support/shop.ts'

describe('reports in a browser', { skip: withoutBrowser() }, () => {
  let mail: MailServer
  let service: TestService
  let browser: Browser
  let shop: Shop

  before(async () => {
    await buildConsole()
    mail = await openMailServer()
    const settings = { ...(await consoleSettings()), PAYIN_SMTP_URL: mail.url }
    ;[service, browser] = await Promise.all([openTestService(usualEngine(), settings), openBrowser()])
    shop = await openShop(service, { name: 'Bookshop', terms: { feePpm: 10_000 } })
    const { body } = await shop.create('book-7', { amount: 1500 })
    await payIn(service, { requisiteId: body.card.id, minor: 1500_00n })
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
    await mail?.[Symbol.asyncDispose]()
  })

  test('an operator sets whom reports are sent to, and sees that they are sent', async () => {
    const owner = await addMember(service, 'maria', 'owner')
    const path = `/merchants/${shop.merchantId}`
    const { page, faults, close } = await openConsole(service, browser, owner, path)
    await page.getByRole('button', { name: 'Reports…' }).click()
    await page.getByRole('combobox', { name: 'Report by e-mail' }).click()
    await page.getByRole('option', { name: 'Each day' }).click()
    await page.getByLabel('Addresses').fill('books@shop.example\nowner@shop.example')
    await lookNow(page, 'setting reports')
    await page.getByRole('button', { name: 'Save the settings' }).click()
    await page.getByText('Each day: books@shop.example, owner@shop.example').waitFor()
    await close()
    assert.deepEqual(faults, [])
    service.clock.advance(day)
    await service.runJobs()
    assert.deepEqual(mail.mails[0]?.to, ['books@shop.example', 'owner@shop.example'])
    // The session has ended meanwhile.
    await lookAtAll(service, browser, await addMember(service, 'pavel', 'owner'), [[path, 'Last report']])
  })

  test('the merchant opens the report of a month on a phone and a desktop, light and dark', async () => {
    const member = await addMember(service, 'olga', 'merchant', { merchantId: shop.merchantId, grant: 'read' })
    const portal = await openConsole(service, browser, member, '/portal/balance')
    const opened = portal.page.waitForEvent('popup')
    await portal.page.getByRole('link', { name: 'Report', exact: true }).click()
    const page = await opened
    await page.getByText('Opening balance').waitFor()
    for (const [size, viewport] of Object.entries({ phone, desktop }))
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize(viewport)
        await page.emulateMedia({ colorScheme })
        assert.deepEqual(await axeFaults(page), [], `${size} ${colorScheme}`)
        assert.ok((await overflow(page)) <= 0, `${size} ${colorScheme}`)
      }
    await portal.close()
    assert.deepEqual(portal.faults, [])
  })
})
