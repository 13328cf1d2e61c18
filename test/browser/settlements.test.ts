// A settlement in a browser: a member of the merchant asks for it, operators approve it, the bank reports that it is paid.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { openBank } from '../support/bank.ts'
import { openBrowser } from '../support/browser.ts'
import { withoutBrowser } from '../support/chromium.ts'
import {
  addMember,
  buildConsole,
  consoleSettings,
  lookAtAll,
  lookNow,
  type Member,
  openConsole,
  operate,
} from '../support/console-page.ts'
import { growOlder } from '../support/console.ts'
import { openOperator } from '../support/operator.ts'
import { openTestService, type TestService, usualEngine } from '../support/service.ts'
import { payIn } from '../support/shop.ts'
import { mt940Of } from '../support/statement-files.ts'

describe('settlements in a browser', { skip: withoutBrowser() }, () => {
  let service: TestService
  let browser: Browser
  let bank: Awaited<ReturnType<typeof openBank>>
  let owner: Member
  let second: Member
  let member: Member

  before(async () => {
    await buildConsole()
    const settings = { ...(await consoleSettings()), PAYIN_DESTINATION_COOLING_HOURS: '0' }
    ;[service, browser] = await Promise.all([openTestService(usualEngine(), settings), openBrowser()])
    bank = await openBank(service, 'live', {
      name: 'Bookshop',
      settings: { quoteCurrency: 'rub' },
      hasRate: false,
    })
    const { merchantId } = bank.shop
    owner = await addMember(service, 'maria', 'owner')
    second = await addMember(service, 'pavel', 'owner')
    member = await addMember(service, 'olga', 'merchant', { merchantId, grant: 'write' })
    await bank.shop.create('book-7', { amount: 1500 })
    await payIn(service, { requisiteId: bank.requisiteId, minor: 1500_00n })
    await growOlder(service, 'maria', 'pavel')
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })

  test('a settlement goes from the portal by the console to the merchant', async () => {
    const { merchantId } = bank.shop
    const boris = openOperator(service, 'boris')
    const portal = await openConsole(service, browser, member, '/portal/settlements')
    await portal.page.getByRole('button', { name: 'Ask for a destination…' }).click()
    await portal.page.getByRole('combobox', { name: 'Kind' }).click()
    await portal.page.getByRole('option', { name: 'account in Russia' }).click()
    await portal.page.getByLabel(/^Address/).fill('40702810200000000001/044525225')
    await portal.page.getByLabel('Your name for it').fill('Shop account')
    await lookNow(portal.page, 'asking for a destination')
    await portal.page.getByRole('button', { name: 'Ask for it' }).click()
    await portal.page.getByText('Shop account').first().waitFor()

    const console = await openConsole(service, browser, owner, `/merchants/${merchantId}?tab=destinations`)
    const { page } = console
    await page.getByRole('button', { name: 'Approve…' }).click()
    await lookNow(page, 'taking up a destination')
    await page.getByRole('button', { name: 'Approve the destination' }).click()
    await page.getByText('taken up').first().waitFor()
    const [{ id: destinationId }] = (await bank.shop.get('/destinations')).body.destinations
    const approved = await operate(service, second, `/destinations/${merchantId}/${destinationId}/approve`, {})
    assert.equal(approved.status, 200, JSON.stringify(approved.body))

    await portal.page.reload()
    await portal.page.getByRole('button', { name: 'Ask for a settlement…' }).click()
    await portal.page.getByLabel('Amount in RUB').fill('1000')
    await portal.page.getByLabel('Reference').fill('June')
    await lookNow(portal.page, 'asking for a settlement')
    await portal.page.getByRole('button', { name: 'Ask for it' }).click()
    await portal.page.getByText('The settlement waits for the operator').waitFor()

    await page.goto(new URL('/console', page.url()).href)
    await page.getByRole('link', { name: /Settlements that merchants ask for/ }).click()
    await page.getByText('June').first().click()
    const drawer = page.getByRole('dialog')
    await drawer.getByRole('button', { name: 'Approve…' }).click()
    await lookNow(page, 'approving a settlement')
    await page.getByRole('button', { name: 'Approve the settlement' }).click()
    await drawer.getByText('by somebody other than').waitFor()
    const [{ id }] = (await bank.shop.get('/settlements')).body.settlements
    await lookAtAll(service, browser, owner, [[`/settlements?open=${merchantId}/${id}`, 'Payments in it']])
    await operate(service, second, `/settlements/${merchantId}/${id}/approve`, {})
    await drawer.getByText('approved', { exact: true }).first().waitFor()

    await bank.bringAgreed(mt940Of, [{ minor: -1000_00n, payer: 'Bookshop' }])
    const [sent] = (await boris.get('/outgoing?state=unexplained')).body.outgoing
    const book = { purpose: 'settlement', reason: 'June', merchantId, settlementId: id }
    for (const by of [openOperator(service, 'anna'), boris])
      await by.call('POST', `/outgoing/${sent.requisiteId}/${sent.id}/book`, book)
    await drawer.getByText('paid', { exact: true }).first().waitFor()
    await portal.page.getByText('paid', { exact: true }).first().waitFor()
    assert.deepEqual([...portal.faults, ...console.faults], [])
    await Promise.all([portal.close(), console.close()])

    await lookAtAll(service, browser, member, [
      ['/portal/settlements', 'Shop account'],
      [`/portal/settlements?open=${id}`, 'Payments in it'],
    ])
    await lookAtAll(service, browser, owner, [[`/merchants/${merchantId}?tab=destinations`, 'Shop account']])
  })
})
