// The console of an installation with several tenants: one page shows one, and its address says which.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { openBrowser } from '../support/browser.ts'
import { withoutBrowser } from '../support/chromium.ts'
import { addMember, buildConsole, consoleSettings, lookNow, openConsole, phone } from '../support/console-page.ts'
import { openOperator } from '../support/operator.ts'
import { openTestService, type TestService, usualEngine } from '../support/service.ts'
import { openShop } from '../support/shop.ts'

describe('tenants in the console', { skip: withoutBrowser() }, () => {
  let service: TestService
  let acme: TestService & { tenant: string }
  let browser: Browser

  before(async () => {
    await buildConsole()
    ;[service, browser] = await Promise.all([openTestService(usualEngine(), await consoleSettings()), openBrowser()])
    await openOperator(service).call('POST', '/tenants', { name: 'acme' })
    const context = await service.tenants.find('acme')
    assert.ok(context)
    acme = { ...service, context, tenant: 'acme' }
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })

  test('the switch leads from one tenant to the other, and nothing of one is seen in the other', async () => {
    const shops = [
      await openShop(service, { name: 'Shop of main' }),
      await openShop(acme, { name: 'Shop of acme' }),
    ] as const
    await shops[0].create('order-of-main')
    await shops[1].create('order-of-acme')
    const maria = await addMember(service, 'maria', 'owner')
    const given = await openOperator(acme).call('PUT', '/members/maria/role', { role: 'support' })
    assert.equal(given.status, 200)

    const { page, faults, close } = await openConsole(service, browser, maria, '/payments')
    await page.getByText('order-of-main').waitFor()
    await page.getByRole('button', { name: 'Tenant: main' }).click()
    await lookNow(page, 'tenants to choose from')
    await page.getByRole('dialog').getByRole('link', { name: 'acme' }).click()
    await page.waitForURL('**/console/t/acme/payments')
    await page.getByText('order-of-acme').waitFor()
    assert.equal(await page.getByText('order-of-main').count(), 0)
    assert.match(await page.title(), /acme/)

    // Another tab stays where it is; each hears of its own.
    const other = await page.context().newPage()
    await other.goto(`${service.context.settings.publicUrl}/console/payments`)
    await other.getByText('order-of-main').waitFor()
    await shops[1].create('second-of-acme')
    await page.getByText('second-of-acme').waitFor()
    assert.equal(await other.getByText('of-acme').count(), 0)
    await other.close()

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'CSV' }).click(),
    ])
    const csv = readFileSync(await download.path(), 'utf8')
    assert.match(csv, /second-of-acme/)
    assert.doesNotMatch(csv, /of-main/)

    // The address alone says which tenant it is, also of what is open; the search finds what is the tenant's.
    await page.getByText('order-of-acme').click()
    await page.getByRole('dialog').getByText('Shop of acme').first().waitFor()
    const { pathname } = new URL(page.url())
    assert.equal(pathname, '/console/t/acme/payments')
    await page.reload()
    await page.getByRole('dialog').getByText('Shop of acme').first().waitFor()
    await page.keyboard.press('Escape')
    await service.runJobs('all')
    await page.getByLabel('Search').fill('order-of-main')
    await page.getByText('Nothing has').waitFor()
    await page.getByRole('link', { name: 'Team' }).click()
    await page.getByText('maria@example.com').waitFor()
    await page.setViewportSize(phone)
    await page.getByRole('button', { name: 'Tenant: acme' }).click()
    await page.getByRole('dialog').getByRole('link', { name: 'main' }).waitFor()
    await lookNow(page, 'tenants on a phone')
    assert.deepEqual(faults, [])
    await close()
  })

  test('who has a role in one tenant comes to it, and to no other', async () => {
    const ilya = await addMember(acme, 'ilya', 'owner')
    const { page, close } = await openConsole(service, browser, ilya, '/')
    await page.waitForURL('**/console/t/acme/')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    assert.equal(await page.getByRole('button', { name: /^Tenant/ }).count(), 0)
    await page.goto(`${service.context.settings.publicUrl}/console/t/other/payments`)
    await page.getByText('ilya has no role in a tenant of that name').waitFor()
    assert.equal(await page.getByRole('alert').locator('code', { hasText: 'detail' }).count(), 1)
    await lookNow(page, 'a tenant of others')
    await page.getByRole('link', { name: 'Go to your own pages' }).click()
    await page.waitForURL('**/console/t/acme/')
    await page.getByRole('link', { name: 'Team' }).click()
    await page.getByRole('row').filter({ hasText: 'ilya@' }).click()
    await page.getByRole('combobox', { name: 'Role in acme' }).waitFor()
    await page.getByRole('button', { name: 'Remove from acme' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Disable' }).count(), 0)
    await close()
  })
})
