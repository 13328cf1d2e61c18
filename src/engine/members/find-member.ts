import type { Context } from '../context.ts'
import type { Queryable } from 'payin-database'
import type { MerchantGrant, MemberRole, Role } from '../../rules/members/access.ts'
import { Refusal } from '../../rules/refusal.ts'
import { type Instant, minute } from '../../rules/time.ts'
import { lockSession, noteSessionUse } from './store.ts'
import { fromLibrary } from './auth/library-dates.ts'
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

/** An operator with a role, or a member of a merchant, whose data it sees. */
export type Position =
  | { readonly kind: 'operator'; readonly role: Role }
  | { readonly kind: 'merchant'; readonly merchantId: string; readonly grant: MerchantGrant }

/** The owner of a console session. */
export type Member = {
  readonly sessionId: string
  readonly memberId: string
  readonly name: string
  readonly position: Position
  /** When the second factor was last checked; null until a new account has one: then nothing else is allowed. */
  readonly verifiedAt: Instant | null
}

/** The columns of a member as the library returns them. */
type Columns = {
  readonly role: MemberRole
  /** Both set if and only if the role is `merchant`. */
  readonly merchantId: string
  readonly merchantGrant: MerchantGrant
}

const toPosition = ({ role, merchantId, merchantGrant: grant }: Columns): Position =>
  role === 'merchant' ? { kind: 'merchant', merchantId, grant } : { kind: 'operator', role }

/** The member whose session is in the cookies of a request; undefined if there is none, or the account is disabled. */
export const findMember = async (context: Context, cookie: string | undefined): Promise<Member | undefined> => {
  if (cookie === undefined) return undefined
  const auth = await authOf(context)
  const found = await auth.api.getSession({ headers: new Headers({ cookie }), query: { disableRefresh: true } })
  if (!found || found.user.disabledAt) return undefined
  const { user, session } = found
  const now = context.clock()
  if (fromLibrary(context, session.updatedAt) < now - seenEveryMs)
    await context.query(noteSessionUse, { id: session.id, updatedAt: now })
  return {
    sessionId: session.id,
    memberId: user.id,
    name: user.name,
    position: toPosition(user as unknown as Columns),
    verifiedAt: session.verifiedAt ? fromLibrary(context, session.verifiedAt) : null,
  }
}

/**
 * Refuses `session_missing` if a session has ended. It then cannot end before the transaction does: every change of a
 * position ends the member's sessions, so nobody who was disabled meanwhile can change anything.
 */
export const holdSession = async (tx: Queryable, sessionId: string): Promise<void> => {
  const [held] = await tx.query(lockSession, { id: sessionId })
  if (!held) throw new Refusal('session_missing', 'The session has since ended; nothing was changed.')
}
