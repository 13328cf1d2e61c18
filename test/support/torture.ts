// How often an experiment repeats: a few times in `npm test`, many times in `npm run test:torture`
// (scripts/torture.ts), which sets these variables.
import assert from 'node:assert/strict'

const { PAYIN_TEST_COUNT: givenCount, PAYIN_TEST_SEED: seedText, PAYIN_TEST_MINUTES: givenMinutes } = process.env

/** How often an experiment repeats in this run; `usual` is its count in `npm test`. */
export const countOf = (usual: number): number => Number(givenCount ?? usual)

/** The seed of this run's random numbers. */
export const seedOf = (usual = 1): number => Number(seedText ?? usual)

/** The seed and the time for fast-check, which otherwise chooses a seed, and prints it on a failure. */
export const givenToFastCheck = {
  ...(seedText === undefined ? {} : { seed: Number(seedText) }),
  ...(givenMinutes === undefined ? {} : { interruptAfterTimeLimit: Number(givenMinutes) * 60_000 }),
}

/** Why `npm test` skips the control of an experiment that starts processes: it takes as long as the experiment. */
export const skipsControl = (): string | false => (givenCount === undefined ? 'only in npm run test:torture' : false)

/** Whether this is a run of `npm run test:torture`. */
export const isTorture = givenCount !== undefined

const progressEveryMs = 10_000

/**
 * Runs the rounds of an experiment, up to its count or the end of its time, and prints its progress from time to time.
 * Returns the number of rounds. `usualMinutes` is the time in `npm test`, for rounds that take long on a busy machine.
 */
export const repeat = async (
  name: string,
  count: number,
  round: (index: number) => Promise<void>,
  state: () => string = () => '',
  usualMinutes = Number.POSITIVE_INFINITY,
): Promise<number> => {
  const startedAt = performance.now()
  const endsAt = startedAt + Number(givenMinutes ?? usualMinutes) * 60_000
  let printedAt = startedAt
  for (let index = 0; index < count; index++) {
    const now = performance.now()
    if (now >= endsAt) {
      console.log(`${name}: the time is over after ${index} of ${count} rounds`)
      return index
    }
    if (isTorture && now - printedAt >= progressEveryMs) {
      printedAt = now
      console.log(`${name}: ${index} of ${count} after ${Math.round((now - startedAt) / 1000)} s ${state()}`)
    }
    await round(index)
  }
  return count
}

/** Counts kinds of events, to fail if one that a run should have met never happened. */
export type Sightings = {
  note(what: string, times?: number): void
  count(what: string): number
  /** All counts in one line. */
  text(): string
  /** Fails unless each of these has happened. */
  assertSeen(...wanted: readonly string[]): void
}

/** Opens a counter of events. */
export const openSightings = (): Sightings => {
  const seen = new Map<string, number>()
  const text = (): string =>
    [...seen]
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([what, times]) => `${what} ${times}`)
      .join(', ')
  return {
    note: (what, times = 1) => void seen.set(what, (seen.get(what) ?? 0) + times),
    count: (what) => seen.get(what) ?? 0,
    text,
    assertSeen: (...wanted) => {
      const never = wanted.filter((what) => !seen.has(what))
      assert.deepEqual(never, [], `never happened; seen were: ${text()}`)
    },
  }
}
