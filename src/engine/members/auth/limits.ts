import type { Context } from '../../context.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { minute } from '../../../rules/time.ts'
import { countAttempt, forgetAttempts, takeCode } from '../store.ts'

/** Attempts are counted within this span, and after too many of them the lock-out lasts as long. */
export const spanMs = 15 * minute

/** An authenticator's code is valid for a minute and a half: used codes need not be remembered longer than this. */
const usedForMs = 5 * minute

/** Something that may fail up to `most` times in a row. */
export type Limited = { readonly key: string; readonly most: number }

/**
 * Sign-ins with an e-mail address, whether or not an account has it: a few from one network, so that they lock out
 * nobody else, and more from everywhere.
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

/** Numbers that an operator reveals: enough for a person at work, too few to copy a list. */
export const revealsBy = (operator: string): readonly Limited[] => [
  { key: JSON.stringify(['reveal', operator]), most: 30 },
]

/** Files with the numbers of many payers that an operator writes: each is read, and sent to a bank. */
export const bankFilesBy = (operator: string): readonly Limited[] => [
  { key: JSON.stringify(['bank-file', operator]), most: 20 },
]

const indexOf = ({ vault }: Context, key: string): string => vault.blindIndex('member-attempts', key)

/** Counts an attempt before it is made, so that concurrent ones get no more than successive ones; false if refused. */
export const mayTry = async (context: Context, limits: readonly Limited[]): Promise<boolean> => {
  const now = context.clock()
  for (const { key, most } of limits) {
    const counted = { attemptIndex: indexOf(context, key), now, forgetBefore: now - spanMs, lockedUntil: now + spanMs }
    const [row] = await context.query(countAttempt, { ...counted, most })
    if (row && row.lockedUntil !== null && row.lockedUntil > now) return false
  }
  return true
}

/** Clears the failed attempts before a success. */
export const forgetFailed = async (context: Context, limits: readonly Limited[]): Promise<void> => {
  for (const { key } of limits) await context.query(forgetAttempts, { emailIndex: indexOf(context, key) })
}

/** Takes a code of a member's authenticator, which is valid once (RFC 6238, section 5.2); false if it was used. */
export const useCode = async (context: Context, memberId: string, code: string): Promise<boolean> => {
  const now = context.clock()
  const attemptIndex = indexOf(context, JSON.stringify(['code', memberId, code]))
  const taken = await context.query(takeCode, { attemptIndex, now, forgetBefore: now - usedForMs })
  return taken.length > 0
}

/** Loaded with the first password: most processes need none for hours. */
const loadCrypto = () => import('better-auth/crypto')

/** More than one address may request within a minute, but few enough to finish within seconds. */
const usuallyWaiting = 40

/**
 * Hashes and checks passwords, one after the other: each takes a tenth of a second of a processor and 16 MB, and
 * anybody may request it. Refuses `overloaded` if too many wait.
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
    hash: (password: string) => inTurn(async () => (await loadCrypto()).hashPassword(password)),
    verify: (given: { readonly hash: string; readonly password: string }) =>
      inTurn(async () => (await loadCrypto()).verifyPassword(given)),
  }
}
