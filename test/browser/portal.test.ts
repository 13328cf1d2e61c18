// The portal of a merchant's members, in a browser: from the link of an invitation to a dispute and an event sent again.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { hour } from '../../src/rules/time.ts'
import { axeFaults, openBrowser, openPage } from '../support/browser.ts'
import { withoutBrowser } from '../support/chromium.ts'
import { codeOf } from '../support/console.ts'
import {
  addMember,
  buildConsole,
  consoleSettings,
  desktop,
  lookAtAll,
  type Member,
  lookNow,
  memberPassword,
  openConsole,
} from '../support/console-page.ts'
import { openOperator } from '../support/operator.ts'
import { openReceiver, type Receiver } from '../support/receiver.ts'
import { openTestService, type TestService, usualEngine } from '../support/service.ts'
import { sendForm } from '../support/page-states.ts'
import { openShop, payIn, send, type Shop } from '../support/shop.ts'

describe('the portal of a merchant', { skip: withoutBrowser() }, () => {
  let service: TestService
  let browser: Browser
  let shop: Shop
  let owner: Member
  let receiver: Receiver
  let linkId: string

  before(async () => {
    await buildConsole()
    receiver = await openReceiver()
    const settings = { ...(await consoleSettings()), PAYIN_NOTIFICATION_LOOPBACK: 'on' }
    ;[service, browser] = await Promise.all([openTestService(usualEngine(), settings), openBrowser()])
    shop = await openShop(service, { name: 'Bookshop', mode: 'sandbox' })
    const other = await openShop(service, { name: 'Toyshop' })
    await other.create('toy-1')
    await shop.post('/endpoints', { url: `${receiver.url}/hook`, description: 'shop server' })
    await shop.create('book-expired', { amount: 1200 })
    service.clock.advance(hour)
    await service.runJobs()
    owner = await addMember(service, 'maria', 'owner')
    const paid = await shop.create('book-paid', { amount: 5000.37, userId: 'reader-1' })
    await payIn(service, { requisiteId: paid.body.card.id, minor: 5000_37n })
    await shop.create('book-open', { amount: 700, method: 'card-to-card' })
    const link = { title: 'Pottery course', description: 'Eight evenings in March', amount: 900, currency: 'rub' }
    const opened = await shop.post('/links', { ...link, method: 'sbp', uses: 'many', maxUses: 20 })
    linkId = opened.body.id
    // A payer starts a payment by it.
    const path = `/en${new URL(opened.body.url).pathname}`
    const [, seat = ''] = /name="visit" value="([\w-]+)"/.exec((await send(service, path)).body) ?? []
    assert.equal((await sendForm(service, path, { visit: seat })).status, 303)
    await shop.simulate('book-paid', { event: 'settled' })
    await service.runJobs()
  })
  after(async () => {
    await browser?.close()
    await receiver?.[Symbol.asyncDispose]()
    await service?.stop()
  })

  const enterCode = async (page: Page, key: string, button: string, steps = 0): Promise<void> => {
    await page.getByLabel('Code of your authenticator').fill(codeOf(`otpauth://totp/x?secret=${key}`, steps))
    await page.getByRole('button', { name: button }).click()
  }

  /** Invites somebody to the Bookshop on the page of the team; gives the link. */
  const invite = async (): Promise<string> => {
    const { page, faults, close } = await openConsole(service, browser, owner, '/team')
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByLabel('Short name').fill('olga')
    await page.getByLabel('E-mail address').fill('olga@example.com')
    await page.getByLabel('Role').first().click()
    await page.getByRole('option', { name: 'merchant' }).click()
    await page.getByLabel('Merchant').first().click()
    await page.getByRole('option', { name: 'Bookshop' }).click()
    await page.getByLabel('May').first().click()
    await page.getByRole('option', { name: /change/ }).click()
    assert.deepEqual(await axeFaults(page), [])
    await page.getByRole('button', { name: 'Make the link' }).click()
    const link = await page.locator('.one-time-link code').textContent()
    assert.deepEqual(faults, [])
    await close()
    return link ?? ''
  }

  test('somebody who is invited sees the own merchant only, opens a dispute and sends an event again', async () => {
    const link = await invite()
    const { page, faults, close } = await openPage(browser, { viewport: desktop })
    await page.goto(link)
    await page.getByLabel('Choose a password').fill(memberPassword)
    await page.getByRole('button', { name: 'Set the password' }).click()
    await page.getByRole('button', { name: 'Set up' }).click()
    const key = (await page.locator('.copy-text code').first().textContent()) ?? ''
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await enterCode(page, key, 'Finish')

    await page.getByText('Latest payments').waitFor()
    assert.match(page.url(), /\/console\/portal$/)
    await page.getByText('Bookshop').first().waitFor()
    await page.getByRole('link', { name: /Not acknowledged/ }).waitFor()
    assert.ok(!asked.includes('/api/v1/operator/overview'), "the operators' overview was opened first")

    await page.getByRole('link', { name: 'Payments', exact: true }).first().click()
    await page.getByText('book-expired').waitFor()
    assert.equal(await page.getByText('toy-1').count(), 0)
    await page.getByText('book-expired').click()
    const drawer = page.getByRole('dialog')
    await drawer.getByRole('button', { name: 'The payer has paid…' }).click()
    await page.getByLabel('Note for the operator').fill('The payer sent a receipt')
    assert.deepEqual(await axeFaults(page), [])
    await page.getByRole('button', { name: 'Open the dispute' }).click()
    await page.getByText('The operator decides by').waitFor()
    assert.equal(await shop.status('book-expired'), 'disput')
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Add a receipt…' }).click()
    const png = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')
    await (await chooser).setFiles({ name: 'receipt.png', mimeType: 'image/png', buffer: png })
    await page.getByText('Files: 1').waitFor()
    await page.keyboard.press('Escape')

    await page.getByRole('link', { name: 'Notifications', exact: true }).first().click()
    await page.getByRole('row', { name: /payment\.paid/ }).click()
    const sentBefore = receiver.calls.length
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('The event is sent again').waitFor()
    await service.runJobs()
    assert.ok(receiver.calls.length > sentBefore)
    const audit = await openOperator(service).lastAudit()
    assert.deepEqual([audit.actor, audit.action], ['member:olga', 'endpoint.redeliver'])

    await page.goto(`${service.context.settings.publicUrl}/console/team`)
    await page.getByText('There is no such page').waitFor()
    assert.deepEqual(faults, [])
    await close()
  })

  test('a payment link is created, given to payers and closed; who only reads does none of it', async () => {
    const member = await addMember(service, 'linda', 'merchant', { merchantId: shop.merchantId, grant: 'write' })
    const { page, faults, close } = await openConsole(service, browser, member, '/portal/links')
    await page.getByRole('button', { name: 'Create a link…' }).click()
    const form = page.getByRole('dialog')
    const create = form.getByRole('button', { name: 'Create the link' })
    await form.getByLabel('What is paid for').fill('Donation')
    assert.equal(await create.isDisabled(), true)
    await form.getByText('The payer enters it').click()
    await form.getByLabel('From').fill('1')
    await form.getByLabel('Up to').fill('2500.5')
    await form.getByText('For many').click()
    await form.getByLabel('At most').fill('30')
    await form.getByLabel('Ends').fill('2030-06-01T18:00')
    await lookNow(page, 'portal create-link')
    await create.click()
    await form.getByText(/minAmount/).waitFor()
    await form.getByLabel('From').fill('150')
    await create.click()
    await form.getByText('The link is ready').waitFor()
    await form.getByRole('img', { name: 'QR code of the payment link' }).waitFor()
    await lookNow(page, 'portal created-link')
    const url = await form.locator('.copy-text code').textContent()
    const [made] = (await shop.get('/links')).body.links
    assert.deepEqual(
      [made.url, made.title, made.minAmount, made.maxAmount, made.maxUses, made.createdBy],
      [url, 'Donation', 150, 2500.5, 30, 'linda'],
    )
    assert.equal(made.endsAt, await page.evaluate("new Date('2030-06-01T18:00').toISOString()"))
    await form.getByRole('button', { name: 'Close', exact: true }).click()

    await page.getByRole('row', { name: /Donation/ }).click()
    await page.getByText('Nobody has started a payment from it yet.').waitFor()
    await page.getByRole('button', { name: 'Close the link…' }).click()
    await page.getByRole('button', { name: 'Close the link', exact: true }).click()
    await page.getByText('The link is closed').waitFor()
    await page.getByRole('button', { name: 'Close the link…' }).waitFor({ state: 'detached' })
    assert.equal((await shop.get(`/links/${made.id}`)).body.state, 'closed')
    await page.keyboard.press('Escape')

    await page.getByRole('row', { name: /Pottery course/ }).click()
    await page.getByRole('link', { name: 'All payments of the link' }).click()
    await page.getByText(/^link-/).click()
    await page.getByRole('link', { name: 'From which the payer started it' }).click()
    await page.getByRole('dialog', { name: 'Pottery course' }).waitFor()
    assert.deepEqual(faults, [])
    await close()

    const reader = await addMember(service, 'rita', 'merchant', { merchantId: shop.merchantId })
    const reading = await openConsole(service, browser, reader, `/portal/links?open=${linkId}`)
    await reading.page.getByRole('button', { name: 'Copy the link' }).waitFor()
    assert.equal(await reading.page.getByRole('button', { name: /Create a link|Close the link/ }).count(), 0)
    await reading.close()
  })

  test('every page is free of faults, on a phone and a desktop, in both themes', async () => {
    const member = await addMember(service, 'petra', 'merchant', { merchantId: shop.merchantId, grant: 'write' })
    const pages = [
      ['/portal', 'Latest payments'],
      ['/portal/payments', 'book-open'],
      ['/portal/payments?open=book-paid', 'What happened'],
      ['/portal/links', 'Pottery course'],
      [`/portal/links?open=${linkId}`, 'All payments of the link'],
      [`/portal/payments?linkId=${linkId}`, '1 shown'],
      ['/portal/notifications', 'payment.paid'],
      ['/portal/requests', 'createPayment'],
      ['/portal/balance', 'Payment credited'],
      ['/portal/settlements', 'simulated-'],
      ['/account', 'member of Bookshop'],
    ] as const
    await lookAtAll(service, browser, member, pages)
  })

  test('a merchant without anything sees what will be where', async () => {
    const empty = await openShop(service, { name: 'New Shop', perMethod: 0 })
    const member = await addMember(service, 'newcomer', 'merchant', { merchantId: empty.merchantId })
    const pages = [
      ['/portal', 'No payments yet'],
      ['/portal/payments', 'No payments yet'],
      ['/portal/links', 'No payment links yet'],
      ['/portal/notifications', 'Your shop is not notified yet'],
      ['/portal/requests', 'No requests yet'],
      ['/portal/balance', 'Nothing has moved yet'],
      ['/portal/settlements', 'Nothing was paid out yet'],
    ] as const
    await lookAtAll(service, browser, member, pages)
  })

  test('a page shows what is new within seconds by its stream, not while paused, and by asking without a stream', async () => {
    const member = await addMember(service, 'quick', 'merchant', { merchantId: shop.merchantId })
    const { page, faults, close } = await openConsole(service, browser, member, '/portal/payments')
    await page.getByText('book-open').waitFor()
    let asked = 0
    page.on('request', (request) => {
      if (/\/payments\?/.test(request.url())) asked++
    })
    // Without news the page would ask again after half a minute only.
    await shop.create('book-live')
    await page.getByText('book-live').waitFor()
    await page.getByRole('button', { name: 'Pause live updates' }).click()
    asked = 0
    await shop.create('book-paused')
    await page.waitForTimeout(3000)
    assert.equal(asked, 0)
    await page.getByRole('button', { name: 'Resume live updates' }).click()
    await page.getByText('book-paused').waitFor()
    assert.deepEqual(faults, [])
    await close()

    const without = await openConsole(service, browser, member, '/portal')
    await without.page.route('**/console/news', (route) => route.abort())
    await without.page.goto(`${service.context.settings.publicUrl}/console/portal/payments`)
    await without.page.getByText('book-paused').waitFor()
    await shop.create('book-asked')
    await without.page.getByText('book-asked').waitFor()
    await without.close()
  })
})
