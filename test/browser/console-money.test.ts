// The console's pages about money: statements, reconciliation, the ledger, settlements and matching.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { openBrowser } from '../support/browser.ts'
import { withoutBrowser } from '../support/chromium.ts'
import { addMember, buildConsole, consoleSettings, lookAt, type Member, openConsole } from '../support/console-page.ts'
import { openOperator } from '../support/operator.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { camtOf, csvOf, type MadeRow, uploadFile } from '../support/statement-files.ts'

describe("the console's pages about money", { skip: withoutBrowser() }, () => {
  let service: TestService
  let browser: Browser
  let shop: Shop
  let owner: Member
  let operator: ReturnType<typeof openOperator>

  before(async () => {
    await buildConsole()
    ;[service, browser] = await Promise.all([openTestService('embedded', await consoleSettings()), openBrowser()])
    owner = await addMember(service, 'anna', 'owner')
    shop = await openShop(service, { name: 'Bookshop', perMethod: 1 })
    operator = openOperator(service)
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })

  const today = () => new Date(service.clock.now).toISOString().slice(0, 10)
  const dayBefore = (days: number) => new Date(service.clock.now - days * 86_400_000).toISOString().slice(0, 10)
  const open = (path: string) => openConsole(service, browser, owner, path)

  test('a statement of 10,000 rows is dropped, looked at, imported with progress and matched', async () => {
    const requisiteId = shop.requisiteIds[0] ?? ''
    await operator.call('PATCH', `/requisites/${requisiteId}`, { label: 'Main account' })
    const rows = Array.from(
      { length: 10_000 },
      (_, index): MadeRow => ({
        minor: index % 50 === 0 ? -BigInt(150_00 + index) : BigInt(1000_00 + index),
        date: dayBefore(2),
        reference: `ref-${index}`,
        payer: `Payer ${index}`,
        payerAccount: `408178100000000${String(index).padStart(5, '0')}`,
        text: `order ${index}`,
      }),
    )
    const file = csvOf({ account: 'A', rows })
    const { page, faults, close } = await open('/statements')
    await page.getByText('No statements yet').waitFor()
    const chosen = { name: 'march.csv', mimeType: 'text/csv', buffer: Buffer.from(file) }
    await page.locator('input[type=file]').setInputFiles(chosen)
    // It does not name an account that is known: the person says which one it is.
    await page.getByText('The file was refused as a whole').waitFor()
    await page.getByRole('button', { name: 'Read otherwise…' }).click()
    await page.getByRole('combobox', { name: 'Requisite' }).click()
    await page.getByRole('option', { name: 'Main account' }).click()
    await page.getByRole('button', { name: 'Read it again' }).click()
    await page.getByRole('button', { name: /Import 10,000 rows/ }).waitFor()
    await page.getByText('the sign of the amount').waitFor()
    assert.ok((await page.getByRole('row').count()) < 60, 'only the rows in sight are in the page')
    const seen = new Set<string>()
    page.on('response', async (response) => {
      if (!/\/statements\/[^/]+$/.test(response.url())) return
      const { state, progress } = (await response.json().catch(() => ({}))) as { state?: string; progress?: number }
      seen.add(`${state} ${progress}`)
    })
    await page.keyboard.press('i')
    await page.getByText('Importing…').waitFor()
    const jobs = service.runJobs('all')
    await page.getByText(/wait for a decision/).waitFor({ timeout: 60_000 })
    await jobs
    assert.ok([...seen].filter((each) => each.startsWith('importing')).length >= 2, [...seen].join())
    const [imported] = (await operator.get('/statements')).body.statements
    assert.deepEqual([imported.state, imported.counts.rows], ['imported', 10_000])
    await page.getByRole('link', { name: 'Match 9,800' }).click()
    await page.getByText('9,800 in the queue').waitFor()
    assert.deepEqual(faults, [])
    await close()
  })

  test('pages are free of faults', async () => {
    const [{ id }] = (await operator.get('/statements')).body.statements
    const preview = await uploadFile(
      service,
      camtOf({ account: 'B', rows: [{ minor: 5_000_00n, date: today(), reference: 'b-1', payer: 'Ivan' }] }),
      { requisiteId: shop.requisiteIds[0] ?? '' },
    )
    assert.equal(preview.status, 201, JSON.stringify(preview.body))
    const pages = [
      ['/statements', 'march.csv'],
      [`/statements/${id}`, 'wait for a decision'],
      [`/statements/${preview.body.id}`, 'Nothing has moved yet'],
    ] as const
    for (const [path, text] of pages) await lookAt(service, browser, owner, path, text)
  })
})
