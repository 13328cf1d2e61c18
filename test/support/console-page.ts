// Pages of the console in a browser, opened by somebody who has really signed in.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { MemberRole } from '../../src/domain/role.ts'
import { axeFaults, type OpenedPage, openPage, overflow } from './browser.ts'
import { codeOf, visit } from './console.ts'
import { openOperator } from './operator.ts'
import { freePort } from './process.ts'
import type { TestService } from './service.ts'

const script = join(import.meta.dirname, '..', '..', 'console', 'build-console.ts')

/** Builds the console where its sources have changed, in a process of its own as the service does; gives what it says. */
export const buildConsole = async (): Promise<string> => (await promisify(execFile)(process.execPath, [script])).stdout

/** Settings of a service whose console a browser opens: its own address is the public one, as passkeys and cookies need. */
export const consoleSettings = async (): Promise<Record<string, string>> => {
  const port = String(await freePort())
  return { PORT: port, PUBLIC_URL: `http://localhost:${port}` }
}

/** The password of every member that `addMember` makes. */
export const memberPassword = 'correct horse battery staple'

/** Somebody with an account and a second factor. */
export type Member = {
  readonly name: string
  readonly email: string
  readonly role: MemberRole
  /** The address of the authenticator's key: `codeOf` makes codes of it. */
  readonly key: string
  readonly cookies: ReadonlyMap<string, string>
}

/** Adds somebody with this role by an invitation, sets the second factor up and signs in. */
export const addMember = async (
  service: TestService,
  name: string,
  role: MemberRole,
  ofMerchant: { readonly merchantId?: string; readonly grant?: 'read' | 'write' } = {},
): Promise<Member> => {
  const email = `${name}@example.com`
  const invited = await openOperator(service).call('POST', '/members/invitations', {
    name,
    email,
    role,
    ...ofMerchant,
  })
  assert.equal(invited.status, 201, JSON.stringify(invited.body))
  const visitor = visit(service, service.context.settings.publicUrl)
  const link: string = invited.body.link
  await visitor.call('/invitations/accept', { token: link.slice(link.indexOf('#') + 1), password: memberPassword })
  await visitor.call('/auth/sign-in/email', { email, password: memberPassword })
  const { body } = await visitor.call('/auth/two-factor/enable', { password: memberPassword })
  const verified = await visitor.call('/auth/two-factor/verify-totp', { code: codeOf(body.totpURI) })
  assert.equal(verified.status, 200, JSON.stringify(verified.body))
  return { name, email, role, key: body.totpURI, cookies: visitor.cookies }
}

/** Windows in which pages are looked at. */
export const desktop = { width: 1280, height: 800 }
export const phone = { width: 360, height: 740 }
const wide = { width: 2560, height: 1440 }

/** Opens a browser that has this member's session, at no page yet. */
export const openSignedIn = async (
  service: TestService,
  browser: Browser,
  member: Member,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> => {
  const opened = await openPage(browser, { viewport: desktop, ...options })
  const url = service.context.settings.publicUrl
  const cookies = [...member.cookies].map(([name, value]) => ({ name, value, url, httpOnly: true }))
  await opened.page.context().addCookies(cookies)
  return opened
}

/** Opens a page of the console as this member. */
export const openConsole = async (
  service: TestService,
  browser: Browser,
  member: Member,
  path: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> => {
  const opened = await openSignedIn(service, browser, member, options)
  await opened.page.goto(`${service.context.settings.publicUrl}/console${path}`)
  return opened
}

/** Where `lookAt` leaves screenshots, for a person to look at. Default: nowhere. */
const screenshots = process.env['PAYIN_TEST_SCREENSHOTS']

/** Each theme and each window is looked at by axe once: it takes longer than all else here. */
const lookedAt = new Set(['desktop light', 'phone dark'])

/** A page of the console by its path, and what it shows when it is there. */
type ShownPage = readonly [path: string, text: string | RegExp]

/**
 * Goes to another page without loading the console again, past one that shows nothing of either: starting the console takes
 * half a second of a processor.
 */
export const goTo = async (page: Page, path: string): Promise<void> => {
  await page.evaluate("history.pushState(null, '', '/console/no-such-page')")
  await page.getByText('There is no such page').waitFor()
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/console${path}`)})`)
}

/** Looks at the page that is there, on a desktop and on a phone, light and dark, and on a wide screen. */
const lookThrough = async (page: Page, [path, text]: ShownPage): Promise<void> => {
  for (const [name, viewport] of Object.entries({ desktop, phone })) {
    await page.setViewportSize(viewport)
    await page.getByText(text).first().waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const where = `${path} ${name} ${colorScheme}`
      if (lookedAt.has(`${name} ${colorScheme}`)) assert.deepEqual(await axeFaults(page), [], where)
      assert.ok((await overflow(page)) <= 0, `${where} is too wide`)
      if (screenshots !== undefined)
        await page.screenshot({ path: join(screenshots, `${where.replace(/\W+/g, '-').replace(/^-/, '')}.png`) })
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(wide)
  assert.ok((await overflow(page)) <= 0, `${path} is too wide for a wide screen`)
  if (screenshots !== undefined)
    await page.screenshot({ path: join(screenshots, `${`${path} wide`.replace(/\W+/g, '-').replace(/^-/, '')}.png`) })
}

/**
 * Looks at pages on a desktop and on a phone, light and dark, and on a wide screen: no faults of accessibility or scripts, nothing too wide. One
 * after the other in one window, because starting the console takes as long as all of that.
 */
export const lookAtAll = async (
  service: TestService,
  browser: Browser,
  member: Member,
  pages: readonly [ShownPage, ...ShownPage[]],
): Promise<void> => {
  const { page, faults, close } = await openConsole(service, browser, member, pages[0][0])
  for (const shown of pages) {
    if (shown !== pages[0]) {
      await page.setViewportSize(desktop)
      await page.emulateMedia({ colorScheme: 'light' })
      await goTo(page, shown[0])
    }
    await lookThrough(page, shown)
    assert.deepEqual(faults, [], shown[0])
  }
  await close()
}

/** As `lookAtAll` for a single page. */
export const lookAt = (service: TestService, browser: Browser, member: Member, ...shown: ShownPage): Promise<void> =>
  lookAtAll(service, browser, member, [shown])

/** Looks at what is open at the moment, such as a dialog: no faults of accessibility, nothing too wide. */
export const lookNow = async (page: Page, name: string): Promise<void> => {
  assert.deepEqual(await axeFaults(page), [], name)
  assert.ok((await overflow(page)) <= 0, `${name} is too wide`)
  if (screenshots !== undefined) await page.screenshot({ path: join(screenshots, `${name.replace(/\W+/g, '-')}.png`) })
}
