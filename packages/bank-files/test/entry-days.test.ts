// The year of a day that a file writes without one, in statements of any length.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFile } from './support/read-file.ts'

const statement = (opening: string, rows: readonly string[], closing: string): string =>
  [
    ...[':20:A', ':25:DE02100100100006820101', `:60F:C${opening}EUR0,00`],
    ...rows.map((row, index) => `:61:${row}C1,00NTRFNONREF//BANKREF${index}`),
    ...[`:62F:C${closing}EUR${rows.length},00`, '-', ''],
  ].join('\n')

const days = async (content: string): Promise<string[]> => {
  const { rows, faults } = await readFile(content)
  assert.deepEqual(faults, [])
  assert.deepEqual(
    rows.map(({ reference }) => reference),
    rows.map((_, index) => `BANKREF${index}`),
  )
  return [...new Set(rows.map(({ booked }) => booked))]
}

test('rows keep their order while one of them waits for the closing balance', async () => {
  const rows = ['2601020102', '2609150103', '2601040104']
  assert.deepEqual(await days(statement('251231', rows, '260105')), ['2026-01-02', '2026-01-03', '2026-01-04'])
})

test('rows from before their opening balance are of the year of their value date, however many there are', async () => {
  for (const count of [1, 999, 1000, 1001, 2500])
    assert.deepEqual(await days(statement('260131', Array(count).fill('2601290130'), '260131')), ['2026-01-30'])
})

test('a statement of several years has each row in the year of its value date', async () => {
  const rows = ['2301020103', '2406300701', '2512311230']
  assert.deepEqual(await days(statement('230101', rows, '251231')), ['2023-01-03', '2024-07-01', '2025-12-30'])
})

test('without a day of the opening balance, the year is the one nearest to the value date', async () => {
  const rows = ['2511300102', '2601151231', '2608010301', '2602010810']
  assert.deepEqual(await days(statement('000000', rows, '260105')), [
    ...['2026-01-02', '2025-12-31', '2026-03-01', '2025-08-10'],
  ])
})
