import { hashPassword, verifyPassword } from 'better-auth/crypto'
import { Refusal } from '../../domain/refusal.ts'

/** More than one address may ask for within a minute, and few enough to be done within seconds. */
const usuallyWaiting = 40

/**
 * Hashes and checks passwords, one after the other: each takes a tenth of a second of a processor and 16 MB, and anybody may
 * ask for it. Refuses `overloaded` when too many wait.
 */
export const limitPasswordWork = (mostWaiting = usuallyWaiting) => {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (waiting >= mostWaiting) {
      throw new Refusal('overloaded', 'Too many people are signing in; try again shortly.', { retryAfterSeconds: 5 })
    }
    waiting++
    const turn = last.then(work).finally(() => waiting--)
    last = turn.catch(() => undefined)
    return turn
  }
  return {
    hash: (password: string) => inTurn(() => hashPassword(password)),
    verify: (given: { readonly hash: string; readonly password: string }) => inTurn(() => verifyPassword(given)),
  }
}
