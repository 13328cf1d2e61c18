import type { Context } from '../context.ts'
import type { Queryable } from '../database/database.ts'
import type { MerchantGrant } from '../domain/access.ts'
import { Refusal } from '../domain/refusal.ts'
import type { MemberRole, Role, RoleInMain } from '../domain/role.ts'
import { mainTenant } from '../domain/tenant.ts'
import { type Instant, minute } from '../domain/time.ts'
import { holdSession, noteSessionUse } from './store.ts'
import { holdRole, selectRolesOf } from './roles/store.ts'
import type { Auth } from './auth/open-auth.ts'

/** The precision of the time at which a session was last used. */
const seenEveryMs = minute

const opened = new WeakMap<Context, Promise<Auth>>()

/** The authentication library of a context, loaded on first use: it takes half a second and 50 MB. */
export const authOf = (context: Context): Promise<Auth> => {
  const known = opened.get(context)
  if (known) return known
  const opening = import('./auth/open-auth.ts').then(({ openAuth }) => openAuth(context))
  opened.set(context, opening)
  return opening
}

/** The merchant of those who have none: operators, and accounts without a position in a tenant. */
export const noMerchant = { merchantId: null, merchantGrant: null } as const

/** A member's position in a tenant: an operator with a role, or a member of a merchant, whose data it sees. */
export type Position =
  | { readonly kind: 'operator'; readonly tenant: string; readonly role: Role }
  | { readonly kind: 'merchant'; readonly tenant: string; readonly merchantId: string; readonly grant: MerchantGrant }

/** The owner of a console session. */
export type Member = {
  readonly sessionId: string
  readonly memberId: string
  readonly name: string
  /** Undefined for those who only have positions in other tenants. */
  readonly inMain: Position | undefined
  /** When the second factor was last checked; null until a new account has one: then nothing else is allowed. */
  readonly verifiedAt: Instant | null
}

const toPosition = (row: {
  readonly tenant: string
  readonly role: MemberRole
  readonly merchantId?: string | null | undefined
  readonly merchantGrant?: MerchantGrant | null | undefined
}): Position | undefined => {
  const { tenant, role, merchantId, merchantGrant } = row
  if (role !== 'merchant') return { kind: 'operator', tenant, role }
  return merchantId && merchantGrant ? { kind: 'merchant', tenant, merchantId, grant: merchantGrant } : undefined
}

/**
 * The member whose session is in the cookies of a request; undefined if there is none, or the account is disabled. The
 * context is that of `main`, which has the accounts.
 */
export const findMember = async (main: Context, cookie: string | undefined): Promise<Member | undefined> => {
  if (cookie === undefined) return undefined
  const auth = await authOf(main)
  const found = await auth.api.getSession({ headers: new Headers({ cookie }), query: { disableRefresh: true } })
  if (!found || found.user.disabledAt) return undefined
  const { user, session } = found
  const now = main.clock()
  if (session.updatedAt.getTime() < now - seenEveryMs) await main.query(noteSessionUse, { id: session.id, now })
  const role = user.role as RoleInMain
  const merchantGrant = user.merchantGrant as MerchantGrant | null | undefined
  const { id: memberId, name, merchantId } = user
  const inMain = role === 'none' ? undefined : toPosition({ tenant: mainTenant, role, merchantId, merchantGrant })
  return { sessionId: session.id, memberId, name, inMain, verifiedAt: session.verifiedAt?.getTime() ?? null }
}

/** A member's position in each tenant; makes no query for those with a position in `main` only. */
export const readPositions = async (
  main: Context,
  { memberId, inMain }: Pick<Member, 'memberId' | 'inMain'>,
): Promise<ReadonlyMap<string, Position>> => {
  const rows = inMain?.kind === 'merchant' ? [] : await main.query(selectRolesOf, { memberId })
  const positions = [inMain, ...rows.map(toPosition)].filter((each) => each !== undefined)
  return new Map(positions.map((each) => [each.tenant, each]))
}

/** The merchant that somebody is a member of, in any tenant. */
export const findMerchantPosition = async (
  main: Context,
  member: Member,
): Promise<Extract<Position, { kind: 'merchant' }> | undefined> => {
  if (member.inMain !== undefined) return member.inMain.kind === 'merchant' ? member.inMain : undefined
  for (const position of (await readPositions(main, member)).values()) if (position.kind === 'merchant') return position
  return undefined
}

/** What entitles a request of the console to do something. */
export type ConsoleAccess = {
  readonly main: Context
  readonly sessionId: string
  readonly memberId: string
  readonly tenant: string
  /** The role in that tenant; null for members of a merchant. */
  readonly role: Role | null
}

/**
 * Refuses `session_missing` if a session has ended, and `role_missing` if its role in a tenant other than `main` was
 * changed. In a transaction of `main` neither can happen until it ends: every change of a position in `main` ends the
 * member's sessions, so nobody who was disabled meanwhile can change anything.
 */
export const holdAccess = async (sql: Queryable, access: ConsoleAccess): Promise<void> => {
  const { sessionId, memberId, tenant, role } = access
  const [held] = await sql.query(holdSession, { id: sessionId })
  if (!held) throw new Refusal('session_missing', 'The session has since ended; nothing was changed.')
  if (tenant === mainTenant || role === null) return
  const [kept] = await sql.query(holdRole, { memberId, tenant, role })
  if (!kept) throw new Refusal('role_missing', 'The role has since been changed; nothing was changed.')
}
