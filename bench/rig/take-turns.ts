import type { Sample, Series } from '../measure.ts'
import type { Bench } from './open-bench.ts'

/** One of several services to measure in turn: `run` puts it under load for a number of seconds. */
export type Contender = {
  readonly name: string
  /** It needs no warm-up: it has been under load before, or has nothing to compile. */
  readonly isWarm?: boolean
  /** Its warm-up, if the usual time is not enough. */
  readonly warmSeconds?: number
  readonly run: (seconds: number) => Promise<Sample>
}

/**
 * Warms up each contender that needs it, then measures them in turn, round by round, so that other work on the machine
 * affects all of them. Returns their series in the same order.
 */
export const takeTurns = async (
  { rounds, warmSeconds, loadSeconds, say }: Bench,
  title: string,
  contenders: readonly Contender[],
): Promise<Series[]> => {
  const samples = contenders.map((): Sample[] => [])
  for (const { name, isWarm, run, warmSeconds: own = warmSeconds } of contenders) {
    if (isWarm) continue
    say(`${title}: warming up ${name}`)
    await run(own)
  }
  for (let round = 1; round <= rounds; round++) {
    for (const [index, { name, run }] of contenders.entries()) {
      say(`${title}: round ${round} of ${rounds}, ${name}`)
      samples[index]?.push(await run(loadSeconds))
    }
  }
  return contenders.map(({ name }, index) => ({ name, samples: samples[index] ?? [] }))
}
