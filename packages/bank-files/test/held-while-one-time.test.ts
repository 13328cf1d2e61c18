// Whether one time of day in all rows, such as 00:00, is a time or stands where a bank has none.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withDayAtAccount } from '../src/booked.ts'
import { readFile } from './support/read-file.ts'

const row = (minute: number): string => `30.01.2026 00:0${minute};+10,00;Заказ`
const readRows = async (rows: readonly string[]) => {
  const { rows: read, faults } = await readFile(['Дата;Сумма;Назначение', ...rows].join('\n'))
  assert.deepEqual(faults, [])
  return read
}
const bookedOf = async (rows: readonly string[]): Promise<string[]> =>
  (await readRows(rows)).map(({ booked }) => booked)

const midnights = (count: number): string[] => Array.from({ length: count }, () => row(0))
const asTimes = (count: number): string[] => Array.from({ length: count }, () => '2026-01-30T00:00:00')
const asDays = (count: number): string[] => Array.from({ length: count }, () => '2026-01-30')

const later = '2026-01-30T00:01:00'
const on = (date: number, clock: string): string => `${date}.01.2026 ${clock};+10,00;Заказ`
const cases: readonly (readonly [title: string, rows: readonly string[], booked: readonly string[]])[] = [
  ['midnight alone is a day, however long the file is', midnights(2500), asDays(2500)],
  ['a few rows before a time are times', [...midnights(3), row(1)], [...asTimes(3), later]],
  [
    'thousands before a time are days, and midnight after it is a time',
    [...midnights(2500), row(1), row(0)],
    [...asDays(2500), later, '2026-01-30T00:00:00'],
  ],
  [
    'another time in all of three rows is a day',
    [on(29, '01:00:00'), on(30, '1:00'), on(30, '01:00:00')],
    ['2026-01-29', '2026-01-30', '2026-01-30'],
  ],
  [
    'two rows at one time may have it by chance',
    [on(29, '01:00:00'), on(30, '01:00:00')],
    ['2026-01-29T01:00:00', '2026-01-30T01:00:00'],
  ],
  [
    'so may rows of one day, which a bank books together',
    [on(30, '01:00:00'), on(30, '01:00:00'), on(30, '01:00:00')],
    Array.from({ length: 3 }, () => '2026-01-30T01:00:00'),
  ],
  [
    'a second of difference makes times',
    [on(28, '01:00:00'), on(29, '01:00:00'), on(30, '01:00:01')],
    ['2026-01-28T01:00:00', '2026-01-29T01:00:00', '2026-01-30T01:00:01'],
  ],
  [
    'one time of a zone is not cut off, because only the account says which day it is of',
    [on(28, '21:00:00Z'), on(29, '21:00:00Z'), on(30, '21:00:00Z')],
    ['2026-01-28T21:00:00Z', '2026-01-29T21:00:00Z', '2026-01-30T21:00:00Z'],
  ],
  [
    'noon of any zone is a day',
    [on(28, '12:00:00Z'), on(29, '12:00:00+03:00'), on(30, '12:00')],
    ['2026-01-28', '2026-01-29', '2026-01-30'],
  ],
]

for (const [title, rows, booked] of cases) {
  test(title, async () => {
    assert.deepEqual(await bookedOf(rows), booked)
  })
}

test('one time of a zone is marked for the account, any second one makes times', async () => {
  const days = [on(28, '21:00:00Z'), on(29, '21:00:00Z')]
  const account = async (rows: readonly string[], offset: number): Promise<string[]> =>
    (await readRows(rows)).map((each) => withDayAtAccount(each, offset).booked)
  assert.deepEqual(await account(days, 180), ['2026-01-29', '2026-01-30'])
  assert.deepEqual(await account(days, 300), ['2026-01-28T21:00:00Z', '2026-01-29T21:00:00Z'])
  assert.deepEqual(await account([...days, on(30, '21:00:01Z')], 180), [
    '2026-01-28T21:00:00Z',
    '2026-01-29T21:00:00Z',
    '2026-01-30T21:00:01Z',
  ])
})
