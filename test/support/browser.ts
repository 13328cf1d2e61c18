import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Result, RunOptions } from 'axe-core'
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

/**
 * Opens a page of its own, with no storage shared with others, for somebody who wants less motion (default): a picture that
 * moves is painted sixty times a second.
 */
export const openPage = async (browser: Browser, options: BrowserContextOptions = {}): Promise<OpenedPage> => {
  const context = await browser.newContext({
    viewport: { width: 360, height: 740 },
    reducedMotion: 'reduce',
    ...options,
  })
  const page = await context.newPage()
  // A busy machine takes long.
  page.setDefaultTimeout(60_000)
  const faults: string[] = []
  page.on('console', (message) => {
    // The browser itself logs answers that are no success; those are looked at by what the page shows.
    const isAnswer = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isAnswer) faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(error.message))
  return { page, faults, close: () => context.close() }
}

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** What axe is asked for: how an element that is right is found again is not of interest, and takes half of the time. */
const asked = { resultTypes: ['violations'], preload: false } satisfies RunOptions

/**
 * Faults of accessibility in what a page shows (axe-core with all its rules, or those about colours only: nothing else
 * depends on the theme).
 */
export const axeFaults = async (page: Page, rules: 'all' | 'colours' = 'all'): Promise<string[]> => {
  // Once in each document: its 500 kB take as long as a run.
  for (const frame of page.frames()) {
    if (!(await frame.evaluate("typeof axe !== 'undefined'"))) await frame.evaluate(axe)
  }
  const options: RunOptions = rules === 'all' ? asked : { ...asked, runOnly: ['color-contrast', 'link-in-text-block'] }
  const violations: readonly Result[] = await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help} (${nodes.map((node) => node.target.join(' ')).join(', ')})`,
  )
}

/** By how many pixels a page is wider than its window. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
