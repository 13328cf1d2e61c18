import { hashPassword, verifyPassword } from 'better-auth/crypto'
import type { Context } from '../../context.ts'
import { Refusal } from '../../domain/refusal.ts'
import { minute } from '../../domain/time.ts'
import { countAttempt, forgetAttempts, takeCode } from '../store.ts'

/** Attempts are counted within this span, and what has had too many of them is locked out for as long. */
const spanMs = 15 * minute

/** An authenticator's code is good for a minute and a half: longer than that, nobody has to remember that it was used. */
const usedForMs = 5 * minute

/** Something that may fail up to `most` times in a row. */
export type Limited = { readonly key: string; readonly most: number }

/**
 * Sign-ins with an e-mail address, whether or not anybody has it: a few from one network, so that nobody else
 * is locked out by them, and more from everywhere.
 */
export const signInsOf = (email: string, network: string): readonly Limited[] => {
  const account = email.trim().toLowerCase()
  return [
    { key: JSON.stringify(['sign-in', account, network]), most: 10 },
    { key: JSON.stringify(['sign-in', account]), most: 100 },
  ]
}

/** Codes and passwords that are entered in a session. */
export const proofsIn = (sessionId: string): readonly Limited[] => [
  { key: JSON.stringify(['session', sessionId]), most: 10 },
]

const indexOf = ({ vault }: Context, key: string): string => vault.blindIndex('member-attempts', key)

/** Counts an attempt before it is made, so that many at once are not more than one by one; false where it may not be made. */
export const mayTry = async (context: Context, limits: readonly Limited[]): Promise<boolean> => {
  const now = context.clock()
  for (const { key, most } of limits) {
    const counted = { attemptIndex: indexOf(context, key), now, forgetBefore: now - spanMs, lockedUntil: now + spanMs }
    const [row] = await context.query(countAttempt, { ...counted, most })
    if (row && row.lockedUntil !== null && row.lockedUntil > now) return false
  }
  return true
}

/** Forgets the attempts before one that succeeded. */
export const forgetFailed = async (context: Context, limits: readonly Limited[]): Promise<void> => {
  for (const { key } of limits) await context.query(forgetAttempts, { attemptIndex: indexOf(context, key) })
}

/** Takes a code of a member's authenticator, which is good once (RFC 6238, section 5.2); false where it was used already. */
export const useCode = async (context: Context, memberId: string, code: string): Promise<boolean> => {
  const now = context.clock()
  const attemptIndex = indexOf(context, JSON.stringify(['code', memberId, code]))
  const taken = await context.query(takeCode, { attemptIndex, now, forgetBefore: now - usedForMs })
  return taken.length > 0
}

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
