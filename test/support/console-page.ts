// Pages of the console in a browser, opened by a member who has really signed in.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { MemberRole } from '../../src/rules/members/access.ts'
import { axeFaults, type OpenedPage, openPage } from './browser.ts'
import { codeOf, visit } from './console.ts'
import { openOperator } from './operator.ts'
import { freePort } from './process.ts'
import type { TestService } from './service.ts'
import { type Answer, send } from './shop.ts'

const script = join(import.meta.dirname, '..', '..', 'console', 'build-console.ts')

/** Builds the console if its sources have changed, in a separate process like the service; returns its output. */
export const buildConsole = async (): Promise<string> => (await promisify(execFile)(process.execPath, [script])).stdout

/** Settings of a service whose console a browser opens at its public address, as passkeys and cookies require. */
export const consoleSettings = async (): Promise<Record<string, string>> => {
  const port = String(await freePort())
  return { PORT: port, PUBLIC_URL: `http://localhost:${port}` }
}

/** The password of every member that `addMember` creates. */
export const memberPassword = 'correct horse battery staple'

/** A member with a second factor. */
export type Member = {
  readonly name: string
  readonly email: string
  readonly role: MemberRole
  /** The address of the authenticator's key, from which `codeOf` computes codes. */
  readonly key: string
  readonly cookies: ReadonlyMap<string, string>
}

/** Adds a member with this role by an invitation, sets up the second factor and signs in. */
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

/** Posts, or sends by another method, to the operator API in a member's session. */
export const operate = (
  service: TestService,
  { cookies }: Member,
  path: string,
  body: object,
  method = 'POST',
): Promise<Answer> =>
  send(service, `/api/v1/operator${path}`, {
    method,
    headers: {
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      origin: service.context.settings.publicUrl,
      'sec-fetch-site': 'same-origin',
      'x-payin-console': '1',
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  })

/** Windows in which pages are checked. */
export const desktop = { width: 1280, height: 800 }
export const phone = { width: 360, height: 740 }
const wide = { width: 2560, height: 1440 }

/** Opens a browser with this member's session, without a page yet. */
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

/** The folder for screenshots of the checked pages, for people to look at. Default: none are taken. */
const screenshots = process.env['PAYIN_TEST_SCREENSHOTS']

/**
 * axe takes longer than everything else here, so it checks the pages of a list in turn in one of these looks: what a theme or
 * a size breaks, it breaks on many pages. A page alone is checked in both.
 */
const looks = ['desktop light', 'phone dark'] as const

/** A page of the console by its path, with a text that it shows once it is loaded. */
type ShownPage = readonly [path: string, text: string | RegExp]

/**
 * Goes to another page without loading the console again, which takes half a second of processor time. In between it
 * shows a page without the texts of either.
 */
export const goTo = async (page: Page, path: string): Promise<void> => {
  await page.evaluate("history.pushState(null, '', '/console/no-such-page')")
  await page.getByText(/There is no such page|Такой страницы нет/).waitFor()
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/console${path}`)})`)
}

const findTooWide = `[document.documentElement, ...document.querySelectorAll('.table-scroll, .trial, .drawer')]
  .filter((each) => each.scrollWidth > each.clientWidth)
  .map((each) => (each.className || 'page') + ': ' + each.scrollWidth + ' > ' + each.clientWidth)`

/** Of the page, its tables and an open drawer, those with something out of sight at the right. */
const tooWide = async (page: Page): Promise<string[]> => {
  let found: string[] = await page.evaluate(findTooWide)
  // Tables choose their columns shortly after the window has its size.
  for (let tries = 0; found.length > 0 && tries < 20; tries++) {
    await page.waitForTimeout(50)
    found = await page.evaluate(findTooWide)
  }
  return found
}

/** Checks the open page on a desktop, a phone and a wide screen, and by axe in these looks. */
const lookThrough = async (page: Page, [path, text]: ShownPage, byAxe: readonly string[]): Promise<void> => {
  for (const [name, viewport] of Object.entries({ desktop, phone })) {
    await page.setViewportSize(viewport)
    await page.getByText(text).first().waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      const look = `${name} ${colorScheme}`
      // No theme changes the width of anything.
      if (screenshots === undefined && !looks.some((each) => each === look)) continue
      await page.emulateMedia({ colorScheme })
      const where = `${path} ${look}`
      if (byAxe.includes(look)) assert.deepEqual(await axeFaults(page), [], where)
      assert.deepEqual(await tooWide(page), [], where)
      if (screenshots !== undefined)
        await page.screenshot({ path: join(screenshots, `${where.replace(/\W+/g, '-').replace(/^-/, '')}.png`) })
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(wide)
  assert.deepEqual(await tooWide(page), [], `${path} on a wide screen`)
  if (screenshots !== undefined)
    await page.screenshot({ path: join(screenshots, `${`${path} wide`.replace(/\W+/g, '-').replace(/^-/, '')}.png`) })
}

/**
 * Checks pages on a desktop and a phone, light and dark, and on a wide screen: no violations of accessibility, no
 * errors of scripts, nothing too wide. All are opened in one window, because loading the console takes as long as the
 * checks.
 */
export const lookAtAll = async (
  service: TestService,
  browser: Browser,
  member: Member,
  pages: readonly [ShownPage, ...ShownPage[]],
): Promise<void> => {
  const { page, faults, close } = await openConsole(service, browser, member, pages[0][0])
  for (const [index, shown] of pages.entries()) {
    if (index > 0) {
      await page.setViewportSize(desktop)
      await page.emulateMedia({ colorScheme: 'light' })
      await goTo(page, shown[0])
    }
    await lookThrough(page, shown, pages.length === 1 ? looks : looks.slice(index % 2, (index % 2) + 1))
    assert.deepEqual(faults, [], shown[0])
  }
  await close()
}

/** Like `lookAtAll`, for a single page. */
export const lookAt = (service: TestService, browser: Browser, member: Member, ...shown: ShownPage): Promise<void> =>
  lookAtAll(service, browser, member, [shown])

/** Checks what is open at the moment, such as a dialog: no violations of accessibility, nothing too wide. */
export const lookNow = async (page: Page, name: string): Promise<void> => {
  assert.deepEqual(await axeFaults(page), [], name)
  assert.deepEqual(await tooWide(page), [], name)
  if (screenshots !== undefined) await page.screenshot({ path: join(screenshots, `${name.replace(/\W+/g, '-')}.png`) })
}
