// A text of a bank that nobody knows, in the console: one operator teaches what it says, another one approves it.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Locator, Page } from 'playwright-core'
import { openBrowser } from '../support/browser.ts'
import { withoutBrowser } from '../support/chromium.ts'
import {
  addMember,
  buildConsole,
  consoleSettings,
  desktop,
  lookAtAll,
  lookNow,
  type Member,
  openConsole,
  phone as phoneSize,
} from '../support/console-page.ts'
import { openOperator, type Operator } from '../support/operator.ts'
import { openPhone } from '../support/phones.ts'
import { openTestService, type TestService, usualEngine } from '../support/service.ts'
import { openShop, type Shop } from '../support/shop.ts'

const text = 'СЧЁТ4071 получил 2 000р от Глеб Н. Теперь там 3 000р'

/** Selects a part of the text, and says what it is. */
const mark = async (dialog: Locator, part: string, name: string): Promise<void> => {
  const area = dialog.getByLabel('What the bank has written')
  await area.evaluate((element, wanted) => {
    const field = element as HTMLTextAreaElement
    const from = field.value.indexOf(wanted)
    field.focus()
    field.setSelectionRange(from, from + wanted.length)
  }, part)
  await dialog.getByRole('button', { name, exact: true }).click()
}

const lookAround = async (page: Page, name: string): Promise<void> => {
  for (const [size, viewport] of Object.entries({ desktop, phone: phoneSize }))
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      await lookNow(page, `${name} ${size} ${colorScheme}`)
    }
  await page.setViewportSize(desktop)
  await page.emulateMedia({ colorScheme: 'light' })
}

describe('teaching what a bank writes', { skip: withoutBrowser() }, () => {
  let service: TestService
  let browser: Browser
  let shop: Shop
  let teacher: Member
  let second: Member
  let operator: Operator
  let phone: Awaited<ReturnType<typeof openPhone>>

  before(async () => {
    await buildConsole()
    const settings = { ...(await consoleSettings()), PAYIN_SECOND_PERSON_AGE_DAYS: '0' }
    ;[service, browser] = await Promise.all([openTestService(usualEngine(), settings), openBrowser()])
    teacher = await addMember(service, 'maria', 'owner')
    second = await addMember(service, 'ilya', 'owner')
    operator = openOperator(service)
    shop = await openShop(service, { name: 'Bookshop', perMethod: 1 })
    const { body } = await shop.create('order-1', { amount: 2000 })
    phone = await openPhone(service, [body.card.id])
    await phone.sms(text)
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })

  test('what a bank has written is revealed with a reason, which the audit keeps without the text', async () => {
    const { page, faults, close } = await openConsole(service, browser, teacher, '/phones/messages')
    await page.getByRole('grid').getByText('sberbank').click()
    await page.getByRole('button', { name: 'Reveal the text…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Reveal what the bank has written' })
    assert.equal(await dialog.getByRole('button', { name: 'Reveal it' }).isDisabled(), true, 'not without a reason')
    await dialog.getByLabel('Reason').fill('a new text')
    await dialog.getByRole('button', { name: 'Reveal it' }).click()
    await page.getByText(text).waitFor()
    await dialog.waitFor({ state: 'detached' })
    const { action, details } = await operator.lastAudit()
    assert.deepEqual([action, details], ['phone-message.reveal', { reason: 'a new text' }])
    await lookAround(page, 'a revealed message')
    await page.getByRole('button', { name: 'Hide the text' }).click()
    assert.equal(await page.getByText(text).count(), 0)
    assert.deepEqual(faults, [])
    await close()
  })

  test('its parts are marked, the template is tried, and once another operator approves it the payment is paid', async () => {
    const { page, faults, close } = await openConsole(service, browser, teacher, '/phones/messages')
    await page.getByRole('grid').getByText('sberbank').click()
    await page.getByRole('button', { name: 'Teach…' }).click()
    const dialog = page.getByRole('dialog', { name: 'What does sberbank say?' })
    await dialog.getByLabel('Reason').fill('a new text')
    await dialog.getByRole('button', { name: 'Reveal the text' }).click()
    const save = dialog.getByRole('button', { name: 'Save the template' })
    await mark(dialog, '2 000р', 'Amount')
    await mark(dialog, 'Глеб Н.', 'Sender')
    await mark(dialog, '4071', 'Account')
    // A mark of the balance by mistake, which is taken back.
    await mark(dialog, 'Теперь', 'Balance')
    await dialog.getByRole('button', { name: 'Try it on all kept messages' }).click()
    await dialog.getByText(/"Теперь" is not balance/).waitFor()
    assert.equal(await save.isDisabled(), true, 'not before it was tried')
    await dialog.getByRole('button', { name: 'Unmark Balance' }).click()
    await mark(dialog, '3 000р', 'Balance')
    await dialog.getByRole('button', { name: 'Try it on all kept messages' }).click()
    await dialog.getByText('СЧЁТ{account} получил {amount} от {person} Теперь там {balance}').waitFor()
    await dialog.getByText(/Messages tried: 1. Newly read: 1./).waitFor()
    await lookAround(page, 'teach a template')
    await save.click()
    await page.getByText('The template waits until another operator approves it').waitFor()
    assert.equal(await shop.status('order-1'), 'new')

    const other = await openConsole(service, browser, second, '/phones/templates')
    await other.page.getByRole('grid').getByText('sberbank').click()
    await other.page.getByRole('heading', { name: 'What it reads' }).waitFor()
    await other.page.getByText(/Messages tried: 1./).waitFor()
    await lookAround(other.page, 'a taught template')
    await other.page.getByRole('button', { name: 'Approve…' }).click()
    await other.page.getByText(/maria alone taught it/).waitFor()
    await lookAround(other.page, 'approve a template')
    await other.page.getByRole('button', { name: 'Approve the template' }).click()
    await other.page.getByText('The template is approved').waitFor()
    assert.equal(await shop.status('order-1'), 'paid')
    const [{ kind, state, amount }] = await phone.messages()
    assert.deepEqual([kind, state, amount], ['credit', 'recorded', 2000])
    await other.page.getByRole('button', { name: 'Withdraw…' }).waitFor()
    assert.deepEqual([faults, other.faults], [[], []])
    await Promise.all([close(), other.close()])
  })

  test('the list of what was taught fits every screen', async () =>
    lookAtAll(service, browser, teacher, [
      // Columns that phones drop are not waited for.
      ['/phones/templates', 'СЧЁТ{account}'],
      ['/phones/messages', 'recorded'],
    ]))
})
