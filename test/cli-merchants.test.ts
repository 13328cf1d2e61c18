// What a merchant's engineer does at a terminal, by a token of the merchant.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type PayinPlace, type PayinRun, runPayin } from './support/run-payin.ts'
import { shareService } from './support/shared-service.ts'
import { openShop, payIn, type Shop } from './support/shop.ts'
import { deliveriesOf, notified } from './support/notified.ts'
import { openReceiver, verify } from './support/receiver.ts'

const opened = shareService({ environment: notified })
const folder = mkdtempSync(join(tmpdir(), 'payin-merchant-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Runs `payin` as an engineer of a shop does. */
const payinOf =
  (shop: Pick<Shop, 'token'>) =>
  (words: string, place: PayinPlace = {}): Promise<PayinRun> =>
    runPayin(words.split(' '), {
      folder,
      ...place,
      environment: { PAYIN_URL: opened().url, PAYIN_TOKEN: shop.token, ...place.environment },
    })

const assertDone = ({ code, out, error }: PayinRun, pattern: RegExp): void => {
  assert.deepEqual({ code, error }, { code: 0, error: '' }, out)
  assert.match(out, pattern)
}

test('a merchant creates a payment, waits for the money, and acknowledges it', async () => {
  const payin = payinOf(await openShop(opened(), { mode: 'sandbox' }))
  assertDone(await payin('payments create 1500.37 rub --order t-1 --user user-1'), /^Order +t-1\n[^]*Pay to +7\d{10}\n/)
  const again = await payin('payments create 1500.37 rub --order t-1 --user user-1 --json')
  assertDone(await payin('logs'), /createPayment +201 /)
  assertDone(await payin('logs --failed'), /^No requests yet\./)
  const [logged] = JSON.parse((await payin('logs --json')).out).requests
  assertDone(await payin(`logs ${logged.id}`), /^Id +[0-9a-f-]{36}\n[^]*Request body +\{"amount":1500\.37,/)
  const { payment, card } = JSON.parse(again.out)
  assert.deepEqual([payment.orderId, payment.amount, payment.userId], ['t-1', 1500.37, 'user-1'])
  const early = await payin('payments wait t-1 --timeout 1s')
  assert.deepEqual(early, { code: 1, out: 't-1 is still new after 1 s.\n', error: '' })
  const waiting = payin('payments wait t-1 --timeout 30s')
  const refused = await payin('payments ack t-1')
  assert.equal(refused.code, 1)
  assert.match(refused.error, /^payment_not_paid: /)
  await payIn(opened(), { requisiteId: card.id, minor: 1500_37n })
  await opened().runJobs()
  assertDone(await waiting, /^t-1 is paid\.\n$/)
  assertDone(await payin('payments ack t-1 --status paid'), /^t-1 is paid and was acknowledged at \d{4}-/)
  assertDone(await payin('payments get t-1'), /Status +paid\nAmount +1500\.37 rub\n/)
  assertDone(await payin('payments list --status paid --csv'), /^id,orderId,[^\r\n]*\r\n[0-9a-f-]{36},t-1,paid,/)
  assertDone(await payin('payments list --status paid'), /^ORDER +STATUS[^]*t-1 +paid +1500\.37 rub/)
  assertDone(await payin('payments list --limit 5 --amount-from 1500.37 --currency rub'), /t-1 +paid/)
})

test('a merchant makes a payment link and closes it', async () => {
  const payin = payinOf(await openShop(opened(), { mode: 'sandbox' }))
  assertDone(
    await payin('links create Donation --min 100 --uses many'),
    /Address +http:[^]*Amount +entered by the payer\nAt least +100\.00 rub\n/,
  )
  assertDone(await payin('links list --state open --csv'), /^id,url,state,title,[^\r\n]*\r\n[^]*,open,Donation,/)
  assertDone(await payin('links list'), /^TITLE +STATE[^]*Donation +open +from 100\.00 rub +many/)
  assertDone(await payin('payments list --link donation'), /^No such payments/)
  assertDone(await payin('links get donation'), /Method +chosen by the payer[^]*Uses +many\nPaid +0\nUnder way +0\n/)
  assertDone(await payin('links close last'), /^The link "Donation" is closed\.\n$/)
  assertDone(await payin('links list --state open'), /^No such links\./)
  const wrong = await payin('links create Donation --uses some')
  assert.deepEqual([wrong.code, /Allowed choices are once, many/.test(wrong.error)], [2, true])
})

test("operators list a merchant's requests: by its name, those that failed, page by page, and of no other merchant", async () => {
  const shop = await openShop(opened(), { name: 'Logged Shop', mode: 'sandbox', perMethod: 8 })
  const other = await openShop(opened(), { name: 'Quiet Shop', mode: 'sandbox' })
  const asOperator = (words: readonly string[]): Promise<PayinRun> =>
    runPayin(['merchants', 'requests', ...words], {
      folder,
      environment: { PAYIN_URL: opened().url, PAYIN_OPERATOR_TOKEN: opened().operatorToken },
    })
  assertDone(await asOperator(['Logged Shop']), /^No requests yet\.\n$/)
  const created = await shop.create('l-1')
  const refused = await shop.create('l-2', { amount: 1 })
  await shop.create('l-3')
  await opened().runJobs()

  const all = await asOperator(['logged shop', '--wide'])
  assertDone(all, /^WHEN +OPERATION +STATUS +CODE +MS +TIMES +PATH +ID\n/)
  const rows = all.out.trim().split('\n').slice(1, 4)
  assert.deepEqual(
    rows.map((row) => /createPayment +(\d+)(?: +(amount_below_min))? /.exec(row)?.slice(1, 3)),
    [
      ['201', undefined],
      ['422', 'amount_below_min'],
      ['201', undefined],
    ],
  )
  const idOf = ({ headers }: { readonly headers: Headers }): string => headers.get('payin-request-id') ?? 'none'
  assert.match(rows[1] ?? '', new RegExp(`POST /api/v1/merchant/payments +${idOf(refused)}$`))

  const operator = { PAYIN_URL: opened().url, PAYIN_OPERATOR_TOKEN: opened().operatorToken }
  const run = (...words: string[]) => runPayin(words, { folder, environment: operator })
  assertDone(await run('find', idOf(refused)), /^FOUND[^]*\nrequest +createPayment +– +422 amount_below_min /)
  assertDone(
    await run('merchants', 'request', 'logged shop', idOf(refused)),
    /Path +\/api\/v1\/merchant\/payments\nStatus +422\nCode +amount_below_min\n[^]*"orderId":"l-2"/,
  )

  const failed = await asOperator([shop.merchantId, '--failed', '--json'])
  const [only, ...more] = JSON.parse(failed.out).requests
  assert.deepEqual([only.id, only.status, only.code, more], [idOf(refused), 422, 'amount_below_min', []])

  const first = await asOperator(['Logged Shop', '--limit', '2', '--json'])
  const page = JSON.parse(first.out)
  assert.equal(page.requests.length, 2)
  const second = await asOperator(['Logged Shop', '--limit', '2', '--cursor', page.nextCursor, '--json'])
  assert.deepEqual(
    JSON.parse(second.out).requests.map(({ id }: { id: string }) => id),
    [idOf(created)],
  )
  assertDone(await asOperator(['Quiet Shop']), /^No requests yet\.\n$/)

  const unknown = await asOperator(['No Such Shop'])
  assert.deepEqual([unknown.code, unknown.out], [1, ''])
  assert.match(unknown.error, /No Such Shop/)
  const tooMany = await asOperator(['Logged Shop', '--limit', '101'])
  assert.equal(tooMany.code, 1)
  assert.match(tooMany.error, /--limit "101" must be a whole number from 1 to 100/)
  const byMerchant = await payinOf(other)('merchants requests Quiet')
  assert.ok(byMerchant.code !== 0 && byMerchant.out === '', byMerchant.out)
})

/** Lets time pass at the service, a second at a look, until a command has ended. */
const whileTimePasses = async <T>(running: Promise<T>): Promise<T> => {
  let isOver = false
  const ended = running.finally(() => (isOver = true))
  while (!isOver) {
    opened().clock.now += 1000
    await opened().runJobs()
    await sleep(20)
  }
  return ended
}

test('payin trigger plays an event with a new payment', async () => {
  const shop = await openShop(opened(), { mode: 'sandbox' })
  const payin = payinOf(shop)
  assertDone(
    await payin('trigger late --order mine --amount 1400.50'),
    /^late is simulated for mine\. Its payment: payin payments get mine\n$/,
  )
  assertDone(await whileTimePasses(payin('payments wait mine --until paid')), /^mine is paid\.\n$/)
  const { amount } = (await shop.get('/payments/byOrderId/mine')).body
  assert.equal(amount, 1400.5)
  const { orderId } = JSON.parse((await payin('trigger paid --json')).out)
  assert.match(orderId, /^paid-[0-9a-f]{8}$/)
  assertDone(await payin('payments create 1500 rub --order own --metadata cart=8213,note=a=b'), /own/)
  assert.deepEqual((await shop.get('/payments')).body.payments[0].metadata, { cart: '8213', note: 'a=b' })
})

test('an event that the sandbox does not play is refused with the reason, and so is a live merchant', async () => {
  const shop = await openShop(opened(), { mode: 'sandbox' })
  const payin = payinOf(shop)
  const unknown = await payin('trigger payed')
  assert.deepEqual(
    [unknown.code, /'payed' is invalid for argument[^]*Allowed choices are paid, /.test(unknown.error)],
    [2, true],
  )
  for (const amount of ['abc', '-5']) {
    const wrong = await payin(`trigger paid --amount=${amount}`)
    assert.deepEqual([wrong.code, wrong.out], [2, ''])
    assert.match(wrong.error, new RegExp(`option '--amount <amount>' [^]*"${amount}" is not an amount\\. Write digits`))
  }
  const live = await openShop(opened(), { mode: 'live' })
  const refused = await payinOf(live)('trigger paid')
  assert.deepEqual([refused.code, /is a live merchant/.test(refused.error)], [1, true])
  assert.deepEqual((await live.get('/payments')).body.payments, [])
})

test('a merchant cancels a payment, and disputes one that is over', async () => {
  const shop = await openShop(opened(), { mode: 'sandbox' })
  const payin = payinOf(shop)
  assertDone(await payin('payments create 1500 rub --order c-1 --method by-phone --type staged'), /Page +http/)
  assertDone(await payin('payments cancel c-1'), /^c-1 is canceled\.\n$/)
  const ended = await payin('payments wait c-1')
  assert.deepEqual(ended, { code: 1, out: 'c-1 is canceled.\n', error: '' })
  assertDone(await payin('payments wait c-1 --until canceled,expired'), /^c-1 is canceled\.\n$/)
  assertDone(await payin('payments dispute c-1 --amount 1400'), /^The dispute about c-1 is open, the payment disput;/)
})

test('a command takes the token of its side, and says which one is missing', async () => {
  const shop = await openShop(opened(), { mode: 'sandbox' })
  const { url, operatorToken } = opened()
  const run = (words: string, environment: Record<string, string>) =>
    runPayin(words.split(' '), { folder, environment: { PAYIN_URL: url, ...environment } })
  const none = await run('payments get t-1', {})
  assert.equal(none.code, 2)
  assert.match(none.error, /^No merchant token\. Looked in:\n {2}--token, PAYIN_TOKEN/)
  const operators = await run(`payments get t-1 --token ${operatorToken}`, {})
  assert.deepEqual([operators.code, operators.error.startsWith('This command is for merchants')], [2, true])
  const merchants = await run(`merchants list --token ${shop.token}`, {})
  assert.deepEqual(
    [merchants.code, merchants.error.startsWith('This command is for operators, and the token is')],
    [2, true],
  )
  // Where both are there, a command that both have is the operator's, and the others take theirs.
  const both = { PAYIN_TOKEN: shop.token, PAYIN_OPERATOR_TOKEN: operatorToken }
  assertDone(await run('payments create 1500 rub --order s-1', both), /^Order +s-1\n/)
  assertDone(await run('payments list --merchant ' + shop.merchantId, both), /Test Shop/)
  const own = await run(`payments list --bank bank-a --token ${shop.token}`, both)
  assert.match(own.error, /^validation_failed: [^]*--bank "bank-a"/)
  const gone = await run('payments get nobody --json', both)
  assert.equal(gone.code, 1)
  assert.equal(JSON.parse(gone.error).code, 'payment_not_found')
  const away = await run('payments get t-1 --url http://127.0.0.1:1', both)
  assert.equal(away.code, 3)
  assert.match(away.error, /^Nothing answers at http:\/\/127\.0\.0\.1:1 /)
})

test('a .env in the folder of the shop names service and token, but not an address for a token of elsewhere', async () => {
  const shop = await openShop(opened(), { mode: 'sandbox' })
  const run = (environment: Record<string, string> = {}) =>
    runPayin(['payments', 'list', '--json'], { folder, environment })
  writeFileSync(join(folder, '.env'), `PAYIN_URL=${opened().url}\nPAYIN_TOKEN=${shop.token}\n`)
  assert.deepEqual(JSON.parse((await run()).out), { payments: [] })
  writeFileSync(join(folder, '.env'), 'PAYIN_URL=https://elsewhere.example.com\n')
  const refused = await run({ PAYIN_TOKEN: shop.token })
  assert.match(refused.error, /names https:\/\/elsewhere\.example\.com, but the token is not from that folder/)
  rmSync(join(folder, '.env'))
})

/** Runs `payin listen` until `ended`; gives what it printed so far, too. */
const startListening = (shop: Shop, words: string, ended = new AbortController()) => {
  const running = payinOf(shop)(`listen ${words}`, { ended: ended.signal })
  return { running, end: () => ended.abort() }
}

const waitUntil = async (isTrue: () => boolean | Promise<boolean>): Promise<void> => {
  for (let looks = 0; !(await isTrue()); looks++) {
    assert.ok(looks < 500, 'it does not become true')
    await sleep(20)
  }
}

const endpointsOf = async (shop: Shop): Promise<readonly { readonly id: string }[]> =>
  (await shop.get('/endpoints')).body.endpoints

test('payin listen forwards notifications and redeliveries to a path with its query, with a valid signature', async () => {
  const shop = await openShop(opened(), { mode: 'sandbox' })
  await using receiver = await openReceiver(500)
  const listening = startListening(shop, `--forward ${receiver.url}/payin?shop=1&key=a%20b`)
  await waitUntil(async () => (await endpointsOf(shop)).length === 1)
  const [listener] = await endpointsOf(shop)
  const asOperator = { PAYIN_OPERATOR_TOKEN: opened().operatorToken }
  const listed = await payinOf(shop)(`endpoints list ${shop.merchantId}`, { environment: asOperator })
  assertDone(listed, /listener\.invalid\/ +listening/)
  assertDone(await payinOf(shop)('trigger paid --order l-1'), /^paid is simulated for l-1/)
  await whileTimePasses(waitUntil(() => receiver.calls.length === 1))
  receiver.answer = 204
  opened().clock.now += 10_000
  await waitUntil(() => receiver.calls.length === 2)
  await waitUntil(async () => (await deliveriesOf(shop, listener?.id ?? '', 'delivered')).length === 1)
  const [first, second] = receiver.calls
  assert.ok(first && second)
  await shop.post(`/endpoints/${listener?.id}/deliveries/${first.id}/redeliver`, {})
  await waitUntil(() => receiver.calls.length === 3)
  await waitUntil(async () => (await deliveriesOf(shop, listener?.id ?? '', 'delivered')).length === 1)
  listening.end()
  const { code, out, error } = await listening.running
  assert.deepEqual([code, error], [0, ''])
  const [, secret = ''] = /PAYIN_SECRET=(whsec_\S+)/.exec(out) ?? []
  const feed = (await shop.get('/events')).body.events as { id: string; type: string }[]
  const { id: _, ...event } = feed.find(({ type }) => type === 'payment.paid') ?? { id: '' }
  for (const call of receiver.calls) {
    verify(secret, call)
    assert.deepEqual([call.path, call.id, call.body], ['/payin?shop=1&key=a%20b', first.id, JSON.stringify(event)])
  }
  assert.match(out, /payment\.paid l-1 -> 500 in \d+ ms\n.*payment\.paid l-1 \(try 2\) -> 204 in[^]*\(try 3\) -> 204/)
  assert.deepEqual(await endpointsOf(shop), [])
  // The same token has the same secret, and another token another one.
  const again = startListening(shop, `--forward ${receiver.url} --json`)
  await waitUntil(async () => (await endpointsOf(shop)).length === 1)
  again.end()
  assert.equal(JSON.parse((await again.running).out.split('\n')[0] ?? '').secret, secret)
})

test('payin listen --until ends with 0 once the handler has taken the kind, with 1 after its time', async () => {
  const shop = await openShop(opened(), { mode: 'sandbox' })
  await using receiver = await openReceiver()
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const words = `--forward ${receiver.url} --secret ${secret} --json --until payment.paid`
  const until = startListening(shop, `${words} --timeout 60s`)
  await waitUntil(async () => (await endpointsOf(shop)).length === 1)
  await payinOf(shop)('trigger late --order u-1')
  const { code, out, error } = await whileTimePasses(until.running)
  assert.deepEqual([code, error], [0, ''])
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    lines.map(({ type, status }) => [type, status]),
    [
      ['listening', undefined],
      ['payment.expired', 204],
      ['payment.paid', 204],
    ],
  )
  assert.equal(lines[0].secret, undefined)
  for (const call of receiver.calls) verify(secret, call)
  const late = await startListening(shop, `${words} --timeout 1s`).running
  assert.deepEqual([late.code, late.error], [1, 'No payment.paid was accepted within 1 s.\n'])
  const wrong = await payinOf(shop)('listen --forward localhost:3000')
  assert.deepEqual([wrong.code, /is not an http\(s\) address/.test(wrong.error)], [2, true])
  assert.deepEqual(await endpointsOf(shop), [])
})

test('a merchant turns its clock, and money that only the bank knows of comes with its file', async () => {
  const shop = await openShop(opened(), { mode: 'sandbox', name: 'Bank Shop' })
  const [payin, place] = [payinOf(shop), { environment: { PAYIN_OPERATOR_TOKEN: opened().operatorToken } }]
  for (const order of ['s-1', 's-2']) await payin(`payments create 1500 rub --order ${order}`)
  const simulated = await payin('sandbox simulate s-1 paid --reported-by statement --delay 10s')
  assertDone(simulated, /^paid is simulated for s-1\.\n$/)
  assertDone(
    await payin('sandbox turn --by 20m'),
    /^The clock moved forward by 20 min\. Affected: payments 2, disputes 0/,
  )
  assertDone(await payin('sandbox statement --output m.xml'), /^Saved \d+ bytes to m\.xml/)
  assertDone(await whileTimePasses(payin('statements import m.xml', place)), /rows 1; new 1\n/)
  assertDone(await payin('payments get s-1'), /Status +paid/)

  // The same as an operator.
  const asOperator = (words: readonly string[]): Promise<PayinRun> =>
    runPayin(words, { folder, environment: { PAYIN_URL: opened().url, ...place.environment } })
  assertDone(
    await asOperator(['sandbox', 'turn', '--by', '20m', '--merchant', 'Bank Shop']),
    /^The clock moved forward by 20 min/,
  )
  assertDone(await payin('payments get s-2'), /Status +expired/)
  assertDone(
    await asOperator(['sandbox', 'simulate', 's-2', 'paid', '--merchant', 'Bank Shop']),
    /^paid is simulated for s-2/,
  )
  await opened().runJobs()
  assertDone(await payin('payments get s-2'), /Status +paid/)
  const saved = ['sandbox', 'statement', '--merchant', 'Bank Shop', '--output', 'o.xml']
  assertDone(await asOperator(saved), /^Saved \d+ bytes to o\.xml/)
  const nameless = await asOperator(['sandbox', 'turn', '--by', '1h'])
  assert.deepEqual(
    [nameless.code, nameless.error],
    [2, 'Name the merchant (--merchant "Demo Shop"), or give its token (--token payin_test_…).\n'],
  )
  const tooFar = await payin('sandbox turn --by 100d')
  assert.deepEqual([tooFar.code, /--by must be <= 90d/.test(tooFar.error)], [1, true], tooFar.error)
  assert.ok(!tooFar.error.includes('`errors`'), tooFar.error)
  const unknown = await payin('sandbox simulate s-1 lost')
  assert.equal(unknown.code, 2)
  assert.match(unknown.error, /'lost' is invalid for argument[^]*Allowed choices are paid, /)
})
