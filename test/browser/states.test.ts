// Every state of the payer's page in real Chromium: in each language and theme no accessibility fault, no error in the
// console, nothing wider than the narrowest phone.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { locales } from '../../src/http/payment-page/languages.ts'
import { axeFaults, openBrowser, type OpenedPage, openPage, overflow, smallTargets } from '../support/browser.ts'
import { withoutBrowser } from '../support/chromium.ts'
import { createEveryState, type StatePage } from '../support/page-states.ts'
import { openTestService, type TestService, usualEngine } from '../support/service.ts'

const skip = withoutBrowser()
if (skip)
  console.error(`${'!'.repeat(100)}\nNOT RUN: the payer's page in a browser. Reason: ${skip}.\n${'!'.repeat(100)}`)

/** The states of `createEveryState`; `before` compares them, so that a new state is tested, too. */
const names = [
  ...['link', 'link-open', 'link-busy', 'link-closed'],
  ...[
    'details',
    'details-abroad',
    'details-named',
    'pay-named',
    'pay',
    'pay-account',
    'pay-abroad',
    'pay-card',
    'pay-sbp',
    'sandbox',
    'checking',
    'part',
    'paid',
    'credited',
  ],
  'credited-staff',
  'claim-rejected',
  ...['expired', 'expired-unseen', 'part-over', 'claimed', 'review', 'canceled', 'failed', 'receipt', 'unknown'],
] as const

describe('every state', { skip: withoutBrowser() }, () => {
  let service: TestService
  let browser: Browser
  let pages: StatePage[]
  /** One page per language shows all states in turn: opening a new one takes longer than looking at it. */
  let opened: readonly (readonly [locale: string, page: OpenedPage])[]

  before(async () => {
    service = await openTestService(usualEngine())
    ;[browser, pages] = await Promise.all([openBrowser(), createEveryState(service)])
    assert.deepEqual(
      pages.map((each) => each.name),
      names,
    )
    const options = { colorScheme: 'light', reducedMotion: 'reduce' } as const
    // Russian and English in all respects; the other languages have the same elements.
    const looked = locales.slice(0, 2)
    opened = await Promise.all(looked.map(async (locale) => [locale, await openPage(browser, options)] as const))
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })

  /** The faults of one state in a language, in both themes. */
  const look = async (path: string, locale: string, { page, faults }: OpenedPage): Promise<string[]> => {
    const found: string[] = []
    await page.setViewportSize({ width: 320, height: 600 })
    await page.goto(`${service.url}/${locale}${path}`)
    await page.evaluate('document.querySelectorAll("details").forEach((each) => { each.open = true })')
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      found.push(
        ...(await axeFaults(page, colorScheme === 'light' ? 'all' : 'colours')).map(
          (fault) => `${locale} ${colorScheme}: ${fault}`,
        ),
      )
    }
    found.push(...(await smallTargets(page, 44)).map((target) => `${locale}: smaller than 44 px: ${target}`))
    const wide = await overflow(page)
    if (wide > 0) found.push(`${locale}: ${wide} px wider than 320 px`)
    for (const width of [768, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      const more = await overflow(page)
      if (more > 0) found.push(`${locale}: ${more} px wider than ${width} px`)
    }
    // Text twice as large on a phone of 400 px: half as many letters fit.
    await page.setViewportSize({ width: 400, height: 800 })
    await page.evaluate('document.documentElement.style.setProperty("font-size", "200%")')
    const wider = await overflow(page)
    if (wider > 0) found.push(`${locale}: ${wider} px wider than 400 px with text of 200 %`)
    return [...found, ...faults.splice(0).map((fault) => `${locale} console: ${fault}`)]
  }

  for (const name of names) {
    test(name, async () => {
      const state = pages.find((each) => each.name === name)
      assert.ok(state)
      assert.deepEqual((await Promise.all(opened.map(([locale, page]) => look(state.path, locale, page)))).flat(), [])
    })
  }

  test('a target that is too small is found, unless it is a link in a text', async () => {
    const { page, close } = await openPage(browser)
    const big = 'style="display:block;width:44px;height:44px"'
    await page.setContent(
      `<button style="width:44px;height:43px">low</button><a ${big} href="#">big</a><p>Read <a href="#">this</a> first.</p>
       <label ${big}><input type="radio"></label><input type="hidden"><a href="#" style="display:none">none</a>`,
    )
    assert.deepEqual(await smallTargets(page, 44), ['low: 44 × 43'])
    const small = '<button style="width:12px;height:12px;padding:0;border:0">x</button>'
    await page.setContent(`<main>${small}${small}</main>`)
    assert.match((await axeFaults(page)).join(), /target-size/)
    await close()
  })

  test('every language fits the narrowest phone in every state', async () => {
    const [, { page }] = opened[0] ?? assert.fail('no page')
    const found: string[] = []
    await page.setViewportSize({ width: 320, height: 600 })
    for (const locale of locales.slice(2)) {
      for (const { name, path } of pages) {
        await page.goto(`${service.url}/${locale}${path}`)
        if ((await overflow(page)) > 0) found.push(`${locale} ${name}`)
        if ((await page.locator('html').getAttribute('lang')) !== locale && name !== 'unknown')
          found.push(`${locale}: ${name}`)
      }
    }
    assert.deepEqual(found, [])
  })
})
