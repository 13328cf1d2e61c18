import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findNearestInTime, timelineOf } from '../../src/rules/transfers/nearest-in-time.ts'
import { randomFrom } from '../support/random.ts'

type Booked = { readonly name: number; readonly bookedAt: number }

/** The same by looking at each one, in the order in which they were given. */
const findSlowly = (all: readonly Booked[], at: number, fits: (each: Booked) => boolean, below: number) => {
  let nearest: Booked | undefined
  let distance = below
  for (const each of all) {
    const away = Math.abs(each.bookedAt - at)
    if (away >= distance || !fits(each)) continue
    nearest = each
    distance = away
  }
  return nearest
}

test('the nearest one in time that fits is found, of equally near ones the first', () => {
  const random = randomFrom(7)
  for (let times = 0; times < 20_000; times++) {
    const all = Array.from({ length: random(8) }, (_, name) => ({ name, bookedAt: random(10) }))
    const misfits = new Set(all.map(({ name }) => name).filter(() => random(3) === 0))
    const fits = ({ name }: Booked): boolean => !misfits.has(name)
    const [at, below] = [random(12) - 1, random(3) === 0 ? random(6) : Infinity]
    const found = findNearestInTime(timelineOf(all), at, fits, below)
    assert.equal(found, findSlowly(all, at, fits, below), JSON.stringify({ all, misfits: [...misfits], at, below }))
  }
})

test('those that are further away than the nearest are not looked at', () => {
  const timeline = timelineOf(Array.from({ length: 10_000 }, (_, name) => ({ name, bookedAt: name * 2 })))
  const looked: number[] = []
  const fits = ({ name }: Booked): boolean => looked.push(name) > 2
  assert.equal(findNearestInTime(timeline, 9001, fits)?.name, 4499)
  assert.deepEqual(looked, [4500, 4501, 4499])
})
