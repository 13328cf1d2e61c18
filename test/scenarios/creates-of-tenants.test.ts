// Creates of several tenants at once share a transaction; what happens to one tenant's concerns nobody else.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isOnCitus } from '../support/citus.ts'
import { openOperator } from '../support/operator.ts'
import { runSql } from '../support/run-sql.ts'
import { assertHealthy, openTestService, type TestService } from '../support/service.ts'
import { openShop, type Shop } from '../support/shop.ts'

const skip = process.env['TEST_DATABASE_URL'] ? false : 'no PostgreSQL on this machine'
const names = ['red', 'green', 'blue'] as const

let service: TestService
const contexts: TestService['context'][] = []
const shops = new Map<string, Shop>()

before(async () => {
  if (skip) return
  service = await openTestService('postgres')
  for (const name of names) {
    assert.equal((await openOperator(service).call('POST', '/tenants', { name })).status, 201)
    const context = await service.tenants.find(name)
    assert.ok(context)
    contexts.push(context)
    shops.set(name, await openShop({ ...service, context }, { perMethod: 20 }))
  }
})

after(() => service?.stop())

const create = async (name: string, orderId: string, amount: number): Promise<number> => {
  const { status, body } = await (shops.get(name) as Shop).create(orderId, { amount })
  if (status >= 400 && status < 500) assert.fail(JSON.stringify(body))
  return status
}

const ordersOf = async (name: string): Promise<Map<string, string>> => {
  const sql = `select order_id, xmin::text as transaction from tenant_${name}.payments`
  const rows = await runSql<{ order_id: string; transaction: string }>(service, sql)
  return new Map(rows.map((row) => [row.order_id, row.transaction]))
}

const alone = isOnCitus && 'on a Citus each has a transaction of its own'

test('creates of several tenants at once are committed together', { skip: skip || alone }, async () => {
  let most = 0
  // On a busy machine they may reach the service one after the other.
  for (let round = 0; round < 50 && most < 2; round++) {
    const order = `together-${round}`
    await Promise.all(names.map((name) => create(name, order, 1000 + round)))
    const transactions = await Promise.all(names.map(async (name) => (await ordersOf(name)).get(order)))
    most = names.length + 1 - new Set(transactions).size
  }
  assert.ok(most >= 2, 'each create had a transaction of its own')
})

test("a create that the database refuses fails neither its neighbours' nor other tenants'", { skip }, async () => {
  await runSql(service, 'alter table tenant_green.payments add constraint refused check (amount <> 77700)')
  const orders = Array.from({ length: 12 }, (_, index) => `next-${index}`)
  const [refused, ...created] = await Promise.all([
    create('green', 'refused', 777),
    ...orders.flatMap((order, index) => names.map((name) => create(name, order, 2000 + index))),
  ])
  assert.equal(refused, 500)
  assert.deepEqual(new Set(created), new Set([201]))
  for (const name of names) {
    const known = await ordersOf(name)
    assert.ok(orders.every((order) => known.has(order)) && !known.has('refused'), name)
  }
  await runSql(service, 'alter table tenant_green.payments drop constraint refused')
})

test('no create that was answered is lost when connections are cut', { skip }, async () => {
  let isOver = false
  const answered = new Map(names.map((name) => [name, new Set<string>()]))
  const working = names.flatMap((name) =>
    [0, 1, 2].map(async (worker) => {
      for (let number = 0; !isOver; number++) {
        const order = `cut-${worker}-${number}`
        if ((await create(name, order, 3000 + worker * 1000 + (number % 900))) < 300) answered.get(name)?.add(order)
      }
    }),
  )
  const cut = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name like 'payin%'`
  const isEnough = (): boolean => [...answered.values()].every(({ size }) => size > 10)
  // Where a create takes longer than the time between two cuts, further ones come less often.
  for (let cuts = 0; cuts < 5 || (cuts < 20 && !isEnough()); cuts++) {
    await new Promise((done) => setTimeout(done, cuts < 5 ? 150 : 1500))
    await runSql(service, cut)
  }
  isOver = true
  await Promise.all(working)
  for (const name of names) {
    const known = await ordersOf(name)
    const own = answered.get(name) ?? new Set()
    assert.deepEqual(
      [...own].filter((order) => !known.has(order)),
      [],
      name,
    )
    assert.ok(own.size > 10, `${own.size} creates of ${name} were answered`)
  }
  for (const context of contexts) await assertHealthy({ context })
})
