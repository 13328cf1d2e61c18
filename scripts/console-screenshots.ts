// `node scripts/console-screenshots.ts [folder]`: screenshots of the console with a day of a small business. Without a
// folder: the six of the README, into docs/images.
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { openBrowser } from '../test/support/browser.ts'
import { addMember, buildConsole, consoleSettings, openConsole } from '../test/support/console-page.ts'
import { fillConsole } from '../test/support/console-world.ts'
import { openTestService } from '../test/support/service.ts'

const [, , given] = process.argv
const folder = given ?? resolve(import.meta.dirname, '..', 'docs', 'images')

const sizes = {
  desktop: { width: 1280, height: 800 },
  wide: { width: 2560, height: 1440 },
  phone: { width: 375, height: 740 },
} as const
const themes = ['light', 'dark'] as const

type Shot = {
  readonly name: string
  readonly path: string
  /** Actions on the page before the screenshot. */
  readonly act?: (page: Page) => Promise<void>
  /** The size and theme of the README's screenshot. */
  readonly readme?: readonly [keyof typeof sizes, (typeof themes)[number]]
}

const chooseEighth = async (page: Page): Promise<void> => {
  for (let moved = 0; moved < 7; moved++) await page.keyboard.press('j')
  await page.waitForTimeout(700)
}

const openFirst = async (page: Page): Promise<void> => {
  await page.getByRole('row').nth(4).waitFor()
  for (const key of ['j', 'j', 'j', 'Enter']) await page.keyboard.press(key)
  await page.getByRole('dialog').waitFor()
}

const inReadme: readonly Shot[] = [
  { name: 'overview', path: '/', readme: ['desktop', 'light'] },
  { name: 'matching', path: '/matching', act: chooseEighth, readme: ['desktop', 'light'] },
  { name: 'payments', path: '/payments', act: openFirst, readme: ['desktop', 'dark'] },
  { name: 'requisites', path: '/requisites', readme: ['desktop', 'light'] },
  { name: 'disputes', path: '/disputes', readme: ['phone', 'dark'] },
  { name: 'ledger', path: '/ledger', readme: ['desktop', 'dark'] },
]

const others = [
  ...['statements', 'sources', 'reconciliation', 'outgoing', 'settlements', 'ledger/journal', 'ledger/trial-balance'],
  ...['requisites/explain', 'merchants', 'rates', 'overpayments', 'reversals', 'claims', 'alerts', 'alerts/rules'],
  ...['alerts/channels', 'risk', 'risk/blocks', 'risk/rules', 'audit', 'health', 'team', 'account'],
]
const shots = [...inReadme, ...others.map((page): Shot => ({ name: page.replace('/', '-'), path: `/${page}` }))]

const service = await openTestService('embedded', await consoleSettings())
const browser = await openBrowser()
try {
  mkdirSync(folder, { recursive: true })
  await buildConsole()
  await fillConsole(service)
  const member = await addMember(service, 'maria', 'owner')
  for (const { name, path, act, readme } of shots) {
    for (const [size, viewport] of Object.entries(sizes)) {
      for (const colorScheme of themes) {
        if (given === undefined && (readme?.[0] !== size || readme[1] !== colorScheme)) continue
        const options = { viewport, colorScheme, reducedMotion: 'reduce' } as const
        const { page, close } = await openConsole(service, browser, member, path, options)
        await page.getByRole('heading', { level: 1 }).waitFor()
        // The network is never idle, because the stream of news stays open.
        await page.waitForTimeout(700)
        await act?.(page)
        await page.waitForTimeout(400)
        await page.screenshot({ path: join(folder, `console-${name}-${size}-${colorScheme}.png`) })
        await close()
      }
    }
  }
} finally {
  await browser.close()
  await service.stop()
}
