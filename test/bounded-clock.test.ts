import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BoundedClock } from '../src/process/bounded-clock.ts'
import { clockFaultName, reportedJump } from '../src/rules/clock-fault.ts'
import { day, hour, minute, second } from '../src/rules/time.ts'

const start = Date.UTC(2026, 10, 28)
const year = 365 * day

/** A process, its machine and its database, whose clocks agree at first and are compared every five seconds. */
const open = async () => {
  let real = start
  let suspended = 0
  const off = { machine: 0, database: 0 }
  const ticks = (): number => real - start - suspended
  const clock = new BoundedClock({ machine: () => real + off.machine, ticks, uptime: () => real - start })
  const readTime = async () => real + off.database
  const compare = () => clock.compare(readTime)
  await compare()
  return {
    off,
    /** Another process, which starts now and reads what this one has reported. */
    startAnother: async (since: number) => {
      const reported = { fault: clock.fault(), jumpMs: clock.jumpMs(), since, at: clock.now() }
      const other = new BoundedClock({ machine: () => real + off.machine, ticks, uptime: () => real - start })
      await other.compare(readTime)
      const rows = [{ name: clockFaultName('one'), value: JSON.stringify(reported) }]
      other.startBefore(reportedJump(rows, other.now()))
      return {
        error: (): number => other.now() - real,
        fault: () => other.fault(),
        compare: () => other.compare(readTime),
      }
    },
    /** How far the clock's time is from the real one. */
    error: (): number => clock.now() - real,
    fault: () => clock.fault(),
    compare,
    pass: async (ms: number): Promise<void> => {
      for (const end = real + ms; real < end; await compare()) real += 5 * second
    },
    suspend: (ms: number): void => {
      real += ms
      suspended += ms
    },
  }
}

describe('the time is bounded by the database’s clock', () => {
  test('a machine that is a little off is believed', async () => {
    const world = await open()
    world.off.machine = minute
    await world.pass(hour)
    assert.deepEqual([world.error(), world.fault()], [minute, undefined])
  })

  test('a process that starts while another one reports a jump goes on from the time before it', async () => {
    const world = await open()
    Object.assign(world.off, { machine: 3 * day, database: 3 * day })
    await world.pass(minute)
    const started = await world.startAnother(start + 5 * second)
    assert.deepEqual([started.error(), started.fault()], [0, "the database's clock has jumped by 3 d ahead"])
    await world.pass(4 * minute - 5 * second)
    await started.compare()
    assert.equal(started.error(), 0)
    await world.pass(10 * second)
    await started.compare()
    assert.deepEqual([started.error(), started.fault(), world.error()], [3 * day, undefined, 3 * day])
    // What was reported long ago is over.
    await world.pass(day)
    assert.equal((await world.startAnother(start)).fault(), undefined)
  })

  for (const jump of [3 * day, 2 * year, -hour]) {
    test(`a machine that jumps by ${jump / hour} h changes nothing, before and after the next comparison`, async () => {
      const world = await open()
      world.off.machine = jump
      assert.equal(world.error(), 0)
      assert.match(world.fault() ?? '', jump > 0 ? / ahead of the database's$/ : / behind the database's$/)
      await world.pass(day)
      assert.equal(world.error(), 0)
      assert.notEqual(world.fault(), undefined)
      world.off.machine = 0
      assert.deepEqual([world.error(), world.fault()], [0, undefined])
    })

    test(`a jump of both by ${jump / hour} h for a minute changes nothing; after five minutes it is the time`, async () => {
      const world = await open()
      Object.assign(world.off, { machine: jump, database: jump })
      await world.pass(minute)
      assert.equal(world.error(), 0)
      assert.match(world.fault() ?? '', /^the database's clock has jumped /)
      Object.assign(world.off, { machine: 0, database: 0 })
      await world.pass(5 * second)
      assert.deepEqual([world.error(), world.fault()], [0, undefined])
      Object.assign(world.off, { machine: jump, database: jump })
      await world.pass(4 * minute)
      assert.equal(world.error(), 0)
      await world.pass(2 * minute)
      assert.deepEqual([world.error(), world.fault()], [jump, undefined])
      Object.assign(world.off, { machine: 0, database: 0 })
      await world.pass(6 * minute)
      assert.deepEqual([world.error(), world.fault()], [0, undefined])
    })
  }

  test('a machine that starts with a wrong clock has the database’s time from the beginning', async () => {
    const clock = new BoundedClock({ machine: () => start + year, ticks: () => 1000, uptime: () => 1000 })
    await clock.compare(async () => start)
    assert.equal(clock.now(), start)
    assert.match(clock.fault() ?? '', /^its clock is 365 d ahead/)
  })

  test('a machine that was suspended goes on with the time after the next comparison', async () => {
    const world = await open()
    await world.pass(minute)
    world.suspend(8 * hour)
    await world.compare()
    assert.deepEqual([world.error(), world.fault()], [0, undefined])
  })
})
