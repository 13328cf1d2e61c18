// The console's pages about accounts: requisites, merchants, rates and limits, and the overview.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { query, uuid } from 'payin-database'
import type { Browser } from 'playwright-core'
import { hour, minute } from '../../src/rules/time.ts'
import { axeFaults, openBrowser } from '../support/browser.ts'
import { withoutBrowser } from '../support/chromium.ts'
import {
  addMember,
  buildConsole,
  consoleSettings,
  goTo,
  lookAtAll,
  lookNow,
  type Member,
  openConsole,
} from '../support/console-page.ts'
import { notified } from '../support/notified.ts'
import { openOperator, type Operator } from '../support/operator.ts'
import { sendForm } from '../support/page-states.ts'
import { openReceiver, type Receiver } from '../support/receiver.ts'
import { openTestService, type TestService, usualEngine } from '../support/service.ts'
import { newNumber, openShop, send, type Shop } from '../support/shop.ts'
import { uploadFile } from '../support/statement-files.ts'

describe('the console, about accounts', { skip: withoutBrowser() }, () => {
  let service: TestService
  let browser: Browser
  let operator: Operator
  let shop: Shop
  let owner: Member
  let receiver: Receiver

  before(async () => {
    await buildConsole()
    ;[service, browser] = await Promise.all([
      openTestService(usualEngine(), { ...(await consoleSettings()), ...notified }),
      openBrowser(),
    ])
    owner = await addMember(service, 'maria', 'owner')
    operator = openOperator(service)
    const limits = { dayAmount: 20_000_00n, monthAmount: 1_000_000_00n, openPayments: 20 }
    shop = await openShop(service, { name: 'Bookshop', mode: 'sandbox', perMethod: 2, limits })
    receiver = await openReceiver(500)
    await operator.call('POST', `/merchants/${shop.merchantId}/endpoints`, { url: receiver.url })
    await operator.call('PATCH', `/merchants/${shop.merchantId}`, { settings: { accent: '#0f766e' } })
    for (const [index, amount] of [4900, 5200, 7700.5, 12_000].entries()) {
      const created = await shop.create(`order-${index}`, { amount, userId: `reader-${index}` })
      const transfer = { requisiteId: created.body.card.id, amount, currency: 'rub', sender: '+79991234567' }
      const bookedAt = new Date(service.clock.now).toISOString()
      if (index < 2) await operator.call('POST', '/transfers', { transfers: [{ ...transfer, bookedAt }] })
    }
    await shop.post('/links', { title: 'Pottery course', currency: 'rub', uses: 'many' })
    await operator.call('PATCH', `/requisites/${shop.requisiteIds[0]}`, { label: 'Main card', status: 'paused' })
    await service.runJobs()
    service.clock.advance(minute)
  })
  after(async () => {
    await browser?.close()
    await receiver?.[Symbol.asyncDispose]()
    await service?.stop()
  })

  const open = (path: string) => openConsole(service, browser, owner, path)

  test('every page is free of faults, on a phone and a desktop, in both themes', async () => {
    const explain = `merchantId=${shop.merchantId}&method=sbp&currency=rub&amount=2000.50`
    const pages = [
      ['/requisites', 'Main card'],
      [`/requisites?open=${shop.requisiteIds[2]}`, 'Turnover against limits'],
      [`/requisites/explain?${explain}`, /would get the first requisite/],
      [`/merchants/${shop.merchantId}`, 'Owed to the merchant'],
      ['/merchants', 'no host yet'],
      [`/merchants/${shop.merchantId}?tab=terms`, /Fee/],
      [`/merchants/${shop.merchantId}?tab=tokens`, 'from anywhere'],
      [`/merchants/${shop.merchantId}?tab=endpoints`, 'payment.paid'],
      [`/merchants/${shop.merchantId}?tab=links`, 'Pottery course'],
      [`/merchants/${shop.merchantId}?tab=requests`, 'createPayment'],
      [`/merchants/${shop.merchantId}?tab=branding`, 'Colour of buttons'],
      ['/rates', 'for 1 USDT'],
    ] as const
    await lookAtAll(service, browser, owner, pages)
  })

  test('requisites are added from a CSV file, with a result for each of its rows before anything is added', async () => {
    const { page, faults, close } = await open('/requisites')
    const number = newNumber('sbp')
    const file = [
      'method;currency;bank;holder;number;label;dayAmount',
      `sbp;rub;bank-a;"Petrov; Ivan";+${number};First phone;300000`,
      `sbp;rub;bank-a;Anna Petrova;${newNumber('sbp')};Second phone;`,
      `sbp;rub;no-bank;Anna Petrova;${newNumber('sbp')};;`,
      'sbp;rub;bank-a;Anna Petrova;123;;',
      `sbp;rub;bank-a;Anna Petrova;${number};;`,
    ].join('\n')
    await page.getByRole('button', { name: 'Import CSV' }).click()
    const dialog = page.getByRole('dialog')
    await dialog
      .locator('input[type=file]')
      .setInputFiles({ name: 'accounts.csv', mimeType: 'text/csv', buffer: Buffer.from(file) })
    await dialog.getByText('2 of 5 rows are ready').waitFor()
    const results = await dialog.locator('tbody tr td:nth-child(2)').allTextContents()
    assert.deepEqual(results, [
      'ready',
      'ready',
      'bankIssuer is not the code of a known bank issuer.',
      'number must be 11 digits that start with 7',
      'number exists for its method and currency, or is there twice.',
    ])
    assert.deepEqual(await axeFaults(page), [])
    await dialog.getByRole('button', { name: 'Add 2 requisites' }).click()
    await page.getByRole('grid', { name: 'Requisites' }).getByText('First phone').waitFor()
    const { requisites } = (await operator.get('/requisites/health?method=sbp&limit=500')).body
    const added = requisites.find((each: { label?: string }) => each.label === 'First phone')
    assert.deepEqual([added.holder, added.limits.dayAmount], ['Petrov; Ivan', 300_000])
    assert.deepEqual(faults, [])
    await close()
  })

  test('opening balances, and the accounts of statements, come from CSV files', async () => {
    const [one = '', two = ''] = shop.requisiteIds.slice(-2)
    await operator.call('PATCH', `/requisites/${one}`, { label: 'Savings' })
    const take = async (path: string, act: string, lines: readonly string[], says: string): Promise<string[]> => {
      const { page, faults, close } = await open(path)
      await page.getByRole('button', { name: act }).click()
      const dialog = page.getByRole('dialog')
      const buffer = Buffer.from(lines.join('\n'))
      await dialog.locator('input[type=file]').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer })
      await dialog.locator('tbody tr').first().waitFor()
      const results = await dialog.locator('tbody tr td:nth-child(2)').allTextContents()
      await lookNow(page, act)
      await dialog.getByRole('button', { name: says }).click()
      await dialog.waitFor({ state: 'detached' })
      assert.deepEqual(faults, [])
      await close()
      return results
    }
    const day = new Date(service.clock.now).toISOString().slice(0, 10)
    const balances = [
      'Savings;2026-01-31;125000.50;rub',
      `${two};31.01.2026;x;rub`,
      'nobody;2026-01-31;1;rub',
      ';2026-01-31;1;rub',
    ]
    const names = 'requisite;day;balance;currency'
    assert.deepEqual(
      await take('/reconciliation', 'Opening balances…', [names, ...balances], 'Set 1 opening balance'),
      [
        'ready',
        'day must be like 2026-01-31; balance must be like 125000.50',
        'There is no requisite "nobody".',
        'The requisite is missing.',
      ],
    )
    const { openingBalance } = (await operator.get(`/ledger/reconciliation/${one}/${day}`)).body
    assert.deepEqual([openingBalance.day, openingBalance.balance], ['2026-01-31', 125_000.5])
    const number = newNumber('account-to-account')
    const accounts = ['number;requisite', `${number};${two}`, `${number};Savings`]
    assert.deepEqual(await take('/sources', 'Bind accounts…', accounts, 'Bind 1 account'), [
      'ready',
      'number is there twice.',
    ])
  })

  test('several requisites are paused at once with a reason, and one is resumed by its drawer', async () => {
    const { page, faults, close } = await open('/requisites?method=by-phone')
    await page.getByRole('checkbox').nth(1).waitFor()
    for (const box of await page.getByRole('checkbox').all()) await box.check()
    await page.getByRole('region', { name: 'Picked requisites' }).getByRole('button', { name: 'Pause…' }).click()
    await page.getByLabel('Reason').fill('The bank asks for papers')
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByText('Paused: 2').waitFor()
    const statuses = async () =>
      (await operator.get('/requisites?method=by-phone')).body.requisites.map((each: { status: string }) => each.status)
    assert.deepEqual(await statuses(), ['paused', 'paused'])
    assert.equal((await operator.lastAudit()).details['reason'], 'The bank asks for papers')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Resume…' }).click()
    await page.getByRole('button', { name: 'Resume', exact: true }).click()
    await page.getByText('Resumed: 1').waitFor()
    assert.deepEqual((await statuses()).toSorted(), ['active', 'paused'])
    assert.deepEqual(faults, [])
    await close()
  })

  test('the overview names what was paused automatically', async () => {
    const requisiteId = shop.requisiteIds[0] ?? ''
    const pause = query('test_pause', {
      parameters: { requisiteId: uuid, id: uuid },
      text: `insert into requisite_pauses (requisite_id, id, cause, explanation, paused_at)
        values (:requisiteId, :id, 'expired', '{"run": 10, "limit": 10, "since": null}', now())`,
    })
    await service.context.transaction((tx) => tx.query(pause, { requisiteId, id: tx.newId() }))
    const { page, faults, close } = await open('/?mode=sandbox')
    await page.getByRole('link', { name: /Requisites paused.*Main card/ }).waitFor()
    assert.deepEqual(faults, [])
    await close()
  })

  const statusOf = async (token: string): Promise<number> =>
    (await send(service, '/api/v1/merchant/payments', { headers: { authorization: `Bearer ${token}` } })).status

  test('a merchant is added with its first token, which works at once', async () => {
    const { page, faults, close } = await open('/merchants')
    await page.getByRole('button', { name: 'Add a merchant' }).click()
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Garden & Home')
    await page.getByRole('button', { name: 'Add it, with a token' }).click()
    const token = await page.getByRole('status').locator('code').first().textContent()
    assert.equal(await statusOf(token ?? ''), 200)
    assert.deepEqual(await axeFaults(page), [])
    await page.getByRole('link', { name: 'Set its terms' }).click()
    await page.getByRole('heading', { name: 'Garden & Home' }).waitFor()
    assert.deepEqual(faults, [])
    await close()
  })

  test('an event that failed is sent again from its delivery, and many by a preview', async () => {
    await using own = await openReceiver(500)
    const failing = await openShop(service, { name: 'Failing Shop', mode: 'sandbox' })
    await operator.call('POST', `/merchants/${failing.merchantId}/endpoints`, { url: own.url })
    for (const amount of [6100, 6200, 6300]) {
      const { body } = await failing.create(`failing-${amount}`, { amount })
      const bookedAt = new Date(service.clock.now).toISOString()
      await operator.call('POST', '/transfers', {
        transfers: [{ requisiteId: body.card.id, amount, currency: 'rub', sender: '+79991234567', bookedAt }],
      })
    }
    await service.runJobs()
    own.answer = 204
    service.clock.advance(minute)
    const sent = own.calls.length
    const { page, faults, close } = await open(`/merchants/${failing.merchantId}?tab=endpoints`)
    await page.getByText('payment.paid').first().click()
    const drawer = page.getByRole('dialog')
    await drawer.getByText('What was sent').waitFor()
    assert.deepEqual(await axeFaults(page), [])
    await drawer.getByRole('button', { name: 'Send again', exact: true }).click()
    await page.getByText('The event is sent again').waitFor()
    await service.runJobs()
    const known = new Set(own.calls.slice(0, sent).map(({ id }) => id))
    assert.ok(own.calls.slice(sent).some(({ id }) => known.has(id)))
    await drawer.getByText('204', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Send again…' }).click()
    await page.getByRole('dialog').getByText('Also delivered ones').click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Send \d+ events/ })
      .click()
    await page.getByText('events are sent again').waitFor()
    await service.runJobs()
    assert.ok(own.calls.length >= sent + 3)
    assert.deepEqual(faults, [])
    await close()
  })

  test('a merchant gets its colour and the contacts of its support', async () => {
    const { page, faults, close } = await open(`/merchants/${shop.merchantId}?tab=branding`)
    await page.getByLabel('Colour of buttons').fill('#be123c')
    // Its swatches, which may cover the button, close.
    await page.getByLabel('Colour of buttons').blur()
    await page.getByRole('button', { name: 'Save the colour' }).click()
    await page.getByText('Payers see the new colour').waitFor()
    const { settings } = (await operator.get(`/merchants/${shop.merchantId}`)).body
    assert.equal(settings.accent, '#be123c')
    await page.getByLabel('Phone').fill('+7 (800) 555-35-35')
    await page.getByLabel('Chat').fill('https://t.me/shop')
    await page.getByRole('button', { name: 'Save the contacts' }).click()
    await page.getByText('Payers see the new contacts').waitFor()
    const { settings: reached } = (await operator.get(`/merchants/${shop.merchantId}`)).body
    assert.deepEqual([reached.supportPhone, reached.supportMessenger], ['+78005553535', 'https://t.me/shop'])
    assert.deepEqual(faults, [])
    await close()
  })

  test('sandbox money is simulated at a payment, comes by the file of the simulated bank, and a clock is turned', async () => {
    const { body } = await shop.create('by-file', { amount: 6100 })
    const { page, faults, close } = await open('/statements')
    await page.getByRole('button', { name: 'Simulated bank' }).click()
    await page.getByText('booked nothing on that day').waitFor()
    await page.goto(`${new URL(page.url()).origin}/console/payments?open=${shop.merchantId}/${body.payment.id}`)
    await page.getByRole('button', { name: 'Simulate…' }).click()
    await page.getByRole('combobox', { name: 'Who reports the money' }).click()
    await page.getByRole('option', { name: "Only the bank's file" }).click()
    assert.deepEqual(await axeFaults(page), [])
    await page.getByRole('button', { name: 'Simulate it' }).click()
    await page.getByText('import its file under Statements').waitFor()
    await service.runJobs()
    assert.equal(await shop.status('by-file'), 'new')

    await page.goto(`${new URL(page.url()).origin}/console/statements`)
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Simulated bank' }).click()
    const file = await saved
    assert.match(file.suggestedFilename(), /^simulated-bank-\d{4}-\d\d-\d\d\.xml$/)
    const uploaded = await uploadFile(service, readFileSync(await file.path()))
    assert.equal(uploaded.body.counts.new, 1, JSON.stringify(uploaded.body))

    await page.goto(`${new URL(page.url()).origin}/console/merchants/${shop.merchantId}`)
    await page.getByRole('button', { name: 'Turn the clock…' }).click()
    assert.deepEqual(await axeFaults(page), [])
    await page.getByRole('button', { name: 'Turn the clock', exact: true }).click()
    await page.getByText('It comes sooner for').waitFor()
    assert.equal(await shop.status('by-file'), 'expired')
    assert.deepEqual(faults, [])
    await close()
  })

  test('a rate is overridden with a reason, and the override ended', async () => {
    const { page, faults, close } = await open('/rates')
    await page.getByRole('button', { name: 'Override…' }).first().click()
    await page.getByLabel('Price of 1 USDT').fill('93')
    await page.getByLabel('Reason').fill('The exchange is down')
    await page.getByRole('button', { name: 'Override it' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('The exchange is down').last().waitFor()
    const { overrides } = (await operator.get('/rate-overrides')).body
    assert.deepEqual([overrides[0].price, overrides[0].setBy], [93, 'operator:maria'])
    await page.getByRole('button', { name: 'End the override…' }).click()
    await page.getByRole('button', { name: 'End it' }).click()
    await page.getByText('The override has ended').waitFor()
    assert.deepEqual((await operator.get('/rate-overrides')).body.overrides, [])
    assert.deepEqual(faults, [])
    await close()
  })

  test('a source of rates is added, changed and removed', async () => {
    const { page, faults, close } = await open('/rates')
    await page.getByRole('button', { name: 'Add a source' }).click()
    await page.getByRole('combobox', { name: 'Kind' }).click()
    await page.getByRole('option', { name: 'A fixed price' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Currency').fill('rub')
    await dialog.getByLabel('Name').fill('by hand')
    await dialog.getByLabel('Price of 1 USDT').fill('92.5')
    await lookNow(page, 'add a source of rates')
    await dialog.getByRole('button', { name: 'Add the source' }).click()
    await page.getByText('by hand is added').waitFor()
    const sources = async () => (await operator.get('/rate-sources')).body.sources
    assert.deepEqual([(await sources())[0].spreadPpm, (await sources())[0].everyMs], [0, minute])
    await page.getByRole('button', { name: 'Change…' }).first().click()
    await dialog.getByLabel('Spread, %').fill('1,5')
    await dialog.getByLabel('Fetched every').fill('30s')
    await dialog.getByRole('button', { name: 'Save the source' }).click()
    await page.getByText('by hand is changed').waitFor()
    assert.deepEqual([(await sources())[0].spreadPpm, (await sources())[0].everyMs], [15_000, minute / 2])
    await page.getByRole('button', { name: 'Remove…' }).first().click()
    await page.getByRole('button', { name: 'Remove the source' }).click()
    await page.getByText('by hand is removed').waitFor()
    assert.deepEqual(await sources(), [])
    assert.deepEqual(faults, [])
    await close()
  })

  test('a rotated token and the new one work in the overlap, and only the new one after it', async () => {
    const { page, faults, close } = await open(`/merchants/${shop.merchantId}?tab=tokens`)
    await page.getByRole('button', { name: 'Rotate…' }).click()
    await page.getByLabel('Overlap in hours').fill('2')
    await page.getByRole('button', { name: 'Create the new token' }).click()
    const token = (await page.getByRole('status').locator('code').first().textContent()) ?? ''
    assert.deepEqual([await statusOf(shop.token), await statusOf(token)], [200, 200])
    service.clock.advance(3 * hour)
    assert.deepEqual([await statusOf(shop.token), await statusOf(token)], [401, 200])
    assert.deepEqual(faults, [])
    await close()
  })

  // The last: it runs the jobs, which deliver what others wait for.
  test("operators look at a merchant's links and requests, and close a link", async () => {
    const own = await openShop(service, { name: 'Linkshop', mode: 'sandbox' })
    await own.post('/links', { title: 'Pottery course', currency: 'rub', uses: 'many' })
    const { page, faults, close } = await open(`/merchants/${own.merchantId}?tab=links`)
    await page.getByRole('row', { name: /Pottery course/ }).click()
    const drawer = page.getByRole('dialog', { name: 'Pottery course' })
    await drawer.getByText('any, in RUB').waitFor()
    await lookNow(page, 'merchant link')
    await drawer.getByRole('button', { name: 'Close the link…' }).click()
    await page.getByRole('button', { name: 'Close the link', exact: true }).click()
    await page.getByText('The link is closed').waitFor()
    assert.equal((await own.get('/links')).body.links[0].state, 'closed')
    const audit = await operator.lastAudit()
    assert.deepEqual([audit.actor, audit.action], ['operator:maria', 'link.close'])
    await page.keyboard.press('Escape')
    await page.getByRole('radiogroup', { name: 'Payment links' }).getByText('open', { exact: true }).click()
    await page.getByText('No payment links in this state').waitFor()

    await own.post('/payments', { type: 'direct', currency: 'rub', amount: 1, orderId: 'refused' })
    await own.post('/payments', { type: 'direct', currency: 'rub', amount: 5000, method: 'sbp', orderId: 'logged' })
    await service.runJobs()
    await page.getByRole('tab', { name: 'Requests' }).click()
    await page.getByText('201', { exact: true }).first().waitFor()
    await page.getByText('Refused or failed').click()
    await page.getByText('201', { exact: true }).first().waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /createPayment/ }).click()
    const request = page.getByRole('dialog', { name: 'createPayment' })
    await request.getByText('"orderId": "refused"').waitFor()
    await request.getByText(/"code": "validation_failed"/).waitFor()
    await lookNow(page, 'merchant request')

    // What an integrator quotes leads to the same.
    const { body } = await own.post('/payments', { type: 'direct', currency: 'rub', amount: 2, orderId: 'quoted' })
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    await page.keyboard.type(body.requestId)
    await page.keyboard.press('Enter')
    await request.getByText('"orderId": "quoted"').waitFor()

    const link = { title: 'Clay', amount: 900, currency: 'rub', method: 'sbp' }
    const made = (await own.post('/links', link)).body
    const address = `/en${new URL(made.url).pathname}`
    const [, seat = ''] = /name="visit" value="([\w-]+)"/.exec((await send(service, address)).body) ?? []
    assert.equal((await sendForm(service, address, { visit: seat })).status, 303)
    await goTo(page, `/payments?linkId=${made.id}`)
    await page.getByRole('row', { name: /link-/ }).click()
    await page.getByRole('link', { name: 'From which the payer started it' }).click()
    const opened = page.getByRole('dialog', { name: 'Clay' })
    await opened.getByRole('link', { name: 'All payments of the link' }).waitFor()
    assert.deepEqual(faults, [])
    await close()
  })
})
