// What goes wrong, and who looks after it, in the console: disputes, owed money, alerts, risk, audit, health, the own account.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { axeFaults, openBrowser } from '../support/browser.ts'
import { withoutBrowser } from '../support/chromium.ts'
import {
  addMember,
  buildConsole,
  consoleSettings,
  lookAt,
  lookNow,
  type Member,
  openConsole,
} from '../support/console-page.ts'
import { type Court, openCourt } from '../support/disputes.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { payIn } from '../support/shop.ts'

/** A picture of a receipt: files of a dispute are shown as pictures, and the smallest PNG of other tests is none. */
const receiptPicture = async (browser: Browser): Promise<Buffer> => {
  const page = await browser.newPage({ viewport: { width: 420, height: 300 } })
  await page.setContent(
    '<body style="font:18px sans-serif;padding:24px"><h2>Bank A</h2><p>5 000.00 RUB sent</p><p>by card •••• 4567</p>',
  )
  const picture = await page.screenshot({ type: 'png' })
  await page.close()
  return picture
}

describe('the console about cases', { skip: withoutBrowser() }, () => {
  let service: TestService
  let browser: Browser
  let court: Court
  let owner: Member
  let operator: Member
  /** Where the payer of order-1 was to pay. */
  let requisiteId: string

  before(async () => {
    await buildConsole()
    const settings = { ...(await consoleSettings()), PAYIN_TRUST_PROXY: '127.0.0.1' }
    ;[service, browser] = await Promise.all([openTestService('embedded', settings), openBrowser()])
    owner = await addMember(service, 'clara', 'owner')
    operator = await addMember(service, 'otto', 'operator')
    court = await openCourt(service, { name: 'Bookshop' })
    ;({ requisiteId } = await court.create('order-1'))
    for (const order of ['order-2', 'order-3', 'order-4']) await court.create(order)
    await court.expire()
    const note = 'The payer sent us a screenshot of its bank'
    for (const order of ['order-1', 'order-2', 'order-3', 'order-4']) {
      assert.equal((await court.claim(order, { reason: 'paid-not-credited', note })).status, 201)
    }
    await court.upload('order-1', await receiptPicture(browser))
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })

  const open = (path: string, member = owner, options: BrowserContextOptions = {}) =>
    openConsole(service, browser, member, path, options)
  const dispute = async (orderId: string) => (await court.dispute(orderId)).body
  const openDrawer = async (page: Page, row: string | RegExp) => {
    await page.getByRole('row').filter({ hasText: row }).click()
    return page.getByRole('dialog')
  }

  test('a dispute is read with its files, asked about and accepted with the money of the inbox', async () => {
    await payIn(service, { requisiteId, minor: 1200_00n, senderName: 'Olga P.' })
    await lookAt(service, browser, owner, '/disputes', 'order-2')
    const { page, faults, close } = await open('/disputes', operator)
    const drawer = await openDrawer(page, 'order-1')
    await drawer.getByRole('button', { name: 'Show' }).click()
    await drawer.getByRole('img', { name: /that merchant sent/ }).waitFor()
    const isShown =
      'document.querySelector(".sent-file img").complete && document.querySelector(".sent-file img").naturalWidth > 0'
    await page.waitForFunction(isShown)
    await lookNow(page, 'dispute')
    await drawer.getByRole('button', { name: 'Ask for more…' }).click()
    await page.getByLabel('What is missing').fill('At what time was it sent?')
    await page.getByRole('button', { name: 'Ask the merchant' }).click()
    await drawer.getByText('Asked for more').waitFor()
    const asked = (await dispute('order-1')).history.at(-1)
    assert.deepEqual([asked.kind, asked.note], ['asked', 'At what time was it sent?'])

    await drawer.getByRole('button', { name: 'Accept…' }).click()
    const dialog = page.getByRole('dialog', { name: /Accept the claim/ })
    await dialog.getByText('no money covers this amount').waitFor()
    await dialog.getByLabel('Money of the inbox').click()
    await page.getByRole('option', { name: /1.200.00 RUB from O/ }).click()
    await dialog.getByText('no money covers this amount').waitFor({ state: 'detached' })
    await dialog.getByText('fx · rub').first().waitFor()
    await dialog.getByLabel('Why').fill('Found it in the inbox')
    await lookNow(page, 'dispute accept')
    await dialog.getByRole('button', { name: 'Accept the claim' }).click()
    await drawer.getByText('accepted', { exact: true }).waitFor()
    assert.equal(await court.shop.status('order-1'), 'disput-paid')
    assert.equal((await dispute('order-1')).finalAmount, 1200)
    assert.deepEqual(faults, [])
    await close()
  })

  test('an amount without money takes a second person; several claims are decided at once, each with its result', async () => {
    const { body } = await court.anna.get('/disputes?state=undecided')
    const { id } = body.disputes.find(({ orderId }: { orderId: string }) => orderId === 'order-2')
    await court.step('decision', id, { decision: 'accept' })
    const { page, faults, close } = await open('/disputes', operator)
    await page.getByText('missing, after anna').waitFor()
    const drawer = await openDrawer(page, 'order-2')
    await drawer.getByText('A second person has to confirm it: you may.').waitFor()
    await drawer.getByRole('button', { name: 'Confirm…' }).click()
    await page
      .getByRole('dialog', { name: /Confirm/ })
      .getByText('corrections')
      .waitFor()
    await page.getByRole('button', { name: 'Confirm the amount' }).click()
    await drawer.getByText('accepted', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })

    for (const order of ['order-3', 'order-4']) await page.getByLabel(`Select ${order}`).check()
    await page.getByRole('button', { name: 'Decide 2 disputes…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Decide 2 disputes' })
    await dialog.getByText('possible').nth(1).waitFor()
    await dialog.getByLabel('Why').fill('No such money')
    await lookNow(page, 'disputes bulk')
    await dialog.getByRole('button', { name: 'Reject 2 disputes' }).click()
    await dialog.getByText('done').nth(1).waitFor()
    assert.deepEqual(await Promise.all(['order-3', 'order-4'].map((order) => court.shop.status(order))), [
      'expired',
      'expired',
    ])
    assert.deepEqual(await axeFaults(page), [])
    assert.deepEqual(faults, [])
    await close()
  })
})
