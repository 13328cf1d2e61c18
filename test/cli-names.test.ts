// What people type for things, command by command: names, addresses, references, last digits and beginnings of ids.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { evaluateAlerts } from '../src/engine/alerts/evaluate-alerts.ts'
import { hour } from '../src/rules/time.ts'
import { openBank } from './support/bank.ts'
import { openOperator } from './support/operator.ts'
import { payinOf, type PayinRun } from './support/run-payin.ts'
import { shareService } from './support/shared-service.ts'
import { openShop, payIn } from './support/shop.ts'
import { camtOf } from './support/statement-files.ts'

const opened = shareService()
const payin = (...words: string[]): Promise<PayinRun> => payinOf(opened())(words)

const json = async (...words: string[]) => {
  const { code, out, error } = await payin(...words, '--json')
  assert.equal(code, 0, error)
  return JSON.parse(out)
}

/** Each of these commands is done; the text that it prints must match. */
const allDone = async (commands: readonly (readonly [words: readonly string[], printed: RegExp])[]): Promise<void> => {
  for (const [words, printed] of commands) {
    const { code, out, error } = await payin(...words)
    assert.equal(code, 0, `${words.join(' ')}: ${error}`)
    assert.match(out, printed, words.join(' '))
  }
}

/** A refusal with both things that the name may mean. */
const assertAmbiguous = async (words: readonly string[], ...candidates: readonly RegExp[]): Promise<void> => {
  const { code, error } = await payin(...words)
  assert.equal(code, 1, words.join(' '))
  assert.match(error, /^ambiguous: .* [Tt]ype one of these ids:\n/, words.join(' '))
  for (const candidate of candidates) assert.match(error, candidate)
}

test('a payment link is named by its title or id, and made for a merchant', async () => {
  await openShop(opened(), { name: 'Potter' })
  const course = ['links', 'create', 'Pottery course', '--amount', '5000.50', '--method', 'sbp', '--merchant', 'Potter']
  const link = await json(...course, '--uses', 'many', '--max-uses', '20', '--metadata', 'group=b')
  assert.deepEqual([link.amount, link.uses, link.maxUses, link.metadata], [5000.5, 'many', 20, { group: 'b' }])
  await allDone([
    [
      ['links', 'get', 'pottery COURSE'],
      /Address +http:\/\/payin\.test\/l\/[\w-]{44}\nState +open[^]*Amount +5000\.50 rub\n/,
    ],
    [['links', 'list', '--merchant', 'Potter'], /^TITLE +STATE [^]*\nPottery course +open +5000\.50 rub +up to 20 +0 /],
    [['payments', 'list', '--link', link.id], /^No such payments/],
    [['payments', 'list', '--link', 'pottery course'], /^No such payments/],
    [['links', 'close', link.id.slice(0, 20)], /^The link "Pottery course" is closed\.$/m],
    [['links', 'list', '--state', 'closed', '--merchant', 'Potter'], /Pottery course/],
  ])
  await json('links', 'create', 'Pottery course', '--min', '100', '--merchant', 'Potter')
  await assertAmbiguous(['links', 'get', 'Pottery course'], /5000\.50 rub/, /any amount in rub/)
  const nobody = await payin('links', 'create', 'Nobody', '--amount', '500')
  assert.deepEqual([nobody.code, nobody.error], [2, 'Give --merchant, the owner of the link.\n'])
  const wrong = await payin('links', 'create', 'Wrong', '--amount', '1', '--merchant', 'Potter')
  assert.match(wrong.error, /^amount_below_min: .*\n +--amount 1 must be at least 100\.00 rub/)
  assert.match((await payin('links', 'get', 'nothing')).error, /payin links list shows what there is/)
})

test('an endpoint is named by its address, its host or its description, an event by its order', async () => {
  const shop = await openShop(opened(), { name: 'Endpoint Shop' })
  await payin('endpoints', 'add', 'Endpoint Shop', 'https://one.example.com/payin', '--description', 'Shop server')
  await payin('endpoints', 'add', 'Endpoint Shop', 'https://two.example.com/a')
  await payin('endpoints', 'add', 'Endpoint Shop', 'https://two.example.com/b')
  await allDone([
    [['endpoints', 'disable', 'https://two.example.com/a'], /Enabled +no/],
    [['endpoints', 'enable', 'https://two.example.com/a'], /Enabled +yes/],
    [['endpoints', 'update', 'shop server', '--kinds', 'all'], /Kinds +all/],
    [['endpoints', 'deliveries', 'one.example.com'], /^No such deliveries/],
  ])
  await assertAmbiguous(['endpoints', 'disable', 'two.example.com'], /two\.example\.com\/a/, /two\.example\.com\/b/)
  const made = await shop.create('named-event')
  await shop.post('/payments/byOrderId/cancel', { orderId: 'named-event' })
  await opened().runJobs()
  const { deliveries } = await json('endpoints', 'deliveries', 'one.example.com')
  assert.equal(deliveries[0].paymentId, made.body.payment.id)
  const { eventId, type } = deliveries[0]
  for (const typed of ['named-event', `named-event ${type}`, 'last', eventId, eventId.slice(0, 13)])
    await allDone([[['endpoints', 'delivery', 'one.example.com', typed], /Order +named-event/]])
  await allDone([[['endpoints', 'redeliver', 'one.example.com', 'named-event'], /^The event is sent again/]])
  const none = await payin('endpoints', 'delivery', 'one.example.com', 'nobody')
  assert.match(none.error, /There is no event "nobody"\. payin endpoints deliveries [^]* named-event, /)
})

test('a token is named by its name or its first characters, with the merchant where several have it', async () => {
  await openShop(opened(), { name: 'Token Shop' })
  await openShop(opened(), { name: 'Token Kiosk' })
  await payin('tokens', 'issue', 'Token Shop', '--name', 'front office')
  await payin('tokens', 'issue', 'Token Kiosk', '--name', 'front office')
  await assertAmbiguous(['tokens', 'revoke', 'front office'], /Token Shop/, /Token Kiosk/)
  const { tokens } = await json('tokens', 'list', 'Token Kiosk')
  const kiosk = tokens.find(({ name }: { name: string }) => name === 'front office')
  await allDone([
    [['tokens', 'revoke', 'Front office', '--merchant', 'Token Shop'], /^The token is revoked/],
    // The revoked one is meant no longer.
    [['tokens', 'rotate', 'front office', '--overlap', '0s'], /Name +front office/],
    [['tokens', 'revoke', kiosk.prefix, '--merchant', 'Token Kiosk'], /revoked/],
  ])
})

test('a requisite is named by its last four digits or all of them: more of them would reveal it digit by digit', async () => {
  const { requisiteIds } = await openShop(opened(), { name: 'Masked Shop' })
  const operator = openOperator(opened())
  const [id = ''] = requisiteIds
  const { number } = (await operator.call('POST', `/requisites/${id}/reveal`, { reason: 'to name it' })).body
  const find = async (text: string, by = operator) => {
    const { status, body } = await by.get(`/resolve?kind=requisite&text=${encodeURIComponent(text)}`)
    return [status, body.id]
  }
  // Whoever may only read would try all numbers with these four digits.
  const auditor = openOperator(opened(), 'vera')
  assert.deepEqual(await find(number.slice(-4), auditor), [200, id])
  assert.deepEqual(await find(number, auditor), [404, undefined])
  for (const typed of [number.slice(-4), `•••• ${number.slice(-4)}`, number, `+${number}`])
    assert.deepEqual(await find(typed), [200, id], typed)
  for (let length = 5; length < number.length; length++)
    assert.deepEqual(await find(number.slice(-length)), [404, undefined], `${length} digits`)
})

test('a block is named by its payer or the last digits, a velocity rule by its reason', async () => {
  await openShop(opened(), { name: 'Block Shop' })
  await payin('risk', 'block', 'phone', '+79995550001', '--reason', 'x')
  await payin('risk', 'block', 'card', '2200700000080001', '--reason', 'x')
  await payin('risk', 'block', 'user', 'user-9', '--merchant', 'Block Shop', '--reason', 'x')
  await payin('risk', 'limit', 'phone', '--window', '1d', '--count', '5', '--reason', 'Five a day')
  const auditor = openOperator(opened(), 'vera')
  for (const [typed, status] of [
    ['phone 0001', 200],
    ['79995550001', 404],
  ] as const)
    assert.equal((await auditor.get(`/resolve?kind=block&text=${encodeURIComponent(typed)}`)).status, status, typed)
  await assertAmbiguous(['risk', 'unblock', '0001'], /phone/, /card/)
  await allDone([
    [['risk', 'unblock', 'phone 0001'], /^Kind +phone\nValue +•••• 0001\n[^]*Lifted +2/m],
    [['risk', 'unblock', '2200 7000 0008 0001'], /^Kind +card\nValue +•••• 0001\n[^]*Lifted +2/m],
    [['risk', 'unblock', 'user user-9'], /^Kind +user\nValue +us••••\n[^]*Lifted +2/m],
    [['risk', 'unlimit', 'five a day'], /^Kind +phone\n[^]*Window +1 d\nPayments +5\n[^]*Ended +2/m],
  ])
})

test('outgoing money, a reversal and a statement are named by the words of the bank', async () => {
  const { bring, requisiteId } = await openBank(opened())
  await bring(camtOf, [{ minor: -15_25n, text: 'Fee', reference: 'FEE-1' }])
  const [statement] = (await json('statements', 'list', '--limit', '1')).statements
  const shown = await payin('statements', 'show', statement.fileName)
  assert.ok(shown.code === 0 || /^ambiguous: .*more than one statement/.test(shown.error), shown.error)
  const { outgoing } = await json('outgoing', 'list', '--requisite', requisiteId)
  const typed = outgoing[0].bankReference ?? outgoing[0].id.slice(0, 22)
  await allDone([[['outgoing', 'show', typed, '--requisite', requisiteId], /Amount +15\.25 rub/]])
})

test('an incident is named by its rule, a channel by a part of its id, a source of rates by its name', async () => {
  const service = opened()
  const shop = await openShop(service, { name: 'Watched Shop' })
  await payIn(service, { requisiteId: shop.requisiteIds[0] ?? '', minor: 1_23n, reference: 'watched' })
  service.clock.advance(2 * hour)
  await evaluateAlerts(service.context, 'quick')
  const { incidents } = await json('alerts')
  const [{ rule, id }] = incidents
  const isOnly = incidents.filter((each: { rule: string }) => each.rule === rule).length === 1
  if (isOnly) await allDone([[['alerts', 'acknowledge', rule], /\nAcknowledged +2/]])
  else await assertAmbiguous(['alerts', 'acknowledge', rule])
  await allDone([
    [['alerts', 'acknowledge', 'last'], /\nAcknowledged +2/],
    [['alerts', 'acknowledge', `${id.slice(0, 13)}..${id.slice(-6)}`], /\nAcknowledged +2/],
    [['alerts', 'channels', 'webhook', 'pager', 'https://pager.example.com/'], /not shown again/],
  ])
  const { channels } = await json('alerts', 'channels')
  await allDone([[['alerts', 'channels', 'off', channels[0].id.slice(0, 18)], /Enabled +no/]])
  assert.match(
    (await payin('alerts', 'channels', 'test', 'nobody')).error,
    /There is no channel "nobody"\. payin alerts channels shows/,
  )

  await payin('rates', 'sources', 'fixed', 'rub', 'last resort', '92.5')
  await payin('rates', 'sources', 'fixed', 'kzt', 'last resort', '480')
  await assertAmbiguous(['rates', 'sources', 'remove', 'last resort'], /rub last resort/, /kzt last resort/)
  await allDone([
    [['rates', 'sources', 'remove', 'rub last resort'], /^The source is removed/],
    [['rates', 'sources', 'off', 'last resort'], /Enabled +no/],
  ])
})

test('a decision that is not there is refused with those that are', async () => {
  const service = opened()
  const shop = await openShop(service, { name: 'Decided Shop' })
  const came = await payIn(service, { requisiteId: shop.requisiteIds[0] ?? '', minor: 7_89n, reference: 'decided-1' })
  assert.equal(came.kind, 'suspense')
  await allDone([[['transfers', 'park', 'decided-1', '--reason', 'later'], /decided-1|park/]])
  const { error } = await payin('decisions', 'show', 'nobody')
  assert.match(error, /There is no decision "nobody"\. payin decisions list shows/)
  await allDone([[['decisions', 'show', 'last'], /park/]])
  const revoke = () => payin('decisions', 'revoke', 'last', '--transfer', 'decided-1', '--reason', 'wrong')
  const revoked = await revoke()
  assert.match(revoked.out, /^ID +REQUISITE +STATE +REASON\n.* revoked /, revoked.error)
  const again = await revoke()
  assert.match(again.out, / refused /)
  assert.deepEqual([revoked.code, again.code], [0, 1])
  assert.equal((await openOperator(service).get('/decisions')).status, 200)
})

test('the name of a file means the statement that can be confirmed, else one that was not withdrawn', async () => {
  const service = opened()
  const { account, date, confirm, operator } = await openBank(service)
  const folder = mkdtempSync(join(tmpdir(), 'payin-names-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'monthly.xml')
  const upload = async (minor: bigint): Promise<string> => {
    writeFileSync(file, camtOf({ account, rows: [{ minor, date, text: 'monthly' }] }))
    return (await json('statements', 'import', file, '--preview')).id
  }
  const withdrawn = await upload(31_00n)
  await confirm(withdrawn)
  assert.equal((await operator.call('POST', `/statements/${withdrawn}/withdraw`, { reason: 'wrong' })).status, 200)
  await service.runJobs()
  const imported = await upload(32_00n)
  assert.deepEqual((await json('statements', 'show', 'monthly.xml')).id, imported)
  await confirm(imported)
  assert.deepEqual((await json('statements', 'show', 'monthly.xml')).id, imported)
  const ready = await upload(33_00n)
  assert.deepEqual((await json('statements', 'confirm', 'monthly.xml')).id, ready)
  await service.runJobs()
  await assertAmbiguous(['statements', 'show', 'monthly.xml'], /monthly\.xml, imported/)
})
