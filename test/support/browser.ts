import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { findChromium } from './chromium.ts'

/** Starts Chromium without a window. */
export const openBrowser = async (): Promise<Browser> => {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('there is no Chromium')
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--force-color-profile=srgb'] })
}

/** A page in a browser, and what went wrong in it: errors of scripts and of the content policy. */
export type OpenedPage = { readonly page: Page; readonly faults: string[]; readonly close: () => Promise<void> }

/** Opens a page of its own, with no storage shared with others. */
export const openPage = async (browser: Browser, options: BrowserContextOptions = {}): Promise<OpenedPage> => {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 }, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(15_000)
  const faults: string[] = []
  page.on('console', (message) => {
    // The browser itself logs answers that are no success; those are looked at by what the page shows.
    const isAnswer = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isAnswer) faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(error.message))
  return { page, faults, close: () => context.close() }
}

/**
 * Faults of accessibility in what a page shows (axe-core with all its rules, or those about colours only: nothing else
 * depends on the theme).
 */
export const axeFaults = async (page: Page, rules: 'all' | 'colours' = 'all'): Promise<string[]> => {
  // The old way of axe: it opens no second page for each run.
  const axe = new AxeBuilder({ page }).setLegacyMode()
  const { violations } = await (rules === 'all'
    ? axe
    : axe.withRules(['color-contrast', 'link-in-text-block'])
  ).analyze()
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help} (${nodes.map((node) => node.target.join(' ')).join(', ')})`,
  )
}

/** By how many pixels a page is wider than its window. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
