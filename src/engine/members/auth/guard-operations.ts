// Checks before, and records after, an operation of the authentication library.
import { APIError, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import { recordActs } from '../../audit/record-acts.ts'
import type { Context } from '../../context.ts'
import { memberActor, verifiedForMs } from '../../../rules/members/member.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { endOtherSessions } from '../store.ts'
import { endSessionPath, renewPaths } from './added-operations.ts'
import { forLibrary, fromLibrary } from './library-dates.ts'
import { forgetFailed, type Limited, mayTry, proofsIn, signInsOf, useCode } from './limits.ts'

type Operation = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0]

const refuse = (status: 'UNAUTHORIZED' | 'FORBIDDEN', code: string, message: string): never => {
  throw new APIError(status, { code, message })
}

const tooManySignIns =
  'Too many wrong passwords. Try again in a quarter of an hour, from another network, or sign in with a passkey.'

const timeUncertain =
  "The service's clock is wrong, so it cannot check this code: enter a recovery code, or try again once the clock is right."

const networkHeader = 'x-payin-client-network'

/** Operations that require a session with the second factor; changes of sign-in methods require it recently. */
const verified: Readonly<Record<string, 'ever' | 'lately'>> = {
  '/list-sessions': 'ever',
  [endSessionPath]: 'ever',
  '/revoke-other-sessions': 'ever',
  '/passkey/list-user-passkeys': 'ever',
  '/change-password': 'lately',
  '/two-factor/generate-backup-codes': 'lately',
  [renewPaths.begin]: 'lately',
  [renewPaths.confirm]: 'lately',
  '/passkey/generate-register-options': 'lately',
  '/passkey/verify-registration': 'lately',
  '/passkey/update-passkey': 'lately',
  '/passkey/delete-passkey': 'lately',
}

/** What a member did with its own account, for the audit. */
const audited: Readonly<Record<string, string>> = {
  '/sign-out': 'member.signed_out',
  '/change-password': 'member.password_changed',
  '/two-factor/verify-totp': 'member.verified',
  '/two-factor/verify-backup-code': 'member.recovery_code_used',
  '/two-factor/generate-backup-codes': 'member.recovery_codes_renewed',
  [renewPaths.confirm]: 'member.authenticator_renewed',
  '/passkey/verify-registration': 'member.passkey_added',
  '/passkey/update-passkey': 'member.passkey_named',
  '/passkey/delete-passkey': 'member.passkey_removed',
  [endSessionPath]: 'member.session_ended',
  '/revoke-other-sessions': 'member.sessions_ended',
}

/** Operations that take a code or the password in a session: a session thief must not be able to guess them. */
const proofs: ReadonlySet<string> = new Set([
  '/change-password',
  '/two-factor/enable',
  '/two-factor/verify-totp',
  '/two-factor/verify-backup-code',
  '/two-factor/generate-backup-codes',
])

const given = (request: Operation, field: 'email' | 'code'): string => {
  const value = ((request.body ?? {}) as Readonly<Record<string, unknown>>)[field]
  return typeof value === 'string' ? value : ''
}

/** The limits of failed attempts at an operation. */
const limitsOf = (request: Operation, sessionId: string | undefined): readonly Limited[] => {
  if (request.path === '/sign-in/email')
    return signInsOf(given(request, 'email'), request.headers?.get(networkHeader) ?? '')
  return proofs.has(request.path) && sessionId !== undefined ? proofsIn(sessionId) : []
}

/**
 * Refuses sign-ins, codes and passwords that were tried too often, and operations that first require the second factor.
 */
const beforeOperation = (context: Context) =>
  createAuthMiddleware(async (request) => {
    const { path } = request
    // The library checks them by the machine's clock, by which an old code would be a new one.
    if (path === '/two-factor/verify-totp' && !context.isTimeCertain())
      throw new APIError('SERVICE_UNAVAILABLE', { code: 'TIME_UNCERTAIN', message: timeUncertain })
    const need = verified[path]
    const found = need !== undefined || proofs.has(path) ? await getSessionFromCtx(request) : null
    if (!(await mayTry(context, limitsOf(request, found?.session.id)))) {
      if (!found) throw new APIError('TOO_MANY_REQUESTS', { code: 'LOCKED_OUT', message: tooManySignIns })
      await request.context.internalAdapter.deleteSession(found.session.token)
      refuse('UNAUTHORIZED', 'SESSION_ENDED', 'Too many codes were wrong. Sign in again.')
    }
    if (need === undefined) return
    const at = found?.session['verifiedAt'] as Date | null | undefined
    if (!at) refuse('FORBIDDEN', 'SECOND_FACTOR_MISSING', 'Set up a second factor first.')
    else if (need === 'lately' && fromLibrary(context, at) < context.clock() - verifiedForMs)
      refuse('FORBIDDEN', 'VERIFICATION_REQUIRED', 'Enter a code of the second factor first.')
  })

/** Makes each code valid only once; records that the second factor was shown and, in the audit, what a member did. */
const afterOperation = (context: Context) =>
  createAuthMiddleware(async (request) => {
    const { path } = request
    const { returned, session, newSession, internalAdapter } = request.context
    // The library's answer to an unreadable registration, which is not our error.
    if (path === '/passkey/verify-registration' && returned instanceof APIError && returned.statusCode === 500)
      throw new Refusal('validation_failed', 'The passkey could not be read.')
    if (returned instanceof APIError) return
    await forgetFailed(context, limitsOf(request, session?.session.id))
    const current = newSession ?? session
    if (!current) return
    if (path === '/two-factor/verify-totp' && !(await useCode(context, current.user.id, given(request, 'code')))) {
      if (newSession) await internalAdapter.deleteSession(newSession.session.token)
      refuse('UNAUTHORIZED', 'INVALID_CODE', 'This code has been used. Wait for the next one.')
    }
    if (path.startsWith('/two-factor/verify-'))
      await internalAdapter.updateSession(current.session.token, {
        verifiedAt: forLibrary(context, context.clock()),
      })
    if (path === renewPaths.confirm) await useCode(context, current.user.id, given(request, 'code'))
    if (path === '/change-password')
      await context.query(endOtherSessions, { memberId: current.user.id, keptId: current.session.id })
    const action = audited[path]
    if (action === undefined) return
    const { user } = current
    const by = { actor: memberActor(user), credential: `account:${user.id}`, sessionId: current.session.id }
    await context.transaction((tx) => recordActs(tx, [{ ...by, action, subject: `member:${user.name}`, details: {} }]))
  })

/** Our checks before, and records after, an operation of the library. */
export const guardOperations = (context: Context) => ({
  before: beforeOperation(context),
  after: afterOperation(context),
})
