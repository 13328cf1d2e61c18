// Whether 00:00 is a time or stands where a bank has none, in files too long to be held.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFile } from '../support/read-file.ts'

const row = (minute: number): string => `30.01.2026 00:0${minute};+10,00;Заказ`
const bookedOf = async (rows: readonly string[]): Promise<string[]> => {
  const { rows: read, faults } = await readFile(['Дата;Сумма;Назначение', ...rows].join('\n'))
  assert.deepEqual(faults, [])
  return read.map(({ booked }) => booked)
}

const midnights = (count: number): string[] => Array.from({ length: count }, () => row(0))
const asTimes = (count: number): string[] => Array.from({ length: count }, () => '2026-01-30T00:00:00')
const asDays = (count: number): string[] => Array.from({ length: count }, () => '2026-01-30')

const later = '2026-01-30T00:01:00'
const cases: readonly (readonly [title: string, rows: readonly string[], booked: readonly string[]])[] = [
  ['midnight alone is a day, however long the file is', midnights(2500), asDays(2500)],
  ['a few rows before a time are times', [...midnights(3), row(1)], [...asTimes(3), later]],
  [
    'thousands before a time are days, and midnight after it is a time',
    [...midnights(2500), row(1), row(0)],
    [...asDays(2500), later, '2026-01-30T00:00:00'],
  ],
]

for (const [title, rows, booked] of cases) {
  test(title, async () => {
    assert.deepEqual(await bookedOf(rows), booked)
  })
}
