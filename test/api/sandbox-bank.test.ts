// The files of the simulated bank (docs/domain.md §10): our own reader takes them, as it takes those of real banks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addRequisites } from '../../src/engine/requisites/add-requisites.ts'
import { methodRules } from '../../src/rules/values/payment-method.ts'
import { writeCamt } from '../../src/rules/sandbox/write-camt.ts'
import { day, minute, second } from '../../src/rules/time.ts'
import { runImports } from '../../src/process/jobs/jobs.ts'
import { streamLines } from '../../src/http/routes/lists.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import type { TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { type Answer, newNumber, openShop, send, type Shop } from '../support/shop.ts'
import { uploadFile } from '../support/statement-files.ts'
import { turnsOf } from '../support/waiting.ts'

const { opened, onEngines } = shareEngines()

const openSandbox = (service: TestService): Promise<Shop> => openShop(service, { mode: 'sandbox', perMethod: 6 })

const pass = async (service: TestService, ms: number): Promise<void> => {
  service.clock.advance(ms)
  await service.runJobs()
}

/** Moves the clock to the noon of an account in Moscow: what a test does is on one day. */
const atNoon = (service: TestService): void => {
  const into = (service.clock.now + 180 * minute) % day
  service.clock.advance(day - into + day / 2)
}

const bearer = (shop: Shop): RequestInit => ({ headers: { authorization: `Bearer ${shop.token}` } })

const ask = (service: TestService, shop: Shop, query: string): Promise<Response> =>
  fetch(`${service.url}/api/v1/sandbox/statement?${query}`, bearer(shop))

const download = async (service: TestService, shop: Shop, query: string): Promise<Buffer> => {
  const response = await ask(service, shop, query)
  assert.equal(response.status, 200, query)
  return Buffer.from(await response.arrayBuffer())
}

const upload = async (service: TestService, content: Buffer): Promise<Answer['body']> => {
  const { status, body } = await uploadFile(service, content)
  assert.equal(status, 201, JSON.stringify(body))
  assert.equal(body.state, 'ready', JSON.stringify(body.faults))
  return body
}

const confirm = async (service: TestService, id: string): Promise<Answer['body']> => {
  const operator = openOperator(service)
  assert.equal((await operator.call('POST', `/statements/${id}/confirm`)).status, 200)
  while ((await runImports(service.context)) > 0);
  await service.runJobs()
  const { body } = await operator.get(`/statements/${id}`)
  assert.equal(body.state, 'imported', JSON.stringify(body))
  return body
}

const outcomes = async (shop: Shop): Promise<Record<string, string>> => {
  const { payments } = (await shop.get('/payments?limit=100')).body
  return Object.fromEntries(
    payments.map((each: { orderId: string; status: string; receivedAmount: number }) => [
      each.orderId,
      `${each.status} ${each.receivedAmount}`,
    ]),
  )
}

const balance = async (shop: Shop): Promise<number> => (await shop.get('/balance')).body.available

onEngines('a message of the simulated bank pays at once, and its file proves the same money', async (service) => {
  atNoon(service)
  const shop = await openSandbox(service)
  for (const orderId of ['by-message', 'more', 'taken-back']) await shop.create(orderId)
  await shop.simulate('by-message', { event: 'paid', reportedBy: 'message' })
  await shop.simulate('more', { event: 'overpaid', amount: 5600.25, reportedBy: 'message' })
  await shop.simulate('taken-back', { event: 'reversed', reportedBy: 'message' })
  await pass(service, 2 * second)
  await pass(service, 2 * second)
  const paid = { 'by-message': 'paid 5000', more: 'disput-paid 5600.25', 'taken-back': 'paid 5000' }
  assert.deepEqual(await outcomes(shop), paid)
  const operator = openOperator(service)
  const { phones } = (await operator.get('/phones')).body
  assert.deepEqual(
    phones.map(({ name, waiting }: { name: string; waiting: number }) => [name, waiting]),
    [['Simulated phone', 0]],
  )
  const held = await balance(shop)
  const { id, counts } = await upload(service, await download(service, shop, ''))
  assert.deepEqual([counts.new, counts.duplicates, counts.possibleDuplicates, counts.reversals], [1, 3, 0, 1])
  await confirm(service, id)
  const { transfers: waiting } = (await operator.get('/transfers?unmatched=true')).body
  assert.deepEqual(waiting, [])
  // The message said nothing of the reversal, which the file brings.
  assert.notEqual(await balance(shop), held)
})

onEngines('the simulated bank has a phone of its own, which reports no real money', async (service) => {
  atNoon(service)
  const operator = openOperator(service)
  const [live, shop] = [await openShop(service, { perMethod: 1 }), await openSandbox(service)]
  const requisiteIds = [live.requisiteIds[0]]
  const named = { name: 'Simulated phone', app: 'other', requisiteIds, dailyLimit: 100_000 }
  const added = await operator.call('POST', '/phones', named)
  await shop.create('by-message')
  await shop.simulate('by-message', { event: 'paid', reportedBy: 'message' })
  await pass(service, 2 * second)
  assert.equal(await shop.status('by-message'), 'paid')
  const phones: { id: string; app: string; requisites: object[] }[] = (await operator.get('/phones')).body.phones
  assert.equal(phones.find(({ id }) => id === added.body.id)?.requisites.length, 1)
  const simulated = phones.find(({ app }) => app === 'simulated')
  assertProblem(await operator.call('PATCH', `/phones/${simulated?.id}`, { requisiteIds }), 400, 'validation_failed')
})

onEngines("a simulated message pays none of another merchant's payments", async (service) => {
  const shop = await openShop(service, { mode: 'sandbox', perMethod: 0 })
  const other = await openShop(service, { mode: 'sandbox', perMethod: 0 })
  const { transferScope } = methodRules.sbp
  const requisite = { merchantId: null, mode: 'sandbox', method: 'sbp', currency: 'rub', transferScope } as const
  const of = { bankIssuer: 'bank-a', holder: 'Ivan Petrov', number: newNumber('sbp'), limits: {} }
  await service.context.transaction((tx) => addRequisites(tx, [{ ...requisite, ...of }]))
  await shop.create('own', { amount: 1000 })
  assert.equal((await other.create('theirs', { amount: 7000 })).status, 201)
  await shop.simulate('own', { event: 'paid', amount: 7000, reportedBy: 'message' })
  await pass(service, 2 * second)
  assert.equal(await other.status('theirs'), 'new')
})

onEngines('200: a file brings what only the bank knows, once', async (service) => {
  atNoon(service)
  const shop = await openSandbox(service)
  for (const orderId of ['known', 'twice', 'unknown', 'part', 'unpaid']) await shop.create(orderId)
  await shop.simulate('known', { event: 'paid' })
  await shop.simulate('twice', { event: 'duplicate' })
  await shop.simulate('unknown', { event: 'paid', reportedBy: 'statement' })
  await shop.simulate('part', { event: 'paid', amount: 4000.5, reportedBy: 'statement' })
  await pass(service, 2 * second)
  const before = { known: 'paid 5000', twice: 'paid 5000', unknown: 'new 0', part: 'new 0', unpaid: 'new 0' }
  assert.deepEqual(await outcomes(shop), before)
  const { id, counts, accounts } = await upload(service, await download(service, shop, ''))
  assert.equal(counts.rows, 5, JSON.stringify(counts))
  for (const account of accounts) {
    assert.equal(account.opening, 0, JSON.stringify(account))
    assert.equal(account.closing, account.credits, JSON.stringify(account))
  }
  const held = await balance(shop)
  await confirm(service, id)
  assert.deepEqual(await outcomes(shop), { ...before, unknown: 'paid 5000', part: 'processing 4000.5' })
  const after = await balance(shop)
  assert.ok(after > held)

  // The same day again: there is nothing new in it.
  await pass(service, second)
  await confirm(service, (await upload(service, await download(service, shop, ''))).id)
  assert.equal(await balance(shop), after)
  const waiting = await openOperator(service).get('/transfers?unmatched=true&limit=500')
  assert.equal(waiting.status, 200)
  const own = new Set(shop.requisiteIds)
  const left = waiting.body.transfers.filter(({ requisiteId }: { requisiteId: string }) => own.has(requisiteId))
  assert.deepEqual(left, [])
})

test('200: money that was taken back is in the file as such, and counts once', async () => {
  const service = opened()
  atNoon(service)
  const shop = await openSandbox(service)
  for (const orderId of ['fed', 'filed']) await shop.create(orderId)
  await shop.simulate('fed', { event: 'reversed' })
  await shop.simulate('filed', { event: 'reversed', reportedBy: 'statement' })
  await pass(service, 2 * second)
  assert.deepEqual([await outcomes(shop), await balance(shop)], [{ fed: 'paid 5000', filed: 'new 0' }, 0])
  const { id, counts } = await upload(service, await download(service, shop, ''))
  assert.equal(counts.rows, 4, JSON.stringify(counts))
  await confirm(service, id)
  const status = await outcomes(shop)
  assert.equal(status['filed'], 'paid 5000')
  assert.equal(await balance(shop), 0)
  const { outgoing } = (await openOperator(service).get('/outgoing?limit=500')).body
  const own = outgoing.filter(({ requisiteId }: { requisiteId: string }) => shop.requisiteIds.includes(requisiteId))
  assert.deepEqual(own, [])
})

test('200: the balance of a day is what the days before it left, and agrees with the ledger', async () => {
  const service = opened()
  atNoon(service)
  const shop = await openSandbox(service)
  const { body } = await shop.create('first', { method: 'account-to-account' })
  await shop.simulate('first', { event: 'paid' })
  await pass(service, second)
  service.clock.advance(day)
  await shop.simulate('first', { event: 'partial', amount: 1.5 })
  await pass(service, 2 * second)
  const query = `cardId=${body.card.id}`
  const today = (await download(service, shop, query)).toString()
  const balanceOf = (code: string): string | undefined =>
    new RegExp(`<Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="RUB">([\\d.]+)<`).exec(today)?.[1]
  assert.deepEqual([balanceOf('OPBD'), balanceOf('CLBD')], ['5000.00', '5001.50'])
  const yesterday = new Date(service.clock.now - day).toISOString().slice(0, 10)
  for (const file of [await download(service, shop, `${query}&day=${yesterday}`), Buffer.from(today)])
    await confirm(service, (await upload(service, file)).id)
  const { days } = (await openOperator(service).get(`/ledger/reconciliation?requisiteId=${body.card.id}`)).body
  assert.equal(days.length, 2, JSON.stringify(days))
  for (const each of days) assert.equal(each.difference, 0, JSON.stringify(each))
})

test('200: money of a day is in time though its file comes after the payment expired', async () => {
  const service = opened()
  atNoon(service)
  const shop = await openSandbox(service)
  await shop.create('order')
  await shop.simulate('order', { event: 'paid', reportedBy: 'statement' })
  await pass(service, second)
  await pass(service, 60 * minute)
  assert.equal(await shop.status('order'), 'expired')
  await confirm(service, (await upload(service, await download(service, shop, ''))).id)
  assert.equal((await shop.get('/payments')).body.payments[0].statusReason, 'exact')
})

test('200: a merchant gets the bookings of its own payments only', async () => {
  const service = opened()
  const [shop, other] = [await openSandbox(service), await openSandbox(service)]
  for (const [each, amount] of [
    [shop, 1111.11],
    [other, 2222.22],
  ] as const) {
    await each.create('order', { amount })
    await each.simulate('order', { event: 'paid' })
  }
  await pass(service, second)
  const file = (await download(service, shop, '')).toString()
  assert.match(file, /1111\.11/)
  assert.doesNotMatch(file, /2222\.22/)
})

test('camt.053 has the elements of each part in the order of the standard, and short enough identifiers', async () => {
  const service = opened()
  const shop = await openShop(service, { mode: 'sandbox', holder: 'ООО «Ромашка & Ко» <филиал>' })
  await shop.create('order')
  await shop.simulate('order', { event: 'reversed' })
  await pass(service, 2 * second)
  const file = (await download(service, shop, '')).toString()
  const childrenOf = (name: string): string[] => {
    const [, content = ''] = new RegExp(`<${name}>([^]*?)</${name}>`).exec(file) ?? []
    const names: string[] = []
    for (let rest = content.trim(); rest.startsWith('<'); ) {
      const [, child = ''] = /^<(\w+)/.exec(rest) ?? []
      names.push(child)
      rest = rest.slice(rest.indexOf(`</${child}>`) + child.length + 3).trim()
    }
    return names
  }
  assert.deepEqual(childrenOf('Stmt'), ['Id', 'CreDtTm', 'Acct', 'Bal', 'Bal', 'Ntry', 'Ntry'])
  assert.deepEqual(childrenOf('GrpHdr'), ['MsgId', 'CreDtTm'])
  assert.match(file, /<Acct><Id><Othr><Id>\d+<\/Id><\/Othr><\/Id><Ccy>RUB<\/Ccy><Ownr><Nm>/)
  assert.match(file, /<Bal><Tp>.*<\/Tp><Amt Ccy="RUB">0\.00<\/Amt><CdtDbtInd>CRDT<\/CdtDbtInd><Dt><Dt>/)
  const entry = ['Amt', 'CdtDbtInd', 'Sts', 'BookgDt', 'ValDt', 'AcctSvcrRef', 'BkTxCd', 'NtryDtls']
  assert.deepEqual(childrenOf('Ntry'), entry)
  assert.deepEqual(childrenOf('TxDtls'), ['RltdPties', 'RltdAgts', 'RmtInf'])
  assert.match(file, /<Nm>ООО «Ромашка &amp; Ко» &lt;филиал&gt;<\/Nm>/)
  for (const [, id = ''] of file.matchAll(/<(?:MsgId|AcctSvcrRef|Id)>([^<]*)</g)) assert.ok(id.length <= 35, id)
})

onEngines(
  'the file has the refunds that have left, which it proves if nothing else has reported them',
  async (service) => {
    atNoon(service)
    const shop = await openSandbox(service)
    for (const orderId of ['reported', 'in-the-file']) await shop.create(orderId)
    await shop.simulate('reported', { event: 'refunded', amount: 1000 })
    await shop.simulate('in-the-file', { event: 'paid' })
    await pass(service, 2 * second)
    await shop.simulate('in-the-file', { event: 'refunded', amount: 2000, reportedBy: 'statement' })
    await pass(service, 2 * second)
    const statuses = async () =>
      (await shop.get('/refunds')).body.refunds.map((each: { amount: number; status: string }) => [
        ...[each.amount, each.status],
      ])
    assert.deepEqual(await statuses(), [
      [2000, 'sent'],
      [1000, 'done'],
    ])
    const { id, counts } = await upload(service, await download(service, shop, ''))
    assert.deepEqual([counts.new, counts.alreadyKnown], [1, 3], JSON.stringify(counts))
    await confirm(service, id)
    assert.deepEqual(await statuses(), [
      [2000, 'done'],
      [1000, 'done'],
    ])
    const operator = openOperator(service)
    assert.deepEqual((await operator.get('/outgoing?state=unexplained')).body.outgoing, [])
  },
)

test('while a large file is sent, others have their turns', async () => {
  let written = 0
  const booking = {
    ...({ id: '019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10', amount: 5000_01n, kind: 'receipt', text: null } as const),
    bookedAt: 0,
    get reference() {
      return `SB${++written}`
    },
  }
  const statement = {
    ...{ account: '40817810000000000001', holder: 'ООО «Пример»', currency: 'rub', day: '1970-01-01' },
    ...{ opening: 0n, closing: 0n, bookings: Array.from({ length: 3000 }, () => booking) },
  }
  const turns = await turnsOf(() => streamLines(writeCamt([statement], 0)).toArray())
  assert.equal(written, 3000)
  assert.ok(turns > 15, `${turns} turns of the loop`)
})

test('refuses what there is no file of', async () => {
  const service = opened()
  const [shop, live] = [await openSandbox(service), await openShop(service)]
  for (const [query, status, code] of [
    ['', 404, 'resource_not_found'],
    ['day=2020-01-01', 404, 'resource_not_found'],
    ['day=2026-02-30', 400, 'validation_failed'],
    ['account=1', 400, 'validation_failed'],
  ] as const)
    assertProblem(await send(service, `/api/v1/sandbox/statement?${query}`, bearer(shop)), status, code)
  assertProblem(await send(service, '/api/v1/sandbox/statement', bearer(live)), 403, 'sandbox_only')
})

test('an operator gets the file of all merchants, of one or of an account', async () => {
  const service = opened()
  atNoon(service)
  const [shop, other] = [await openSandbox(service), await openSandbox(service)]
  const cards: string[] = []
  for (const [each, amount] of [
    [shop, 1111.12],
    [other, 2222.23],
  ] as const) {
    cards.push((await each.create('order', { amount })).body.card.id)
    await each.simulate('order', { event: 'paid' })
  }
  await pass(service, second)
  const rowsOf = async (query: string): Promise<boolean[]> => {
    const { status, body } = await openOperator(service).get(`/sandbox/statement?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return ['1111.12', '2222.23'].map((amount) => body.includes(amount))
  }
  assert.deepEqual(await rowsOf(''), [true, true])
  assert.deepEqual(await rowsOf(`merchantId=${shop.merchantId}`), [true, false])
  assert.deepEqual(await rowsOf(`requisiteId=${cards[1]}`), [false, true])
  // It has whole numbers of accounts and payers.
  assertProblem(await openOperator(service, 'vera').get('/sandbox/statement'), 403, 'role_missing')
})
