// A refund in a browser: a member of the merchant asks for it, an operator approves and sends it, the bank reports it.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
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
} from '../support/console-page.ts'
import { openBank } from '../support/bank.ts'
import { openTestService, type TestService, usualEngine } from '../support/service.ts'
import { payIn } from '../support/shop.ts'
import { mt940Of } from '../support/statement-files.ts'

describe('refunds in a browser', { skip: withoutBrowser() }, () => {
  let service: TestService
  let browser: Browser
  let bank: Awaited<ReturnType<typeof openBank>>
  let owner: Member
  let member: Member

  before(async () => {
    await buildConsole()
    ;[service, browser] = await Promise.all([openTestService(usualEngine(), await consoleSettings()), openBrowser()])
    bank = await openBank(service, 'live', { name: 'Bookshop', terms: { feePpm: 0 } })
    owner = await addMember(service, 'maria', 'owner')
    member = await addMember(service, 'olga', 'merchant', { merchantId: bank.shop.merchantId, grant: 'write' })
    await bank.shop.create('book-7', { amount: 1500 })
    const payer = { sender: '40817810099910004312', senderName: 'Ivanov Ivan' }
    await payIn(service, { requisiteId: bank.requisiteId, minor: 1500_00n, ...payer })
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })

  test('a refund goes from the portal by the console to the payer', async () => {
    const portal = await openConsole(service, browser, member, '/portal/payments')
    await portal.page.getByText('book-7').click()
    await portal.page.getByRole('dialog').getByRole('button', { name: 'Refund…' }).click()
    await portal.page.getByLabel('Amount, in RUB').fill('400.50')
    await portal.page.getByLabel('Reason').fill('Returned goods')
    await lookNow(portal.page, 'asking for a refund')
    await portal.page.getByRole('button', { name: 'Ask for the refund' }).click()
    await portal.page.getByText('The refund of book-7 waits for the operator').waitFor()

    const console = await openConsole(service, browser, owner, '/')
    const { page } = console
    await page.getByRole('link', { name: /Refunds to approve/ }).click()
    await page.getByText('book-7').first().click()
    const drawer = page.getByRole('dialog')
    await drawer.getByRole('button', { name: 'Approve…' }).click()
    await lookNow(page, 'approving a refund')
    await page.getByRole('button', { name: 'Approve the refund' }).click()
    await drawer.getByRole('button', { name: 'Send…' }).click()
    await lookNow(page, 'sending a refund')
    await page.getByRole('button', { name: 'Record that it is sent' }).click()
    await drawer.getByText('sent', { exact: true }).first().waitFor()

    await bank.bringAgreed(mt940Of, [
      { minor: -400_50n, payer: 'Ivanov Ivan', payerAccount: '40817810099910004312', text: 'Refund book-7' },
    ])
    const { refunds } = (await bank.shop.get('/refunds')).body
    assert.deepEqual([refunds.length, refunds[0].status, refunds[0].amount], [1, 'done', 400.5])
    await drawer.getByText('done', { exact: true }).first().waitFor()
    assert.deepEqual([...portal.faults, ...console.faults], [])
    await Promise.all([portal.close(), console.close()])

    const key = `${bank.shop.merchantId}/${refunds[0].id}`
    await lookAtAll(service, browser, owner, [
      ['/refunds', 'book-7'],
      [`/refunds?open=${key}`, 'What happened'],
    ])
    await lookAtAll(service, browser, member, [['/portal/refunds', 'book-7']])
  })
})
