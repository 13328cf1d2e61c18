// The documentation in a browser: every page in both themes on a phone and a desktop, and what its script adds.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { buildSite } from '../../site/build-site.ts'
import { axeFaults, openBrowser, openPage, overflow } from '../support/browser.ts'
import { withoutBrowser } from '../support/chromium.ts'
import { openTestService, type TestService, usualEngine } from '../support/service.ts'

describe('the documentation', { skip: withoutBrowser() }, () => {
  let service: TestService
  let browser: Browser

  before(async () => {
    await buildSite()
    ;[service, browser] = await Promise.all([openTestService(usualEngine()), openBrowser()])
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })

  const listPages = async (): Promise<string[]> => {
    const { body } = await service.app.inject('/llms.txt')
    return [...body.matchAll(/\/docs\/([\w-]+)\.md\)/g)].map(([, slug = '']) => `/docs/${slug}`)
  }

  test('every page is without a fault of accessibility or of its policy, and fits, in both themes', async () => {
    const paths = [...(await listPages()), '/docs/search?q=paid', '/docs/nothing']
    const { page, faults, close } = await openPage(browser, { colorScheme: 'light' })
    const fits = async (path: string, width: number): Promise<void> => {
      await page.setViewportSize({ width, height: 900 })
      assert.equal(await overflow(page), 0, `${path} at ${width}`)
    }
    for (const path of paths) {
      await page.emulateMedia({ colorScheme: 'light' })
      await page.goto(service.url + path)
      for (const width of [1440, 700, 360]) await fits(path, width)
      assert.deepEqual(await axeFaults(page), [], `${path}, light`)
      await page.emulateMedia({ colorScheme: 'dark' })
      assert.deepEqual(await axeFaults(page, 'colours'), [], `${path}, dark`)
    }
    assert.deepEqual(faults, [])
    await close()
  })

  test('a language that is chosen once is chosen everywhere, and on the next page', async () => {
    const { page, faults, close } = await openPage(browser, { viewport: { width: 1000, height: 800 } })
    await page.goto(`${service.url}/docs/quick-start`)
    const shown = () => page.locator('.sample:visible').evaluateAll((all) => all.map(({ className }) => className))
    assert.ok((await shown()).every((name) => /\b(?:sh|ts)\b/.test(name)))
    await page.getByText('Python', { exact: true }).first().click()
    assert.ok((await shown()).every((name) => name.includes('python')))
    await page.goto(`${service.url}/docs/api-payments`)
    assert.ok(
      (await shown()).every((name) => name.includes('sh')),
      'the reference has no Python',
    )
    await page.goto(`${service.url}/docs/acknowledging`)
    assert.ok((await shown()).some((name) => name.includes('python')))
    assert.deepEqual(faults, [])
    await close()
  })

  test('a key leads to the search, which leads to the section', async () => {
    const { page, faults, close } = await openPage(browser, { viewport: { width: 1000, height: 800 } })
    await page.goto(`${service.url}/docs`)
    await page.keyboard.press('/')
    await page.keyboard.type('order_conflict')
    await page.keyboard.press('Enter')
    const first = page.locator('.found a').first()
    await first.waitFor()
    assert.equal(await first.getAttribute('href'), '/docs/errors#order_conflict')
    assert.deepEqual(await axeFaults(page), [])
    await first.click()
    await page.waitForURL(/errors#order_conflict/)
    assert.ok(await page.getByRole('heading', { name: 'order_conflict' }).isVisible())
    assert.deepEqual(faults, [])
    await close()
  })

  test('without a script pages are read, languages chosen and sections found', async () => {
    const { page, close } = await openPage(browser, { javaScriptEnabled: false })
    await page.goto(`${service.url}/docs/acknowledging`)
    await page.getByText('PHP', { exact: true }).first().click()
    assert.ok(await page.locator('.sample.php').first().isVisible())
    assert.ok(!(await page.locator('.sample.sh').first().isVisible()))
    await page.getByRole('searchbox').fill('acknowledge again')
    await page.keyboard.press('Enter')
    await page.waitForURL(/search\?q=acknowledge\+again/)
    assert.ok((await page.locator('.found li').count()) > 0)
    await page.getByRole('link', { name: 'Menu' }).click()
    assert.ok(await page.getByRole('link', { name: 'Quick start', exact: true }).isVisible())
    await close()
  })
})
