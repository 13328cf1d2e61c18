// Claims of account numbers that are freed while the numbers are added, in every order of the queries of both.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context, Tx } from '../../src/context.ts'
import { minute } from '../../src/domain/time.ts'
import { addRequisites } from '../../src/requisites/add-requisites.ts'
import { freeStaleNumbers } from '../../src/tenants/free-stale-numbers.ts'
import { openOperator } from '../support/operator.ts'
import { runSqlAt } from '../support/run-sql.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { newNumber, openShop } from '../support/shop.ts'
import { clonePostgres } from '../support/templates.ts'

/** A query that waits for no lock has been answered after this time. */
const quickMs = 40

/** Lets the queries and commits of a context through one by one, or all. */
class Steps {
  readonly context: Context
  #waiting: (() => void)[] = []
  #isOpen = true

  constructor(context: Context) {
    const through = ({ query }: Pick<Tx, 'query'>): Pick<Tx, 'query'> => ({
      query: async (asked, given) => {
        await this.#wait()
        return query(asked, given)
      },
    })
    this.context = {
      ...context,
      transaction: (work) =>
        context.transaction(async (tx) => {
          const result = await work({ ...tx, ...through(tx), directory: through(tx.directory) })
          await this.#wait()
          return result
        }),
    }
  }

  /** Begins work, and lets `count` of its steps through; false where it has no more. */
  async begin(work: Promise<unknown>, count: number): Promise<boolean> {
    let hasEnded = false
    const end = (): void => void (hasEnded = true)
    work.then(end, end)
    for (let step = 0; ; step++) {
      for (let ms = 0; ms < quickMs && this.#waiting.length === 0 && !hasEnded; ms++) await sleep(1)
      if (hasEnded) return false
      if (step === count) return true
      this.#waiting.shift()?.()
    }
  }

  close(): void {
    this.#isOpen = false
  }

  open(): void {
    this.#isOpen = true
    for (const go of this.#waiting.splice(0)) go()
  }

  async #wait(): Promise<void> {
    if (!this.#isOpen) await new Promise<void>((resolve) => void this.#waiting.push(resolve))
  }
}

const requisite = (number: string) => ({
  ...({ merchantId: null, mode: 'live', method: 'sbp', currency: 'rub', transferScope: null } as const),
  ...{ bankIssuer: 'bank-a', holder: 'Ivan Petrov', number, limits: {} },
})

type Place = { readonly service: TestService; readonly context: Context; readonly url: string }

/** A number that is claimed for the tenant and of no account, and what frees it in its next round. */
const openStale = async ({ service, context }: Place) => {
  const number = newNumber('sbp')
  const key = context.vault.blindIndex('requisite', number)
  const directoryUrl = service.context.settings.databaseUrl ?? ''
  await runSqlAt(directoryUrl, `insert into payin_directory.entries values ('number', '${key}', '${context.tenant}')`)
  const [freeing, adding] = [new Steps(context), new Steps(context)]
  service.clock.advance(10 * minute)
  assert.equal(await freeStaleNumbers(freeing.context), 0)
  service.clock.advance(10 * minute)
  freeing.close()
  adding.close()
  return {
    ...{ freeing, adding },
    free: () => freeStaleNumbers(freeing.context),
    add: () => adding.context.transaction((tx) => addRequisites(tx, [requisite(number)])),
    isClaimed: async () => {
      const claims = await runSqlAt(directoryUrl, `select from payin_directory.entries where key = '${key}'`)
      return claims.length === 1
    },
  }
}

/** One begins and takes `count` steps, then the other one does all that it can, then both end. */
const tryOrder = async (place: Place, first: 'free' | 'add', count: number): Promise<boolean> => {
  const stale = await openStale(place)
  const [one, other] = first === 'free' ? [stale.freeing, stale.adding] : [stale.adding, stale.freeing]
  const begun = first === 'free' ? stale.free() : stale.add()
  const hasMore = await one.begin(begun, count)
  other.open()
  const second = first === 'free' ? stale.add() : stale.free()
  await Promise.race([second, sleep(quickMs)])
  one.open()
  const results = await Promise.allSettled([begun, second])
  assert.deepEqual(
    results.filter(({ status }) => status === 'rejected'),
    [],
  )
  assert.ok(await stale.isClaimed(), `an account has no claim: ${first} took ${count} steps before the other`)
  return hasMore
}

const tryAllOrders = async (place: Place): Promise<void> => {
  for (const [first, least] of [
    ['add', 6],
    ['free', 8],
  ] as const) {
    let count = 0
    while (await tryOrder(place, first, count)) count++
    assert.ok(count >= least, `${first} has ${count} steps only`)
  }
}

const withTenant = async (isElsewhere: boolean, work: (place: Place) => Promise<void>): Promise<void> => {
  const other = isElsewhere ? await clonePostgres(process.env['TEST_DATABASE_URL'] ?? '') : undefined
  const service = await openTestService('postgres', other ? { PAYIN_TENANT_SERVERS: `b=${other.url}` } : {})
  try {
    const server = other ? { server: 'b' } : {}
    assert.equal((await openOperator(service).call('POST', '/tenants', { name: 'acme', ...server })).status, 201)
    const context = await service.tenants.find('acme')
    assert.ok(context)
    await openShop({ ...service, context })
    await work({ service, context, url: other?.url ?? service.context.settings.databaseUrl ?? '' })
  } finally {
    await service.stop()
    await other?.drop()
  }
}

const skip = process.env['TEST_DATABASE_URL'] ? false : 'no PostgreSQL on this machine'

test('a number that is added while its claim is freed keeps the claim, in every order', { skip }, () =>
  withTenant(false, tryAllOrders),
)

test('the same with the directory on another server, also when the connection is lost that frees it', { skip }, () =>
  withTenant(true, async (place) => {
    await tryAllOrders(place)
    const stale = await openStale(place)
    const freeing = stale.free()
    // What is left is to delete the claim.
    assert.ok(await stale.freeing.begin(freeing, 7))
    const ended = await runSqlAt(
      place.url,
      `select pg_terminate_backend(pid, 1000) from pg_stat_activity
        where state = 'idle in transaction' and datname = current_database()`,
    )
    assert.equal(ended.length, 1)
    stale.adding.open()
    await stale.add()
    stale.freeing.open()
    await freeing
    assert.ok(await stale.isClaimed())
  }),
)
