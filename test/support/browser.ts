import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Result, RunOptions } from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { findChromium } from './chromium.ts'

/** Starts Chromium without windows. */
export const openBrowser = async (): Promise<Browser> => {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('there is no Chromium')
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--force-color-profile=srgb'] })
}

/** A page in a browser, and its errors: those of scripts and those of the content policy. */
export type OpenedPage = { readonly page: Page; readonly faults: string[]; readonly close: () => Promise<void> }

/**
 * Opens a page with separate storage. By default the user prefers less motion, because an animation is painted sixty
 * times a second.
 */
export const openPage = async (browser: Browser, options: BrowserContextOptions = {}): Promise<OpenedPage> => {
  const context = await browser.newContext({
    viewport: { width: 360, height: 740 },
    reducedMotion: 'reduce',
    ...options,
  })
  const page = await context.newPage()
  // Busy machines are slow.
  page.setDefaultTimeout(60_000)
  const faults: string[] = []
  page.on('console', (message) => {
    // The browser logs unsuccessful answers itself; tests see them by what the page shows.
    const isAnswer = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isAnswer) faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(error.message))
  return { page, faults, close: () => context.close() }
}

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Options of axe: elements without violations are of no interest, and describing them takes half of the time. */
const asked = {
  resultTypes: ['violations'],
  preload: false,
  // WCAG 2.2, which axe leaves out by default: targets of at least 24 pixels, or with as much space around them.
  rules: { 'target-size': { enabled: true } },
} satisfies RunOptions

/**
 * Violations of accessibility on a page, by all rules of axe-core, or only those about colours, which are the only ones
 * that depend on the theme.
 */
export const axeFaults = async (page: Page, rules: 'all' | 'colours' = 'all'): Promise<string[]> => {
  // Loaded once per document: its 500 kB take as long as a run.
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

const controls = 'a[href], button, summary, select, textarea, input:not([type=hidden])'

/** What can be tapped on a page and is narrower or lower than this many pixels, except links within a text. */
export const smallTargets = (page: Page, least: number): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('${controls}')].flatMap((control) => {
    // A choice is tapped by its label, which contains it.
    const target = control.closest('label') ?? control
    const { width, height } = target.getBoundingClientRect()
    const isShown = width > 0 && target.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    const isInText = getComputedStyle(target).display === 'inline' && target.closest('p, li')?.textContent.trim() !== target.textContent.trim()
    // Half a pixel is lost to rounding.
    if (!isShown || isInText || (width > ${least} - 0.5 && height > ${least} - 0.5)) return []
    return [(target.textContent.trim() || target.outerHTML).slice(0, 60) + ': ' + Math.round(width) + ' × ' + Math.round(height)]
  })`)

/** How many pixels a page is wider than its window. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
