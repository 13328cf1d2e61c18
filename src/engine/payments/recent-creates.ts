import type { Instant } from '../../rules/time.ts'
import { hour } from '../../rules/time.ts'

/** Most keys in each of the two generations. */
const maxKeys = 20_000
const maxAgeMs = 4 * hour
/** Most ids of a key in each generation; quotas are smaller. */
const maxIds = 1000

/**
 * The payments that this process has created lately, by a key such as their user. Its memory is bounded: every few
 * hours, or after too many keys, it forgets the older half, and it keeps the newest ids of a key.
 */
export class RecentCreates {
  #older: ReadonlyMap<string, readonly string[]> = new Map()
  #newer = new Map<string, string[]>()
  #startedAt = 0

  /** Ids of the payments with a key. */
  idsOf(key: string): readonly string[] {
    return [...(this.#older.get(key) ?? []), ...(this.#newer.get(key) ?? [])]
  }

  /** Notes a payment that was created. */
  note(key: string, id: string, now: Instant): void {
    if (this.#newer.size >= maxKeys || now - this.#startedAt > maxAgeMs) {
      this.#older = this.#newer
      this.#newer = new Map()
      this.#startedAt = now
    }
    const ids = this.#newer.get(key)
    if (!ids) this.#newer.set(key, [id])
    else if (ids.push(id) > maxIds) ids.shift()
  }
}
