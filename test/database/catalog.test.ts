// The catalog over a database that is made up: when it looks at the versions, and what it loads.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogMaxAgeMs, type CatalogPart, openCatalog } from '../../src/engine/catalog.ts'
import type { Queryable } from 'payin-database'

/** A catalog whose looks at the versions take `lookMs` and do `during` meanwhile, with a part that counts its loads. */
const open = (lookMs: number, during: (look: number) => void = () => undefined) => {
  const world = { now: 1_000_000, looks: 0, loads: 0, version: 1n }
  const sql = {
    query: async () => {
      world.looks++
      assert.ok(world.looks < 100, 'the versions are looked at over and over')
      const found = [{ part: 'rates', version: world.version }]
      world.now += lookMs
      during(world.looks)
      return found
    },
  } as unknown as Queryable
  const part: CatalogPart<number> = { name: 'rates', load: async () => ++world.loads }
  const catalog = openCatalog(sql, () => world.now)
  return { world, catalog, get: () => catalog.get(part) }
}

test('a value is loaded once, however many ask, until its version has moved', async () => {
  const { world, get } = open(1)
  assert.deepEqual(await Promise.all([get(), get(), get()]), [1, 1, 1])
  world.version = 2n
  assert.equal(await get(), 1, 'the last look is recent')
  world.now += catalogMaxAgeMs
  assert.deepEqual([await get(), world.looks], [2, 2])
})

test('a database that takes longer to answer than a look may be old is asked once, not for ever', async () => {
  const { world, get } = open(catalogMaxAgeMs * 3)
  assert.deepEqual(await Promise.all([get(), get()]), [1, 1])
  assert.equal(world.looks, 1)
  world.now += catalogMaxAgeMs
  assert.equal(await get(), 1)
  assert.equal(world.looks, 2)
})

test('a change during a look has the versions looked at again', async () => {
  const opened: ReturnType<typeof open> = open(1, (look) => {
    if (look !== 1) return
    opened.world.version = 2n
    opened.catalog.invalidate()
  })
  assert.equal(await opened.get(), 1)
  assert.equal(opened.world.looks, 2)
})
