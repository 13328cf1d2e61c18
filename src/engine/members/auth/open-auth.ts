// The authentication library with our storage, and the rules that it leaves open: who may sign in, how often, and that
// every sign-in method requires the second factor.
import { passkey } from '@better-auth/passkey'
import type { BetterAuthOptions, BetterAuthPlugin } from 'better-auth'
import { betterAuth } from 'better-auth/minimal'
import { APIError, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import { twoFactor } from 'better-auth/plugins/two-factor'
import type { Context } from '../../context.ts'
import { passwordLength, memberActor, verifiedForMs } from '../../../rules/members/member.ts'
import { authSecrets } from './auth-secrets.ts'
import { endSession, renewAuthenticator, endSessionPath, renewPaths } from './added-operations.ts'
import { limitPasswordWork, forgetFailed, type Limited, mayTry, proofsIn, signInsOf, useCode } from './limits.ts'
import { createAdapterFactory, type CustomAdapter } from 'better-auth/adapters'
import type { Queryable } from 'payin-database'
import { toLibrary, toStored, forLibrary, fromLibrary } from './library-dates.ts'
import { changeRows, type Condition, type FieldChange, insertRow, type RowRange, selectRows } from './store.ts'
import { recordActs } from '../../audit/record-acts.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { endOtherSessions } from '../store.ts'

/** The path of the library's operations, and the header with a client's address. */
const authPath = '/console/auth'
const addressHeader = 'x-payin-client-address'

type SessionHooks = NonNullable<NonNullable<BetterAuthOptions['databaseHooks']>['session']>
type SessionHook = NonNullable<NonNullable<SessionHooks['create']>['before']>

/** A session ends this long after it began. */
const sessionSeconds = 12 * 60 * 60

const passkeyPath = '/passkey/verify-authentication'

/**
 * The library requires the second factor only after a password. We require it after a passkey, too, which may be on a
 * lost, unlocked phone; and no device is ever trusted instead.
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

/** Per address, which a whole office may share; guessing of passwords and codes is stopped per account. */
const rateLimit = {
  enabled: true,
  storage: 'database',
  window: 60,
  max: 120,
  customRules: { '/sign-in/*': { window: 60, max: 20 }, '/two-factor/*': { window: 60, max: 60 } },
} as const

/** Cookies that are the host's own: with this prefix no other host and no plain HTTP can set one. */
const cookies = (isSecure: boolean) =>
  ({
    cookiePrefix: isSecure ? '__Host-payin' : 'payin',
    useSecureCookies: false,
    defaultCookieAttributes: { secure: isSecure, sameSite: 'strict', path: '/', httpOnly: true },
  }) as const

/** Refuses a session to a disabled account. Until `guardOperations` sees a second factor, a session may only set one up. */
const beginSession: SessionHook = async (session, request) => {
  const member = await request?.context.internalAdapter.findUserById(session.userId)
  if ((member as { disabledAt?: Date | null } | null | undefined)?.disabledAt)
    throw new APIError('FORBIDDEN', { code: 'MEMBER_DISABLED', message: 'This account is disabled.' })
  return { data: { ...session, verifiedAt: null } }
}

/** Opens the library over a context. */
export const openAuth = (context: Context) => {
  const { settings, vault, log, newId } = context
  const origin = new URL(settings.publicUrl).origin

  const auth = betterAuth({
    appName: 'Payin',
    baseURL: origin,
    basePath: authPath,
    ...authSecrets(vault),
    trustedOrigins: [origin],
    database: authAdapter(context),
    telemetry: { enabled: false },
    logger: { log: (level, message) => log.debug({ library: 'better-auth', level }, message) },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      password: limitPasswordWork(),
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
        language: { type: 'string', required: false },
      },
    },
    session: {
      expiresIn: sessionSeconds,
      disableSessionRefresh: true,
      freshAge: 0,
      additionalFields: { verifiedAt: { type: 'date', required: false, input: false } },
    },
    advanced: {
      ...cookies(origin.startsWith('https:')),
      ipAddress: { ipAddressHeaders: [addressHeader] },
      database: { generateId: () => newId() },
    },
    // Our refusals and errors reach the server's own answers; the library's would be a 500 without a body.
    onAPIError: { throw: true },
    rateLimit,
    databaseHooks: { session: { create: { before: beginSession } } },
    hooks: guardOperations(context),
    plugins: [
      askedAlways(twoFactor({ issuer: 'Payin' })),
      renewAuthenticator(context),
      endSession(),
      passkey({
        rpName: 'Payin',
        rpID: new URL(origin).hostname,
        origin,
        authenticatorSelection: { userVerification: 'required', residentKey: 'required' },
      }),
    ],
  })
  const handler = async (request: Request): Promise<Response> => {
    try {
      return await auth.handler(request)
    } catch (error) {
      if (!(error instanceof APIError)) throw error
      return Response.json(error.body ?? null, { status: error.statusCode, headers: new Headers(error.headers) })
    }
  }
  return { api: auth.api, $context: auth.$context, handler }
}

/** The opened library. Its `handler` throws everything that is not the library's answer: our refusals, and errors. */
export type Auth = ReturnType<typeof openAuth>

/** Most rows of a model that are counted: the library never counts nearly as many. */
const mostCounted = 100_000

// The library names the row types at its calls: they are those of its tables in the store.
const adapterOver = (context: Context, db: Queryable): CustomAdapter => {
  const [stored, read] = [toStored(context), toLibrary(context)]
  const select = async (model: string, where: readonly Condition[] | undefined, range: RowRange) =>
    (await selectRows(db, model, where?.map(stored), range)).map(read)
  const change = async (
    model: string,
    where: readonly Condition[],
    { set = {}, increment }: FieldChange,
    which: 'all' | 'one',
  ) => (await changeRows(db, model, where.map(stored), { set: stored(set), increment }, which)).map(read)
  const remove = async (model: string, where: readonly Condition[], which: 'all' | 'one') =>
    (await changeRows(db, model, where.map(stored), 'delete', which)).map(read)
  return {
    create: async ({ model, data }) => read((await insertRow(db, model, stored(data))) ?? {}) as typeof data,
    findOne: async ({ model, where }) => ((await select(model, where, { limit: 1 }))[0] ?? null) as never,
    findMany: async ({ model, where, ...page }) => (await select(model, where, page)) as never,
    count: async ({ model, where }) => (await select(model, where, { limit: mostCounted })).length,
    update: async ({ model, where, update }) =>
      ((await change(model, where, { set: update as Record<string, unknown> }, 'one'))[0] ?? null) as never,
    updateMany: async ({ model, where, update }) => (await change(model, where, { set: update }, 'all')).length,
    delete: async ({ model, where }) => void (await remove(model, where, 'all')),
    deleteMany: async ({ model, where }) => (await remove(model, where, 'all')).length,
    consumeOne: async ({ model, where }) => ((await remove(model, where, 'one'))[0] ?? null) as never,
    incrementOne: async ({ model, where, increment, set }) =>
      ((await change(model, where, { set, increment }, 'one'))[0] ?? null) as never,
  }
}

/** The library's access to the database of a context; its transactions are ours. */
const authAdapter = (context: Context) => {
  const config = {
    adapterId: 'payin',
    supportsUUIDs: true,
    supportsBooleans: true,
    supportsDates: true,
    customIdGenerator: () => context.newId(),
  }
  return (options: BetterAuthOptions) => {
    const over = (db: Queryable) =>
      createAdapterFactory({ config: { ...config, transaction: false }, adapter: () => adapterOver(context, db) })(
        options,
      )
    return createAdapterFactory({
      config: { ...config, transaction: (work) => context.transaction((tx) => work(over(tx))) },
      adapter: () => adapterOver(context, context),
    })(options)
  }
}

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
  '/update-user': 'ever',
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

/** Refuses sign-ins, codes and passwords tried too often, and operations that first require the second factor. */
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
const guardOperations = (context: Context) => ({
  before: beforeOperation(context),
  after: afterOperation(context),
})
