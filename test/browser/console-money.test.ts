// The console's pages about money: statements, reconciliation, the ledger, settlements and matching.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { integer, query, uuid } from 'payin-database'
import { destinationRules } from '../../src/rules/money/destination.ts'
import { runImports } from '../../src/process/jobs/jobs.ts'
import { pickUpFiles } from '../../src/engine/statements/pickups/pick-up-files.ts'
import { hour, minute } from '../../src/rules/time.ts'
import { axeFaults, openBrowser } from '../support/browser.ts'
import { withoutBrowser } from '../support/chromium.ts'
import {
  addMember,
  buildConsole,
  consoleSettings,
  lookAtAll,
  lookNow,
  type Member,
  openConsole,
  operate,
} from '../support/console-page.ts'
import { openOperator } from '../support/operator.ts'
import { openTestService, type TestService, usualEngine } from '../support/service.ts'
import { openShop, send, type Shop } from '../support/shop.ts'
import { camtOf, csvOf, type MadeRow, uploadFile } from '../support/statement-files.ts'
import { until } from '../support/waiting.ts'

/** Transfers that wait on a requisite, as many as `count`: the first of 1001, each of 1 more. */
const analyzeWaiting = query('analyze_waiting_transfers', {
  planned: 'whole',
  parameters: {},
  text: 'analyze transfers, transfer_parts, suspense_cases',
})

const insertWaiting = query('insert_waiting_transfers', {
  planned: 'whole',
  parameters: { requisiteId: uuid, count: integer },
  text: `with made as materialized (
      select n, ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id, (1000 + n) * 100 as amount
      from generate_series(1, :count) as n
    ), transfer as (
      insert into transfers (requisite_id, id, dedupe_key, currency, amount, booked_at, source, sender_masked, recorded_at)
      select :requisiteId, id, 'many:' || n, 'rub', amount, now(), 'statement', '', now() from made
    ), part as (
      insert into transfer_parts (requisite_id, transfer_id, number, kind, amount, outcome, reasons, decided_at)
      select :requisiteId, id, 1, 'suspense', amount, 'none', '[]', now() from made
    )
    insert into suspense_cases (requisite_id, transfer_id, suggestions, opened_at)
    select :requisiteId, id, '[]', now() from made`,
})

describe("the console's pages about money", { skip: withoutBrowser() }, () => {
  let service: TestService
  let browser: Browser
  let shop: Shop
  let owner: Member
  let operator: ReturnType<typeof openOperator>

  const pickups = mkdtempSync(join(tmpdir(), 'payin-pickups-'))

  before(async () => {
    await buildConsole()
    ;[service, browser] = await Promise.all([
      openTestService(usualEngine(), {
        ...(await consoleSettings()),
        PAYIN_SECOND_PERSON_ABOVE: '1',
        PAYIN_SECOND_PERSON_AGE_DAYS: '0',
        PAYIN_DESTINATION_COOLING_HOURS: '0',
        PAYIN_PICKUP_FOLDER: pickups,
      }),
      openBrowser(),
    ])
    owner = await addMember(service, 'maria', 'owner')
    // Its rate is older than a payment that is made in the past.
    service.clock.advance(-3 * hour)
    shop = await openShop(service, { name: 'Bookshop', perMethod: 1 })
    service.clock.advance(3 * hour)
    operator = openOperator(service)
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
    rmSync(pickups, { recursive: true, force: true })
  })

  const today = () => new Date(service.clock.now).toISOString().slice(0, 10)
  const dayBefore = (days: number) => new Date(service.clock.now - days * 86_400_000).toISOString().slice(0, 10)
  const open = (path: string) => openConsole(service, browser, owner, path)

  test('a statement of 2,000 rows is dropped, looked at, imported with progress and matched', async () => {
    const requisiteId = shop.requisiteIds[0] ?? ''
    await operator.call('PATCH', `/requisites/${requisiteId}`, { label: 'Main account' })
    const rows = Array.from(
      { length: 2000 },
      (_, index): MadeRow => ({
        minor: index % 50 === 0 ? -BigInt(150_00 + index) : BigInt(1000_00 + index),
        date: dayBefore(2),
        reference: `ref-${index}`,
        payer: `Payer ${index}`,
        payerAccount: `408178100000000${String(index).padStart(5, '0')}`,
        text: `order ${index}`,
      }),
    )
    const file = csvOf({ account: 'A', rows })
    const { page, faults, close } = await open('/statements')
    await page.getByText('No statements yet').waitFor()
    const chosen = { name: 'march.csv', mimeType: 'text/csv', buffer: Buffer.from(file) }
    await page.locator('input[type=file]').setInputFiles(chosen)
    // It does not name an account that is known: the person says which one it is.
    await page.getByText('The whole file was refused').waitFor()
    await page.getByRole('button', { name: 'Read differently…' }).click()
    await page.getByRole('combobox', { name: 'Requisite' }).click()
    await page.getByRole('option', { name: 'Main account' }).click()
    await page.getByRole('button', { name: 'Read it again' }).click()
    await page.getByRole('button', { name: /Import 2,000 rows/ }).waitFor()
    await page.getByText('the sign of the amount').waitFor()
    assert.ok((await page.getByRole('row').count()) < 60, 'only the rows in sight are in the page')
    const seen = new Set<string>()
    page.on('response', async (response) => {
      if (!/\/statements\/[^/]+$/.test(response.url())) return
      const { state, progress } = (await response.json().catch(() => ({}))) as { state?: string; progress?: number }
      seen.add(`${state} ${progress}`)
    })
    await page.keyboard.press('i')
    await page.getByText('Importing…').waitFor()
    const shown = () => [...seen].filter((each) => each.startsWith('importing')).length
    for (const sets of [1, 2]) {
      await runImports(service.context)
      await until('the page shows that a set is imported', () => shown() > sets)
    }
    await service.runJobs('all')
    await page.getByText(/wait for a decision/).waitFor()
    const [imported] = (await operator.get('/statements')).body.statements
    assert.deepEqual([imported.state, imported.counts.rows], ['imported', 2000])
    await page.getByRole('link', { name: 'Match 1,960' }).click()
    await page.getByText('1,960 waiting').waitFor()
    assert.deepEqual(faults, [])
    await close()
  })

  test('all files that are ready are imported at once, and each row leads to where its money went', async () => {
    const requisiteId = shop.requisiteIds[0] ?? ''
    for (const [index, minor] of [771_00n, 772_00n].entries()) {
      const row = { minor, date: dayBefore(1), reference: `ready-${index}`, payer: '', payerAccount: '', text: '' }
      const uploaded = await uploadFile(service, csvOf({ account: 'A', rows: [row] }), { requisiteId })
      assert.equal(uploaded.body.state, 'ready', JSON.stringify(uploaded.body))
    }
    const { page, faults, close } = await open('/statements')
    await page.getByRole('button', { name: 'Import all 2 ready…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 new').first().waitFor()
    assert.deepEqual(await axeFaults(page), [])
    await dialog.getByRole('button', { name: 'Import 2 files' }).click()
    await page.getByText('2 of 2 files are being imported').waitFor()
    await service.runJobs('all')
    const [last] = (await operator.get('/statements')).body.statements
    await page.goto(`${new URL(page.url()).origin}/console/statements/${last.id}`)
    await page.getByRole('link', { name: 'the inbox' }).click()
    await page
      .locator('.matched')
      .getByRole('link', { name: /, line 2$/ })
      .waitFor()
    const { merchantId } = shop
    const { id: paymentId } = (await shop.create('by a row', { amount: 772, method: 'card-to-card' })).body.payment
    const [row] = (await operator.get(`/statements/${last.id}/rows`)).body.rows
    const assigned = await operator.call('POST', `/transfers/${requisiteId}/${row.transferId}/assign`, {
      shares: [{ merchantId, paymentId }],
    })
    assert.equal(assigned.status, 200, JSON.stringify(assigned.body))
    await page.goto(`${new URL(page.url()).origin}/console/payments?open=${merchantId}/${paymentId}`)
    await page.getByRole('link', { name: /, line 2$/ }).waitFor()
    assert.deepEqual(faults, [])
    await close()
  })

  test('odd transfers are matched by keys alone, and some of them are taken back', async () => {
    const orders = Array.from({ length: 6 }, (_, index) => `odd-${index}`)
    const ids = await Promise.all(
      orders.map(async (order, index) => (await shop.create(order, { amount: 7000 + index * 10 })).body.card.id),
    )
    const bookedAt = new Date(service.clock.now).toISOString()
    const transfers = ids.map((id, index) => ({
      requisiteId: id,
      amount: 6999 + index * 10,
      currency: 'rub',
      bookedAt,
    }))
    assert.equal((await operator.call('POST', '/transfers', { transfers })).status, 200)
    const [own] = ids
    const waiting = async () =>
      (await operator.get(`/transfers?unmatched=true&requisiteId=${own}&count=true&limit=1`)).body.count.matching
    const first = await waiting()
    const { page, faults, close } = await open(`/matching?requisiteId=${own}&sort=newest`)
    await page.getByText('What assigning it does').waitFor()
    for (let left = first - 1; left >= first - 6; left--) {
      await page.getByText('What assigning it does').waitFor()
      await page.keyboard.press('Enter')
      await page.getByText(`${left.toLocaleString('en')} waiting`).waitFor()
    }
    assert.equal(await waiting(), first - 6)
    for (let undone = 1; undone <= 2; undone++) {
      await page.keyboard.press('u')
      await page.getByText(`${(first - 6 + undone).toLocaleString('en')} waiting`).waitFor()
    }
    assert.equal(await waiting(), first - 4)
    assert.deepEqual(faults, [])
    await close()
  })

  test('money that hardly fits a payment is assigned only after a question', async () => {
    // Two of these payments have the same requisite, so that nothing says which of them money is for.
    const cards = await Promise.all(
      Array.from({ length: shop.requisiteIds.length + 1 }, async (_, index) => {
        const { body } = await shop.create(`weak-${index}`, { amount: 50_000 + index })
        return body.card.id
      }),
    )
    const requisiteId = cards.find((id, index) => cards.indexOf(id) < index)
    const bookedAt = new Date(service.clock.now).toISOString()
    const transfers = [{ requisiteId, amount: 31_234, currency: 'rub', bookedAt, bankReference: 'weak-1' }]
    assert.equal((await operator.call('POST', '/transfers', { transfers })).status, 200)
    const { page, faults, close } = await open(`/matching?requisiteId=${requisiteId}&sort=newest`)
    await page.getByText('What assigning it does').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText(/The money is [\d.]+ less than is missing, and nothing says that its payer sent it/).waitFor()
    await page.getByRole('dialog').getByText('You can undo it with').waitFor()
    assert.deepEqual(await axeFaults(page), [])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const isWaiting = async () => {
      const { body } = await operator.get(`/transfers?unmatched=true&requisiteId=${requisiteId}`)
      return body.transfers.some((each: { bankReference?: string }) => each.bankReference === 'weak-1')
    }
    assert.equal(await isWaiting(), true)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    const answered = page.waitForResponse((answer) => answer.url().endsWith('/transfers/decide'))
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.equal((await answered).status(), 200)
    assert.equal(await isWaiting(), false)
    assert.deepEqual(faults, [])
    await close()
  })

  test('what contradicts a payment is said, and before it is taken that this cannot be undone', async () => {
    // Made in the past, so that nobody's session ages.
    service.clock.advance(-2 * hour)
    const { body } = await shop.create('against', { amount: 2000 })
    const requisiteId: string = body.card.id
    const bookedAt = new Date(service.clock.now).toISOString()
    service.clock.advance(2 * hour)
    await service.runJobs('all')
    assert.equal(await shop.status('against'), 'expired')
    const transfers = [{ requisiteId, amount: 500, currency: 'rub', bookedAt, bankReference: 'against-1' }]
    assert.equal((await operator.call('POST', '/transfers', { transfers })).body.transfers[0].kind, 'suspense')
    const { page, faults, close } = await open(`/matching?requisiteId=${requisiteId}&amount=500`)
    await page.getByText('What assigning it does').waitFor()
    const candidate = page.getByRole('button', { name: /against/ })
    await candidate.waitFor()
    const text = (await candidate.textContent()) ?? ''
    assert.match(text.replaceAll('\u202f', ' '), /2 000\.00 RUB ?−1 500\.00/)
    if ((await candidate.getAttribute('aria-pressed')) !== 'true') await candidate.click()
    await page.getByText('✗').first().waitFor()
    await candidate.getByText('Amount contradicts').waitFor()
    await candidate.getByText(/1500\.00 less than is missing/).waitFor()
    await page.getByText(/^It cannot be undone: against is disput-paid/).waitFor()
    assert.deepEqual(await axeFaults(page), [])
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('This contradicts it:').waitFor()
    await dialog.getByText('disput-paid', { exact: true }).waitFor()
    await dialog.getByText(/It cannot be undone: against is disput-paid/).waitFor()
    assert.deepEqual(await axeFaults(page), [])
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('1 transfer decided').waitFor()
    await page
      .getByRole('alert')
      .getByText(/It cannot be undone: against is disput-paid/)
      .waitFor()
    assert.deepEqual(await axeFaults(page), [])
    assert.equal(await shop.status('against'), 'disput-paid')
    assert.deepEqual(faults, [])
    await close()
  })

  test('ten thousand transfers that wait scroll, with those in sight in the page only', async () => {
    const requisiteId = shop.requisiteIds[2] ?? ''
    await service.context.transaction(async (tx) => {
      await tx.query(insertWaiting, { requisiteId, count: 10_000 })
      // As the database itself does within a minute.
      await tx.query(analyzeWaiting, {})
    })
    const { page, faults, close } = await open(`/matching?requisiteId=${requisiteId}`)
    const queue = page.getByRole('listbox')
    await queue.getByText('1 001.00').waitFor()
    const started = performance.now()
    let most = 0
    // Scrolled to its end again and again, the queue has one page after the other.
    for (let last = 0; last < 1700; ) {
      assert.ok(performance.now() - started < 120_000, `${last} is the last row that was loaded in time`)
      await queue.evaluate((element) => element.scrollTo(0, element.scrollHeight))
      const shown = await page.getByRole('option').allTextContents()
      const amounts = shown.map((text) => Number(/[\d\u202f]+(?=\.00)/.exec(text)?.[0].replaceAll('\u202f', '')))
      last = Math.max(last, ...amounts.filter(Number.isFinite))
      most = Math.max(most, shown.length)
    }
    assert.ok(most > 5 && most < 60, `${most} rows in the page`)
    assert.deepEqual(faults, [])
    await close()
  })

  test('what was booked twice is made a rule, which books the rest', async () => {
    const requisiteId = shop.requisiteIds[2] ?? ''
    const rows = [1_00n, 2_00n, 7_00n].map((minor) => {
      return { minor: -minor, date: dayBefore(1), reference: `d-${minor}`, text: 'Card service' }
    })
    const brought = await uploadFile(service, camtOf({ account: 'D', rows }), { requisiteId })
    await operator.call('POST', `/statements/${brought.body.id}/confirm`)
    await service.runJobs('all')
    const { outgoing } = (await operator.get(`/outgoing?requisiteId=${requisiteId}`)).body
    for (const { id, amount } of outgoing)
      if (amount < 7)
        await operator.call('POST', `/outgoing/${requisiteId}/${id}/book`, { purpose: 'fee', reason: 'card fees' })
    const { page, faults, close } = await open('/outgoing')
    await page.getByRole('link', { name: 'Rules' }).click()
    await page.getByText('booked 2 times as fee, 1 waiting').waitFor()
    await lookNow(page, 'a suggested rule')
    await page.getByRole('button', { name: 'Make it a rule…' }).click()
    await page.getByText('books', { exact: true }).waitFor()
    await lookNow(page, 'what a rule would do')
    await page.getByRole('button', { name: 'Add the rule' }).click()
    await page.getByText('The rule has booked 1').waitFor()
    await page.getByRole('gridcell', { name: 'Card service' }).click()
    await page.getByRole('heading', { name: 'The last rows that it is for' }).waitFor()
    await lookNow(page, 'a rule')
    await page.getByRole('button', { name: 'Approve…' }).click()
    await page.getByRole('button', { name: 'Approve the rule' }).click()
    await page.getByText('must be two people').waitFor()
    assert.deepEqual(faults, [])
    await close()
  })

  test('a day is brought to zero: the opening balance is set, and what left is booked', async () => {
    const requisiteId = shop.requisiteIds[1] ?? ''
    await operator.call('PATCH', `/requisites/${requisiteId}`, { label: 'Second account' })
    const date = dayBefore(1)
    const rows = [
      { minor: 5_000_00n, date, reference: 'c-1', payer: 'Ivan' },
      { minor: -120_00n, date, reference: 'c-2', text: 'Fee of the bank' },
    ]
    const brought = await uploadFile(service, camtOf({ account: 'C', opening: 900_00n, closedOn: date, rows }), {
      requisiteId,
    })
    assert.equal(brought.status, 201, JSON.stringify(brought.body))
    await operator.call('POST', `/statements/${brought.body.id}/confirm`)
    await service.runJobs('all')
    const { page, faults, close } = await open(`/reconciliation?requisiteId=${requisiteId}`)
    await page.getByRole('gridcell', { name: /900\.00/ }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Set the opening balance…' }).click()
    assert.equal(await page.getByLabel('Balance in RUB').inputValue(), '900')
    await page.getByRole('button', { name: 'Set the opening balance', exact: true }).click()
    await page.getByText('The bank and the ledger have the same').waitFor()
    await page.getByRole('button', { name: 'Book…' }).click()
    await page.getByText("The bank's fee.").waitFor()
    assert.deepEqual(await axeFaults(page), [])
    await page.getByRole('button', { name: 'Book it' }).click()
    await page.getByText('Proposed by maria as fee (Fee of the bank)').waitFor()
    const petra = await addMember(service, 'petra', 'finance')
    const second = await openConsole(service, browser, petra, `/outgoing?requisiteId=${requisiteId}`)
    await second.page.getByText('proposal', { exact: true }).click()
    await second.page.getByText('Proposed by maria as fee').waitFor()
    await lookNow(second.page, 'a proposed purpose')
    await second.page.getByRole('button', { name: 'Book…' }).click()
    await second.page.getByText("The bank's fee.").waitFor()
    await second.page.getByRole('button', { name: 'Book it' }).click()
    await second.page.getByText('maria, petra').waitFor()
    await second.page.getByRole('link', { name: 'the bank’s file' }).waitFor()
    assert.deepEqual(second.faults, [])
    await second.close()
    await page.reload()
    await page.getByText('All money that left this account').waitFor()
    const [day] = (await operator.get(`/ledger/reconciliation?requisiteId=${requisiteId}`)).body.days
    assert.equal(day.difference, 0)
    assert.equal((await operator.get(`/outgoing?requisiteId=${requisiteId}`)).body.outgoing[0].purpose, 'fee')
    assert.deepEqual(faults, [])
    await close()
  })

  test('the trial balance leads to the transfers that are in suspense', async () => {
    await operator.call('POST', '/transfers', {
      transfers: [
        {
          ...{ requisiteId: shop.requisiteIds[0], amount: 77, currency: 'rub' },
          bookedAt: new Date(service.clock.now).toISOString(),
        },
      ],
    })
    const { page, faults, close } = await open('/ledger/trial-balance')
    const listed = page.getByRole('link', { name: 'the transfers in Matching' })
    await listed.waitFor()
    await lookNow(page, 'a trial balance with suspense')
    await listed.click()
    await page.getByRole('heading', { name: 'Matching' }).waitFor()
    assert.deepEqual(faults, [])
    await close()
  })

  test('a proposed rate waits for another operator, who agrees to it', async () => {
    const lena = await addMember(service, 'lena', 'finance')
    const set = (by: Member, wanted: object) => operate(service, by, '/rates/gel', wanted, 'PUT')
    assert.equal((await set(lena, { price: 2.7 })).body.proposed, true)
    const { page, faults, close } = await open('/')
    await page.getByText('Rates to agree to').click()
    await page.getByText('lena proposes 2.7 GEL for 1 USDT').waitFor()
    await lookNow(page, 'a proposed rate')
    await page.getByRole('button', { name: 'Agree…' }).click()
    assert.deepEqual(await axeFaults(page), [])
    await page.getByRole('button', { name: 'Agree to the rate' }).click()
    await page.getByText('The rate of GEL is agreed on').waitFor()
    const { rates, proposals } = (await operator.get('/rates')).body
    const agreed = rates.find((each: { currency: string }) => each.currency === 'gel')
    assert.deepEqual([agreed.price, agreed.usable, proposals], [2.7, true, []])
    // What one has proposed, only another one agrees to.
    await set(owner, { price: 2.5, outsideBand: true })
    await page.getByText('maria proposes 2.5 GEL for 1 USDT').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Agree…' }).count(), 0)
    assert.deepEqual(faults, [])
    await close()
  })

  test('a destination and a large settlement to it are approved by a second person, and paid', async () => {
    const ilya = await addMember(service, 'ilya', 'finance')
    const { body } = await shop.create('sold', { amount: 9000 })
    const bookedAt = new Date(service.clock.now).toISOString()
    const transfer = { requisiteId: body.card.id, amount: 9000, currency: 'rub', bookedAt }
    await operator.call('POST', '/transfers', { transfers: [transfer] })
    const destinations = `/merchants/${shop.merchantId}?tab=destinations`
    const author = await openConsole(service, browser, owner, destinations)
    await author.page.getByRole('button', { name: 'Propose a destination…' }).click()
    const { example } = destinationRules.tron
    await author.page.getByLabel('Address: USDT on TRON').fill(example.toLowerCase())
    await author.page.getByText('The address must be an address of TRON with a right checksum').waitFor()
    await author.page.getByLabel('Address: USDT on TRON').fill(example)
    await author.page.getByLabel('Your name for it').fill('Main wallet')
    await lookNow(author.page, 'a proposed destination')
    await author.page.getByRole('button', { name: 'Propose it' }).click()
    await author.page.getByText('proposed', { exact: true }).waitFor()
    const second = await openConsole(service, browser, ilya, destinations)
    await second.page.getByRole('button', { name: 'Approve…' }).click()
    await second.page.getByRole('button', { name: 'Approve the destination' }).click()
    await author.page.getByText('ready', { exact: true }).waitFor()
    assert.deepEqual([author.faults, second.faults], [[], []])
    await Promise.all([author.close(), second.close()])
    const own = await openConsole(service, browser, owner, '/settlements')
    await own.page.getByRole('button', { name: 'Draft a settlement…' }).click()
    await own.page.getByRole('combobox', { name: 'Merchant', exact: true }).click()
    await own.page.getByRole('option', { name: 'Bookshop' }).click()
    await own.page.getByRole('combobox', { name: 'Where the money goes' }).click()
    await own.page.getByRole('option', { name: 'Main wallet' }).click()
    await own.page.getByLabel('Reference').fill('november/1')
    await own.page.getByRole('button', { name: 'Draft it' }).click()
    await own.page.getByText('needs a second person').waitFor()
    await own.page.getByRole('list', { name: 'Payments in it' }).getByRole('link', { name: 'sold' }).waitFor()
    assert.equal(await own.page.getByRole('button', { name: 'Approve…' }).count(), 0)
    assert.deepEqual(await axeFaults(own.page), [])
    const other = await openConsole(service, browser, ilya, new URL(own.page.url()).pathname.replace('/console', ''))
    await other.page.getByText('november/1').click()
    await other.page.getByRole('button', { name: 'Approve…' }).click()
    await other.page.getByRole('button', { name: 'Approve the settlement' }).click()
    await other.page.getByRole('button', { name: 'Paid out…' }).waitFor()
    await own.page.getByRole('button', { name: 'Paid out…' }).click()
    await own.page.getByLabel('What identifies the payout').fill('0x5f')
    await own.page.getByRole('button', { name: 'Record the payout' }).click()
    await own.page.getByRole('button', { name: 'Paid out…' }).waitFor({ state: 'detached' })
    const [{ status, approvedBy, draftedBy }] = (await operator.get('/settlements')).body.settlements
    assert.deepEqual([status, draftedBy, approvedBy], ['paid', 'operator:maria', 'operator:ilya'])
    assert.deepEqual([own.faults, other.faults], [[], []])
    await Promise.all([own.close(), other.close()])
  })

  test('a source is added and changed, and its key is shown once', async () => {
    const { page, faults, close } = await open('/sources')
    await page.getByText('No sources yet').waitFor()
    await page.getByRole('button', { name: 'Add a source' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Volga Bank')
    await dialog.getByRole('combobox', { name: 'Requisites' }).click()
    await page.getByRole('option', { name: /Main account/ }).click()
    await dialog.getByLabel('Name').click()
    await page.getByRole('option').first().waitFor({ state: 'hidden' })
    await lookNow(page, 'add a source')
    await dialog.getByRole('button', { name: 'Add the source' }).click()
    await page.getByText('Volga Bank is added').waitFor()
    await page.getByRole('grid').getByText('Volga Bank').click()
    await page.getByRole('button', { name: 'Make a key…' }).click()
    await page.getByRole('button', { name: 'Make the key' }).click()
    const key = (await page.getByRole('status').locator('code').first().textContent()) ?? ''
    await lookNow(page, 'key of a source')
    const sources = async () => (await operator.get('/statement-sources')).body.sources
    assert.ok(key.length > 30 && key.startsWith((await sources())[0].keyPrefix), key)
    await page.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('button', { name: 'End the key…' }).click()
    await page.getByRole('button', { name: 'End the key', exact: true }).click()
    await page.getByText('files only').first().waitFor()
    assert.equal((await sources())[0].keyPrefix, undefined)
    const mapping = { columns: { date: 'Дата', amount: 'Остаток' }, allCredits: true }
    const { requisiteIds } = (await sources())[0]
    const added = await operator.call('POST', '/statement-sources', { name: 'Of a colleague', requisiteIds, mapping })
    assert.equal(added.status, 201, JSON.stringify(added.body))
    await page.keyboard.press('Escape')
    await page.getByRole('grid').getByText('Of a colleague').click()
    await page.getByRole('button', { name: 'Approve…' }).click()
    await page
      .getByRole('dialog')
      .last()
      .getByText(/columns.amount: "Остаток" · allCredits: true/)
      .waitFor()
    await lookNow(page, 'approve a source')
    // What is approved is what the dialog showed when it was opened.
    const other = { mapping: { columns: { date: 'Дата', amount: 'Сумма' } } }
    await operator.call('PATCH', `/statement-sources/${added.body.id}`, other)
    await page.getByText('columns.amount: "Сумма"').first().waitFor()
    await page.getByRole('button', { name: 'Approve the source' }).click()
    await page.getByText(/has been changed by now: look again/).waitFor()
    await page.keyboard.press('Escape')
    assert.deepEqual(faults, [])
    await close()
  })

  test('a phone is added, its secret is shown once, and what its message reports is accepted', async () => {
    const { page, faults, close } = await open('/phones')
    await page.getByRole('button', { name: 'Add a phone' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Counter phone')
    await dialog.getByRole('combobox', { name: 'Requisites' }).click()
    await page.getByRole('option', { name: /Main account/ }).click()
    await dialog.getByLabel('Name').click()
    await page.getByRole('option').first().waitFor({ state: 'hidden' })
    await dialog.getByRole('button', { name: 'Add the phone' }).click()
    const secret = (await page.getByRole('status').locator('code').first().textContent()) ?? ''
    assert.match(secret, /^payin_phone_/)
    for (const name of ['Address', 'Secret'])
      assert.ok(await page.getByRole('img', { name: `QR code: ${name}` }).isVisible(), 'nobody types it on the phone')
    await lookNow(page, 'secret of a phone')
    await page.getByRole('button', { name: 'Close' }).last().click()
    const { phones } = (await operator.get('/phones')).body
    const { id } = phones.find(({ name }: { name: string }) => name === 'Counter phone')
    const text = 'СЧЁТ4071 что-то новое 500р'
    const payload = { messageId: 'm', message: text, sender: '900', simNumber: 1, receivedAt: '2026-06-02T18:31:17Z' }
    const body = JSON.stringify({ event: 'sms:received', id: 'e-1', payload })
    const headers = {
      'content-type': 'application/json',
      'x-timestamp': '1',
      'x-signature': createHmac('sha256', secret).update(`${body}1`).digest('hex'),
    }
    assert.equal((await send(service, `/api/v1/phones/${id}`, { method: 'POST', headers, body })).status, 200)
    await page.getByRole('grid').getByText('Counter phone').click()
    await page.getByRole('button', { name: 'Pause…' }).click()
    await page.getByRole('button', { name: 'Pause the phone' }).click()
    await page.getByRole('button', { name: 'Resume…' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').first().waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Messages' }).click()
    await page.getByRole('grid').getByText('sberbank').click()
    await page.getByRole('button', { name: 'Dismiss…' }).click()
    await page.getByRole('button', { name: 'Dismiss the message' }).click()
    await page.getByText('The message is dismissed').waitFor()
    await lookNow(page, 'messages of phones')
    assert.deepEqual(faults, [])
    await close()
  })

  test('a source takes its files from a folder, and shows what came and what waits', async () => {
    mkdirSync(join(pickups, 'north'))
    writeFileSync(join(pickups, 'north', 'letter.txt'), 'Dear customer')
    const [requisiteId] = shop.requisiteIds
    const wanted = { name: 'North files', requisiteIds: [requisiteId] }
    assert.equal((await operate(service, owner, '/statement-sources', wanted)).status, 201)
    const { page, faults, close } = await open('/sources')
    await page.getByRole('grid').getByText('North files').click()
    await page.getByRole('button', { name: 'Pick up files…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Pick up the files of North files' })
    await dialog.getByRole('combobox', { name: 'From' }).click()
    await page.getByRole('option', { name: 'A mailbox (IMAP)' }).click()
    await dialog.getByLabel('Mail server that checks senders').waitFor()
    await lookNow(page, 'pickup from a mailbox')
    await dialog.getByRole('combobox', { name: 'From' }).click()
    await page.getByRole('option', { name: 'A folder of the service' }).click()
    await dialog.getByLabel(/^Folder inside/).fill('north')
    await dialog.getByRole('button', { name: 'Save the pickup' }).click()
    await page.getByText('folder:north').first().waitFor()
    for (let looks = 0; looks < 2; looks++) {
      service.clock.advance(minute)
      await pickUpFiles(service.context)
    }
    // The drawer is in the address.
    await page.reload()
    await page.getByRole('link', { name: 'letter.txt' }).waitFor()
    await page.getByText('It waits for a person: it was refused.').waitFor()
    await lookNow(page, 'a source with a pickup')
    await page.getByRole('button', { name: 'End the pickup…' }).click()
    await page.getByRole('button', { name: 'End the pickup', exact: true }).click()
    await page.getByText('Files of North files are no longer picked up').waitFor()
    assert.deepEqual(faults, [])
    await close()
  })

  test('pages are free of faults', async () => {
    const { statements } = (await operator.get('/statements')).body
    const { id } = statements.find(({ state }: { state: string }) => state === 'imported')
    const preview = await uploadFile(
      service,
      camtOf({ account: 'B', rows: [{ minor: 5_000_00n, date: today(), reference: 'b-1', payer: 'Ivan' }] }),
      { requisiteId: shop.requisiteIds[0] ?? '' },
    )
    assert.equal(preview.status, 201, JSON.stringify(preview.body))
    const pages = [
      ['/statements', 'march.csv'],
      [`/statements/${id}`, 'credited to payments'],
      [`/statements/${preview.body.id}`, 'Nothing has moved yet'],
      ['/sources', 'Volga Bank'],
      ['/reconciliation', /^2 shown/],
      ['/outgoing?state=booked', /^4 shown/],
      ['/outgoing/rules', 'Card service'],
      ['/ledger', 'suspense'],
      ['/ledger', 'fx USDT'],
      ['/ledger/journal', 'receive'],
      ['/ledger/trial-balance', 'Debits and credits are equal'],
      ['/settlements', 'november/1'],
      [`/merchants/${shop.merchantId}?tab=destinations`, 'Main wallet'],
    ] as const
    await lookAtAll(service, browser, owner, pages)
  })
})
