// Days that people type into a search or for a list.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findTypedDay, spanOfDay } from '../../src/rules/search/search-day.ts'

/** Noon of a Thursday. */
const now = new Date(2026, 10, 26, 12)
const dayText = (date: Date): string =>
  `${date.getFullYear()}-${date.getMonth() + 1}-${date.getDate()} ${date.getHours()}:${date.getMinutes()}`

const found: readonly (readonly [typed: string, day: string, rest: string])[] = [
  ['yesterday', '2026-11-25', ''],
  ['Today', '2026-11-26', ''],
  ['вчера', '2026-11-25', ''],
  ['позавчера 5000', '2026-11-24', '5000'],
  ['2026-11-20', '2026-11-20', ''],
  ['20.11.2026', '2026-11-20', ''],
  ['20 Nov', '2026-11-20', ''],
  ['20 November', '2026-11-20', ''],
  ['Nov 20, 2025', '2025-11-20', ''],
  ['20 ноября', '2026-11-20', ''],
  ['9 мая', '2026-5-9', ''],
  ['5 май', '2026-5-5', ''],
  ['Sept 3', '2026-9-3', ''],
  ['Marina 20 20 Nov', '2026-11-20', 'Marina 20'],
  ['1 марта 2026', '2026-3-1', ''],
  ['26 nov', '2026-11-26', ''],
  ['27 nov', '2025-11-27', ''],
  ['29 feb', '2024-2-29', ''],
  ['ivanov 1 500,01 20 nov 4821', '2026-11-20', 'ivanov 1 500,01 4821'],
  ['  order-1001 \u00a0 yesterday ', '2026-11-25', 'order-1001'],
]

test('a day in a text is found, in the zone of whoever types it, without the rest of the text', () => {
  for (const [typed, day, rest] of found) {
    const read = findTypedDay(typed)
    assert.ok(read, typed)
    assert.equal(read.rest, rest, typed)
    const { from, to } = spanOfDay(read.day, now)
    assert.equal(dayText(from), `${day} 0:0`, typed)
    assert.equal(dayText(new Date(to.getTime() - 60_000)), `${day} 23:59`, typed)
  }
})

test('texts that only look like days are not', () => {
  const others = [
    'order-2026-11-20',
    '2026-11-20-7',
    '31 feb',
    '2026-02-30',
    '20.11',
    '20',
    'march',
    'nov',
    '20 november-7',
    '1999-01-01',
  ]
  for (const typed of others) assert.equal(findTypedDay(typed), null, typed)
})
