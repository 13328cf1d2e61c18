import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ListPage, type ScanRow, scanLengths, scanPage } from '../../src/rules/list-page.ts'

/** The rows that a scan of owners finds, as `scanText` says it: no row beyond the last one of an owner that has more. */
const scanOf =
  (owners: readonly (readonly number[])[], page: ListPage, asked: number[]) =>
  (scanned: number): Promise<ScanRow[]> => {
    asked.push(scanned)
    const looked = owners.flatMap((ids, owner) => ids.slice(0, scanned).map((id) => ({ owner, id })))
    const edge = Math.max(-1, ...owners.flatMap((ids) => (ids.length >= scanned ? [ids[scanned - 1] ?? -1] : [])))
    const toId = (id: number): string => `019a9c3e-7d5e-7000-8000-${String(id).padStart(12, '0')}`
    const found = looked.filter(({ id }) => id >= edge).toSorted((a, b) => b.id - a.id)
    return Promise.resolve([
      ...found.slice(0, page.limit + 1).map(({ owner, id }) => ({ ownerId: String(owner), id: toId(id), value: null })),
      ...(edge === -1 ? [] : [{ ownerId: null, id: toId(edge), value: null }]),
    ])
  }

const page: ListPage = { sort: 'newest', after: null, limit: 20 }
const firstOf = async (owners: readonly (readonly number[])[]) => {
  const asked: number[] = []
  const lengths = scanLengths(page, false, 5000, owners.length)
  const found = await scanPage(lengths, page, scanOf(owners, page, asked))
  return { asked, ids: found.keys.map(({ id }) => Number(id.slice(-12))) }
}

test('a page spread over many owners looks at a few rows of each', async () => {
  const owners = Array.from({ length: 100 }, (_, owner) =>
    Array.from({ length: 50 }, (_row, n) => 5000 - n * 100 - owner),
  )
  const { asked, ids } = await firstOf(owners)
  assert.deepEqual(asked, [4])
  assert.deepEqual(
    ids,
    Array.from({ length: 20 }, (_, n) => 5000 - n),
  )
})

test('a page of which one owner has all is full, too', async () => {
  const busy = Array.from({ length: 50 }, (_, n) => 9000 - n)
  const { asked, ids } = await firstOf([busy, ...Array.from({ length: 99 }, (_, owner) => [owner])])
  assert.deepEqual(asked, [4, 21])
  assert.deepEqual(ids, busy.slice(0, 20))
})

test('few owners are looked at once, and a filter looks at a bounded number of rows', () => {
  assert.deepEqual(scanLengths(page, false, 5000, 1), [21])
  assert.deepEqual(scanLengths(page, true, 5000, 1), [5000])
  assert.deepEqual(scanLengths(page, true, 5000, 500), [25])
})
