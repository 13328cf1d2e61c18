// Layout that only a browser can show: what is visible without scrolling, sizes, forced colours.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { locales } from '../../src/http/payment-page/languages.ts'
import { axeFaults, openBrowser, openPage } from '../support/browser.ts'
import { withoutBrowser } from '../support/chromium.ts'
import { createStatePage, openBookshop } from '../support/page-states.ts'
import { openTestService, type TestService, usualEngine } from '../support/service.ts'
import type { Shop } from '../support/shop.ts'
import { until } from '../support/waiting.ts'

describe('layout', { skip: withoutBrowser() }, () => {
  let service: TestService
  let browser: Browser
  let shop: Shop

  before(async () => {
    service = await openTestService(usualEngine())
    ;[browser, shop] = await Promise.all([openBrowser(), openBookshop(service)])
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })

  /** Opens a path in every language in a window of a size. */
  const inEach = async (path: string, [width, height]: [number, number], look: (page: Page) => Promise<void>) => {
    // English, and the language with the longest words.
    for (const locale of ['en', 'kk']) {
      const { page, close } = await openPage(browser, { viewport: { width, height } })
      await page.goto(`${service.url}/${locale}${path}`)
      await look(page)
      await close()
    }
  }

  test('the next step is visible on a phone without scrolling', async () => {
    const { path } = await createStatePage(shop, 'phone', { bankIssuer: 'bank-a' })
    await inEach(path, [375, 740], async (page) => {
      const box = await page.locator('[data-first]').boundingBox()
      assert.ok(box && box.y + box.height <= 740, JSON.stringify(box))
      assert.equal(await page.locator('.phone').isVisible(), false)
    })
  })

  test('the first things to copy are visible on small and on turned phones without scrolling', async () => {
    const { path } = await createStatePage(shop, 'small')
    for (const [width, height, what] of [
      [320, 568, '.number data'],
      [667, 375, '.number data'],
      [568, 320, '.amount data'],
    ] as const) {
      await inEach(path, [width, height], async (page) => {
        const box = await page.locator(what).boundingBox()
        assert.ok(box && box.y + box.height <= height, `${width} × ${height}: ${JSON.stringify(box)}`)
      })
    }
  })

  test('the QR code to a phone is visible on a desktop without scrolling', async () => {
    const { path } = await createStatePage(shop, 'desktop')
    await inEach(path, [1280, 900], async (page) => {
      const code = page.locator('.phone')
      const box = await code.boundingBox()
      assert.ok(box && box.y + box.height <= 900 && box.x + box.width <= 1280, JSON.stringify(box))
      const width = (): Promise<number> => page.evaluate("document.querySelector('.phone img').naturalWidth")
      await until('the code is loaded', async () => (await width()) > 0)
    })
  })

  test('an amount stays on one line of the narrowest phone and is never smaller than the number', async () => {
    for (const [method, amount] of [
      ['account-to-account', 299_999.99],
      ['card-to-card', 100],
      ['sbp', 5000.37],
    ] as const) {
      const { path } = await createStatePage(shop, `size-${method}`, { method, amount })
      for (const width of [320, 1280]) {
        await inEach(path, [width, 700], async (page) => {
          const sizes = await page.evaluate<number[]>(
            "['.amount data', '.number data'].map((each) => parseFloat(getComputedStyle(document.querySelector(each)).fontSize))",
          )
          assert.ok((sizes[0] ?? 0) >= (sizes[1] ?? 0), `${method} ${width}: ${sizes.join(' ')}`)
          const lines = await page.evaluate<number>(
            "(() => { const range = document.createRange(); range.selectNodeContents(document.querySelector('.amount data')); return new Set([...range.getClientRects()].map((box) => box.top)).size })()",
          )
          assert.equal(lines, 1, `${method} ${width}`)
        })
      }
    }
  })

  test('no value is under the words of its copy button', async () => {
    const { path } = await createStatePage(shop, 'x'.repeat(80), { method: 'account-to-account', amount: 4999 })
    const { page, close } = await openPage(browser)
    const under: string[] = []
    for (const locale of locales) {
      await page.goto(`${service.url}/${locale}${path}`)
      for (const width of [320, 500, 1280]) {
        await page.setViewportSize({ width, height: 900 })
        const found = await page.evaluate<string[]>(`[...document.querySelectorAll('.rows > :has(.copy), .amount')]
          .filter((row) => {
            const range = document.createRange()
            range.selectNodeContents(row.querySelector('data'))
            const boxes = [...row.querySelectorAll('.copy > *')].map((each) => each.getBoundingClientRect())
            return [...range.getClientRects()].some((text) =>
              boxes.some((box) => box.width > 0 && box.left < text.right && box.top < text.bottom && text.top < box.bottom))
          })
          .map((row) => row.textContent.trim())`)
        under.push(...found.map((row) => `${locale} ${width}: ${row}`))
      }
    }
    assert.deepEqual(under, [])
    await close()
  })

  test('a large screen shows no empty section in place of the code of a phone', async () => {
    const { path } = await createStatePage(shop, 'section', { method: 'account-to-account' })
    await inEach(path, [1280, 900], async (page) => {
      assert.equal(await page.locator('.on-phone').isVisible(), false)
      const heights = await page.evaluate<number[]>(
        "[...document.querySelectorAll('.more')].map((each) => each.getBoundingClientRect().height)",
      )
      assert.deepEqual(heights, [0])
    })
  })

  test('with forced colours the choice and the buttons stand out', async () => {
    const details = await createStatePage(shop, 'forced-details', { type: 'staged' })
    const pay = await createStatePage(shop, 'forced-pay')
    for (const { path } of [details, pay]) {
      const { page, faults, close } = await openPage(browser, { forcedColors: 'active' })
      await page.goto(`${service.url}/en${path}`)
      const styleOf = (selector: string, name: string) =>
        page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).${name}`)
      if (path === details.path) {
        assert.equal(await styleOf('button.main', 'borderTopWidth'), '2px')
        await page.locator('.tile').first().click()
        assert.equal(await styleOf('.tile:has(:checked)', 'outlineStyle'), 'solid')
        assert.equal(await styleOf('.tile:not(:has(:checked))', 'outlineStyle'), 'none')
      } else {
        assert.equal(await styleOf('.amount', 'borderTopWidth'), '2px')
      }
      assert.deepEqual(await axeFaults(page), [])
      assert.deepEqual(faults, [])
      await close()
    }
  })
})
