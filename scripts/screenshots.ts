// `node scripts/screenshots.ts [folder]`: screenshots of every state of the payer's page, for review. Without a folder:
// the README's screenshots, into docs/images.
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { openBrowser, openPage } from '../test/support/browser.ts'
import { createEveryState } from '../test/support/page-states.ts'
import { openTestService } from '../test/support/service.ts'

const [, , given] = process.argv
const folder = given ?? resolve(import.meta.dirname, '..', 'docs', 'images')

type Shot = { readonly state: string; readonly locale: string; readonly theme: 'light' | 'dark'; readonly size: Size }
type Size = keyof typeof sizes

const sizes = {
  phone: { width: 375, height: 740 },
  small: { width: 320, height: 568 },
  desktop: { width: 1280, height: 900 },
} as const

/** The screenshots of the README. */
const shown: readonly Shot[] = [
  { state: 'details', locale: 'en', theme: 'light', size: 'phone' },
  { state: 'pay', locale: 'en', theme: 'light', size: 'phone' },
  { state: 'checking', locale: 'ru', theme: 'dark', size: 'phone' },
  { state: 'paid', locale: 'en', theme: 'light', size: 'phone' },
  { state: 'pay', locale: 'ru', theme: 'dark', size: 'desktop' },
]

const everything = (names: readonly string[]): Shot[] =>
  names.flatMap((state) =>
    (['ru', 'en'] as const).flatMap((locale) =>
      (['light', 'dark'] as const).flatMap((theme) =>
        (Object.keys(sizes) as Size[]).map((size) => ({ state, locale, theme, size })),
      ),
    ),
  )

const service = await openTestService('embedded')
const browser = await openBrowser()
try {
  mkdirSync(folder, { recursive: true })
  const pages = await createEveryState(service)
  const shots = given === undefined ? shown : everything(pages.map((page) => page.name))
  for (const { state, locale, theme, size } of shots) {
    const wanted = pages.find((page) => page.name === state)
    if (!wanted) throw new Error(`there is no state ${state}`)
    const viewport = sizes[size]
    const opened = await openPage(browser, { viewport, colorScheme: theme, reducedMotion: 'reduce' })
    const { page } = opened
    await page.goto(`${service.url}/${locale}${wanted.path}`)
    await page.evaluate('document.querySelectorAll("img").forEach((image) => { image.loading = "eager" })')
    await page.waitForTimeout(150)
    await page.screenshot({ path: join(folder, `${state}-${size}-${theme}-${locale}.png`), fullPage: true })
    await opened.close()
  }
} finally {
  await browser.close()
  await service.stop()
}
