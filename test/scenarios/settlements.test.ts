// Settlements over HTTP: from money to payout, with two operators, double submits and races.
import assert from 'node:assert/strict'
import { hour, minute } from '../../src/rules/time.ts'
import { openBank } from '../support/bank.ts'
import { openDestination } from '../support/destination.ts'
import { newsOf, owedIn } from '../support/ledger.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { assertHealthy, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { type Answer, openShop, payIn, type Shop } from '../support/shop.ts'
import { mt940Of } from '../support/statement-files.ts'

const { onEngines, onOne } = shareEngines()
const path = '/settlements'

let orders = 0
/** A paid payment of this many minor units; 5000 rub are 54.054054 USDT, of which the merchant gets 53.513514. */
const earn = async (service: TestService, shop: Shop, minor = 5000_00n): Promise<void> => {
  const { body, status } = await shop.create(`earned-${++orders}`, { amount: Number(minor) / 100 })
  assert.equal(status, 201, JSON.stringify(body))
  assert.equal((await payIn(service, { requisiteId: body.card.id, minor })).outcome, 'exact')
}

const statuses = (answers: readonly Answer[]): string[] => answers.map((each) => String(each.status)).toSorted()

const balanceOf = async (shop: Shop) => (await shop.get('/balance')).body

onEngines('a settlement holds, is approved and paid, and each submit counts once', async (service) => {
  const shop = await openShop(service)
  const anna = openOperator(service, 'anna')
  await earn(service, shop)
  const destinationId = await openDestination(service, shop.merchantId)
  const wanted = { merchantId: shop.merchantId, reference: 'june', destinationId }
  const draft = await anna.call('POST', path, wanted)
  assert.equal(draft.status, 201, JSON.stringify(draft.body))
  assert.equal(draft.body.amount, 53.513514)
  assert.equal(draft.body.status, 'draft')
  assert.equal(draft.body.secondPerson, false)
  assert.equal(draft.body.draftedBy, 'operator:anna')
  assert.deepEqual(await balanceOf(shop), { currency: 'USDT', available: 0, held: 53.513514, paidOut: 0 })

  const again = await anna.call('POST', path, { ...wanted, amount: 53.513514 })
  assert.equal(again.status, 200)
  assert.deepEqual(again.body, draft.body)
  assertProblem(await anna.call('POST', path, { ...wanted, amount: 1 }), 409, 'already_exists')
  assertProblem(await anna.call('POST', path, { ...wanted, reference: 'other' }), 409, 'balance_insufficient')

  const one = `${path}/${shop.merchantId}/${draft.body.id}`
  assertProblem(await anna.call('POST', `${one}/pay`, { externalReference: 'tx-1' }), 409, 'invalid_state')
  assert.equal((await anna.call('POST', `${one}/approve`)).body.status, 'approved')
  assert.equal((await anna.call('POST', `${one}/approve`)).body.status, 'approved')
  service.clock.advance(1000)
  const paid = await anna.call('POST', `${one}/pay`, { externalReference: 'tx-1' })
  assert.equal(paid.body.status, 'paid', JSON.stringify(paid.body))
  assert.deepEqual((await anna.call('POST', `${one}/pay`, { externalReference: 'tx-1' })).body, paid.body)
  assertProblem(await anna.call('POST', `${one}/pay`, { externalReference: 'tx-2' }), 409, 'invalid_state')
  assertProblem(await anna.call('POST', `${one}/fail`, { reason: 'late' }), 409, 'invalid_state')
  assert.deepEqual(await balanceOf(shop), { currency: 'USDT', available: 0, held: 0, paidOut: 53.513514 })
  assert.deepEqual(await owedIn(service, shop.merchantId), [
    'bank -5000.00 rub',
    'fees 0.540540 USDT',
    'fx:rub -54.054054 USDT',
    'fx:rub 5000.00 rub',
    'paid-out 53.513514 USDT',
  ])

  const news = await newsOf(service, shop.merchantId, 'settlement.paid')
  assert.equal(news.length, 1)
  assert.equal(news[0]?.data['externalReference'], 'tx-1')
  assert.equal(news[0]?.data['amount'], 53.513514)
  const shown = (await anna.get(one)).body
  assert.deepEqual(
    shown.events.map((event: { sequence: number; status: string; actor: string }) => [
      event.sequence,
      event.status,
      event.actor,
    ]),
    [
      [1, 'draft', 'operator:anna'],
      [2, 'approved', 'operator:anna'],
      [3, 'paid', 'operator:anna'],
    ],
  )
  const { draftedBy, approvedBy, secondPerson, merchantId, merchantName, ...seen } = paid.body
  assert.equal(merchantName, 'Test Shop')
  assert.deepEqual((await shop.get(`/settlements/${draft.body.id}`)).body, seen)
  assert.deepEqual((await shop.get('/settlements?status=paid')).body, { settlements: [seen] })
  assert.equal((await anna.lastAudit()).action, 'settlement.pay')
})

onEngines('a settlement that failed gives its amount back, and is repeated under another name', async (service) => {
  const shop = await openShop(service)
  const operator = openOperator(service)
  await earn(service, shop)
  const destinationId = await openDestination(service, shop.merchantId)
  const wanted = { merchantId: shop.merchantId, destinationId }
  const first = (await operator.call('POST', path, { ...wanted, reference: 'first' })).body
  const one = `${path}/${shop.merchantId}/${first.id}`
  await operator.call('POST', `${one}/approve`)
  const failed = await operator.call('POST', `${one}/fail`, { reason: 'wrong address' })
  assert.equal(failed.body.failure, 'wrong address')
  assert.deepEqual((await operator.call('POST', `${one}/fail`, { reason: 'wrong address' })).body, failed.body)
  assertProblem(await operator.call('POST', `${one}/approve`), 409, 'invalid_state')
  assert.equal((await balanceOf(shop)).available, 53.513514)
  assert.equal((await operator.call('POST', path, { ...wanted, reference: 'first' })).body.status, 'failed')

  const second = (await operator.call('POST', path, { ...wanted, reference: 'second', amount: 50 })).body
  await operator.call('POST', `${path}/${shop.merchantId}/${second.id}/approve`)
  await operator.call('POST', `${path}/${shop.merchantId}/${second.id}/pay`, { externalReference: 'tx-9' })
  assert.deepEqual(await balanceOf(shop), { currency: 'USDT', available: 3.513514, held: 0, paidOut: 50 })
  const third = (await operator.call('POST', path, { ...wanted, reference: 'third' })).body
  const last = `${path}/${shop.merchantId}/${third.id}`
  await operator.call('POST', `${last}/approve`)
  assertProblem(await operator.call('POST', `${last}/pay`, { externalReference: 'tx-9' }), 409, 'already_exists')

  const { entries } = (await shop.get('/entries')).body
  assert.deepEqual(
    entries.map((entry: { kind: string; amount: number; reference?: string }) => [
      entry.kind,
      entry.amount,
      entry.reference,
    ]),
    [
      ['hold', -3.513514, 'third'],
      ['hold', -50, 'second'],
      ['release', 53.513514, 'first'],
      ['hold', -53.513514, 'first'],
      ['credit', 53.513514, undefined],
    ],
  )
  assert.equal(entries[4].deducted, 0.54054)
  const page = (await shop.get('/entries?limit=2')).body
  assert.equal(page.entries.length, 2)
  assert.deepEqual((await shop.get(`/entries?limit=3&cursor=${page.nextCursor}`)).body.entries, entries.slice(2))
})

onOne('above the threshold only a second operator approves', async (service) => {
  // What the operators have approved in other tests no longer counts.
  service.clock.advance(25 * hour)
  const shop = await openShop(service)
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  await earn(service, shop, 200_000_00n)
  const destinationId = await openDestination(service, shop.merchantId)
  const wanted = { merchantId: shop.merchantId, reference: 'large', destinationId, amount: 1000.000001 }
  const draft = (await anna.call('POST', path, wanted)).body
  assert.equal(draft.secondPerson, true)
  const one = `${path}/${shop.merchantId}/${draft.id}`
  assertProblem(await anna.call('POST', `${one}/approve`), 403, 'second_person_required')
  assert.equal((await boris.call('POST', `${one}/approve`)).body.approvedBy, 'operator:boris')
  assertProblem(await anna.call('POST', `${one}/approve`), 409, 'invalid_state')
  assert.equal((await anna.call('POST', `${one}/pay`, { externalReference: 'tx-1' })).body.status, 'paid')
  const small = (await anna.call('POST', path, { ...wanted, reference: 'small', amount: 1000 })).body
  assert.equal(small.secondPerson, false)
  assert.equal((await boris.lastAudit()).actor, 'operator:anna')
})

onEngines('a sum in parts needs a second person like the sum, whenever they were drafted', async (service) => {
  service.clock.advance(25 * hour)
  const [shop, elsewhere] = [await openShop(service), await openShop(service)]
  await earn(service, elsewhere)
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  await earn(service, shop, 290_000_00n)
  const destinationId = await openDestination(service, shop.merchantId)
  const wanted = { merchantId: shop.merchantId, destinationId }
  const draft = async (operator: typeof anna, reference: string, amount: number) =>
    (await operator.call('POST', path, { ...wanted, reference, amount })).body
  const approve = ({ id }: { id: string }) => anna.call('POST', `${path}/${shop.merchantId}/${id}/approve`)

  const first = await draft(anna, 'part 1', 600)
  assert.equal(first.secondPerson, false)
  // What another one must approve, and what others did, does not count.
  const second = await draft(anna, 'part 2', 400.000001)
  assert.equal(second.secondPerson, true)
  assert.equal((await draft(anna, 'part 3', 400)).secondPerson, false)
  assert.equal((await draft(boris, 'of boris', 500)).secondPerson, false)
  assertProblem(await approve(second), 403, 'second_person_required')
  // The merchants' sums are one, and a failed settlement still counts.
  await anna.call('POST', `${path}/${shop.merchantId}/${first.id}/fail`, { reason: 'not needed' })
  const small = { merchantId: elsewhere.merchantId, reference: 'elsewhere', amount: 1 }
  assert.equal(
    (await anna.call('POST', path, { ...small, destinationId: await openDestination(service, elsewhere.merchantId) }))
      .body.secondPerson,
    true,
  )

  // Drafted a day apart, and approved at once.
  service.clock.advance(25 * hour)
  const next = await draft(anna, 'part 4', 300.5)
  service.clock.advance(25 * hour)
  const last = await draft(anna, 'part 5', 300)
  assert.deepEqual([next.secondPerson, last.secondPerson], [false, false])
  const { settlements } = (await anna.get(`${path}?merchantId=${shop.merchantId}`)).body
  const third = settlements.find((each: { reference: string }) => each.reference === 'part 3')
  const answers = await Promise.all([third, next, last].map(approve))
  assert.deepEqual(statuses(answers), ['200', '200', '403'])
  service.clock.advance(25 * hour)
  const refused = [third, next, last][answers.findIndex(({ status }) => status === 403)]
  assert.equal((await approve(refused)).status, 200)
  await assertHealthy(service)
})

onEngines('races: a balance is settled once, a submit counts once, and one step wins', async (service) => {
  const shop = await openShop(service)
  const operator = openOperator(service)
  await earn(service, shop)
  const destinationId = await openDestination(service, shop.merchantId)
  const wanted = { merchantId: shop.merchantId, destinationId }
  const rivals = await Promise.all(
    Array.from({ length: 6 }, (_, index) => operator.call('POST', path, { ...wanted, reference: `rival-${index}` })),
  )
  assert.deepEqual(statuses(rivals), ['201', '409', '409', '409', '409', '409'])
  await earn(service, shop)
  const twins = await Promise.all(
    Array.from({ length: 6 }, () => operator.call('POST', path, { ...wanted, reference: 'twin', amount: 10 })),
  )
  assert.deepEqual(statuses(twins), ['200', '200', '200', '200', '200', '201'])
  assert.equal(new Set(twins.map((each) => each.body.id)).size, 1)
  const one = `${path}/${shop.merchantId}/${twins[0]?.body.id}`
  await operator.call('POST', `${one}/approve`)
  const ends = await Promise.all([
    operator.call('POST', `${one}/pay`, { externalReference: 'tx-1' }),
    operator.call('POST', `${one}/fail`, { reason: 'late' }),
    operator.call('POST', `${one}/pay`, { externalReference: 'tx-2' }),
    earn(service, shop),
  ])
  assert.deepEqual(statuses(ends.slice(0, 3).flatMap((each) => each ?? [])), ['200', '409', '409'])
  // Two settlements that are paid at once under one reference: one of them is.
  const two = await Promise.all(
    ['left', 'right'].map((reference) => operator.call('POST', path, { ...wanted, reference, amount: 5 })),
  )
  const payouts = await Promise.all(
    two.map(async ({ body }) => {
      await operator.call('POST', `${path}/${shop.merchantId}/${body.id}/approve`)
      return operator.call('POST', `${path}/${shop.merchantId}/${body.id}/pay`, { externalReference: 'tx-same' })
    }),
  )
  assert.deepEqual(statuses(payouts), ['200', '409'])
  await assertHealthy(service)
})

onEngines('the statement of account adds up, as CSV and as camt.053', async (service) => {
  const shop = await openShop(service, { name: 'Shop & "Sons"' })
  const operator = openOperator(service)
  const time = (): string => new Date(service.clock.now).toISOString()
  await earn(service, shop)
  service.clock.advance(1000)
  const from = time()
  await shop.create('=1+1', { amount: 3000 })
  const { body } = await shop.create('order', { amount: 4000 })
  await payIn(service, { requisiteId: body.card.id, minor: 4000_00n })
  const destinationId = await openDestination(service, shop.merchantId)
  const wanted = { merchantId: shop.merchantId, reference: 'june', destinationId, amount: 90.5 }
  assert.equal((await operator.call('POST', path, wanted)).status, 201)
  service.clock.advance(1000)
  const to = time()
  await earn(service, shop)
  service.clock.advance(hour)
  const csv = await shop.get(`/statement?from=${from}&to=${to}`)
  assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8')
  const rows = (csv.body as string).split('\r\n').map((line) => line.split(','))
  assert.deepEqual(
    rows.map((row) => [row[2], row[3], row[5], row[7]]),
    [
      ['kind', 'orderId', 'amount', 'balance'],
      ['opening', '', '', '53.513514'],
      ['credit', 'order', '42.810811', '96.324325'],
      ['hold', '', '-90.500000', '5.824325'],
      ['closing', '', '', '5.824325'],
      [undefined, undefined, undefined, undefined],
    ],
  )
  const camt = await operator.get(`/merchants/${shop.merchantId}/statement?from=${from}&to=${to}&format=camt.053`)
  assert.equal(camt.status, 200)
  const text = camt.body as string
  assert.match(text, /<Nm>Shop &amp; &quot;Sons&quot;<\/Nm>/)
  const amounts = [...text.matchAll(/<Amt Ccy="USD">([\d.]+)<\/Amt><CdtDbtInd>(CRDT|DBIT)/g)].map(
    ([, size, sign]) => Math.round(Number(size) * 1e5) * (sign === 'CRDT' ? 1 : -1),
  )
  const [opening = 0, closing, ...moves] = amounts
  assert.deepEqual([opening, closing], [5_351_351, 582_432])
  assert.equal(opening + moves.reduce((sum, move) => sum + move, 0), closing)
  const backwards = await shop.get(`/statement?from=${to}&to=${from}`)
  assertProblem(backwards, 400, 'validation_failed', ['from'])
  assert.equal(backwards.body.detail, 'from must be before to.')

  const exported = await operator.get(`/settlements.csv?merchantId=${shop.merchantId}`)
  assert.match(exported.body as string, /,june,draft,,USDT,90\.5,Main wallet: T\w+ \(USDT on TRON\),/)
  const journal = await operator.get(`/ledger/journal.csv?merchantId=${shop.merchantId}`)
  assert.equal((journal.body as string).split('\r\n').length, 1 + 3 + 3 + 1 + 3 + 1)
})

onEngines(
  'what was exported stays as it is: a span ends before the time in which something may still be posted',
  async (service) => {
    const shop = await openShop(service)
    const operator = openOperator(service)
    const iso = (at: number): string => new Date(at).toISOString()
    await earn(service, shop)
    service.clock.advance(minute)
    const { now } = service.clock
    const journalOf = (query: string) => operator.get(`/ledger/journal.csv?merchantId=${shop.merchantId}${query}`)
    const statementOf = (from: number, to: number) => shop.get(`/statement?from=${iso(from)}&to=${iso(to)}`)
    const final = iso(now - 2 * minute)

    for (const query of ['', `&to=${iso(now)}`, `&to=${iso(now + hour)}`]) {
      const journal = await journalOf(query)
      assert.equal((journal.body as string).split('\r\n').length, 2)
      assert.equal(journal.headers.get('payin-until'), final)
      assert.match(journal.headers.get('content-disposition') ?? '', new RegExp(final.replaceAll(':', '')))
    }
    const statement = await statementOf(now - hour, now)
    assert.equal(statement.headers.get('payin-until'), final)
    const lines = (statement.body as string).split('\r\n').map((line) => line.split(','))
    assert.deepEqual(
      lines.slice(1, -1).map((line) => [line[0], line[2], line[7]]),
      [
        [iso(now - hour), 'opening', '0.000000'],
        [final, 'closing', '0.000000'],
      ],
    )
    const refused = await statementOf(now - minute, now)
    assertProblem(refused, 400, 'validation_failed', ['from'])
    assert.equal(refused.body.detail, `from must be before ${final}: what was posted since then is not final yet.`)

    service.clock.advance(2 * minute)
    assert.equal(((await journalOf('')).body as string).split('\r\n').length, 1 + 3 + 1)
    const earlier = await journalOf(`&to=${iso(now - hour)}`)
    assert.equal(earlier.headers.get('payin-until'), iso(now - hour))
  },
)

onEngines('a merchant reads its own money only, and with the right to', async (service) => {
  const shop = await openShop(service)
  const other = await openShop(service, { scopes: ['payments:read', 'payments:write'] })
  const stranger = await openShop(service)
  await earn(service, shop)
  const destinationId = await openDestination(service, shop.merchantId)
  const wanted = { merchantId: shop.merchantId, reference: 'mine', destinationId }
  const { id } = (await openOperator(service).call('POST', path, wanted)).body
  for (const each of ['/balance', '/entries', '/settlements', `/settlements/${id}`]) {
    assertProblem(await other.get(each), 403, 'scope_missing')
  }
  assertProblem(await stranger.get(`/settlements/${id}`), 404, 'resource_not_found')
  assert.deepEqual((await stranger.get('/entries')).body, { entries: [] })
})

onEngines('a settlement that two approved fails by two, and not if money went out for it', async (service) => {
  service.clock.advance(25 * hour)
  const bank = await openBank(service)
  const { shop, requisiteId } = bank
  const [anna, boris] = [openOperator(service, 'anna'), openOperator(service, 'boris')]
  await earn(service, shop, 200_000_00n)
  const destinationId = await openDestination(service, shop.merchantId)
  const approved = async (reference: string, amount: number) => {
    const { body } = await boris.call('POST', path, { merchantId: shop.merchantId, reference, destinationId, amount })
    const settlement = `${path}/${shop.merchantId}/${body.id}`
    const by = body.secondPerson ? anna : boris
    assert.equal((await by.call('POST', `${settlement}/approve`)).body.status, 'approved')
    const fail = async (who: typeof anna) => who.call('POST', `${settlement}/fail`, { reason: 'a mistake' })
    return { settlementId: body.id, settlement, fail }
  }
  const small = await approved('small', 100)
  assert.equal((await small.fail(boris)).body.status, 'failed')
  const { settlementId, settlement, fail } = await approved('large', 1001)
  await bank.bring(mt940Of, [{ minor: -92_592_50n, payer: 'Exchange' }])
  const [sent] = (await anna.get(`/outgoing?requisiteId=${requisiteId}&limit=1`)).body.outgoing
  const outgoing = `/outgoing/${requisiteId}/${sent.id}`
  const paid = { purpose: 'settlement', reason: 'paid out', merchantId: shop.merchantId, settlementId }
  for (const by of [anna, boris]) assert.equal((await by.call('POST', `${outgoing}/book`, paid)).status, 200)
  const refused = await fail(anna)
  assertProblem(refused, 409, 'invalid_state')
  assert.match(refused.body.detail, /is booked to large, so it was paid out: record that, or unbook/)
  // Each takes back only one's own word.
  for (const by of [boris, anna])
    assert.equal((await by.call('POST', `${outgoing}/unbook`, { reason: 'a mistake' })).status, 200)
  for (let times = 0; times < 2; times++) {
    const { status, failingBy, failure } = (await fail(anna)).body
    assert.deepEqual([status, failingBy, failure], ['approved', 'operator:anna', undefined])
  }
  const { details } = await anna.lastAudit()
  assert.deepEqual([details['failure'], details['proposed']], ['a mistake', true])
  assert.equal((await anna.get(settlement)).body.failingBy, 'operator:anna')
  assert.equal((await shop.get(`/settlements/${settlementId}`)).body.failingBy, undefined)
  assert.deepEqual(
    [(await fail(boris)).body.status, (await boris.lastAudit()).details['proposed']],
    ['failed', undefined],
  )
  // A draft, which nobody has paid out, fails by one person.
  const wish = { merchantId: shop.merchantId, reference: 'draft', destinationId, amount: 1001 }
  const { id } = (await boris.call('POST', path, wish)).body
  const failed = await anna.call('POST', `${path}/${shop.merchantId}/${id}/fail`, { reason: 'not needed' })
  assert.equal(failed.body.status, 'failed')
  await service.runJobs()
  await assertHealthy(service)
})

onEngines(
  'a settlement lists the payments in it: those since the settlement before it, unless that failed',
  async (service) => {
    const shop = await openShop(service)
    const anna = openOperator(service, 'anna')
    const destinationId = await openDestination(service, shop.merchantId)
    const draft = async (reference: string): Promise<string> =>
      (await anna.call('POST', path, { merchantId: shop.merchantId, reference, destinationId })).body.id
    const entriesOf = async (id: string, query = '') =>
      (await anna.get(`${path}/${shop.merchantId}/${id}/entries${query}`)).body
    const earnOne = async (): Promise<string> => {
      await earn(service, shop, 4000_00n + BigInt(orders) * 10_00n)
      return `earned-${orders}`
    }
    const shown = async (id: string): Promise<string[]> =>
      (await entriesOf(id)).entries.map(
        (each: { orderId?: string; kind: string; reference?: string }) =>
          `${each.orderId ?? each.reference} ${each.kind}`,
      )
    const [one, two] = [await earnOne(), await earnOne()]
    const june = await draft('june')
    const three = await earnOne()
    const july = await draft('july')
    await anna.call('POST', `${path}/${shop.merchantId}/${july}/fail`, { reason: 'the wallet was closed' })
    const four = await earnOne()
    const august = await draft('august')
    await earnOne()
    assert.deepEqual(await shown(june), [`${two} credit`, `${one} credit`])
    assert.deepEqual(await shown(july), [`${three} credit`])
    assert.deepEqual(await shown(august), [`${four} credit`, 'july release', 'july hold', `${three} credit`])
    const page = await entriesOf(august, '?limit=2')
    assert.equal((await entriesOf(august, `?limit=2&cursor=${page.nextCursor}`)).entries[1].orderId, three)
    assertProblem(
      await anna.get(`${path}/${shop.merchantId}/${service.context.newId()}/entries`),
      404,
      'resource_not_found',
    )
  },
)
