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
import { notified } from './support/notified.ts'

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
  assertDone(await payin('payments ack t-1 --status paid'), /^t-1 is paid and acknowledged since \d{4}-/)
  assertDone(await payin('payments get t-1'), /Status +paid\nAmount +1500\.37 rub\n/)
  assertDone(await payin('payments list --status paid'), /^ORDER +STATUS[^]*t-1 +paid +1500\.37 rub/)
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

test('each event of the sandbox is played to its end', async () => {
  const shop = await openShop(opened(), { mode: 'sandbox', perMethod: 20 })
  const payin = payinOf(shop)
  const ends: readonly (readonly [event: string, statuses: readonly string[]])[] = [
    ['paid', ['new', 'paid']],
    ['payment.processing', ['new', 'processing']],
    ['underpaid', ['new', 'processing', 'disput-paid']],
    ['payment.disput-paid', ['new', 'disput-paid']],
    ['late', ['new', 'expired', 'paid']],
    ['expired', ['new', 'expired']],
    ['duplicate', ['new', 'paid']],
    ['canceled', ['new', 'canceled']],
    ['payment.disput', ['new', 'expired', 'disput']],
    ['dispute-accepted', ['new', 'expired', 'disput', 'disput-paid']],
    ['dispute-rejected', ['new', 'expired', 'disput', 'expired']],
    ['reversed', ['new', 'paid']],
    ['sent-twice', ['new', 'processing', 'paid']],
    ['sent-late', ['new', 'paid']],
  ]
  for (const [event, statuses] of ends) {
    const { code, out, error } = await whileTimePasses(payin(`trigger ${event} --json`))
    assert.equal(code, 0, `${event}: ${error}`)
    assert.deepEqual(
      JSON.parse(out).events.map(({ status }: { status: string }) => status),
      statuses,
      event,
    )
  }
  assertDone(await payin('payments create 1500 rub --order mine'), /mine/)
  assertDone(await whileTimePasses(payin('trigger paid --order mine')), /^Order +mine\nStatus +paid\n/)
})

test('an event that the sandbox does not play is refused with the reason, and so is a live merchant', async () => {
  const shop = await openShop(opened(), { mode: 'sandbox' })
  const payin = payinOf(shop)
  const unknown = await payin('trigger payed')
  assert.deepEqual([unknown.code, /no event payed for merchants\. There is paid, /.test(unknown.error)], [2, true])
  assert.match((await payin('trigger payment.ack-overdue')).error, /five minutes after a credit/)
  assert.match((await payin('trigger endpoint.test')).error, /^There is no endpoint that is enabled/)
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
  assert.match(none.error, /^No token of a merchant\. Looked for it in:\n {2}--token, PAYIN_TOKEN/)
  const operators = await run(`payments get t-1 --token ${operatorToken}`, {})
  assert.deepEqual([operators.code, operators.error.startsWith('This command is for merchants')], [2, true])
  const merchants = await run(`merchants list --token ${shop.token}`, {})
  assert.deepEqual([merchants.code, merchants.error.startsWith('The token is one of a merchant')], [2, true])
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
  assert.match(refused.error, /names https:\/\/elsewhere\.example\.com, but the token is not of that folder/)
  rmSync(join(folder, '.env'))
})
