// The authentication library with our storage, and the rules that it leaves open: who may sign in, how often, and that
// every sign-in method requires the second factor.
import { passkey } from '@better-auth/passkey'
import type { BetterAuthOptions, BetterAuthPlugin } from 'better-auth'
import { betterAuth } from 'better-auth/minimal'
import { APIError } from 'better-auth/api'
import { twoFactor } from 'better-auth/plugins/two-factor'
import type { Context } from '../../context.ts'
import { passwordLength } from '../../../rules/members/member.ts'
import { authSecrets } from './auth-secrets.ts'
import { endSession, renewAuthenticator } from './added-operations.ts'
import { guardOperations } from './guard-operations.ts'
import { limitPasswordWork } from './limits.ts'
import { createAdapterFactory, type CustomAdapter } from 'better-auth/adapters'
import type { Queryable } from 'payin-database'
import { toLibrary, toStored } from './library-dates.ts'
import { changeRows, type Condition, type FieldChange, insertRow, type RowRange, selectRows } from './store.ts'

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
