import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { fitColumns } from '../console/src/table/fit-columns.ts'

const root = resolve(import.meta.dirname, '..')

test('every page with a table has an export', () => {
  const paths = globSync('console/src/**/*.tsx', { cwd: root })
  const tables = paths.filter((path) => readFileSync(resolve(root, path), 'utf8').includes('<DataTable'))
  // The page around its rows has the export.
  const where = (path: string): string => path.replace('statement-rows', 'statement-page')
  assert.deepEqual(
    tables.filter((path) => !readFileSync(resolve(root, where(path)), 'utf8').includes('<CsvButton')),
    [],
  )
})

test('a table leaves out the columns of the largest ranks until the others fit', () => {
  const columns = [
    { name: 'Order', width: 120 },
    { name: 'Balance', width: 90, insteadOf: 'Credit' },
    { name: 'Debit', width: 100, rank: 1 },
    { name: 'Credit', width: 100, rank: 1 },
    { name: 'Booked', width: 80, rank: 2 },
  ]
  const shownAt = (width: number): string =>
    fitColumns(columns, width)
      .map(({ name }) => name)
      .join(' ')
  assert.equal(shownAt(476), 'Order Debit Credit Booked')
  assert.equal(shownAt(475), 'Order Debit Credit')
  assert.equal(shownAt(380), 'Order Debit Credit')
  assert.equal(shownAt(379), 'Order Balance')
  assert.equal(shownAt(100), 'Order Balance')
})
