import { APIError } from 'better-auth/api'
import type { Context } from '../../context.ts'
import { minute } from '../../domain/time.ts'
import { countFailure, findLockOut, forgetFailures } from '../store.ts'

/** This many wrong passwords within the span lock an address out for as long, whether or not anybody has it. */
const mostFailures = 10
const spanMs = 15 * minute

const indexOf = ({ vault }: Context, email: string): string =>
  vault.blindIndex('member-email', email.trim().toLowerCase())

/** Refuses a sign-in with an address that is locked out. */
export const refuseLockedOut = async (context: Context, email: string): Promise<void> => {
  const [found] = await context.query(findLockOut, { emailIndex: indexOf(context, email) })
  const lockedUntil = found?.lockedUntil ?? null
  if (lockedUntil === null || lockedUntil <= context.clock()) return
  throw new APIError('TOO_MANY_REQUESTS', {
    code: 'LOCKED_OUT',
    message: 'Too many wrong passwords. Try again in a quarter of an hour, or sign in with a passkey.',
  })
}

/** Notes how a sign-in ended. */
export const noteSignIn = async (context: Context, email: string, failed: boolean): Promise<void> => {
  const emailIndex = indexOf(context, email)
  const now = context.clock()
  if (!failed) return void (await context.query(forgetFailures, { emailIndex }))
  await context.query(countFailure, {
    emailIndex,
    now,
    forgetBefore: now - spanMs,
    most: mostFailures,
    lockedUntil: now + spanMs,
  })
}
