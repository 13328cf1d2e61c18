// Signing in to the console in a browser: from the link of an invitation to the pages, with a code and with a passkey.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { minute } from '../../src/rules/time.ts'
import { inviteFirstOwner, invitationLink } from '../../src/engine/members/invite-member.ts'
import { axeFaults, openBrowser, openPage, overflow } from '../support/browser.ts'
import { withoutBrowser } from '../support/chromium.ts'
import { codeOf } from '../support/console.ts'
import { buildConsole, consoleSettings } from '../support/console-page.ts'
import { openTestService, type TestService, usualEngine } from '../support/service.ts'

const password = 'correct horse battery staple'

describe('signing in to the console', { skip: withoutBrowser() }, () => {
  let service: TestService
  let browser: Browser

  before(async () => {
    await buildConsole()
    ;[service, browser] = await Promise.all([openTestService(usualEngine(), await consoleSettings()), openBrowser()])
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })

  /** Enters the code that an authenticator shows for this key. */
  const enterCode = async (page: Page, key: string, button: string, steps = 0): Promise<void> => {
    await page.getByLabel('Code of your authenticator').fill(codeOf(`otpauth://totp/x?secret=${key}`, steps))
    await page.getByRole('button', { name: button }).click()
  }

  /** What the console does every minute, and when somebody comes back to it, say from their authenticator. */
  const askForSessionAgain = async (page: Page): Promise<void> => {
    const answered = page.waitForResponse((response) => response.url().endsWith('/operator/me'))
    await page.clock.fastForward(61_000)
    await (await answered).finished()
    await page.waitForTimeout(100)
  }

  const signOut = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'maria, owner' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  }

  test('from the link of the first start to the pages; then by password, and by a passkey, each with a code', async () => {
    const link = await inviteFirstOwner(service.context)
    const { publicUrl } = service.context.settings
    const { page, faults, close } = await openPage(browser)
    await page.clock.install()
    const seen: string[] = []

    const look = async (): Promise<void> => {
      seen.push(...(await axeFaults(page)))
      assert.equal(await overflow(page), 0)
    }

    await page.goto(invitationLink(publicUrl, link?.token ?? ''))
    await page.getByLabel('Your short name').fill('maria')
    await page.getByLabel('E-mail address').fill('maria@example.com')
    await page.getByLabel('Choose a password').fill(password)
    await look()
    await page.getByRole('button', { name: 'Set the password' }).click()

    await page.getByRole('button', { name: 'Set up' }).waitFor()
    assert.equal(await page.locator('input').count(), 0, 'the password is asked for once')
    await look()
    // Who comes back later types it again.
    await page.goto(`${publicUrl}/console/`)
    await page.getByLabel('Your password once more').fill(password)
    await page.getByRole('button', { name: 'Set up' }).click()
    const key = (await page.locator('.copy-text code').first().textContent()) ?? ''
    assert.equal((await page.locator('.factor-codes').textContent())?.split('\n').length, 10)
    await look()
    await askForSessionAgain(page)
    assert.equal(await page.locator('.copy-text code').first().textContent(), key, 'the same key to scan')
    await enterCode(page, key, 'Finish')
    await page
      .getByRole('navigation')
      .or(page.getByRole('button', { name: 'Pages' }))
      .first()
      .waitFor()

    await page.goto(`${publicUrl}/console/team`)
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByLabel('Short name').fill('ilya')
    await page.getByLabel('E-mail address').fill('ilya@example.com')
    await page.getByRole('button', { name: 'Make the link' }).click()
    await page.locator('.one-time-link').waitFor()
    assert.match((await page.locator('.one-time-link code').textContent()) ?? '', /console\/invitation#/)
    await look()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await page.getByRole('row', { name: /ilya operator/ }).click()
    await page.getByRole('button', { name: 'Cancel the invitation' }).waitFor()
    await look()
    service.clock.advance(20 * minute)
    await page.getByRole('button', { name: 'Cancel the invitation' }).click()
    await enterCode(page, key, 'Continue', 1)
    await page.getByRole('row', { name: /ilya operator/ }).waitFor({ state: 'detached' })

    const devtools = await page.context().newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    const added = await page.evaluate(registerPasskey)
    assert.equal(added, 200)

    await signOut(page)
    await page.getByLabel('E-mail address').fill('maria@example.com')
    await askForSessionAgain(page)
    assert.equal(await page.getByLabel('E-mail address').inputValue(), 'maria@example.com', 'what was typed stays')
    await page.getByLabel('Password').first().fill('not the password')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Invalid email or password').waitFor()
    await look()
    await page.getByLabel('Password').first().fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
    await look()
    // A code is good once: by now the service has forgotten those above.
    service.clock.advance(6 * minute)
    await enterCode(page, key, 'Continue', 1)
    await signOut(page)

    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
    const status = await page.evaluate(
      "fetch('/api/v1/operator/me', { headers: { 'x-payin-console': '1' } }).then((a) => a.status)",
    )
    assert.equal(status, 401, 'a passkey alone opens nothing')
    service.clock.advance(6 * minute)
    await enterCode(page, key, 'Continue')
    await page.getByRole('button', { name: 'maria, owner' }).waitFor()
    assert.deepEqual([seen, faults], [[], []])
    await close()
  })
})

// What the page of the account will do.
const registerPasskey = `(async () => {
  const options = await (await fetch('/console/auth/passkey/generate-register-options')).json()
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const credential = await navigator.credentials.create({ publicKey })
  const answer = await fetch('/console/auth/passkey/verify-registration', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ response: credential.toJSON(), name: 'phone' }),
  })
  return answer.status
})()`
