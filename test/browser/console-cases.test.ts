// What goes wrong, and who looks after it, in the console: disputes, owed money, alerts, risk, audit, health, the own account.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { mayDo, roles } from '../../src/rules/members/access.ts'
import { hour, minute } from '../../src/rules/time.ts'
import { receiveProof } from '../../src/engine/disputes/claims/receive-proof.ts'
import { axeFaults, openBrowser } from '../support/browser.ts'
import { withoutBrowser } from '../support/chromium.ts'
import {
  addMember,
  buildConsole,
  consoleSettings,
  goTo,
  lookAt,
  lookAtAll,
  lookNow,
  type Member,
  memberPassword,
  openConsole,
  operate,
} from '../support/console-page.ts'
import { codeOf, visit } from '../support/console.ts'
import { type Court, openCourt } from '../support/disputes.ts'
import { type MailServer, openMailServer } from '../support/mail-server.ts'
import { openDestination } from '../support/destination.ts'
import { openOperator } from '../support/operator.ts'
import { creditOf, openPhone } from '../support/phones.ts'
import { openTestService, type TestService, usualEngine } from '../support/service.ts'
import { payIn } from '../support/shop.ts'
import { camtOf, uploadFile } from '../support/statement-files.ts'

/** A picture of a receipt: files of a dispute are shown as pictures, and the smallest PNG of other tests is none. */
const receiptPicture = async (browser: Browser): Promise<Buffer> => {
  const page = await browser.newPage({ viewport: { width: 420, height: 300 } })
  await page.setContent(
    '<body style="font:18px sans-serif;padding:24px"><h2>Bank A</h2><p>5 000.00 RUB sent</p><p>by card •••• 4567</p>',
  )
  const picture = await page.screenshot({ type: 'png' })
  await page.close()
  return picture
}

describe('the console about cases', { skip: withoutBrowser() }, () => {
  let service: TestService
  let browser: Browser
  let court: Court
  let mailServer: MailServer
  let owner: Member
  let operator: Member
  /** Where the payer of order-1 was to pay. */
  let requisiteId: string

  before(async () => {
    await buildConsole()
    mailServer = await openMailServer()
    const settings = {
      ...(await consoleSettings()),
      PAYIN_TRUST_PROXY: '127.0.0.1',
      PAYIN_SMTP_URL: mailServer.url,
      PAYIN_SECOND_PERSON_AGE_DAYS: '0',
    }
    ;[service, browser] = await Promise.all([openTestService(usualEngine(), settings), openBrowser()])
    owner = await addMember(service, 'clara', 'owner')
    operator = await addMember(service, 'otto', 'operator')
    court = await openCourt(service, { name: 'Bookshop', perMethod: 8 })
    ;({ requisiteId } = await court.create('order-1'))
    for (const order of ['order-2', 'order-3', 'order-4', 'order-5']) await court.create(order)
    const twice = await court.create('order-6', { amount: 4100 })
    for (const reference of ['once', 'twice']) {
      await payIn(service, { requisiteId: twice.requisiteId, minor: 4100_00n, sender: '+79991234567', reference })
    }
    const again = await court.create('order-7', { amount: 4300 })
    for (const reference of ['again', 'and again'])
      await payIn(service, { requisiteId: again.requisiteId, minor: 4300_00n, sender: '+79991234569', reference })
    await payIn(service, { requisiteId, minor: 700_00n })
    await court.expire()
    service.clock.advance(5 * minute)
    await takeBack(twice.requisiteId)
    const { id } = (await court.shop.get('/payments/byOrderId/order-5')).body
    await receiveProof(
      service.context,
      { merchantId: court.shop.merchantId, id },
      {
        claim: { amount: 4990_00n, paidAt: service.clock.now },
        receipt: { type: 'image/png', content: await receiptPicture(browser) },
      },
    )
    const note = 'The payer sent us a screenshot of its bank'
    for (const order of ['order-1', 'order-2', 'order-3', 'order-4']) {
      assert.equal((await court.claim(order, { reason: 'paid-not-credited', note })).status, 201)
    }
    await court.upload('order-1', await receiptPicture(browser))
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
    await mailServer?.[Symbol.asyncDispose]()
  })

  /** The bank takes money back without a reference, which may be of either of two transfers. */
  const takeBack = async (account: string) => {
    const rows = [
      { minor: -4100_00n, date: new Date(service.clock.now).toISOString().slice(0, 10), reversal: true as const },
    ]
    const { body } = await uploadFile(service, camtOf({ account: `of ${account}`, rows }), { requisiteId: account })
    await openOperator(service).call('POST', `/statements/${body.id}/confirm`)
    await service.runJobs()
  }
  const open = (path: string, member = owner, options: BrowserContextOptions = {}) =>
    openConsole(service, browser, member, path, options)
  const dispute = async (orderId: string) => (await court.dispute(orderId)).body
  const openDrawer = async (page: Page, row: string | RegExp) => {
    await page.getByRole('row').filter({ hasText: row }).click()
    return page.getByRole('dialog')
  }

  test('a dispute is read with its files, asked about and accepted with the money of the inbox', async () => {
    await payIn(service, { requisiteId, minor: 1200_00n, senderName: 'Olga P.' })
    await lookAt(service, browser, owner, '/disputes', 'order-2')
    const { page, faults, close } = await open('/disputes', operator)
    const drawer = await openDrawer(page, 'order-1')
    await drawer.getByRole('button', { name: 'Show' }).click()
    await drawer.getByRole('img', { name: /that merchant sent/ }).waitFor()
    await page.evaluate('document.querySelector(".sent-file img").decode()')
    await lookNow(page, 'dispute')
    await drawer.getByRole('button', { name: 'Ask for more…' }).click()
    await page.getByLabel('What is missing').fill('At what time was it sent?')
    await page.getByRole('button', { name: 'Ask the merchant' }).click()
    await drawer.getByText('Asked for more').waitFor()
    const asked = (await dispute('order-1')).history.at(-1)
    assert.deepEqual([asked.kind, asked.note], ['asked', 'At what time was it sent?'])

    await drawer.getByRole('button', { name: 'Accept…' }).click()
    const dialog = page.getByRole('dialog', { name: /Accept the claim/ })
    await dialog.getByText('no money covers this amount').waitFor()
    await dialog.getByLabel('Money in the inbox').click()
    await page.getByRole('option', { name: /1.200.00 RUB from O/ }).click()
    await dialog.getByText('no money covers this amount').waitFor({ state: 'detached' })
    await dialog.getByText('fx · rub').first().waitFor()
    await dialog.getByLabel('Reason').fill('Found it in the inbox')
    await lookNow(page, 'dispute accept')
    await dialog.getByRole('button', { name: 'Accept the claim' }).click()
    await drawer.getByText('accepted', { exact: true }).waitFor()
    assert.equal(await court.shop.status('order-1'), 'disput-paid')
    assert.equal((await dispute('order-1')).finalAmount, 1200)
    assert.deepEqual(faults, [])
    await close()
  })

  test('an amount without money takes a second person; several claims are decided at once, each with its result', async () => {
    const { body } = await court.anna.get('/disputes?state=undecided')
    const { id } = body.disputes.find(({ orderId }: { orderId: string }) => orderId === 'order-2')
    const proposed = await operate(service, owner, `/disputes/${court.shop.merchantId}/${id}/decision`, {
      decision: 'accept',
      note: 'seen',
    })
    assert.equal(proposed.status, 200, JSON.stringify(proposed.body))
    const { page, faults, close } = await open('/disputes', operator)
    await page.getByText('missing, after clara').waitFor()
    const drawer = await openDrawer(page, 'order-2')
    await drawer.getByText('A second person must confirm it: you may.').waitFor()
    await drawer.getByRole('button', { name: 'Confirm…' }).click()
    await page
      .getByRole('dialog', { name: /Confirm/ })
      .getByText('corrections')
      .waitFor()
    await page.getByRole('button', { name: 'Confirm the amount' }).click()
    await drawer.getByText('accepted', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })

    for (const order of ['order-3', 'order-4']) await page.getByLabel(`Select ${order}`).check()
    await page.getByRole('button', { name: 'Decide 2 disputes…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Decide 2 disputes' })
    await dialog.getByText('possible').nth(1).waitFor()
    await dialog.getByLabel('Reason').fill('No such money')
    await lookNow(page, 'disputes bulk')
    await dialog.getByRole('button', { name: 'Reject 2 disputes' }).click()
    await dialog.getByText('done').nth(1).waitFor()
    assert.deepEqual(await Promise.all(['order-3', 'order-4'].map((order) => court.shop.status(order))), [
      'expired',
      'expired',
    ])
    assert.deepEqual(await axeFaults(page), [])
    assert.deepEqual(faults, [])
    await close()
  })

  test('money that is owed is given back, a reversal finds its transfer, and a claim becomes a dispute', async () => {
    const pages = [
      ['/overpayments', 'order-6'],
      ['/reversals', /4.100\.00/],
      ['/claims', 'order-5'],
    ] as const
    await lookAtAll(service, browser, owner, pages)
    for (const [path, text] of pages) {
      const exported = (await court.anna.get(`${path}.csv`)).body as string
      assert.match(exported, typeof text === 'string' ? new RegExp(text) : /,4100,rub,/, path)
    }
    const { page, faults, close } = await open('/overpayments')
    const drawer = await openDrawer(page, 'order-6')
    await drawer.getByRole('button', { name: 'Refund booked…' }).click()
    const dialog = page.getByRole('dialog', { name: /Book the refund/ })
    await dialog.getByText('overpayment').first().waitFor()
    await dialog.getByLabel('Reason').fill('Sent back by the bank’s app')
    await lookNow(page, 'overpayment refund')
    await dialog.getByRole('button', { name: 'Book the refund' }).click()
    // The code that the owner entered at the sign-in is an hour old.
    await page.getByLabel('Code of your authenticator').fill(codeOf(owner.key))
    await page.keyboard.press('Enter')
    await drawer.getByText('Nothing is owed for this payment any more').waitFor()
    assert.deepEqual((await court.anna.get('/overpayments')).body.overpayments.length, 1)

    await goTo(page, '/reversals')
    await openDrawer(page, '2 transfers')
    await lookNow(page, 'reversal')
    await drawer.getByRole('button', { name: 'It was this…' }).last().click()
    await page
      .getByRole('dialog', { name: /Take the money back/ })
      .getByText('return')
      .first()
      .waitFor()
    await lookNow(page, 'reversal assign')
    await page.getByRole('button', { name: 'Take it back' }).click()
    await page.getByText('No reversal waits').waitFor()

    await goTo(page, '/claims')
    await openDrawer(page, 'order-5')
    await lookNow(page, 'claim')
    await drawer.getByRole('button', { name: 'Open a dispute…' }).click()
    await page.getByRole('button', { name: 'Open the dispute' }).click()
    await page.getByText('The dispute is open').waitFor()
    assert.equal(await court.shop.status('order-5'), 'disput')
    assert.deepEqual(faults, [])
    await close()
  })

  test('a session is ended from the account, and is then signed out; a passkey that was added signs in', async () => {
    const dora = await addMember(service, 'dora', 'owner')
    const other = visit(service, service.context.settings.publicUrl)
    await other.call('/auth/sign-in/email', { email: dora.email, password: memberPassword })
    await other.call('/auth/two-factor/verify-totp', { code: codeOf(dora.key, 1) })
    assert.equal((await other.operate('/me')).status, 200)
    await lookAt(service, browser, dora, '/account', 'Where you are signed in')
    const { page, faults, close } = await open('/account', dora)
    // Until the page knows which session is its own, it does not offer to end one.
    const known = Promise.withResolvers<void>()
    await page.route('**/auth/get-session*', async (route) => {
      await known.promise
      await route.continue()
    })
    await page.reload()
    await page.getByText('last seen').first().waitFor()
    assert.equal(await page.getByRole('button', { name: 'End…' }).count(), 0)
    known.resolve()
    await page.getByRole('button', { name: 'End…' }).click()
    await page.getByRole('button', { name: 'End the session' }).click()
    await page.getByText('The session has ended').waitFor()
    assert.equal((await other.operate('/me')).status, 401)

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
    await page.getByRole('button', { name: 'Add a passkey…' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Desk computer')
    await page.getByRole('button', { name: 'Add the passkey' }).click()
    await page.getByText('Desk computer').waitFor()
    await page.getByRole('button', { name: 'Name…' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Office')
    await page.keyboard.press('Enter')
    await page.getByText('Office', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'New recovery codes…' }).click()
    await page.getByRole('dialog').getByLabel('Your password').fill(memberPassword)
    await page.keyboard.press('Enter')
    await page.getByText('They are not shown again').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'New authenticator…' }).click()
    await page.getByLabel('QR code').waitFor()
    await lookNow(page, 'new authenticator')
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    assert.deepEqual(faults, [])

    await page.getByRole('button', { name: 'dora, owner' }).click()
    const reloaded = page.waitForEvent('load')
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await reloaded
    // A code is good once: by now the service has forgotten those above.
    service.clock.advance(6 * minute)
    await page.getByRole('button', { name: /passkey/ }).click()
    await page.getByLabel('Code of your authenticator').fill(codeOf(dora.key))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Your account' }).or(page.getByText('Needs attention')).first().waitFor()
    await close()
  })

  test('an alert comes by e-mail, is acknowledged, and ends with its cause', async () => {
    const { page, faults, close } = await open('/alerts/channels')
    await page.getByRole('button', { name: 'Add a channel…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('on call')
    await dialog.getByLabel('To', { exact: true }).fill('anna@example.com')
    await lookNow(page, 'alert channel')
    await dialog.getByRole('button', { name: 'Add the channel' }).click()
    await dialog.getByText('is added').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Test…' }).click()
    await page.getByRole('button', { name: 'Send the test' }).click()
    await page.getByText('on call accepted the test').waitFor()
    await page.getByRole('button', { name: 'Change…' }).click()
    await dialog.getByLabel('To', { exact: true }).fill('anna@example.com, boris@example.com')
    await dialog.getByRole('button', { name: 'Save the channel' }).click()
    await page.getByText('anna@example.com, boris@example.com').waitFor()
    for (let rounds = 0; rounds < 2; rounds++) {
      await service.runJobs('all')
      service.clock.advance(2 * minute)
    }
    await service.runJobs('all')
    const found = mailServer.mails.find(({ text }) => text.includes('700'))
    assert.ok(found, JSON.stringify(mailServer.mails))
    const pages = [
      ['/alerts', '700'],
      ['/alerts/rules', 'inbox-waiting'],
      ['/alerts/channels', 'on call'],
    ] as const
    await lookAtAll(service, browser, owner, pages)
    await goTo(page, '/alerts')
    const drawer = await openDrawer(page, '700')
    await drawer.getByRole('button', { name: 'I know…' }).click()
    await page.getByRole('button', { name: 'Acknowledge' }).click()
    await drawer.getByText('acknowledged').first().waitFor()
    await lookNow(page, 'alert')
    const waiting = (await court.inbox()).find((each) => each.requisiteId === requisiteId)
    const path = `/transfers/${waiting?.requisiteId}/${waiting?.id}/ignore`
    assert.equal((await court.anna.call('POST', path, { reason: 'a test' })).status, 200)
    service.clock.advance(2 * minute)
    await service.runJobs('all')
    await page.getByRole('row').filter({ hasText: '700' }).waitFor({ state: 'detached' })
    assert.deepEqual(faults, [])
    await close()
  })

  test('risk, audit and health show what is so, and a block is made and lifted', async () => {
    const { page, faults, close } = await open('/risk/blocks')
    await page.getByRole('button', { name: 'Block a payer…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Number').fill('+79261234567')
    await dialog.getByLabel('Reason').fill('Chargebacks')
    await dialog.getByRole('button', { name: 'Block the payer' }).click()
    await page.getByText('•••• 4567').waitFor()
    const rule = { kind: 'user', windowMs: 3_600_000, maxCount: 1, reason: 'One an hour' }
    assert.equal((await court.anna.call('POST', '/risk/rules', rule)).status, 201)
    for (const order of ['risk-1', 'risk-2']) await court.shop.create(order, { userId: 'reader-1' })
    const pages = [
      ['/risk', 'risk-2'],
      ['/risk/blocks', '•••• 4567'],
      ['/risk/rules', 'of one user'],
      ['/audit', 'risk-block.add'],
      ['/health', 'Settings in force'],
    ] as const
    await lookAtAll(service, browser, owner, pages)
    await page.getByRole('button', { name: 'Lift…' }).click()
    await page.getByRole('button', { name: 'Lift the block' }).click()
    await page.getByText('over', { exact: true }).waitFor()
    await goTo(page, '/audit?action=risk-')
    await openDrawer(page, 'risk-block.add')
    await page.getByText('Chargebacks').first().waitFor()
    await page.getByRole('rowheader', { name: 'Reason', exact: true }).waitFor()
    await lookNow(page, 'audit entry')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Verify the chain' }).click()
    await page.getByText('the chain is intact').waitFor()
    await goTo(page, '/health')
    await page.getByRole('button', { name: 'Check them all' }).click()
    await page.getByText(/all \d+ hold/).waitFor()
    assert.deepEqual(faults, [])
    await close()
  })

  test('what a phone only proposes is accepted with one key, and is unproven wherever its money is shown', async () => {
    const { requisiteId: account, merchantId } = await court.create('order-8', { amount: 4700 })
    const phone = await openPhone(service, [account], { dailyLimit: 0 })
    await phone.sms(creditOf(service, 4700, 10_000))
    const { page, faults, close } = await open(`/matching?requisiteId=${account}&sort=newest`)
    await page.getByText('What assigning it does').waitFor()
    await lookNow(page, 'proposed by a phone')
    const answered = page.waitForResponse((answer) => answer.url().endsWith('/transfers/decide'))
    await page.keyboard.press('Enter')
    assert.equal((await answered).status(), 200)
    assert.equal(await court.shop.status('order-8'), 'paid')
    await goTo(page, '/')
    await page.getByRole('link', { name: /Not proven yet/ }).waitFor()
    await lookNow(page, 'overview with unproven money')
    await goTo(page, `/merchants/${merchantId}`)
    await page.getByText('not proven yet: 50.3').waitFor()
    await lookNow(page, 'merchant with unproven money')
    const destinationId = await openDestination(service, merchantId)
    await goTo(page, '/settlements')
    await page.getByRole('button', { name: 'Draft a settlement…' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Merchant' }).click()
    await page.getByRole('option', { name: 'Bookshop' }).click()
    await dialog.getByText(/Not proven yet: 50\.3/).waitFor()
    await lookNow(page, 'draft of unproven money')
    await page.keyboard.press('Escape')
    const wanted = { merchantId, reference: 'unproven', destinationId }
    const drafted = await court.anna.call('POST', '/settlements', wanted)
    assert.equal(drafted.status, 201, JSON.stringify(drafted.body))
    await goTo(page, `/settlements?open=${merchantId}/${drafted.body.id}`)
    await page.getByRole('dialog').getByText('Not proven yet').waitFor()
    await lookNow(page, 'settlement of unproven money')
    // In the zone of the account.
    const day = new Date(service.clock.now + 3 * hour).toISOString().slice(0, 10)
    const closing = { balance: 0, currency: 'rub' }
    await openOperator(service).call('PUT', `/requisites/${account}/closing-balances/${day}`, closing)
    await goTo(page, `/reconciliation?open=${account}/${day}`)
    await page.getByText('Only messages on phones have reported').waitFor()
    await lookNow(page, 'a day with unproven money')
    assert.deepEqual(faults, [])
    await close()
  })

  test('every role is offered what it may do, and is refused the rest', async () => {
    const [left] = (await court.anna.get('/disputes?state=undecided')).body.disputes
    const [owed] = (await court.anna.get('/overpayments')).body.overpayments
    const offered = [
      [
        `/disputes?open=${left.merchantId}/${left.id}`,
        'What was said and done',
        'Reject…',
        'decide',
        `/disputes/${left.merchantId}/${left.id}/confirm`,
      ],
      [
        `/disputes?open=${left.merchantId}/${left.id}`,
        'What was said and done',
        'Ask for more…',
        'support',
        `/disputes/${left.merchantId}/${left.id}/ask`,
      ],
      [
        `/overpayments?open=${owed.merchantId}/${owed.paymentId}`,
        'is the payer’s',
        'Keep…',
        'account',
        `/overpayments/${owed.merchantId}/${owed.paymentId}/decisions`,
      ],
      ['/risk/rules', /Payers have no limits|One an hour/, 'Add a limit…', 'configure', '/risk/rules'],
    ] as const
    let names: string | undefined
    for (const role of roles) {
      const member = await addMember(service, `one-${role}`, role)
      const { page, close } = await open('/', member)
      const navigation = page.getByRole('navigation', { name: 'Pages' })
      await navigation.getByText('Health').waitFor()
      names ??= await navigation.innerText()
      assert.equal(await navigation.innerText(), names, 'every role looks at everything')
      let at: string | undefined
      for (const [path, shown, button, duty, address] of offered) {
        if (path !== at) await goTo(page, path)
        at = path
        await page.getByText(shown).first().waitFor()
        const isOffered = await page.getByRole('button', { name: button }).count()
        assert.equal(isOffered > 0, mayDo(role, duty), `${role}: ${button}`)
        const cookie = [...member.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        const answer = await fetch(`${service.url}/api/v1/operator${address}`, {
          method: 'POST',
          headers: { cookie, 'x-payin-console': '1', 'content-type': 'application/json' },
          body: '{}',
        })
        assert.equal(answer.status === 403, !mayDo(role, duty), `${role}: ${address} ${answer.status}`)
      }
      await close()
    }
  })
})
