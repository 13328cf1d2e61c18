// Waits of tests. Each ends with a message instead of a test that hangs; the limits are far more than a busy machine needs.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

const usualMs = 20_000

/** Waits until something is so; fails when it is not within a time. */
export const until = async (
  what: string,
  isSo: () => boolean | Promise<boolean>,
  withinMs = usualMs,
): Promise<void> => {
  const startedAt = performance.now()
  while (!(await isSo())) {
    assert.ok(performance.now() - startedAt < withinMs, `still not: ${what}`)
    await sleep(5)
  }
}

/** The result of `work`; fails when it is not there within a time. */
export const within = async <T>(what: string, work: Promise<T>, withinMs = usualMs): Promise<T> => {
  const done = new AbortController()
  const late = sleep(withinMs, undefined, { signal: done.signal }).then(() => assert.fail(`still not: ${what}`))
  try {
    return await Promise.race([work, late])
  } finally {
    done.abort()
  }
}

/** Whether `work`, which has just begun, still goes on after a time. */
export const goesOn = (work: Promise<unknown>, ms: number): Promise<boolean> =>
  Promise.race([work.then(() => false), sleep(ms, true)])

/** How many turns of the event loop `work` leaves to others, if it waits for nothing else. */
export const turnsOf = async (work: () => Promise<unknown>): Promise<number> => {
  let turns = 0
  let isOver = false
  const goOn = (): void => {
    turns++
    if (!isOver) setImmediate(goOn)
  }
  setImmediate(goOn)
  await work()
  isOver = true
  return turns
}
