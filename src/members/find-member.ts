import type { Context, Tx } from '../context.ts'
import type { MerchantGrant } from '../domain/access.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Role } from '../domain/role.ts'
import { type Instant, minute } from '../domain/time.ts'
import { holdSession, noteSessionUse } from './store.ts'
import type { Auth } from './auth/open-auth.ts'

/** How exactly it is known when a session was last used. */
const seenEveryMs = minute

const opened = new WeakMap<Context, Promise<Auth>>()

/** The authentication library of a context, loaded when it is first needed: it takes half a second and 50 MB. */
export const authOf = (context: Context): Promise<Auth> => {
  const known = opened.get(context)
  if (known) return known
  const opening = import('./auth/open-auth.ts').then(({ openAuth }) => openAuth(context))
  opened.set(context, opening)
  return opening
}

/** Who a session of the console belongs to. */
export type Member = {
  readonly sessionId: string
  readonly name: string
  /** What an operator may do; or the merchant whose data the member sees, and what it may do there. */
  readonly position:
    | { readonly kind: 'operator'; readonly role: Role }
    | { readonly kind: 'merchant'; readonly merchantId: string; readonly grant: MerchantGrant }
  /** When the second factor was last asked for; null until a new account has one: then nothing else is allowed. */
  readonly verifiedAt: Instant | null
}

/** The member whose session the cookies of a request carry; undefined where there is none, or the account is disabled. */
export const findMember = async (context: Context, cookie: string | undefined): Promise<Member | undefined> => {
  if (cookie === undefined) return undefined
  const auth = await authOf(context)
  const found = await auth.api.getSession({ headers: new Headers({ cookie }), query: { disableRefresh: true } })
  if (!found || found.user.disabledAt) return undefined
  const { user, session } = found
  const now = context.clock()
  if (session.updatedAt.getTime() < now - seenEveryMs) await context.query(noteSessionUse, { id: session.id, now })
  const { name, role, merchantId, merchantGrant } = user
  const sessionId = session.id
  const verifiedAt = session.verifiedAt?.getTime() ?? null
  if (merchantId && merchantGrant)
    return {
      sessionId,
      name,
      position: { kind: 'merchant', merchantId, grant: merchantGrant as MerchantGrant },
      verifiedAt,
    }
  return { sessionId, name, position: { kind: 'operator', role: role as Role }, verifiedAt }
}

/**
 * Keeps a session from ending before the transaction does; refuses `session_missing` where it has ended. Every change of
 * what a member may do ends its sessions, so nothing is changed by somebody who was disabled meanwhile.
 */
export const holdMemberSession = async (tx: Tx, sessionId: string): Promise<void> => {
  const [held] = await tx.query(holdSession, { id: sessionId })
  if (!held) throw new Refusal('session_missing', 'The session has ended meanwhile; nothing was changed.')
}
