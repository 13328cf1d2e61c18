// Filters, order and counts of the operators' lists of payments and transfers.
import assert from 'node:assert/strict'
import { day, minute } from '../../src/rules/time.ts'
import { cutScan, type Cursor, type ScanRow } from '../../src/rules/list-page.ts'
import { scanPayments } from '../../src/engine/payments/listing/store.ts'
import { openCourt } from '../support/disputes.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import type { TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { openShop, payIn, type Shop } from '../support/shop.ts'

const { onEngines, onOne } = shareEngines()

const iso = (at: number): string => new Date(at).toISOString()

/** Orders of a page of the shop's payments. */
const listOrders = async (service: TestService, shop: Shop, query: string): Promise<string[]> => {
  const { status, body } = await openOperator(service).get(`/payments?merchantId=${shop.merchantId}&${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.payments.map((payment: { orderId: string }) => payment.orderId)
}

onEngines('payments: each filter leaves those that meet it, and the order can be turned', async (service) => {
  const shop = await openShop(service, { perMethod: 8, terms: { lateWindowMs: day } })
  const start = service.clock.now
  const cards: { id: string }[] = []
  for (const [orderId, amount] of [
    ['exact', 5000],
    ['late', 6000],
    ['over', 7000],
    ['open', 8000.5],
  ] as const) {
    cards.push((await shop.create(orderId, { amount, userId: `user-${orderId}` })).body.card)
    service.clock.advance(minute)
  }
  const [exact, late, over, open] = cards as [{ id: string }, { id: string }, { id: string }, { id: string }]
  await payIn(service, { requisiteId: exact.id, minor: 5000_00n, sender: '+79991234567' })
  await payIn(service, { requisiteId: over.id, minor: 7100_00n })
  service.clock.advance(day / 2)
  await service.runJobs()
  await payIn(service, { requisiteId: late.id, minor: 6000_00n })

  const all = ['open', 'over', 'late', 'exact']
  const cases: [query: string, orders: string[]][] = [
    ['', all],
    ['sort=oldest', all.toReversed()],
    ['sort=oldest&limit=1', ['exact']],
    [`from=${iso(start + minute)}`, ['open', 'over', 'late']],
    [`from=${iso(start + minute)}&to=${iso(start + 2 * minute)}`, ['late']],
    ['unusual=late', ['late']],
    ['unusual=amount', ['over']],
    ['unusual=disputed', ['over']],
    ['method=sbp', all],
    ['method=card-to-card', []],
    ['currency=rub&amountFrom=6000&amountTo=8000', ['over', 'late']],
    ['currency=rub&amountFrom=8000.5', ['open']],
    ['currency=usd', []],
    [`requisiteId=${open.id}`, ['open']],
    ['bank=nowhere', []],
    ['userId=user-over', ['over']],
    ['payerDigits=4567', ['exact']],
    ['status=paid&sort=oldest', ['exact', 'late']],
    ['status=expired', ['open']],
    ['acknowledged=false', ['over', 'late', 'exact']],
    ['acknowledged=true', []],
  ]
  for (const [query, orders] of cases) assert.deepEqual(await listOrders(service, shop, query), orders, query)
})

onEngines('transfers: each filter leaves those that meet it', async (service) => {
  const shop = await openShop(service, { perMethod: 4 })
  const exact = (await shop.create('exact', { amount: 5000 })).body.card
  const again = exact
  const sender = '+7 999 765-43-21'
  const ids = new Map<string, string>()
  const bring = async (name: string, transfer: Parameters<typeof payIn>[1]): Promise<void> => {
    ids.set((await payIn(service, transfer)).id, name)
    service.clock.advance(minute)
  }
  const start = service.clock.now
  await bring('exact', { requisiteId: exact.id, minor: 5000_00n, sender })
  await bring('again', { requisiteId: again.id, minor: 5000_00n })
  const lost = { requisiteId: exact.id, minor: 1234_56n, sender, bookedAt: service.clock.now }
  await bring('nobody', { ...lost, reference: 'A1' })
  await bring('repeated', { ...lost, reference: 'B1' })
  const operator = openOperator(service)
  const list = async (query: string): Promise<(string | undefined)[]> => {
    const { status, body } = await operator.get(`/transfers?requisiteId=${exact.id}&${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.transfers.map(({ id }: { id: string }) => ids.get(id))
  }
  const all = await list('')
  assert.equal(all.length, ids.size)
  assert.deepEqual(await list('sort=oldest'), all.toReversed())
  const cases: [query: string, names: string[]][] = [
    ['kind=payment', ['exact']],
    ['unmatched=true&currency=rub&amountTo=2000', ['repeated', 'nobody']],
    [`sender=${encodeURIComponent('+79997654321')}&kind=payment`, ['exact']],
    [`sender=${encodeURIComponent('+79997654321')}&unmatched=true&sort=oldest`, ['nobody', 'repeated']],
    ['currency=rub&amountFrom=1234.56&amountTo=1234.56', ['repeated', 'nobody']],
    [`from=${iso(start + minute)}&to=${iso(start + 3 * minute)}`, ['nobody', 'again']],
    [`merchantId=${shop.merchantId}&kind=payment`, ['exact']],
    [`statementId=${shop.merchantId}`, []],
    ['unusual=disputed', []],
    ['unusual=late', []],
    ['bank=nowhere', []],
    ['method=card-to-card', []],
  ]
  for (const [query, names] of cases) assert.deepEqual(await list(query), names, query)
  const auditor = openOperator(service, 'vera')
  assertProblem(await auditor.get('/transfers?sender=79997654321'), 403, 'role_missing')
  assertProblem(await auditor.get('/transfers.csv?sender=79997654321'), 403, 'role_missing')
})

onEngines('a count is of all pages, in either order', async (service) => {
  const shop = await openShop(service, { perMethod: 8 })
  for (const orderId of ['a', 'b', 'c']) await shop.create(orderId)
  const operator = openOperator(service)
  const first = await operator.get(`/payments?merchantId=${shop.merchantId}&limit=2&count=true&currency=rub`)
  assert.deepEqual(first.body.count, { matching: 3, isExact: true })
  assert.equal(first.body.payments.length, 2)
  const next = `/payments?merchantId=${shop.merchantId}&limit=2&currency=rub&cursor=${first.body.nextCursor}`
  const second = await operator.get(next)
  assert.deepEqual([second.body.payments.length, second.body.nextCursor, second.body.count], [1, undefined, undefined])
  await payIn(service, { requisiteId: (await shop.create('d')).body.card.id, minor: 12_34n })
  for (const query of ['unmatched=true', 'kind=suspense', 'sort=oldest']) {
    const { body } = await operator.get(`/transfers?merchantId=${shop.merchantId}&count=true&${query}`)
    assert.ok(body.transfers.length <= body.count.matching, query)
  }
})

onEngines('a scan that stops early misses nothing, whoever owns most of the rows', async (service) => {
  const [large, small] = [await openShop(service, { perMethod: 8 }), await openShop(service, { perMethod: 8 })]
  const made: { id: string; amount: number }[] = []
  for (let n = 0; n < 14; n++) {
    const shop = n % 5 === 4 ? small : large
    const isWanted = n % 3 === 0
    const amount = 5000 + ((n * 5) % 14)
    const { body } = await shop.create(`scan-${n}`, { amount, userId: isWanted ? 'wanted' : 'other' })
    if (isWanted) made.push({ id: body.payment.id, amount })
    service.clock.advance(1)
  }
  const inOrder = made.map(({ id }) => id)
  const byAmount = made.toSorted((a, b) => a.amount - b.amount).map(({ id }) => id)
  const cases = {
    ...{ newest: inOrder.toReversed(), oldest: inOrder },
    ...{ amount: byAmount, '-amount': byAmount.toReversed() },
  } as const
  for (const order of ['newest', 'oldest', 'amount', '-amount'] as const) {
    const found: string[] = []
    let after: Cursor | null = null
    let pages = 0
    for (; pages < 50; pages++) {
      const rows: ScanRow[] = await service.context.query(scanPayments[order], {
        ...{ merchantId: null, status: null, acknowledged: null, method: null, currency: 'rub', requisiteIds: null },
        ...{ amountFrom: null, amountTo: null, userId: 'wanted', payerDigits: null, unusual: null, linkId: null },
        ...{ after: after?.id ?? null, afterValue: after?.value ?? null, from: null, to: null, scanned: 3, limit: 3 },
      })
      const cut = cutScan(rows, { limit: 2 })
      found.push(...cut.keys.map(({ id }) => id))
      after = cut.next
      if (after === null) break
    }
    assert.ok(pages > 2 && pages < 50)
    assert.deepEqual(found, cases[order], order)
  }
})

/** The ids of a list by its pages of two, and how many pages there are. */
const walk = async (service: TestService, path: string, key: 'payments' | 'transfers' | 'disputes') => {
  const ids: string[] = []
  let cursor = ''
  for (let pages = 1; pages < 50; pages++) {
    const { status, body } = await openOperator(service).get(`${path}&limit=2${cursor}`)
    assert.equal(status, 200, JSON.stringify(body))
    ids.push(...body[key].map(({ id }: { id: string }) => id))
    if (body.nextCursor === undefined) return { ids, pages }
    cursor = `&cursor=${encodeURIComponent(body.nextCursor)}`
  }
  throw new Error('the pages do not end')
}

onEngines('payments by amount: pages follow each other, with filters and among equal amounts', async (service) => {
  const shops = [await openShop(service, { perMethod: 8 }), await openShop(service, { perMethod: 8 })] as const
  const made: { id: string; amount: number; shop: number; at: number }[] = []
  for (const [n, amount] of [5000, 700.5, 5000, 150, 5000, 90_000, 700.49].entries()) {
    const shop = shops[n % 2 === 0 ? 0 : 1]
    const { body } = await shop.create(`sorted-${n}`, { amount })
    made.push({ id: body.payment.id, amount, shop: n % 2, at: service.clock.now })
    await payIn(service, { requisiteId: body.card.id, minor: BigInt(amount * 100 + 1), reference: `S${n}` })
    service.clock.advance(minute)
  }
  const idsOf = (rows: readonly { id: string; amount: number }[]): string[] =>
    rows.toSorted((a, b) => a.amount - b.amount || (a.id < b.id ? -1 : 1)).map(({ id }) => id)
  const from = iso(made[2]?.at ?? 0)
  const cases: [query: string, ids: string[]][] = [
    ['', idsOf(made)],
    [`merchantId=${shops[0].merchantId}`, idsOf(made.filter(({ shop }) => shop === 0))],
    [`from=${from}`, idsOf(made.slice(2))],
    ['amountFrom=700.5&amountTo=5000', idsOf(made.filter(({ amount }) => amount >= 700.5 && amount <= 5000))],
    ['acknowledged=false', idsOf(made)],
    ['unusual=disputed', idsOf(made)],
    ['acknowledged=true', []],
  ]
  for (const [query, ids] of cases) {
    const walked = await walk(service, `/payments?currency=rub&sort=amount&${query}`, 'payments')
    const mine = walked.ids.filter((id) => made.some((each) => each.id === id))
    assert.deepEqual(mine, ids, query)
    const largest = await walk(service, `/payments?currency=rub&sort=-amount&${query}`, 'payments')
    assert.deepEqual(
      largest.ids.filter((id) => made.some((each) => each.id === id)),
      ids.toReversed(),
      query,
    )
  }
  const csv = (await openOperator(service).get('/payments.csv?currency=rub&sort=-amount')).body as string
  const orders = csv.split('\r\n').flatMap((line) => /,(sorted-\d),/.exec(line)?.[1] ?? [])
  assert.deepEqual([orders[0], orders.at(-1)], ['sorted-5', 'sorted-3'])
})

onEngines('disputes by deadline and by amount, with filters, counts and an export', async (service) => {
  const court = await openCourt(service, { perMethod: 8 })
  const made: { id: string; claimed: number; dueAt: string; openedAt: string }[] = []
  for (const [n, amount] of [3000, 5000, 3000, 4999.99, 700, 5000].entries()) {
    const payment = await court.create(`disputed-${n}`, { amount: 5000 })
    await payIn(service, { requisiteId: payment.requisiteId, minor: 5000_00n + BigInt(n), reference: `D${n}` })
    // An earlier one may be due later.
    const claimed = n === 4 ? 700.5 : amount
    const { status, body } = await court.correct(payment, claimed)
    assert.equal(status, 201, JSON.stringify(body))
    made.push({ id: body.id, claimed, dueAt: body.dueAt, openedAt: body.openedAt })
    service.clock.advance(minute)
  }
  const { merchantId } = court.shop
  const [first] = made
  assert.ok(first)
  await court.step('decision', first.id, { decision: 'reject' })
  const undecided = made.slice(1)
  const own = `/disputes?merchantId=${merchantId}`
  const ids = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id)
  const byAmount = (rows: typeof made) => rows.toSorted((a, b) => a.claimed - b.claimed || (a.id < b.id ? -1 : 1))
  const byDue = undecided.toSorted((a, b) => a.dueAt.localeCompare(b.dueAt) || (a.id < b.id ? -1 : 1))
  const cases: [query: string, ids: string[]][] = [
    ['', ids(made).toReversed()],
    ['sort=oldest', ids(made)],
    ['state=undecided', ids(byDue)],
    ['state=proposed&sort=-due', ids(byDue).toReversed()],
    ['state=rejected', [first.id]],
    ['currency=rub&sort=amount', ids(byAmount(made))],
    ['currency=rub&sort=-amount', ids(byAmount(made)).toReversed()],
    ['state=undecided&currency=rub&sort=-amount', ids(byAmount(undecided)).toReversed()],
    ['currency=usd&sort=amount', []],
    [
      'currency=rub&amountFrom=3000&amountTo=4999.99&sort=amount',
      ids(byAmount(made.filter(({ claimed }) => claimed >= 3000 && claimed < 5000))),
    ],
    [`from=${made[3]?.openedAt ?? ''}&state=undecided&sort=newest`, ids(made.slice(3)).toReversed()],
  ]
  for (const [query, expected] of cases)
    assert.deepEqual((await walk(service, `${own}&${query}`, 'disputes')).ids, expected, query)
  const { body } = await court.anna.get(`${own}&state=undecided&count=true&limit=2`)
  assert.deepEqual(body.count, { matching: 5, isExact: true })
  assert.match(body.nextCursor, /^due:\d+:/)
  const csv = (await court.anna.get(`/disputes.csv?merchantId=${merchantId}&currency=rub&sort=-amount`)).body as string
  assert.deepEqual(
    csv
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',')[0]),
    ids(byAmount(made)).toReversed(),
  )
  assertProblem(await court.anna.get(`${own}&sort=due`), 400, 'validation_failed', ['sort'])
  assertProblem(await court.anna.get(`${own}&sort=amount`), 400, 'validation_failed', ['currency'])
  for (const cursor of [`amount:5:${first.id}`, first.id, `due:999999999999999999:${first.id}`]) {
    const refused = await court.anna.get(`${own}&state=undecided&cursor=${cursor}`)
    assertProblem(refused, 400, 'validation_failed', ['cursor'])
  }
})

onOne('400: a sort by amount without a currency, and a cursor of another order', async (service) => {
  const shop = await openShop(service, { perMethod: 8 })
  for (const orderId of ['a', 'b', 'c']) await shop.create(orderId)
  const operator = openOperator(service)
  assertProblem(await operator.get('/payments?sort=amount'), 400, 'validation_failed', ['currency'])
  const cursorOf = async (sort: string): Promise<string> =>
    encodeURIComponent((await operator.get(`/payments?currency=rub&limit=1&${sort}`)).body.nextCursor)
  const [byTime, smallest] = [await cursorOf('sort=oldest'), await cursorOf('sort=amount')]
  for (const query of [
    `sort=amount&cursor=${byTime}`,
    `sort=-amount&cursor=${smallest}`,
    `sort=newest&cursor=${smallest}`,
    `cursor=${smallest}`,
    'cursor=amount:9999999999999999999:019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10',
  ])
    assertProblem(await operator.get(`/payments?currency=rub&${query}`), 400, 'validation_failed', ['cursor'])
  assert.equal((await operator.get(`/payments?currency=rub&sort=amount&cursor=${smallest}`)).status, 200)
})

onEngines(
  'the export has all pages of a list; what a spreadsheet would take for a formula is not one',
  async (service) => {
    const shop = await openShop(service, { perMethod: 8 })
    await shop.create('first', { userId: '=1+1' })
    await shop.create('second')
    const { requisiteId } = (await openOperator(service).get(`/payments?merchantId=${shop.merchantId}`)).body
      .payments[0]
    await payIn(service, { requisiteId, minor: 3_21n, reference: '=cmd' })
    const authorization = `Bearer ${service.operatorToken}`
    const read = async (path: string): Promise<string[]> => {
      const answer = await fetch(`${service.url}/api/v1/operator/${path}`, { headers: { authorization } })
      assert.equal(answer.status, 200)
      assert.match(answer.headers.get('content-type') ?? '', /^text\/csv/)
      return (await answer.text()).trimEnd().split('\r\n')
    }
    const [header, ...rows] = await read(`payments.csv?merchantId=${shop.merchantId}&sort=oldest`)
    assert.match(header ?? '', /^id,merchantId,orderId,status/)
    assert.equal(rows.length, 2)
    assert.match(rows[0] ?? '', /,first,new,created,.*,'=1\+1,/)
    assert.equal((await read(`payments.csv?merchantId=${shop.merchantId}&status=failed`)).length, 1)
    const [, ...transfers] = await read(`transfers.csv?requisiteId=${requisiteId}&unmatched=true`)
    assert.equal(transfers.length, 1)
    assert.match(transfers[0] ?? '', /,rub,3\.21,.*,'=cmd,/)
  },
)

onOne('400: an amount without its currency, too many decimals, an empty span', async (service) => {
  const operator = openOperator(service)
  for (const list of ['/payments', '/transfers']) {
    assertProblem(await operator.get(`${list}?amountFrom=5`), 400, 'validation_failed', ['currency'])
    assertProblem(await operator.get(`${list}?amountFrom=5.001&currency=rub`), 400, 'validation_failed', ['amountFrom'])
    const span = `from=${iso(service.clock.now)}&to=${iso(service.clock.now)}`
    assertProblem(await operator.get(`${list}?${span}`), 400, 'validation_failed', ['from'])
  }
})
