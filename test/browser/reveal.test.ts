// Masked numbers in the console: who may reveals one for a while, with a reason.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { openBrowser } from '../support/browser.ts'
import { withoutBrowser } from '../support/chromium.ts'
import {
  addMember,
  buildConsole,
  consoleSettings,
  lookNow,
  type Member,
  openConsole,
  phone,
} from '../support/console-page.ts'
import { openOperator, type Operator } from '../support/operator.ts'
import { openTestService, type TestService, usualEngine } from '../support/service.ts'
import { newNumber, openShop, payIn, type Shop } from '../support/shop.ts'

const reason = 'The bank asks for it'

describe('masked numbers in the console', { skip: withoutBrowser() }, () => {
  let service: TestService
  let browser: Browser
  let operator: Operator
  let shop: Shop
  let owner: Member

  before(async () => {
    await buildConsole()
    ;[service, browser] = await Promise.all([openTestService(usualEngine(), await consoleSettings()), openBrowser()])
    owner = await addMember(service, 'maria', 'owner')
    operator = openOperator(service)
    shop = await openShop(service, { name: 'Bookshop', perMethod: 1 })
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })

  const addAccount = async () => {
    const number = newNumber('account-to-account')
    const account = {
      method: 'account-to-account',
      currency: 'rub',
      bankIssuer: 'bank-a',
      holder: 'Ivan Petrov',
      number,
    }
    const { body } = await operator.call('POST', '/requisites', { requisites: [account] })
    return { number, id: String(body.ids[0]), masked: `•••• ${number.slice(-4)}` }
  }

  test('with the keyboard: a reason, the number for 30 seconds, and a button that hides it earlier', async () => {
    const { id, number, masked } = await addAccount()
    const { page, faults, close } = await openConsole(service, browser, owner, '/requisites')
    await page.clock.install()
    await page.goto(`${service.context.settings.publicUrl}/console/requisites?open=${id}`)
    const drawer = page.getByRole('dialog', { name: `bank-a ${masked}` })
    const reveal = page.getByRole('button', { name: 'Reveal the number of the requisite' })
    await reveal.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Reveal the number of the requisite' })
    // What is typed before it has the focus is lost.
    const focusedReason = dialog.getByLabel('Reason').and(page.locator(':focus'))
    await dialog.waitFor()
    assert.equal(await dialog.getByRole('button', { name: 'Reveal it' }).isDisabled(), true, 'not without a reason')
    await lookNow(page, 'revealing a number')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await drawer.isVisible(), true, 'the drawer stays open')

    await page.keyboard.press('Enter')
    await focusedReason.waitFor()
    await page.keyboard.type(reason)
    await page.keyboard.press('Enter')
    await page.getByText(number).waitFor()
    await dialog.waitFor({ state: 'detached' })
    const { action, subject, details } = await operator.lastAudit()
    assert.deepEqual([action, subject, details], ['requisite.reveal', `requisite:${id}`, { reason }])
    const focused = await page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert.equal(focused, 'Hide the number of the requisite', 'the focus is where it was')
    await lookNow(page, 'a revealed number')
    await page.clock.fastForward(20_000)
    assert.equal(await page.getByText(number).count(), 1)
    await page.clock.fastForward(10_000)
    await drawer.getByText(masked, { exact: true }).waitFor()
    assert.equal(await page.getByText(number).count(), 0)

    await page.keyboard.press('Enter')
    await focusedReason.waitFor()
    assert.equal(await dialog.getByLabel('Reason').inputValue(), '', 'each time with its own reason')
    await page.keyboard.type(reason)
    await page.keyboard.press('Enter')
    await page.getByText(number).waitFor()
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    await drawer.getByText(masked, { exact: true }).waitFor()
    assert.equal(await page.getByText(number).count(), 0)
    assert.deepEqual(faults, [])
    await close()
  })

  test('on a phone: the payer and the sender of a payment, and the sender of money that waits', async () => {
    const [sender, stranger] = ['79265550102', '40817810099910004321']
    const { body } = await shop.create('order-1')
    await payIn(service, { requisiteId: body.card.id, minor: 5000_00n, sender })
    await payIn(service, { requisiteId: body.card.id, minor: 77_00n, sender: stranger, senderName: 'Иванов Иван' })
    const tapThrough = async (path: string, whose: readonly string[], number: string) => {
      const options = { viewport: phone, hasTouch: true, colorScheme: 'dark' } as const
      const { page, faults, close } = await openConsole(service, browser, owner, path, options)
      if (path === '/matching') await page.getByRole('option').first().tap()
      for (const [index, who] of whose.entries()) {
        await page.getByRole('button', { name: `Reveal the number of ${who}` }).tap()
        await page.getByLabel('Reason').fill(reason)
        await page.getByRole('button', { name: 'Reveal it' }).tap()
        await page.getByText(number).nth(index).waitFor()
        await page.getByRole('dialog', { name: `Reveal the number of ${who}` }).waitFor({ state: 'detached' })
      }
      await lookNow(page, `revealed numbers of ${whose.join(' and ')}`)
      assert.deepEqual(faults, [])
      await close()
    }
    const open = `${shop.merchantId}/${body.payment.id}`
    await tapThrough(`/payments?open=${encodeURIComponent(open)}`, ['the payer', 'the sender'], sender)
    await tapThrough('/matching', ['the sender'], stranger)
  })

  test('those whose role does not allow it see no button', async () => {
    const { id, masked } = await addAccount()
    const helper = await addMember(service, 'hana', 'support')
    const { page, close } = await openConsole(service, browser, helper, `/requisites?open=${id}`)
    await page.getByRole('dialog').getByText(masked).first().waitFor()
    assert.equal(await page.getByRole('button', { name: /Reveal/ }).count(), 0)
    await close()
  })
})
