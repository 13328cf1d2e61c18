/** Returns a number from 0 to `below - 1`. */
export type Random = (below: number) => number

/** Pseudo-random numbers that are the same for the same seed (mulberry32). */
export const randomFrom = (seed: number): Random => {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

/** One of the items, which must not be empty. */
export const oneOf = <T>(random: Random, items: readonly T[]): T => items[random(items.length)] as T
