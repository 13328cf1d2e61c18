// The authentication library with our storage, and what it leaves open: who may sign in, how often, and that every way in
// asks for the second factor.
import { passkey } from '@better-auth/passkey'
import type { BetterAuthPlugin } from 'better-auth'
import { betterAuth } from 'better-auth/minimal'
import { APIError, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import { twoFactor } from 'better-auth/plugins/two-factor'
import type { Context } from '../../context.ts'
import { passwordLength, verifiedForMs } from '../../domain/member.ts'
import { endOtherSessions } from '../store.ts'
import { recordActs } from '../../audit/record-acts.ts'
import { authAdapter } from './auth-adapter.ts'
import { renewAuthenticator, renewPaths } from './renew-authenticator.ts'
import { noteSignIn, refuseLockedOut } from './refuse-locked-out.ts'

/** Where the library's operations are, and the header that names the address of a client. */
const authPath = '/console/auth'
const addressHeader = 'x-payin-client-address'

/** A session ends this long after it began. */
const sessionSeconds = 12 * 60 * 60

const passkeyPath = '/passkey/verify-authentication'

/**
 * The library asks for the second factor after a password only. A passkey may be a lost phone without a lock, so it is
 * asked for after that, too; and no device is ever trusted instead.
 */
const askedAlways = (plugin: ReturnType<typeof twoFactor>): BetterAuthPlugin => ({
  ...plugin,
  hooks: {
    after: plugin.hooks.after.map((hook) => ({
      ...hook,
      matcher: (context: Parameters<typeof hook.matcher>[0]) =>
        hook.matcher(context) || (context as { path?: string }).path === passkeyPath,
    })),
  },
})

const refuse = (status: 'FORBIDDEN' | 'BAD_REQUEST', code: string, message: string): never => {
  throw new APIError(status, { code, message })
}

/** What takes a session that has shown the second factor; for what changes a way in, lately. */
const verified: Readonly<Record<string, 'ever' | 'lately'>> = {
  '/list-sessions': 'ever',
  '/revoke-session': 'ever',
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

/** What a member did about the own account, for the audit. */
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
  '/revoke-session': 'member.session_ended',
  '/revoke-other-sessions': 'member.sessions_ended',
}

/** Opens the library over a context. */
export const openAuth = (context: Context) => {
  const { settings, vault, log, newId } = context
  const origin = new URL(settings.publicUrl).origin
  const isSecure = origin.startsWith('https:')
  const now = (): Date => new Date(context.clock())

  return betterAuth({
    appName: 'Payin',
    baseURL: origin,
    basePath: authPath,
    secret: vault.subkey('member-sessions').toString('base64url'),
    trustedOrigins: [origin],
    database: authAdapter(context),
    telemetry: { enabled: false },
    logger: { log: (level, message) => log.debug({ library: 'better-auth', level }, message) },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      autoSignIn: false,
      minPasswordLength: passwordLength.least,
      maxPasswordLength: passwordLength.most,
    },
    user: {
      additionalFields: {
        role: { type: 'string', required: true, input: false },
        merchantId: { type: 'string', required: false, input: false },
        merchantGrant: { type: 'string', required: false, input: false },
        disabledAt: { type: 'date', required: false, input: false },
      },
    },
    session: {
      expiresIn: sessionSeconds,
      disableSessionRefresh: true,
      freshAge: 0,
      additionalFields: { verifiedAt: { type: 'date', required: false, input: false } },
    },
    advanced: {
      // A cookie with this prefix is the host's own: no other host and no plain HTTP can set it.
      cookiePrefix: isSecure ? '__Host-payin' : 'payin',
      useSecureCookies: false,
      defaultCookieAttributes: { secure: isSecure, sameSite: 'strict', path: '/', httpOnly: true },
      ipAddress: { ipAddressHeaders: [addressHeader] },
      database: { generateId: () => newId() },
    },
    // Per address, which a whole office may share; a password or code that is guessed is stopped per account.
    rateLimit: {
      enabled: true,
      storage: 'database',
      window: 60,
      max: 120,
      customRules: { '/sign-in/*': { window: 60, max: 20 }, '/two-factor/*': { window: 60, max: 60 } },
    },
    databaseHooks: {
      session: {
        create: {
          before: async (session, request) => {
            const member = await request?.context.internalAdapter.findUserById(session.userId)
            if ((member as { disabledAt?: Date | null } | null | undefined)?.disabledAt)
              refuse('FORBIDDEN', 'MEMBER_DISABLED', 'This account is disabled.')
            // Until the hook below sees a code of the second factor, a session may only set one up.
            return { data: { ...session, verifiedAt: null } }
          },
        },
      },
    },
    hooks: {
      before: createAuthMiddleware(async (request) => {
        const body = (request.body ?? {}) as { email?: unknown; trustDevice?: unknown; revokeOtherSessions?: unknown }
        // The library would make a new session for it, without the second factor; a change ends the others in any case.
        if (body.revokeOtherSessions !== undefined)
          refuse('BAD_REQUEST', 'REVOKE_OTHER_SESSIONS', 'A new password ends the other sessions in any case.')
        if (body.trustDevice !== undefined)
          refuse('BAD_REQUEST', 'TRUST_DEVICE', 'The second factor is asked for every time.')
        if (request.path === '/sign-in/email' && typeof body.email === 'string')
          await refuseLockedOut(context, body.email)
        const need = verified[request.path]
        if (need === undefined) return
        const at = (await getSessionFromCtx(request))?.session['verifiedAt'] as Date | null | undefined
        if (!at) refuse('FORBIDDEN', 'SECOND_FACTOR_MISSING', 'Set up a second factor first.')
        else if (need === 'lately' && at.getTime() < context.clock() - verifiedForMs)
          refuse('FORBIDDEN', 'VERIFICATION_REQUIRED', 'Enter a code of the second factor first.')
      }),
      after: createAuthMiddleware(async (request) => {
        const { path } = request
        const failed = request.context.returned instanceof APIError
        const body = (request.body ?? {}) as { email?: unknown }
        if (path === '/sign-in/email' && typeof body.email === 'string') await noteSignIn(context, body.email, failed)
        if (failed) return
        const { session, newSession, internalAdapter } = request.context
        const current = newSession ?? session
        if (path.startsWith('/two-factor/verify-') && current)
          await internalAdapter.updateSession(current.session.token, { verifiedAt: now() })
        if (path === '/change-password' && current)
          await context.query(endOtherSessions, { memberId: current.user.id, keptId: current.session.id })
        const action = audited[path]
        if (action === undefined || !current) return
        const { name, role } = current.user as { name: string; role?: string }
        const actor = `${role === 'merchant' ? 'member' : 'operator'}:${name}`
        await context.transaction((tx) => recordActs(tx, [{ actor, action, subject: `member:${name}`, details: {} }]))
      }),
    },
    plugins: [
      askedAlways(twoFactor({ issuer: 'Payin' })),
      renewAuthenticator(context),
      passkey({
        rpName: 'Payin',
        rpID: new URL(origin).hostname,
        origin,
        authenticatorSelection: { userVerification: 'required', residentKey: 'required' },
      }),
    ],
  })
}

/** The opened library. */
export type Auth = ReturnType<typeof openAuth>
