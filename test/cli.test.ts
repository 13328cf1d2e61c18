// The command line against a running service; what concerns its process is tried as a process of its own.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { evaluateAlerts } from '../src/engine/alerts/evaluate-alerts.ts'
import { widthOf } from '../src/cli/lay-out-table.ts'
import { destinationRules } from '../src/rules/money/destination.ts'
import { defaultMerchantSettings } from '../src/rules/merchants/merchant.ts'
import { hour, minute } from '../src/rules/time.ts'
import { operatorMark } from '../src/http/access/operator-mark.ts'
import { qrImage } from '../src/http/payment-page/qr-image.ts'
import { invariants } from '../src/engine/invariants/check-invariants.ts'
import { openBank } from './support/bank.ts'
import { openDestination } from './support/destination.ts'
import { openCourt } from './support/disputes.ts'
import { openOperator, unknownId, setAgreedRate } from './support/operator.ts'
import { createStatePage, openBookshop, sendForm } from './support/page-states.ts'
import { openPhone } from './support/phones.ts'
import { runPayin } from './support/run-payin.ts'
import { shareService } from './support/shared-service.ts'
import { newNumber, openShop, payIn } from './support/shop.ts'
import { camtOf } from './support/statement-files.ts'

const opened = shareService()
const binary = resolve(import.meta.dirname, '../bin/payin.cjs')
const elsewhere = mkdtempSync(join(tmpdir(), 'payin-cli-'))
after(() => rmSync(elsewhere, { recursive: true, force: true }))

type Run = { readonly code: number | null; readonly out: string; readonly error: string }
type Environment = Readonly<Record<string, string>>

/** Runs the command as a process of its own, in an empty folder; `environment` is all that it sees of it. */
const start = async (words: readonly string[], environment: Environment, input = ''): Promise<Run> => {
  const { PATH = '' } = process.env
  const env = { PATH, HOME: elsewhere, ...environment }
  const child = spawn(process.execPath, [binary, ...words], { cwd: elsewhere, env })
  child.stdin.end(input)
  const code = new Promise<number | null>((done) => child.on('close', done))
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await code, out, error }
}

/** Runs the same code in this process. */
const run = (words: readonly string[], environment: Environment, input = '', folder = elsewhere): Promise<Run> =>
  runPayin(words, { environment: { HOME: elsewhere, ...environment }, input, folder })

/** Runs `payin` with these words as the operator of the shared service. */
const payin = (words: readonly string[], input?: string): Promise<Run> => {
  const { url, operatorToken } = opened()
  return run(words, { PAYIN_URL: url, PAYIN_OPERATOR_TOKEN: operatorToken }, input)
}

/** The same with `--json`: the answer of the service, parsed. */
const payinJson = async (words: readonly string[], input?: string) => {
  const { code, out, error } = await payin([...words, '--json'], input)
  assert.equal(code, 0, error)
  assert.equal(error, '')
  return JSON.parse(out)
}

const assertRefused = (ended: Run, code: number, pattern: RegExp): void => {
  assert.deepEqual({ code: ended.code, out: ended.out }, { code, out: '' }, ended.error)
  assert.match(ended.error, pattern)
  assert.ok(!/^\s+at /m.test(ended.error), ended.error)
}

test('an operator sets up a merchant from nothing, and its payment is paid', async () => {
  const service = opened()
  const created = await payin(['merchants', 'create', '--name', 'CLI Shop', '--mode', 'live'])
  assert.equal(created.code, 0, created.error)
  assert.match(created.out, /^Created CLI Shop\. Its token: payin tokens issue 'CLI Shop' --name/)
  await payinJson(['banks', 'set', '--code', 'cli-bank', '--name', 'CLI Bank', '--country', 'RU'])
  await payinJson(['limits', 'set', 'rub', '--min', '100', '--max', '300000.00'])
  const rate = ['rates', 'set', 'rub', '92.50000001', '--max-age', '1h', '--outside-band']
  const asBoris = { PAYIN_URL: service.url, PAYIN_OPERATOR_TOKEN: service.operatorTokens['boris'] ?? '' }
  assert.match((await run(rate, asBoris)).out, /^Proposed: 1 USDT = 92\.50000001 rub\. It takes effect once another/)
  assert.match(
    (await payin(['rates', 'list'])).out,
    /Proposals:\n[^]*rub +92\.50000001 .*boris .*payin rates set rub 92\.50000001 --outside-band[^]* another operator/,
  )
  assert.match((await payin(['today'])).out, /rates for a second operator to agree to: 1 +payin rates list/)
  await payinJson(rate)
  const number = newNumber('sbp')
  const add = ['requisites', 'add', '--method', 'sbp', '--currency', 'rub', '--bank', 'cli-bank']
  const { ids } = await payinJson([
    ...add,
    '--holder',
    'Ivan Petrov',
    '--number',
    `+${number}`,
    '--merchant',
    'CLI Shop',
  ])
  const { token, allowList } = await payinJson([
    ...['tokens', 'issue', 'CLI Shop', '--name', 'server', '--allow', '127.0.0.1,::1'],
  ])
  assert.deepEqual(allowList, ['127.0.0.1', '::1'])
  const answer = await fetch(`${service.url}/api/v1/merchant/payments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'direct', amount: 5000.37, orderId: 'cli-1', currency: 'rub', method: 'sbp' }),
  })
  const { card } = (await answer.json()) as { card: { id: string; phone: string } }
  assert.deepEqual(card, { id: ids[0], phone: number, bankIssuer: 'cli-bank' })

  const explained = await payin([
    'requisites',
    'explain',
    'CLI Shop',
    '--method',
    'sbp',
    '--currency',
    'rub',
    '--amount',
    '5000.37',
  ])
  assert.match(explained.out, /slot-taken +1/)
  const record = ['transfers', 'record', '--requisite', number, '--amount', '5000.37', '--currency', 'rub']
  const recorded = await payin([...record, '--reference', 'R-1', '--sender', '+79990001122'])
  assert.match(recorded.out, / exact +cli-1 /)
  assert.match((await payin([...record, '--reference', 'R-1'])).out, /exact \(already known\)/)

  const { payments } = await payinJson(['payments', 'list', '--merchant', 'CLI Shop', '--unacknowledged'])
  assert.equal(payments[0].orderId, 'cli-1')
  const shown = await payin(['payments', 'show', 'cli-1'])
  assert.match(shown.out, /Status +paid\nReason +exact\n/)
  assert.match(shown.out, /Amount +5000\.37 rub/)
  assert.match(shown.out, /credit +5000\.37 rub +bank:sbp cli-bank •••• \d{4} +fx:rub/)
  assert.match(
    (await payin(['balances', '--merchant', 'CLI Shop'])).out,
    /merchant:CLI Shop:available +-\d+\.\d{6} USDT/,
  )
  const audit = await payin(['audit'])
  assert.match(audit.out, /token\.issue +token:\S+ +operator:operator/)
  assert.match(audit.out, / transfers \(id \S+, outcome exact, already known no\)/)
  assert.ok(!/[{}"]/.test(audit.out), audit.out)
  assert.ok(!audit.out.includes(number) && !audit.out.includes(token))
  const doctor = await payin(['doctor'])
  assert.deepEqual({ code: doctor.code, error: doctor.error }, { code: 0, error: '' })
  assert.match(doctor.out, /^Healthy: all \d+ invariants hold\.\n$/)
  const { out } = await payin(['doctor', '--full', '--list'])
  for (const { name, meaning } of invariants) assert.ok(out.includes(`${name} `) && out.includes(meaning), name)
})

test('every command of a list prints a table, and the answer of the service with --json', async () => {
  const shop = await openShop(opened())
  await shop.create('listed')
  const lists: [words: string[], key: string][] = [
    [['merchants', 'list'], 'merchants'],
    [['tokens', 'list', shop.merchantId], 'tokens'],
    [['limits', 'list'], 'limits'],
    [['rates', 'list'], 'rates'],
    [['banks', 'list'], 'bankIssuers'],
    [['requisites', 'list', '--limit', '2'], 'requisites'],
    [['payments', 'list', '--status', 'new'], 'payments'],
  ]
  for (const [words, key] of lists) {
    const rows = (await payinJson(words))[key]
    const { out } = await payin(words)
    const [head = '', ...lines] = out.trimEnd().split('\n')
    assert.match(head, /^[A-Z0-9 ]+$/, out)
    assert.equal(lines.slice(0, rows.length).filter((line) => line !== '').length, rows.length, out)
    assert.ok(!out.includes('\u001b'), 'no colours into a pipe')
  }
  assert.match(
    (await payin(['requisites', 'list', '--limit', '1'])).out,
    /\n\nThere are more: --cursor [0-9a-f-]{36}\n$/,
  )
  assert.match(
    (await payin(['payments', 'list', '--status', 'failed'])).out,
    /^No such payments\. Merchants create them/,
  )
  const filters = ['--from', '1h', '--currency', 'rub', '--amount-from', '5000', '--sort', 'oldest', '--count']
  assert.match(
    (await payin(['payments', 'list', '--merchant', shop.merchantId, ...filters])).out,
    /listed .*\n\n1 in total/s,
  )
  const largest = ['--merchant', shop.merchantId, '--currency', 'rub', '--sort', '-amount', '--limit', '1']
  await shop.create('larger', { amount: 9000 })
  const { out: sorted } = await payin(['payments', 'list', ...largest])
  assert.match(sorted, /^ORDER.*\nlarger .*\n\nThere are more: --cursor -amount:900000:[0-9a-f-]{36}\n$/)
  const cursor = /--cursor (\S+)/.exec(sorted)?.[1] ?? ''
  assert.match((await payin(['payments', 'list', ...largest, '--cursor', cursor])).out, /^ORDER.*\nlisted /)
  const refused = await payin(['payments', 'list', '--sort', 'amount', '--cursor', cursor, '--currency', 'rub'])
  assert.match(refused.error, /--cursor .*belongs to sort=-amount, not to sort=amount: begin without a cursor/)
  assert.match((await payin(['payments', 'list', '--sort', 'amount'])).error, /--currency.* is needed with a sort/)
  assert.equal(
    (await payin(['transfers', 'list', '--unusual', 'disputed', ...filters])).out,
    'No such transfers. Statements and feeds report them: payin statements import <file>\n\n0 in total.\n',
  )
})

test('an operator finds a payment by its order', async () => {
  const shop = await openShop(opened())
  const created = await shop.create('order to find', { amount: 4_321.09 })
  const { out, code } = await payin(['find', 'order', 'to', 'find'])
  assert.equal(code, 0)
  assert.match(
    out,
    /^FOUND +NAMED +AMOUNT +STATE +ID +AT +OTHER SIDE\npayment +order to find +4321\.09 rub +new +\S+ .* –/,
  )
  assert.ok(out.includes(created.body.payment.id), out)
  assert.match((await payin(['find', 'nobody knows'])).out, /^Nothing was found\./)
  for (const [words, shown] of [
    [['find', 'today'], /order to find/],
    [['find', 'order', 'to', 'find', 'yesterday'], /^Nothing was found\./],
    [['find', 'order', 'to', 'find', '--from', 'today'], /order to find/],
    [['find', 'order', 'to', 'find', '--to', 'today'], /^Nothing was found\./],
    [['payments', 'list', '--from', 'today', '--limit', '500'], /order to find/],
    [['payments', 'list', '--to', 'yesterday'], /^No such payments/],
  ] as const)
    assert.match((await payin(words)).out, shown, words.join(' '))
  assert.match(
    (await payin(['payments', 'list', '--from', 'yesterdya'])).error,
    /such as yesterday, 20 Nov or 2026-01-31/,
  )
})

test('each line of what waits names a command that shows it', async () => {
  const shop = await openShop(opened())
  const created = await shop.create('waits')
  const row = {
    requisiteId: created.body.card.id,
    currency: 'rub',
    bookedAt: new Date(opened().clock.now).toISOString(),
  }
  await payinJson(
    ['transfers', 'record', '--file', '-'],
    JSON.stringify([
      { ...row, amount: 5000, bankReference: 'paid' },
      { ...row, amount: 123.45, bankReference: 'stray' },
    ]),
  )
  const { out, code } = await payin(['today'])
  assert.equal(code, 0)
  assert.match(out, /^WAITING +SHOWN BY +MONEY +DEADLINE +SINCE\n/)
  assert.match(out, /transfers in the inbox: \d+ +payin transfers list --unmatched  /)
  assert.match(out, /payments not acknowledged by their merchants/)
  for (const [, words = ''] of out.matchAll(/ payin (.+?) {2,}/g)) {
    const shown = await payin(words.split(' '))
    assert.equal(shown.code, 0, `${words}: ${shown.error}`)
  }
})

test('changes of merchants, terms, tokens and requisites reach the service', async () => {
  const shop = await openShop(opened(), { perMethod: 1 })
  const { merchantId } = shop
  assert.equal((await payin(['merchants', 'suspend', merchantId])).out, 'Test Shop is suspended.\n')
  assert.equal((await shop.get('/payments')).status, 403)
  assert.equal((await payin(['merchants', 'activate', merchantId])).out, 'Test Shop is active.\n')
  const update = [
    'merchants',
    'update',
    merchantId,
    '--return-hosts',
    'a.example,b.example',
    '--max-open-payments',
    '5',
    '--own-requisites-only',
    'yes',
  ]
  const updated = await payinJson([...update, '--name', 'Renamed Shop'])
  assert.deepEqual(updated.settings, {
    ...defaultMerchantSettings,
    returnHosts: ['a.example', 'b.example'],
    maxOpenPayments: 5,
    ownRequisitesOnly: true,
  })
  const support = ['--support-phone', '+7 (800) 555-35-35', '--support-messenger', 'https://t.me/shop']
  const reached = await payin(['merchants', 'update', 'Renamed Shop', ...support])
  assert.match(reached.out, /Support phone +\+78005553535\nSupport messenger +https:\/\/t\.me\/shop\n/)
  const { settings } = await payinJson(['merchants', 'update', 'Renamed Shop', '--max-open-payments', 'none'])
  assert.equal(settings.maxOpenPayments, null)
  const { terms } = await payinJson([
    'terms',
    'set',
    merchantId,
    'sbp',
    '--time-to-pay',
    '15m',
    '--late-window',
    '2d',
    '--fee',
    '1.25',
    '--tolerance',
    '1.50',
  ])
  const { timeToPayMs, lateWindowMs, feePpm, toleranceMinor } = terms
  assert.deepEqual([timeToPayMs, lateWindowMs, feePpm, toleranceMinor], [900_000, 172_800_000, 12_500, 150])
  const shown = await payin(['merchants', 'show', merchantId])
  assert.match(shown.out, /sbp +1\.25 % +15 min +15 min +2 d +2 h +1\.50 +credit-received/)
  const issued = await payinJson(['tokens', 'issue', merchantId, '--name', 'x', '--scopes', 'payments:read'])
  const rotated = await payinJson(['tokens', 'rotate', issued.id, '--overlap', '0s'])
  assert.deepEqual(rotated.scopes, ['payments:read'])
  assert.equal((await payin(['tokens', 'revoke', rotated.id])).out, 'The token is revoked.\n')
  const [id = ''] = shop.requisiteIds
  const limit = [
    'requisites',
    'limit',
    id,
    '--day-amount',
    '100000.50',
    '--working-hours',
    '22:00-06:30',
    '--day-count',
    '7',
  ]
  const { limits } = await payinJson(limit)
  assert.deepEqual([limits.dayAmount, limits.workingMinutes, limits.dayCount], [100000.5, [1320, 390], 7])
  assert.equal((await payinJson(['requisites', 'limit', id, '--day-amount', 'none'])).limits.dayAmount, null)
  const windows = await payinJson(['requisites', 'limit', id, '--late-window', '6h', '--cool-down', 'none'])
  assert.deepEqual([windows.limits.lateWindowMs, windows.limits.coolDownMs], [6 * 3_600_000, null])
  for (const verb of ['pause', 'resume'])
    assert.match((await payin(['requisites', verb, id])).out, /^REQUISITE +STATE[^]* done/)
  assert.match((await payin(['requisites', 'retire', id])).out, /is retired\./)
  const order = ['--inn', '1234567894', '--kpp', '770001001', '--purpose', 'Order {order}']
  const account = shop.requisiteIds[2] ?? ''
  const updatedAccount = await payin(['requisites', 'update', account, '--holder', 'ООО «Пример»', ...order])
  assert.match(updatedAccount.out, /Payers see +ООО «Пример»[^]*INN +1234567894[^]*Purpose +Order \{order\}/)
  const withoutPurpose = await payinJson(['requisites', 'update', account, '--purpose', 'none'])
  assert.deepEqual(withoutPurpose.recipient, { inn: '1234567894', kpp: '770001001' })
  assertRefused(
    await payin(['requisites', 'update', account, '--inn', '1234567890']),
    1,
    /--inn "1234567890" must be an INN/,
  )
  const several = [...shop.requisiteIds.slice(1, 3), id]
  const paused = await payin(['requisites', 'pause', ...several])
  assert.equal(paused.code, 1)
  assert.equal(paused.out.match(/ done /g)?.length, 2, paused.out)
  assert.match(paused.out, /refused +A retired requisite does not come back/)
  assert.equal((await payin(['requisites', 'resume', ...several.slice(0, 2)])).code, 0)
  await shop.create('to cancel', { method: 'sbp' })
  const canceled = await payin(['payments', 'cancel', 'to cancel', '--merchant', merchantId])
  assert.equal(canceled.out, 'to cancel is canceled.\n')
})

test('numbers are revealed with a reason, and not without', async () => {
  const shop = await openShop(opened(), { perMethod: 1 })
  const { body } = await shop.create('reveal-cli')
  const { id, phone } = body.card
  const { id: transferId } = await payIn(opened(), { requisiteId: id, minor: 5000_00n, sender: '79265550102' })
  const why = ['--reason', 'The bank asks for it']
  assert.equal((await payin(['requisites', 'reveal', id, ...why])).out, `${phone}\n`)
  assert.equal((await payin(['transfers', 'reveal', transferId, ...why])).out, '79265550102\n')
  assert.equal((await payin(['payments', 'reveal', 'reveal-cli', ...why])).out, '79265550102\n')
  assertRefused(await payin(['requisites', 'reveal', id]), 2, /--reason/)
})

test("a merchant's look, a bank's guide and payers' receipts are the operator's to set and to read", async () => {
  const service = opened()
  const shop = await openBookshop(service, { name: 'CLI Bookshop' })
  const look = ['--accent', '#1a56c4', '--frame-hosts', 'a.example,b.example']
  const updated = await payinJson(['merchants', 'update', shop.merchantId, ...look])
  assert.deepEqual([updated.settings.accent, updated.settings.frameHosts], ['#1a56c4', ['a.example', 'b.example']])
  const plain = await payinJson(['merchants', 'update', shop.merchantId, '--accent', 'none'])
  assert.equal(plain.settings.accent, null)
  const picture = join(elsewhere, 'logo.png')
  writeFileSync(picture, qrImage('logo'))
  assert.match((await payin(['merchants', 'logo', 'CLI Bookshop', '--file', picture])).out, /^The logo is at \/assets/)
  assert.match((await payin(['merchants', 'logo', 'CLI Bookshop', '--file', 'none'])).out, /^The logo is removed/)
  assertRefused(await payin(['merchants', 'logo', 'CLI Bookshop', '--file', 'nowhere.png']), 2, /cannot be read/)

  const guide = { links: { sbp: 'https://bank.example/{number}' }, steps: { sbp: { ru: ['Раз', 'Два'] } } }
  assert.deepEqual(await payinJson(['banks', 'guide', 'bank-c', '--file', '-'], JSON.stringify(guide)), guide)
  assert.match((await payin(['banks', 'guide', 'bank-c'])).out, /sbp\s+link\s+https:\/\/bank\.example/)
  assert.match((await payin(['banks', 'guide', 'bank-d'])).out, /Without its own guide/)
  assertRefused(await payin(['banks', 'guide', 'bank-c', '--file', '-'], '[]'), 2, /- is not a JSON object/)
  const bank = ['--code', 'bank-c', '--name', 'ВТБ', '--country', 'RU', '--bic', '044525187']
  await payinJson(['banks', 'set', ...bank, '--correspondent-account', '30101810700000000187'])
  assert.deepEqual(await payinJson(['banks', 'guide', 'bank-c']), guide, 'the guide stays')
  const renamed = await payinJson(['banks', 'set', '--code', 'bank-c', '--name', 'VTB', '--country', 'RU'])
  assert.deepEqual([renamed.bankIssuers[0].name, renamed.bankIssuers[0].bic], ['VTB', '044525187'], 'the BIC stays')

  assert.equal((await payin(['claims', 'list'])).out.startsWith('No claims. '), true)
  const made = await createStatePage(shop, 'cli')
  await shop.post('/payments/byOrderId/cancel', { orderId: made.orderId })
  const form = new FormData()
  form.set('amount', '5000.37')
  form.set('paidAt', new Date(service.clock.now + 170 * 60_000).toISOString().slice(0, 16))
  form.set('receipt', new Blob([new Uint8Array(qrImage('receipt'))]), 'receipt.png')
  assert.equal((await sendForm(service, `${made.path}/paid`, form)).status, 303)
  const { claims } = await payinJson(['claims', 'list'])
  assert.deepEqual([claims[0].orderId, claims[0].amount], [made.orderId, 5000.37])
  const receipt = claims[0].receipts[0].id
  assert.match((await payin(['claims', 'list'])).out, new RegExp(receipt))
  assert.match((await payin(['payments', 'show', made.id])).out, new RegExp(`${receipt} +image/png`))
  const file = join(elsewhere, 'receipt.png')
  const read = ['claims', 'receipt', made.orderId, '--file', receipt.slice(0, 20), '--output', file]
  assert.match((await payin(read)).out, /^Saved \d+ bytes/)
  assert.deepEqual(readFileSync(file), qrImage('receipt'))
  assertRefused(await payin(read), 2, /cannot be written/)
})

test('endpoints of a merchant are added, changed, tested and removed; a secret is shown once', async () => {
  await openShop(opened(), { name: 'Notified Shop', perMethod: 0 })
  const added = await payin([
    'endpoints',
    'add',
    'Notified Shop',
    'https://shop.example.com/payin',
    '--kinds',
    'payment.paid',
  ])
  assert.equal(added.code, 0, added.error)
  assert.match(added.out, /whsec_\S{44}/)
  const { endpoints } = await payinJson(['endpoints', 'list', 'Notified Shop'])
  const [{ id, kinds }] = endpoints
  assert.deepEqual(kinds, ['payment.paid'])
  const changed = await payinJson(['endpoints', 'update', id, '--description', 'shop server'])
  const moved = await payinJson(['endpoints', 'update', id, '--address', 'https://shop.example.com/moved'])
  assert.equal(moved.url, 'https://shop.example.com/moved')
  assert.equal(changed.description, 'shop server')
  const hearsAll = await payinJson(['endpoints', 'update', id, '--kinds', 'all'])
  assert.deepEqual(hearsAll.kinds, [])
  const other = await payinJson(['endpoints', 'add', 'Notified Shop', 'https://shop.example.com/all', '--kinds', 'all'])
  assert.deepEqual(other.kinds, [])
  await payin(['endpoints', 'remove', other.id])
  const { eventId } = await payinJson(['endpoints', 'test', id])
  assert.equal((await payinJson(['endpoints', 'deliveries', id])).deliveries.length, 0)
  const ofPayment = await payinJson(['endpoints', 'deliveries', id, '--payment', unknownId])
  assert.deepEqual(ofPayment, { deliveries: [] })
  assert.match((await payin(['endpoints', 'deliveries', id])).out, /^No such deliveries/)
  assertRefused(
    await payin(['endpoints', 'deliveries', id, '--payment', 'x']),
    1,
    /^payment_not_found: There is no payment "x"\. payin payments list/,
  )
  assertRefused(await payin(['endpoints', 'delivery', id, eventId]), 1, /resource_not_found/)
  assertRefused(await payin(['endpoints', 'redeliver', id, 'x']), 1, /There is no event "x"/)
  const again = await payinJson(['endpoints', 'redeliver-events', 'Notified Shop', '--since', '1h'])
  assert.deepEqual([again.endpoints[0].endpointId, again.endpoints[0].events], [id, 0])
  assertRefused(await payin(['endpoints', 'redeliver-events', 'Notified Shop', '--since', '1x']), 2, /90s, 30m/)
  assert.match((await payin(['endpoints', 'rotate', id, '--overlap', '1h'])).out, /whsec_/)
  assertRefused(await payin(['endpoints', 'rotate', id]), 1, /^invalid_state: .*--overlap 0/)
  assert.match((await payin(['endpoints', 'rotate', id, '--overlap', '0'])).out, /whsec_/)
  assert.match((await payin(['endpoints', 'disable', id])).out, /Enabled +no\nDisabled reason +operator/)
  assert.equal((await payinJson(['endpoints', 'enable', id])).enabled, true)
  assert.equal((await payin(['endpoints', 'troubled'])).code, 0)
  assert.match((await payin(['endpoints', 'list', 'Notified Shop'])).out, /shop server/)
  assert.match((await payin(['endpoints', 'remove', id])).out, /removed/)
  assert.match((await payin(['endpoints', 'list', 'Notified Shop'])).out, /No endpoints yet/)
})

test('a file or standard input goes to the service as it is written, all or none', async () => {
  const shop = await openShop(opened())
  const numbers = [newNumber('sbp'), newNumber('sbp')]
  const requisites = numbers.map((number) => ({
    method: 'sbp',
    currency: 'rub',
    bankIssuer: 'bank-a',
    holder: 'Ivan',
    number,
    merchantId: shop.merchantId,
  }))
  const added = await payin(['requisites', 'add', '--file', '-'], JSON.stringify(requisites))
  assert.equal(added.out, 'Added: 2.\n')
  const file = join(elsewhere, 'transfers.json')
  const transfer = `{"requisiteId":"${shop.requisiteIds[0]}","currency":"rub","bookedAt":"${new Date(opened().clock.now).toISOString()}"`
  // As a double this would be 9999999999999.99: the digits must arrive for the service to see one too many.
  writeFileSync(file, `\uFEFF[${transfer},"amount":1.10},${transfer},"amount":9999999999999.9900000001}]`)
  assertRefused(
    await payin(['transfers', 'record', '--file', file]),
    1,
    /^amount_precision: .*\n {2}transfers\.1\.amount has more than 2 decimals\.\n$/,
  )
  writeFileSync(file, `[${transfer},"amount":1.10}]`)
  assert.match((await payin(['transfers', 'record', '--file', file])).out, / none +inbox /)
  assert.match((await payin(['transfers', 'list', '--unmatched'])).out, / 1\.10 rub /)
  assertRefused(await payin(['transfers', 'record', '--file', join(elsewhere, 'none.json')]), 2, /cannot be read/)
  assertRefused(await payin(['transfers', 'record', '--file', '-'], '[1,'), 2, /^- is not well-formed JSON/)
  assertRefused(await payin(['transfers', 'record', '--file', '-'], '{}'), 2, /^- is not a JSON array/)
})

test('exact amounts are never rounded on their way', async () => {
  const set = ['limits', 'set', 'rub', '--min', '100', '--max', '9007199254740993.1']
  assertRefused(await payin(set), 1, /^amount_above_max: .*\n {2}--max 9007199254740993\.1 is too large\.\n$/)
  const rate = await payinJson(['rates', 'set', 'xaf', '601.12345678'])
  assert.equal(rate.price, 601.12345678)
})

test('a refusal is one line with its code, and the wrong fields below', async () => {
  assertRefused(
    await payin(['payments', 'list', '--payer', '12']),
    1,
    /^validation_failed: The request is not valid\.\n {2}--payer "12" must be four digits\.\n$/,
  )
  assertRefused(await payin(['merchants', 'show', unknownId]), 1, /^resource_not_found: There is no such merchant\.\n$/)
  assertRefused(
    await payin(['merchants', 'show', 'Nobody']),
    1,
    /^resource_not_found: There is no merchant "Nobody"\. payin merchants list shows/,
  )
  await setAgreedRate(opened(), 'gel', 2.7)
  assertRefused(await payin(['rates', 'set', 'gel', '27']), 1, /^rate_outside_band: .*--outside-band/)
})

test('wrong usage ends with 2 and says what is wrong', async () => {
  const wrong: [words: string[], pattern: RegExp][] = [
    [['nonsense'], /unknown command 'nonsense'/],
    [['merchants', 'lst'], /Did you mean list/],
    [['merchants', 'create', '--mode', 'live'], /required option '--name <name>' not specified/],
    [['merchants', 'show'], /missing required argument 'merchant'/],
    [['limits', 'set', 'rub', '--min', '1,5', '--max', '2'], /Write digits with a dot/],
    [['terms', 'set', 'x', 'sbp', '--grace', '15'], /Write a number and a unit/],
    [['terms', 'set', 'x', 'sbp', '--tolerance', '100'], /Write an amount with two decimals/],
    [['transfers', 'record', '--requisite', unknownId], /Give --amount, --currency, or --file/],
    [['transfers', 'record', '--booked-at', '31.01.2026'], /Write a day or a time, such as 2026-01-31/],
    [['requisites', 'add', '--working-hours', '9-21'], /Write the hours as/],
    [['--url', 'payin.example', 'doctor'], /is not an http\(s\) address/],
    [['statements', 'import', 'nowhere.txt'], /^nowhere\.txt cannot be read: there is no such file\.\n$/],
    [['statements', 'import', '.'], /^\. cannot be read: it is not a file\.\n$/],
    [['doctor', '--verbose'], /unknown option '--verbose'/],
  ]
  for (const [words, pattern] of wrong) assertRefused(await payin(words), 2, pattern)
})

test('help says which options are required', async () => {
  const help = await run(['settlements', 'create', '--help'], {})
  assert.match(help.out, /--reference <reference> +required: your own reference\./)
  assert.match(help.out, /--amount <amount> +exact amount/)
})

test('help lists every command, with examples', async () => {
  const help = await run(['--help'], {})
  assert.equal(help.code, 0)
  const groups = [
    'merchants',
    'terms',
    'tokens',
    'limits',
    'rates',
    'banks',
    'requisites',
    'transfers',
    'payments',
    'risk',
  ]
  for (const group of [...groups, 'balances', 'doctor', 'audit'])
    assert.match(help.out, new RegExp(`^  ${group}\\b`, 'm'))
  for (const group of groups) {
    const { out } = await run([group, '--help'], {})
    assert.match(out, new RegExp(`\nExamples:\n  payin ${group} `), group)
  }
})

test('an operator blocks and limits payers, and sees why payments were refused', async () => {
  const shop = await openShop(opened(), { name: 'Risky Shop', perMethod: 2 })
  const block = ['risk', 'block', 'user', 'user-1', '--merchant', 'Risky Shop', '--reason', 'Chargebacks']
  const { id } = await payinJson(block)
  assertRefused(await payin(block), 1, /^already_exists: /)
  const rule = await payinJson(['risk', 'limit', 'phone', '--window', '1d', '--count', '5', '--reason', 'Five a day'])
  const made = await shop.create('risky', { userId: 'user-1' })
  assert.equal(made.body.payment.status, 'failed')
  const decisions = await payin(['risk', 'decisions', '--payment', made.body.payment.id])
  assert.match(decisions.out, /refused +risky +reason Chargebacks +user +create +Risky Shop +block/)
  assert.match((await payin(['risk', 'blocks'])).out, new RegExp(`${id} +user +us•••• .* never +operator`))
  const found = await payin(['risk', 'find', 'user', 'user-1', '--merchant', 'Risky Shop'])
  assert.match(found.out, new RegExp(`${id} +user`))
  assert.match((await payin(['risk', 'find', 'phone', '79990000000'])).out, /never blocked/)
  assert.match((await payin(['risk', 'limits'])).out, /phone +all +1 d +5 +– +in force +Five a day/)
  assert.match((await payin(['risk', 'unblock', id])).out, /Lifted +2/)
  assert.match((await payin(['risk', 'unlimit', rule.id])).out, /Ended +2/)
})

test('an operator sees the health of requisites', async () => {
  const shop = await openShop(opened(), { name: 'Healthy Shop', perMethod: 2 })
  await shop.create('1', { userId: 'healthy' })
  const [id = ''] = shop.requisiteIds
  assert.equal((await payin(['requisites', 'limit', id, '--pause-after', 'none'])).code, 0)
  const health = await payin(['requisites', 'health', '--limit', '500'])
  assert.match(health.out, new RegExp(`card-to-card bank-a •••• \\d{4} +active +0/0 .* ${id}`))
  assert.match((await payin(['requisites', 'pauses'])).out, /^No automatic pauses\./)
})

test('without a service it says how to start one or where to point', async () => {
  const ended = await run(['doctor', '--token', 'x'], { PORT: '9' })
  assertRefused(
    ended,
    3,
    /^Nothing answers at http:\/\/127\.0\.0\.1:9 \(.+\)\. Start the service with npm start, or .*PAYIN_URL\.\n$/,
  )
})

test('the token comes from --token, the environment or the data directory', async () => {
  const { url, operatorToken } = opened()
  assertRefused(
    await run(['merchants', 'list', '--url', url], {}),
    2,
    /^No operator token\. Looked in:\n {2}--token, [^]*\.env and payin-data\/secrets\.json in \/[^]*config\n.*Give --token/,
  )
  const data = mkdtempSync(join(elsewhere, 'data-'))
  writeFileSync(join(data, 'secrets.json'), JSON.stringify({ encryptionKeys: 'k1:x', operatorToken }))
  const found = await run(['merchants', 'list', '--url', `${url}/`], { PAYIN_DATA_DIR: data })
  assert.equal(found.code, 0, found.error)
  assertRefused(
    await run(['merchants', 'list', '--url', url], { PAYIN_DATA_DIR: 'nowhere' }),
    2,
    /No operator token[^]*\n {2}nowhere\/secrets\.json\n/,
  )
  const file = join(elsewhere, 'token')
  writeFileSync(file, `${operatorToken}\n`)
  assert.equal((await run(['merchants', 'list'], { PAYIN_URL: url, PAYIN_OPERATOR_TOKEN_FILE: file })).code, 0)
  assertRefused(await payin(['merchants', 'list', '--token', 'wrong']), 1, /^token_invalid: .*--token/)
})

test('address and token are found from any folder below that of the service, or in a file of the operator', async () => {
  const { url, operatorToken } = opened()
  const home = mkdtempSync(join(elsewhere, 'home-'))
  const inner = join(home, 'a', 'b')
  mkdirSync(join(inner, '.config', 'payin'), { recursive: true })
  mkdirSync(join(home, 'payin-data'))
  const listIn = (folder: string, environment: Environment = {}) =>
    run(['merchants', 'list'], { HOME: inner, ...environment }, '', folder)
  writeFileSync(join(home, 'payin-data', 'secrets.json'), JSON.stringify({ operatorToken }))
  assert.equal((await listIn(inner, { PAYIN_URL: url })).code, 0, 'the data directory of a folder above')
  // Another program's settings are none of ours.
  writeFileSync(join(home, 'a', '.env'), 'PORT=9\n')
  assert.equal((await listIn(inner, { PAYIN_URL: url })).code, 0)
  writeFileSync(join(home, 'token'), operatorToken)
  writeFileSync(join(home, 'a', '.env'), `PAYIN_URL=${url}\nPAYIN_OPERATOR_TOKEN_FILE=../token\n`)
  assert.equal((await listIn(inner)).code, 0, 'the .env of a folder above')
  assertRefused(await listIn(inner, { PAYIN_OPERATOR_TOKEN: randomBytes(32).toString('hex') }), 1, /^token_invalid/)
  writeFileSync(join(inner, '.config', 'payin', 'config'), `PAYIN_URL=${url}\nPAYIN_OPERATOR_TOKEN=${operatorToken}\n`)
  assert.equal((await listIn(elsewhere)).code, 0, "the operator's own file")
  const named = join(inner, '.config', 'payin', 'config')
  assert.equal((await listIn(elsewhere, { HOME: elsewhere, PAYIN_CONFIG: named })).code, 0)
})

test('from elsewhere, payin finds the token of its own installation, for this machine only', async () => {
  const { url, operatorToken } = opened()
  const installation = mkdtempSync(join(elsewhere, 'installation-'))
  mkdirSync(join(installation, 'payin-data'))
  writeFileSync(join(installation, 'payin-data', 'secrets.json'), JSON.stringify({ operatorToken }))
  const listAt = (address: string) =>
    runPayin(['merchants', 'list', '--url', address], { folder: elsewhere, installation })
  assert.equal((await listAt(url)).code, 0)
  assertRefused(await listAt('https://payin.invalid'), 2, /^No operator token/)
  writeFileSync(join(installation, '.env'), `PORT=${new URL(url).port}\n`)
  assert.equal((await runPayin(['merchants', 'list'], { folder: elsewhere, installation })).code, 0)
})

test('a token is not sent to an address that only a .env met on the way names', async () => {
  const { url, operatorToken } = opened()
  const folder = mkdtempSync(join(elsewhere, 'download-'))
  const inner = join(folder, 'inner')
  mkdirSync(inner)
  const env = join(folder, '.env')
  const listIn = (environment: Environment = {}, ...more: string[]) =>
    run(['merchants', 'list', ...more], environment, '', inner)
  const foreign = 'PAYIN_URL=https://payin.invalid\n'
  const refused = /names https:\/\/payin\.invalid, but the token is not from that folder\. If this is right, give --url/
  writeFileSync(env, foreign)
  assertRefused(await listIn({ PAYIN_OPERATOR_TOKEN: operatorToken }), 2, refused)
  assertRefused(await listIn({}, '--token', operatorToken), 2, refused)
  const data = mkdtempSync(join(elsewhere, 'data-'))
  writeFileSync(join(data, 'secrets.json'), JSON.stringify({ operatorToken }))
  symlinkSync(data, join(folder, 'payin-data'))
  assertRefused(await listIn(), 2, refused)
  writeFileSync(env, `${foreign}PAYIN_DATA_DIR=${data}\n`)
  assertRefused(await listIn(), 2, refused)
  writeFileSync(join(data, 'token'), operatorToken)
  writeFileSync(env, `${foreign}PAYIN_OPERATOR_TOKEN_FILE=${join(data, 'token')}\n`)
  assertRefused(await listIn(), 2, refused)
  assert.equal((await listIn({}, '--url', url)).code, 0)
  assert.equal((await listIn({ PAYIN_URL: url })).code, 0)
  writeFileSync(env, `${foreign}PAYIN_OPERATOR_TOKEN=${operatorToken}\n`)
  assertRefused(await listIn(), 3, /^Nothing answers at https:\/\/payin\.invalid/)
})

test('where everybody may write, only files of one’s own say where the service is', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('only root gives files to others')
  const { url, operatorToken } = opened()
  const folder = mkdtempSync(join(elsewhere, 'shared-'))
  const env = join(folder, '.env')
  writeFileSync(env, `PAYIN_URL=${url}\nPAYIN_OPERATOR_TOKEN=${operatorToken}\n`)
  chmodSync(folder, 0o1777)
  const list = () => run(['merchants', 'list'], {}, '', folder)
  assert.equal((await list()).code, 0)
  chownSync(env, 65_534, 65_534)
  assertRefused(await list(), 2, /^No operator token/)
})

test('the command is a process: words, input and exit code pass through it, and a closed reader ends it', async () => {
  const { url, operatorToken } = opened()
  const environment = { PAYIN_URL: url, PAYIN_OPERATOR_TOKEN: operatorToken }
  const shown = await start(['merchants', 'list'], environment)
  assert.deepEqual(shown, await run(['merchants', 'list'], environment))
  // Not of this machine: the repository may have the token of a service that was started here.
  assertRefused(await start(['merchants', 'list'], { PAYIN_URL: 'https://payin.invalid' }), 2, /^No operator token/)
  assertRefused(await start(['merchants', 'lst'], environment), 2, /Did you mean list/)
  const found = await start(['risk', 'find', 'phone', '-'], environment, '79990000000')
  assert.match(found.out, /never blocked/, found.error)
})

test('an answer that is not from Payin is called so', async () => {
  let said = ''
  const server = createServer((_request, response) => response.end(said))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const commands = [
      'doctor',
      'today',
      'merchants list',
      'payments show order-1',
      'rates sources off x',
      'ledger journal --from 2026-01-01 --to 2026-02-01',
    ]
    for (said of ['<html>', '{}', '[]', 'null', '{"code":"x","title":"y"}'])
      for (const command of commands)
        assertRefused(
          await payin([...command.split(' '), '--url', url]),
          3,
          /^http:\S+ answers 200, but not as Payin does: check --url or PAYIN_URL\.\n$/,
        )
  } finally {
    server.close()
  }
})

test('the doctor ends with 1 when an invariant is broken', async () => {
  const check = { name: 'paid-within-tolerance', meaning: 'It has its amount.', broken: 2, examples: ['a', 'b'] }
  const body = { healthy: false, checks: [check] }
  const server = createServer((_request, response) => response.setHeader(...operatorMark).end(JSON.stringify(body)))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { code, out } = await payin(['doctor', '--url', url])
    assert.equal(code, 1)
    assert.match(
      out,
      /^Not healthy: 1 of 1 invariants are broken\.\n\nINVARIANT .*\npaid-within-tolerance +It has its amount\. +2 +a, b\n$/,
    )
  } finally {
    server.close()
  }
})

test('the operator API answers the CLI as it answers others', async () => {
  const direct = await openOperator(opened()).get('/rates')
  assert.deepEqual(await payinJson(['rates', 'list']), direct.body)
})

test('an operator looks at a dispute, previews and decides it, and a second one confirms', async () => {
  const service = opened()
  const court = await openCourt(service, { name: 'Court Shop' })
  const made = await court.create('cli-dispute')
  await court.shop.post('/payments/byOrderId/cancel', { orderId: 'cli-dispute' })
  const shown = await payin(['disputes', 'open', 'cli-dispute', '--amount', '5000', '--reason', 'x'])
  assert.match(shown.out, /Order +cli-dispute\nPayment +disput\nState +open/, shown.error)
  const { disputes } = await payinJson(['disputes', 'list', '--state', 'undecided'])
  const { id } = disputes.find((each: { paymentId: string }) => each.paymentId === made.id)
  assert.match((await payin(['disputes', 'list'])).out, /cli-dispute/)
  const byAmount = ['disputes', 'list', '--state', 'open', '--currency', 'rub', '--sort', '-amount', '--count']
  assert.match((await payin(byAmount)).out, /cli-dispute.*in total\./s)
  assert.match((await payin(['disputes', 'list', '--csv'])).out, /^id,merchantId,.*,cli-dispute,/s)
  assert.match((await payin(['disputes', 'list', '--sort', 'due'])).error, /--sort "due".* undecided disputes/)
  const decide = ['disputes', 'accept', 'cli-dispute', '--reason', 'goodwill']
  const preview = (await payin([...decide, '--preview'])).out
  assert.match(preview, /needs a second operator[^]*disput-paid[^]*corrections[^]*merchant:Court Shop:available/)
  assert.match((await payin(decide)).out, /cli-dispute +accept +proposed/)
  const confirm = ['disputes', 'confirm', id.slice(0, 13), '--amount', '5000']
  assertRefused(await payin(confirm), 1, /^invalid_state: An operator other than/)
  const second = await payin([...confirm, '--token', service.operatorTokens['boris'] ?? ''])
  assert.match(second.out, /Payment +disput-paid\n[^]*State +accepted/, second.error)
  const decided = await payin(['disputes', 'show', id])
  assert.match(decided.out, /confirmed +boris/)
})

test('an operator gives a transfer to a payment, and ignores another', async () => {
  const service = opened()
  const court = await openCourt(service, { name: 'Inbox Shop', perMethod: 1 })
  const one = await court.create('cli-one', { amount: 1000 })
  await court.create('cli-two', { amount: 9000 })
  const came = await payIn(service, { requisiteId: one.requisiteId, minor: 1200_00n })
  assert.equal(came.kind, 'suspense')
  const named = [came.id]
  const to = ['--to', 'cli-one=1000', '--to', 'cli-two=100']
  const assigned = await payin(['transfers', 'assign', ...named, ...to])
  assert.match(assigned.out, /payment +1000\.00 rub[\s\S]*suspense +100\.00 rub/, assigned.error)
  const list = ['transfers', 'list', '--unmatched', '--requisite', one.requisiteId, '--columns', 'went-to']
  assert.match((await payin(list)).out, /cli-one 1000\.00 rub\n *cli-two 100\.00 rub\n *inbox 100\.00 rub/)
  assert.match((await payin(['transfers', 'ignore', ...named, '--reason', 'ours'])).out, /ignored +100\.00 rub/)
  assertRefused(await payin(['transfers', 'unassign', ...named, '--reason', 'wrong']), 1, /^invalid_state/)
  assertRefused(await payin(['transfers', 'assign', ...named, '--to', 'x']), 1, /There is no payment "x"/)
})

test('things are named by what people know of them; an ambiguous name is refused with what tells its candidates apart', async () => {
  const service = opened()
  const [first, second] = [
    await openShop(service, { name: 'Named One' }),
    await openShop(service, { name: 'Named Two' }),
  ]
  const made = await first.create('named-1', { amount: 700, method: 'sbp' })
  await second.create('named-1', { amount: 800, method: 'sbp' })
  await first.create('named-2', { amount: 900, method: 'sbp' })
  const { id } = made.body.payment
  const ambiguous = await payin(['payments', 'show', 'named-1'])
  assertRefused(
    ambiguous,
    1,
    /^ambiguous: "named-1" is the name of more than one payment\. Give --merchant, or type [^]*named-1, new, 700\.00 rub, Named One\n[^]*800\.00 rub, Named Two\n/,
  )
  const shown = await payin(['payments', 'show', 'named-1', '--merchant', 'named one'])
  assert.match(shown.out, new RegExp(`Merchant +Named One\nId +${id}\n`), shown.error)
  for (const typed of [id, id.toUpperCase(), id.slice(0, 22), `${id.slice(0, 13)}..${id.slice(-6)}`]) {
    const { code, error } = await payin(['payments', 'show', typed])
    assert.ok(code === 0 || error.startsWith('ambiguous'), `${typed}: ${error}`)
  }
  assert.equal((await payin(['payments', 'show', `${id.slice(0, 13)}..${id.slice(-6)}`])).code, 0)

  const requisite = made.body.card.id
  const labelled = await payin(['requisites', 'label', requisite, 'Main phone'])
  assert.match(labelled.out, /^sbp bank-[ab] •••• \d{4} is Main phone\.\n$/)
  const record = ['transfers', 'record', '--requisite', 'main PHONE', '--currency', 'rub', '--amount', '123.45']
  const recorded = await payin([...record, '--reference', 'bank-77'])
  assert.match(recorded.out, / inbox /, recorded.error)
  const listed = await payin(['transfers', 'list', '--unmatched'])
  assert.match(listed.out, / 123\.45 rub +inbox .* Main phone .* bank-77/)
  const twice = { amount: 123.45, currency: 'rub', bookedAt: '2026-01-31T10:00:00Z', bankReference: 'bank-twice' }
  const onBoth = [requisite, second.requisiteIds[0] ?? ''].map((each) => ({ ...twice, requisiteId: each }))
  await openOperator(service).call('POST', '/transfers', { transfers: onBoth })
  assertRefused(
    await payin(['transfers', 'show', 'bank-twice']),
    1,
    /123\.45 rub, booked 2026-01-31T10:00Z, bank-twice, Main phone\n/,
  )
  assert.match((await payin(['transfers', 'show', 'bank-77'])).out, /Requisite +Main phone[^]*suspense +123\.45 rub/)
  const assigned = await payin(['transfers', 'assign', 'bank-77', '--to', 'named-1', '--merchant', 'Named One'])
  assert.match(assigned.out, /payment +123\.45 rub +– +Named One +named-1/, assigned.error)
  assertRefused(await payin(['transfers', 'assign', 'bank-77', '--to', id]), 1, /^invalid_state/)
  const digits = made.body.card.phone.slice(-4)
  assert.match(
    (await payin(['requisites', 'pause', `sbp ${made.body.card.bankIssuer} ${digits}`])).out,
    /Main phone +done/,
  )
  assertRefused(
    await payin(['requisites', 'pause', '00']),
    1,
    /^resource_not_found: There is no requisite "00"\. payin requisites list/,
  )
  const nothing = await openOperator(service).get('/resolve?kind=payment&text=..')
  assert.deepEqual([nothing.status, nothing.body.code], [404, 'payment_not_found'])
})

const typicalWidths = [80, 100, 120, 200]

/** The commands that list something, as the help of their groups says. */
const listingCommands = async (group: readonly string[] = []): Promise<string[]> => {
  const { out } = await run([...group, '--help'], { COLUMNS: '200' })
  const [, commands = ''] = /^Commands:\n(.*?)(?:\n\n|$(?![\s\S]))/ms.exec(out) ?? []
  const found: string[] = []
  for (const [, name = '', about = ''] of commands.matchAll(/^ {2}(\S+) +(\S.*)$/gm)) {
    const words = [...group, name]
    if (about.startsWith('List ')) found.push(words.join(' '))
    else if (name !== 'help') found.push(...(await listingCommands(words)))
  }
  return found
}

test('no list is wider than the terminal, and what is left out is named', async () => {
  const service = opened()
  const { url, operatorToken } = service
  const shop = await openShop(service, { name: 'Village Shop' })
  const created = await shop.create('village-1')
  await payIn(service, { requisiteId: created.body.card.id, minor: 5000_00n, reference: 'VILLAGE-1' })
  const wish = { reference: 'refund-of-the-village', amount: 100, payTo: '40817810099910004312', reason: 'Returned' }
  assert.equal((await shop.post('/payments/byOrderId/village-1/refunds', wish)).status, 201)
  const { token } = await payinJson(['tokens', 'issue', 'Village Shop', '--name', 'of the lists'])
  const environment = { PAYIN_URL: url, PAYIN_OPERATOR_TOKEN: operatorToken, PAYIN_TOKEN: token, COLUMNS: '80' }
  await payin(['endpoints', 'add', 'Village Shop', 'https://lists.example.com/notifications/of/payin'])
  const { requisites } = await payinJson(['requisites', 'list'])
  const phone = ['phones', 'add', 'Phone of the library', 'smsgate', '--requisite', requisites[0].id]
  assert.match((await payin(phone)).out, /^1\. [^]*Signing Key: payin_phone_[^]*sms:received[^]*not shown again/)
  await payin(['phones', 'account', 'Phone of the library', requisites[0].id, '--digits', '4071', '5082', '--sim', '1'])
  await payin(['phones', 'limit', 'Phone of the library', '250'])
  await payin(['sources', 'create', 'Village files', '--requisite', requisites[0].id])
  await payin(['links', 'create', 'A new roof for the library of the village', '--merchant', 'Village Shop'])
  await openDestination(service, shop.merchantId)
  const settle = ['settlements', 'create', 'Village Shop', '--reference', 'village-june', '--to', 'Main wallet']
  assert.equal((await payin(settle)).code, 0)
  const lists = [
    ['today'],
    ['find', 'village-1'],
    ['alerts', 'open'],
    ['alerts', 'list'],
    ['alerts', 'rules', 'list'],
    ['alerts', 'channels', 'list'],
    ['audit'],
    ['balances'],
    ['adjustments', 'list'],
    ['banks', 'list'],
    ['claims', 'list'],
    ['decisions', 'list'],
    ['destinations', 'list'],
    ['disputes', 'list'],
    ['endpoints', 'list', 'Village Shop'],
    ['endpoints', 'deliveries', 'lists.example.com'],
    ['endpoints', 'troubled'],
    ['ledger', 'reconcile'],
    ['ledger', 'trial-balance'],
    ['keys', 'status'],
    ['limits', 'list'],
    ['links', 'list'],
    ['logs'],
    ['merchants', 'list'],
    ['merchants', 'requests', 'Village Shop'],
    ['merchants', 'show', 'Village Shop'],
    ['operators', 'list'],
    ['outgoing', 'list'],
    ['outgoing-rules', 'list'],
    ['outgoing-rules', 'suggest'],
    ['overpayments', 'list'],
    ['payments', 'list'],
    ['payments', 'show', 'village-1'],
    ['phones', 'banks'],
    ['phones', 'list'],
    ['phones', 'messages'],
    ['rates', 'list'],
    ['rates', 'override', 'list'],
    ['rates', 'sources', 'list'],
    ['refunds', 'list'],
    ['requisites', 'list'],
    ['requisites', 'health'],
    ['requisites', 'pauses'],
    ['reversals', 'list'],
    ['risk', 'blocks'],
    ['risk', 'decisions'],
    ['risk', 'limits'],
    ['settlements', 'list'],
    ['settlements', 'entries', 'village-june'],
    ['sources', 'list'],
    ['sources', 'files', 'Village files'],
    ['statements', 'list'],
    ['templates', 'list'],
    ['tokens', 'list', 'Village Shop'],
    ['transfers', 'list'],
    ['transfers', 'show', 'VILLAGE-1'],
  ]
  const shown = async (words: readonly string[], width: number): Promise<void> => {
    const { code, out, error } = await run(words, { ...environment, COLUMNS: String(width) })
    assert.ok(code === 0 || words[1] === 'reconcile', `${words.join(' ')}: ${error}`)
    // Sentences are wrapped by the terminal.
    const lines = out
      .split('\n')
      .filter((line) => !/^(No|There are more|RUN:|To rotate: |It waits: |Waits for another operator)/.test(line))
    for (const line of lines) assert.ok(widthOf(line) <= width, `${words.join(' ')} at ${width}: ${line}`)
  }
  for (const words of lists) for (const width of typicalWidths) await shown(words, width)
  const tried = lists.map((words) => words.join(' '))
  const untried = (await listingCommands()).filter((name) => !tried.some((words) => `${words} `.startsWith(`${name} `)))
  assert.deepEqual(untried, [])
  const payments = await run(['payments', 'list'], environment)
  assert.match(payments.out, /\nNot shown: .*method.* See all: --wide; these: --columns <names>/)
  const chosen = await run(['payments', 'list', '--columns', 'order,method', '--limit', '1'], environment)
  assert.match(chosen.out, /^ORDER +METHOD\n/)
  assertRefused(
    await run(['payments', 'list', '--columns', 'who'], environment),
    2,
    /no column "who"; this list has order, status/,
  )
  assert.match((await run(['payments', 'list', '--wide'], environment)).out, / METHOD +ID\n[^]*[0-9a-f]{12}\n/)
})

test('people get an account by a link, and an owner says what they may do', async () => {
  const invite = ['operators', 'invite', 'cli-olga', '--email', 'olga@example.com', '--role', 'support']
  const invited = await payin(invite)
  const [, link = ''] = /Link +\S+\/console\/invitation#(\S+)\n/.exec(invited.out) ?? []
  assert.match(invited.out, /works once and is not shown again/, invited.error)
  assert.match((await payin(['operators'])).out, /Invitations:\n[^]*\ncli-olga +olga@example\.com +support +/)
  const accepted = await fetch(`${opened().url}/console/invitations/accept`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: link, password: 'correct horse battery staple' }),
  })
  assert.equal(accepted.status, 200)
  assert.match((await payin(['operators', 'role', 'cli-olga', 'finance'])).out, /Role +finance/)
  assert.match((await payin(['operators', 'reset-password', 'cli-olga'])).out, /console\/invitation#/)
  assert.match((await payin(['operators', 'remove-second-factor', 'cli-olga'])).out, /set up a new second factor/)
  await payin(['operators', 'disable', 'cli-olga'])
  assert.match((await payin(['operators', 'list'])).out, /\ncli-olga +olga@example\.com +finance +– +– +no +\d{4}-/)
  await payin(['operators', 'enable', 'cli-olga'])
  assert.match((await payin(['operators', 'list'])).out, /\ncli-olga +olga@example\.com +finance +– +– +no +–/)
  assertRefused(await payin(invite), 1, /cli-olga has an account with the address olga@example\.com/)
  await payin(['operators', 'invite', 'cli-igor', '--email', 'igor@example.com', '--role', 'auditor'])
  assert.match((await payin(['operators', 'uninvite', 'cli-igor'])).out, /no longer works/)
  assertRefused(await payin(['operators', 'uninvite', 'cli-igor']), 1, /no open invitation of cli-igor/)
})

test('requisites come from a CSV file, all or none, after a dry run; wrong cells are named by their line', async () => {
  const shop = await openShop(opened(), { name: 'CSV Shop', perMethod: 0 })
  const [first, second] = [newNumber('sbp'), newNumber('sbp')]
  const file = join(elsewhere, 'accounts.csv')
  const head = 'method;currency;bank;holder;number;label;merchant;dayAmount;shownAs'
  const rowOf = (number: string, label: string, bank = 'bank-a') =>
    `sbp;rub;${bank};Ivan Petrov;+${number};${label};CSV Shop;100000.50;Иван П.`
  writeFileSync(file, `\uFEFF${head}\r\n${rowOf(first, 'CSV one')}\r\n\r\n${rowOf(second, 'CSV two', 'nobank')}\r\n`)
  assertRefused(
    await payin(['requisites', 'add', '--file', file, '--dry-run']),
    1,
    /^validation_failed: .*\n {2}line 4: bankIssuer is not the code of a known bank issuer\.\n$/,
  )
  writeFileSync(file, `${head}\n${rowOf(first, 'CSV one')}\n${rowOf(second, 'CSV two')}\n`)
  const dry = await payin(['requisites', 'add', '--file', file, '--dry-run'])
  assert.match(dry.out, /^2 would be added; nothing was added\.\n$/, dry.error)
  assertRefused(await payin(['requisites', 'pause', 'CSV one']), 1, /There is no requisite "CSV one"/)
  assert.match((await payin(['requisites', 'add', '--file', file])).out, /^Added: 2\.\n$/)
  assertRefused(await payin(['requisites', 'add', '--file', file, '--dry-run']), 1, /^already_exists/)
  assert.match((await payin(['requisites', 'pause', 'CSV one'])).out, /CSV one +done/)
  const { requisites } = await payinJson(['requisites', 'list', '--limit', '500'])
  const added = requisites.find((each: { label?: string }) => each.label === 'CSV two')
  assert.deepEqual(
    [added.merchantId, added.shownName, added.merchantName, added.limits.dayAmount],
    [shop.merchantId, 'Иван П.', 'CSV Shop', 100000.5],
  )
  writeFileSync(file, 'method;currency;bank;holder;number;lable\n')
  assertRefused(
    await payin(['requisites', 'add', '--file', file]),
    2,
    /an unknown column: lable\. The first line names/,
  )

  const today = new Date(opened().clock.now + 3 * 3_600_000).toISOString().slice(0, 10)
  const close = (...words: string[]) => payin(['ledger', 'close', 'CSV one', today, ...words])
  assertRefused(
    await close('--balance', '1', '--currency', 'usd'),
    1,
    /^validation_failed: [^]*must be rub, the requisite's\./,
  )
  assert.match((await payin(['ledger', 'reconcile', '--requisite', 'CSV one'])).out, /^No closing balances yet/)
  assert.equal((await close('--balance', '-5.25', '--currency', 'rub')).code, 0)
  assert.match((await payin(['ledger', 'reconcile', '--requisite', 'CSV one'])).out, /CSV one +-5\.25 rub/)
})

test('sources are created, changed, given keys and declared to report one money; a merchant has its account statement', async () => {
  const shop = await openShop(opened(), { name: 'Source Shop', perMethod: 1 })
  const [one = '', two = ''] = shop.requisiteIds
  const created = await payin(['sources', 'create', 'CLI feed', '--requisite', one, '--requisite', two])
  assert.match(created.out, /Name +CLI feed\nRequisites +card-to-card bank-\S+ •••• \d{4}\n +sbp bank/, created.error)
  await payin(['sources', 'create', 'CLI files', '--requisite', one])
  assert.match((await payin(['sources', 'rotate', 'CLI feed'])).out, /^Key +\S{20,}\n\nKeep the key now/)
  assert.match((await payin(['sources', 'end-key', 'cli FEED'])).out, /Key starts with +no key/)
  const updated = await payinJson(['sources', 'update', 'CLI feed', '--requisite', two])
  assert.deepEqual(updated.requisiteIds, [two])
  const mapped = await payin(['sources', 'update', 'CLI feed', '--mapping', '-'], '{"headerLine":2}')
  assert.match(mapped.out, /Mapping +header line 2\n/, mapped.error)
  const again = await payin(['sources', 'same-money', 'CLI feed', 'CLI files'])
  assert.match(again.out, /Same money as +[0-9a-f-]{36}\n/, again.error)
  assert.match((await payin(['sources', 'same-money', 'CLI feed', 'none'])).out, /Same money as +no other source\n/)
  assert.match((await payin(['sources', 'list'])).out, /CLI feed +sbp bank/)
  const span = [
    '--from',
    new Date(opened().clock.now - hour).toISOString(),
    '--to',
    new Date(opened().clock.now).toISOString(),
  ]
  const statement = await payin(['ledger', 'statement', 'Source Shop', ...span])
  assert.match(statement.out, /opening/i, statement.error)
})

test('a shell completes commands, options and their values', async () => {
  const { out } = await run(['completion', 'bash'], {})
  const ask = 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _payin; echo "${COMPREPLY[@]}"'
  const complete = (...words: string[]) =>
    spawnSync('bash', ['-c', `${out}\n${ask}`, 'bash', 'payin', ...words], { encoding: 'utf8' }).stdout.trim()
  assert.equal(complete('tra'), 'transfers')
  assert.match(complete('transfers', ''), /^record list show assign unassign ignore /)
  assert.equal(complete('settlements', 'list', '--status', ''), 'requested draft approved paid failed canceled')
  assert.equal(complete('transfers', 'assign', 'bank-77', '--t'), '--to --token')
  assertRefused(await run(['completion', 'tcsh'], {}), 2, /Allowed choices are bash, zsh/)
})

test('two operators settle a balance, and the books are checked and exported', async () => {
  const service = opened()
  const shop = await openShop(service, { name: 'Settled Shop' })
  const { body } = await shop.create('settled', { amount: 200_000 })
  const { id: requisiteId } = body.card
  await payIn(service, { requisiteId, minor: 200_000_00n })
  const wallet = destinationRules.ethereum.example
  const propose = ['destinations', 'propose', 'Settled Shop', 'ethereum']
  const cold = ['--label', 'Cold wallet']
  const small = await payin([...propose, wallet.toLowerCase(), ...cold])
  assertRefused(small, 1, /validation_failed[^]*has no checksum in letters of one size/)
  assert.match((await payin([...propose, wallet, ...cold])).out, /Status +proposed/)
  const boris = ['--token', service.operatorTokens['boris'] ?? '']
  assertRefused(await payin(['destinations', 'approve', 'Cold wallet']), 1, /second_person_required/)
  assert.match((await payin(['destinations', 'approve', 'Cold wallet', ...boris])).out, /Status +cooling/)
  const create = ['settlements', 'create', 'Settled Shop', '--reference', 'june', '--to']
  assertRefused(await payin([...create, wallet]), 1, /invalid_state[^]*may be used from 20/)
  assert.match((await payin(['destinations', 'retire', 'Cold wallet'])).out, /Status +retired/)
  assert.match((await payin(['destinations', 'list', '--merchant', 'Settled Shop'])).out, /Cold wallet +retired/)
  await openDestination(service, shop.merchantId)
  const { amount, status } = await payinJson([...create, 'Main wallet'])
  assert.deepEqual([amount, status], [2140.540541, 'draft'])
  const step = (...words: string[]) => payin(['settlements', words[0] ?? '', 'june', ...words.slice(1)])
  assertRefused(await step('approve'), 1, /second_person_required/)
  assert.match((await step('approve', ...boris)).out, /Approved by +boris/)
  assert.match((await step('pay', '--reference', 'tx-1')).out, /Status +paid/)
  assertRefused(await step('fail', '--reason', 'late'), 1, /invalid_state/)
  assert.match((await step('entries')).out, /ORDER +KIND +AMOUNT[^]*\n\S+ +credit +2140\.540541 USDT/)
  assert.match(
    (await payin(['settlements', 'list', '--merchant', 'Settled Shop'])).out,
    /june +paid +2140\.540541 USDT/,
  )

  const today = new Date(service.clock.now + 3 * 3_600_000).toISOString().slice(0, 10)
  const close = (balance: string) =>
    payin(['ledger', 'close', requisiteId, today, '--balance', balance, '--currency', 'rub'])
  assert.equal((await close('200000.00')).out, `Recorded for ${today}.\n`)
  const even = await payin(['ledger', 'reconcile', '--requisite', requisiteId])
  assert.deepEqual([even.code, /0\.00 rub/.test(even.out)], [0, true], even.out)
  await close('199999.99')
  assert.equal((await payin(['ledger', 'reconcile', '--requisite', requisiteId])).code, 1)
  const trial = (await payin(['ledger', 'trial-balance'])).out
  assert.match(trial, /Debits and credits of each currency are equal/)
  assert.match(trial, /Totals:\n[^]*^ *([\d.]+) rub +\1 rub$/m)
  await payIn(service, { requisiteId, minor: 77_00n })
  for (const books of [['balances'], ['ledger', 'trial-balance']])
    assert.match((await payin(books)).out, /^Suspense is the money in the inbox: payin transfers list/m)
  // Only what is final is exported.
  service.clock.advance(3 * 60_000)
  const journal = await payin(['ledger', 'journal', '--merchant', 'Settled Shop'])
  assert.match(journal.out, /^book,id,transaction,.*\r\n/)
  assert.match(journal.out, /,payout,merchant:\S+:held,merchant:\S+:paid-out,USDT,2140\.540541,/)
})

test('corrections: an overpayment is decided, a transfer reversed, an adjustment drafted, posted and rejected', async () => {
  const service = opened()
  const shop = await openShop(service, { name: 'Corrected Shop' })
  const { body } = await shop.create('corrected')
  const { id: requisiteId } = body.card
  const first = await payIn(service, { requisiteId, minor: 5000_00n })
  service.clock.advance(1000)
  await payIn(service, { requisiteId, minor: 5000_00n })
  assert.match(
    (await payin(['overpayments', 'list', '--merchant', 'Corrected Shop'])).out,
    /corrected +5000\.00 rub .*paid-again/,
  )
  const decide = ['overpayments', 'decide', 'corrected', 'write-off']
  const decided = await payin([...decide, '--reference', 'O-1', '--reason', 'small', '--amount', '0.37'])
  assert.match(decided.out, /Merchant +Corrected Shop\nPayment +corrected\n[^]*Amount +0\.37 rub\n/, decided.error)
  const terms = await payin(['terms', 'set', 'Corrected Shop', 'card-to-card', '--grace', '15m'])
  assert.match(terms.out, /Merchant +Corrected Shop\n/, terms.error)
  const taken = await payin(['transfers', 'reverse', first.id, '--reason', 'fraud'])
  assert.match(taken.out, /Taken back at +20[\s\S]*payment +5000\.00 rub/, taken.error)
  const shown = await payin(['payments', 'show', 'corrected', '--merchant', 'Corrected Shop'])
  assert.match(shown.out, /Received +5000\.00 rub\n[^]*5000\.00 rub of it was taken back/, shown.error)

  const draft = ['adjustments', 'draft', '--reference', 'F-1', '--debit', 'fees', '--credit', 'merchant:available']
  const rest = ['--amount', '1.5', '--currency', 'USDT', '--merchant', 'Corrected Shop', '--reason', 'x']
  await payinJson([...draft, ...rest])
  assertRefused(await payin(['adjustments', 'post', 'F-1']), 1, /second_person_required/)
  const posted = await payin(['adjustments', 'post', 'F-1', '--token', service.operatorTokens['boris'] ?? ''])
  assert.match(posted.out, /Book +Corrected Shop\n[^]*Status +posted\nDebit +fees\n/, posted.error)
  assert.match((await payin(['adjustments', 'list'])).out, /fees +merchant:Corrected Shop:available/)
  await payin(['requisites', 'label', requisiteId, 'Corrected account'])
  const named = [
    'adjustments',
    'draft',
    '--reference',
    'B-1',
    '--debit',
    'fx:rub',
    '--credit',
    'bank:corrected account',
  ]
  const bank = await payinJson([...named, '--amount', '1', '--currency', 'rub', '--reason', 'sold'])
  assert.equal(bank.creditAccount, `bank:${requisiteId}`)
  assert.match((await payin(['adjustments', 'reject', 'B-1'])).out, /Status +rejected/)
  assert.match((await payin(['adjustments', 'list', '--status', 'rejected'])).out, /rejected +1\.00 rub/)
})

test('a statement is previewed, imported once and withdrawn; what is wrong with one is reported by its line', async () => {
  const service = opened()
  const shop = await openShop(service, { perMethod: 1 })
  const [requisite = ''] = shop.requisiteIds
  const number = '40702810900000000099'
  const date = new Date(service.clock.now).toISOString().slice(0, 10)
  const file = join(elsewhere, 'january.xml')
  writeFileSync(file, camtOf({ account: number, rows: [{ minor: 12_00n, date, text: 'hello' }] }))
  assertRefused(await payin(['statements', 'import', file]), 1, /line 8 No requisite has the account •••• 0099/)
  const bound = await payin(['statements', 'bind', '--number', number, '--requisite', requisite])
  assert.match(bound.out, /\n•••• 0099 +\S+\n$/, bound.error)

  const preview = await payin(['statements', 'import', file, '--preview'])
  assert.match(preview.out, /State +ready[\s\S]*Counts +rows 1; new 1\n[\s\S]*Nothing has moved yet/, preview.error)
  assert.match(preview.out, /Credits and debits +decided by format\n/)
  const unsigned = join(elsewhere, 'unsigned.csv')
  writeFileSync(unsigned, `Date;Amount;Text\n${date};12.50;x\n`)
  const csv = ['statements', 'import', unsigned, '--requisite', requisite, '--preview']
  assertRefused(await payin(csv), 1, /line 2 Nothing says which rows are credits/)
  const said = await payin([...csv, '--all-credits', '--charset', 'iso-8859-15'])
  assert.match(
    said.out,
    /Format +csv\nCharset +iso-8859-15[\s\S]*Credits and debits +decided by operator; columns Amount\n/,
    said.error,
  )
  assert.match(said.out, /CREDITS +DEBITS +CREDIT ROWS +DEBIT ROWS[\s\S]*12\.50 rub +0\.00 rub +1 +0/)
  const [, id = ''] = /^Id +(\S+)/.exec(preview.out) ?? []
  assert.match((await payin(['statements', 'rows', id])).out, /new +\d{4}-\d\d-\d\d +12\.00 rub +credit .* hello/)
  const working = async (words: readonly string[]): Promise<Run> => {
    let isRunning = true
    const ended = payin(words).finally(() => (isRunning = false))
    while (isRunning) {
      await service.runJobs()
      await sleep(20)
    }
    return ended
  }
  const bring = () => working(['statements', 'import', file])
  const imported = await bring()
  assert.match(imported.out, /^Id [\s\S]*State +imported[\s\S]*In the inbox: 1\./, imported.error)
  assert.match((await bring()).out, /^This file was imported before; nothing was added\./)
  assert.match((await payin(['statements', 'rows', id])).out, /WENT TO[\s\S]*credit +inbox .*hello/)
  const withdrawn = await working(['statements', 'withdraw', id, '--reason', 'wrong account'])
  assert.match(
    withdrawn.out,
    /State +withdrawn[\s\S]*Withdrawn by +operator\nWithdrawn +\S+ \S+\nWithdrawal reason +wrong account/,
    withdrawn.error,
  )
  assert.match((await payin(['statements', 'list'])).out, new RegExp(`${id} +withdrawn +1 +january.xml`))
  assertRefused(
    await payin(['statements', 'withdraw', id, '--reason', 'x']),
    1,
    /^invalid_state: The statement is withdrawn/,
  )
  assert.match((await payin(['reversals', 'list'])).out, /^No reversal waits for a decision\./)
})

test('outgoing money is listed, booked, confirmed and unbooked; an opening balance is set once', async () => {
  const service = opened()
  const { requisiteId, bring, date } = await openBank(service)
  await bring(camtOf, [{ minor: -15_25n, text: 'Fee' }])
  const list = (state: string) => payin(['outgoing', 'list', '--requisite', requisiteId, '--state', state])
  const listed = await list('unexplained')
  assert.match(listed.out, /15\.25 rub +unexplained/, listed.error)
  const { outgoing } = (await openOperator(service).get(`/outgoing?requisiteId=${requisiteId}`)).body
  const key = [String(outgoing[0].id)]
  const booked = await payin(['outgoing', 'book', ...key, 'fee', '--reason', 'monthly'])
  assert.match(booked.out, /State +booked[\s\S]*Purpose +fee[\s\S]*Reason +monthly/, booked.error)
  assert.match((await payin(['outgoing', 'show', ...key])).out, /Decided by +operator:operator\nDecided +\S+ \S+\n?/)
  assert.match((await payin(['outgoing', 'unbook', ...key, '--reason', 'wrong'])).out, /State +unexplained/)
  assertRefused(await payin(['outgoing', 'confirm', ...key]), 1, /^invalid_state: There is no proposal/)
  const { body } = await (await openShop(service)).create('owed-nothing')
  await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
  const ofPayment = await payin(['outgoing', 'confirm', ...key, '--payment', 'owed-nothing', '--reason', 'x'])
  assertRefused(ofPayment, 1, /^balance_insufficient: The payer of this payment is owed less/)
  const other = await payin(['outgoing', 'other-money', '--outgoing', ...key, '--reason', 'x'])
  assert.match(other.out, /^OUTGOING +BOOKED +AMOUNT .*\n.* 15\.25 rub +unexplained/, other.error)
  assert.equal(
    (await list('booked')).out,
    'No such outgoing transfers. Statements and feeds report them: payin statements import <file>\n',
  )
  const like = [...key, 'fee', '--reason', 'card fees']
  const dry = await payin(['outgoing-rules', 'like', ...like, '--dry-run'])
  assert.match(dry.out, /Approved by +nobody yet[\s\S]*OUTCOME[\s\S]*books +.*15\.25 rub/, dry.error)
  assert.match((await payin(['outgoing-rules', 'list'])).out, /^No rules yet/)
  assert.match((await payin(['outgoing-rules', 'like', ...like])).out, /Text +Fee/)
  assert.match((await payin(['outgoing-rules', 'list'])).out, /card fees +fee +Fee/)
  assert.match((await payin(['outgoing-rules', 'show', 'card fees'])).out, /same +.*15\.25 rub/)
  assertRefused(await payin(['outgoing-rules', 'approve', 'card fees']), 1, /^second_person_required: /)
  assert.match((await payin(['outgoing-rules', 'remove', 'Card fees'])).out, /Reason +card fees/)
  assertRefused(
    await payin(['outgoing-rules', 'add', 'fee', '--requisite', requisiteId, '--reason', 'x']),
    1,
    /text or payee is required/,
  )
  await bring(camtOf, [{ minor: -200_000_00n, text: 'Rent' }])
  const [large] = (await openOperator(service).get(`/outgoing?requisiteId=${requisiteId}&limit=1`)).body.outgoing
  const proposed = await payin(['outgoing', 'book', large.id, 'other', '--reason', 'rent'])
  assert.match(proposed.out, /State +unexplained[\s\S]*Purpose +other\n[\s\S]*Needs another person than +operator\n/)
  assert.match((await list('unexplained')).out, /200000\.00 rub +unexplained +\S+ +other by operator/)
  const open = (balance: string, more: readonly string[] = []) =>
    payin([
      ...['ledger', 'open', '--requisite', requisiteId, '--day', date, '--balance', balance],
      ...['--currency', 'rub', '--reason', 'contract', ...more],
    ])
  assert.match((await open('100.5', ['--dry-run'])).out, /\nNothing was set\.\n$/)
  assert.match((await open('100.5')).out, new RegExp(`\n.+ +${date} +100\\.50 rub +–\n$`))
  assertRefused(await open('100'), 1, /^already_exists: /)
})

test('opening balances and accounts of statements are set from files; a refused one is named by its line', async () => {
  const shop = await openShop(opened(), { perMethod: 2 })
  const { pan } = (await shop.create('paid to an account', { method: 'account-to-account', amount: 700 })).body.card
  const [first = '', second = ''] = shop.requisiteIds
  const write = (lines: string): string => {
    const path = join(elsewhere, 'rows.csv')
    writeFileSync(path, lines)
    return path
  }
  const open = (rows: string, ...more: string[]) =>
    payin(['ledger', 'open', '--file', write(`requisite;day;balance;currency\n${rows}`), '--reason', 'x', ...more])
  const rows = `${first};2026-01-01;100.50;rub\n\n${second};2026-01-01;-7;rub\n`
  assertRefused(await open(`${rows}${pan};2026-13-01;1;rub\n`), 1, /\n  line 5: day /)
  const tried = await open(rows, '--dry-run')
  assert.match(
    tried.out,
    /\n.+ 2026-01-01 +100\.50 rub +–\n.+ 2026-01-01 +-7\.00 rub +yes\n\nNothing was set\.\n$/,
    tried.error,
  )
  assert.match((await open(`${rows}${pan};2026-01-01;1;rub\n`)).out, / yes\n.* 2026-01-01 +1\.00 rub +–\n$/)

  const bind = (accounts: string, ...more: string[]) =>
    payin(['statements', 'bind', '--file', write(`number;requisite\n${accounts}`), ...more])
  const ofTwo = `40702810900000000071;${first} + ${second}\n`
  assertRefused(await bind(`${ofTwo}40702810900000000072;nobody\n`), 1, /line 3: .*nobody/)
  assert.match((await bind(ofTwo, '--dry-run')).out, /Nothing was bound\.\n$/)
  assert.match((await bind(ofTwo)).out, /•••• 0071 +\S+/)
})

test('alerts: channels and rules are set, what is open is listed and acknowledged', async () => {
  const service = opened()
  const shop = await openShop(service, { name: 'Alerted Shop' })
  assert.match((await payin(['alerts', 'channels'])).out, /^No channels yet/)
  const added = await payin(
    [
      ...['alerts', 'channels', 'telegram', 'team', '--chat', '-100', '--bot-token', '-'],
      ...['--quiet', '22:00-08:00 Europe/Moscow'],
    ],
    '123456:abcdefghijklmnop',
  )
  assert.match(added.out, /Quiet hours +22:00-08:00 Europe\/Moscow\n/)
  assertRefused(await payin(['alerts', 'channels', 'email', 'mail', '--to', 'a@example.com']), 1, /PAYIN_SMTP_URL/)
  const set = ['alerts', 'rules', 'set', 'inbox-waiting', '--threshold', '30m', '--remind-after', 'none']
  assert.match(
    (await payin([...set, '--channels', 'team', '--urgent', 'yes'])).out,
    /^inbox-waiting is on and urgent: .*\nThreshold: 30 min\.\nReported again: never\. Channels: [0-9a-f-]{36}\.\n$/,
  )
  assert.match((await payin(['alerts', 'rules'])).out, /\nrequisite-limit +on +90 % +no +1 d +all /)
  const pager = await payin(['alerts', 'channels', 'webhook', 'pager', 'https://pager.example.com/'])
  assert.match(pager.out, /Secret +whsec_\S+\n\nIts calls are signed with the secret, which is not shown again\./)
  assert.match((await payin(['alerts'])).out, /^No open incidents\. /)

  await payIn(service, { requisiteId: shop.requisiteIds[0] ?? '', minor: 1_23n, reference: 'alerted' })
  service.clock.advance(30 * minute)
  await evaluateAlerts(service.context, 'quick')
  const { incidents } = await payinJson(['alerts'])
  const { id } = incidents.find(({ subject }: { subject: string }) => subject === 'inbox')
  assert.match((await payin(['alerts', 'acknowledge', id])).out, /What +.* in the inbox[^]*\nAcknowledged +2/)
  assert.match((await payin(['alerts', 'list'])).out, /acknowledged by operator/)
  assert.match(
    (await payin(['alerts', 'rules', 'set', 'inbox-waiting', '--enabled', 'no'])).out,
    /^inbox-waiting is off/,
  )
  assert.match((await payin(['alerts', 'channels', 'remove', 'team'])).out, /^The channel is removed\.\n$/)
})

test('rates: sources and overrides are set, listed and ended', async () => {
  await openShop(opened())
  assert.match((await payin(['rates', 'sources'])).out, /^No sources/)
  const fixed = await payinJson(['rates', 'sources', 'fixed', 'rub', 'last resort', '92.50000001', '--rank', '2'])
  assert.equal(fixed.price, 92.50000001)
  const json = ['rates', 'sources', 'json', 'rub', 'exchange', 'https://api.example.com/', '/p']
  assert.match((await payin([...json, '--spread', '-0.25', '--off'])).error, /unknown option/)
  const { id } = await payinJson([...json, '--spread', '-0.25', '--every', '1h'])
  const updated = await payin(['rates', 'sources', 'update', id, '--max-step', '1.5'])
  assert.match(updated.out, /Spread +-0\.25 %\nMax step +1\.5 %\n[^]*Enabled +yes\n/)
  assert.match((await payin(['rates', 'sources', 'off', id])).out, /Enabled +no\n/)
  assertRefused(await payin(['rates', 'sources', 'accept', id, '99.1']), 1, /^invalid_state: /)
  assert.match((await payin(['rates', 'sources', 'history', id])).out, /^Nothing has been fetched yet\.\n$/)
  const set = ['rates', 'override', 'set', 'rub', '95.00000001', '--until', '2h', '--reason', 'the exchange is closed']
  assert.match((await payin(set)).out, /^1 USDT = 95\.00000001 rub, until \S+ \S+Z\.\n$/)
  assert.match((await payin(['rates', 'override'])).out, /\nrub +95\.00000001 /)
  assert.match((await payin(['rates', 'override', 'end', 'rub'])).out, /^The override of rub has ended\.\n$/)
  for (const each of [id, fixed.id]) {
    assert.match((await payin(['rates', 'sources', 'remove', each])).out, /^The source is removed\.\n$/)
  }
})

test('lists are written as CSV, all of their rows', async () => {
  await openShop(opened(), { name: 'Shop with CSV' })
  const headers: Readonly<Record<string, RegExp>> = {
    'alerts list': /^id,rule,subject,/,
    audit: /^sequence,at,actor,/,
    'balances --merchant "Shop with CSV"': /^account,currency,balance,/,
    'decisions list': /^id,by,at,/,
    'endpoints troubled': /^id,merchantId,url,/,
    'limits list': /^merchantId,merchantName,currency,/,
    'operators list': /^name,email,role,/,
    'outgoing list --state unexplained': /^requisiteId,requisite\.label,/,
    'requisites pauses': /^id,requisiteId,/,
    'sources list': /^id,name,requisiteIds,/,
    'statements list': /^id,state,fileName,/,
    'tokens list "Shop with CSV"': /^id,merchantId,name,[^]*,test,/,
  }
  for (const [words, header] of Object.entries(headers)) {
    const typed = [...words.matchAll(/"([^"]+)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')
    const { code, out, error } = await payin([...typed, '--csv'])
    assert.deepEqual({ code, error }, { code: 0, error: '' }, words)
    assert.match(out, header, words)
  }
})

test('what a bank writes is revealed, tried and taught, and the list says how to approve it', async () => {
  const service = opened()
  const shop = await openShop(service, { name: 'Teaching Shop', perMethod: 1 })
  const phone = await openPhone(service, [...shop.requisiteIds].slice(0, 1))
  await phone.sms('СЧЁТ4071 взял 700р от Глеб Н.')
  const [{ id }] = await phone.messages()
  const { out: revealed } = await payin(['phones', 'reveal', id, '--reason', 'a new text'])
  assert.equal(revealed.trim(), 'СЧЁТ4071 взял 700р от Глеб Н.')
  const marked = 'СЧЁТ{account:4071} взял {amount:700р} от {senderName:Глеб Н.}'
  const tried = await payin(['templates', 'try', id, 'credit', marked])
  assert.match(
    tried.out,
    /\nTemplate: СЧЁТ\{account\} взял \{amount\} от \{person\}\nIn this message: amount 700.00, [^]*Tried on \d+ kept/,
  )
  assert.match(tried.out, /read +unknown +credit +700.00 rub/)
  const taught = await payin(['templates', 'teach', id, 'credit', marked])
  assert.equal(taught.code, 0, taught.error)
  const listed = await payin(['templates', 'list'])
  const [, templateId = '', version = ''] = /payin templates approve (\S+) ([0-9a-f]{64})\n/.exec(listed.out) ?? []
  assert.match(listed.out, /\n {2}Bank: sberbank\n {2}What it says: credit\n {2}Text: СЧЁТ\{account\} взял/)
  const approve = ['templates', 'approve', templateId, version]
  assertRefused(await payin(approve), 1, /must be two people/)
  assert.match((await payin(['templates', 'show', templateId])).out, /read +unknown +credit/)
  assert.match((await payin(['templates', 'withdraw', templateId])).out, /withdrawn/)
})

test('several statements are imported at once: each says what happened, and a bad one does not stop the others', async () => {
  const service = opened()
  const { account, date } = await openBank(service)
  const write = (name: string, content: string): string => {
    const path = join(elsewhere, name)
    writeFileSync(path, content)
    return path
  }
  const rows = (minor: bigint) => [{ minor, date, text: 'several' }]
  const first = write('several-1.xml', camtOf({ account, rows: rows(21_00n) }))
  const bad = write('several-2.xml', camtOf({ account: '40702810900000008888', rows: rows(22_00n) }))
  const last = write('several-3.xml', camtOf({ account, rows: rows(23_00n) }))
  const files = ['statements', 'import', first, bad, 'nowhere.xml', last]
  const shown = await payin([...files, '--preview'])
  assert.equal(shown.code, 1)
  assert.match(shown.out, /^\S+several-1\.xml\n\nId [^]*State +ready[^]*\n\n\S+several-3\.xml\n\nId [^]*State +ready/)
  assert.match(
    shown.error,
    /several-2\.xml\n\nstatement_refused: [^]*line 8 No requisite has the account •••• 8888: [^]*/,
  )
  assert.match(shown.error, /\nnowhere\.xml\n\nnowhere\.xml cannot be read: there is no such file\.\n$/)
  const asJson = await payin([...files, '--preview', '--json'])
  const parsed = (lines: string) =>
    lines
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  assert.deepEqual(
    parsed(asJson.out).map(({ fileName, state }) => [fileName, state]),
    [
      ['several-1.xml', 'ready'],
      ['several-3.xml', 'ready'],
    ],
  )
  assert.deepEqual(
    parsed(asJson.error).map(({ file, code, exitCode }) => [file, code, exitCode]),
    [
      [bad, 'statement_refused', 1],
      ['nowhere.xml', 'usage', 2],
    ],
  )
})
