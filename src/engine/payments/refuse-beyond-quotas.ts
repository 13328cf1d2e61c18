import type { Context, Tx } from '../context.ts'
import type { Queryable } from 'payin-database'
import { isNearLimit, mayTrustCount } from '../../rules/payments/open-limit.ts'
import { lateUntil } from '../../rules/payments/payment.ts'
import { Refusal } from '../../rules/refusal.ts'
import { type Instant, second, hour } from '../../rules/time.ts'
import { lockMerchants } from '../merchants/read.ts'
import { type Answers, type CreateResult, refused } from './answer-existing.ts'
import type { Draft, ReferenceData } from './draft-payment.ts'
import { countHeld } from './inserting/store.ts'
import { countOpenPayments } from './store.ts'

type Counted = { open: number; at: Instant; created: number }

/** What a process remembers of its creates, so that it counts only where a quota may be reached. */
type Memory = { readonly shared: RecentCreates; readonly users: RecentCreates; readonly open: Map<string, Counted> }

const memories = new WeakMap<Context['catalog'], Memory>()

const memoryOf = ({ catalog }: Pick<Context, 'catalog'>): Memory => {
  const known = memories.get(catalog)
  if (known) return known
  const made: Memory = { shared: new RecentCreates(), users: new RecentCreates(), open: new Map() }
  memories.set(catalog, made)
  return made
}

const amountKey = ({ wish }: Draft): string => `${wish.merchantId} ${wish.method} ${wish.currency} ${wish.amount}`
const userKey = ({ wish, request }: Draft): string => `${wish.merchantId} ${request.userId}`
const hasUserQuota = ({ request, profile }: Draft): boolean =>
  request.userId !== null && profile.merchant.settings.maxHeldPerUser !== null

/** From this many creates of a user on, the amounts that it holds are counted. */
const countedFromUse = 2

/** Reads how many payments are open of the merchants whose known number is too old for the room that they have left. */
const learnOpen = async (sql: Queryable, memory: Memory, drafts: readonly Draft[], now: Instant): Promise<void> => {
  const stale = new Set(
    drafts.flatMap(({ wish: { merchantId }, profile }) => {
      const limit = profile.merchant.settings.maxOpenPayments
      const known = memory.open.get(merchantId)
      return limit === null || isNearLimit(limit, 0) || mayTrustCount(limit, known, now) ? [] : [merchantId]
    }),
  )
  for (const merchantId of stale) {
    const [counted] = await sql.query(countOpenPayments, { merchantId })
    memory.open.set(merchantId, { open: counted?.open ?? 0, at: now, created: 0 })
  }
}

/**
 * The drafts whose quotas must be counted under a lock: those of a merchant that is near its limit of open payments, of
 * a user with several creates, and of an amount that the merchant was given on a shared requisite before.
 */
export const findCountedDrafts = async (
  context: Context,
  { pool }: ReferenceData,
  drafts: readonly Draft[],
  now: Instant,
): Promise<ReadonlySet<Draft>> => {
  const memory = memoryOf(context)
  await learnOpen(context, memory, drafts, now)
  const earlier = new Map<string, number>()
  const usesBefore = (kind: string, key: string, known: readonly string[]): number => {
    const inCall = earlier.get(`${kind} ${key}`) ?? 0
    earlier.set(`${kind} ${key}`, inCall + 1)
    return known.length + inCall
  }
  return new Set(
    drafts.filter((draft) => {
      const { wish, profile } = draft
      const { maxOpenPayments, maxHeldPerUser } = profile.merchant.settings
      const { open = 0, created = 0 } = memory.open.get(wish.merchantId) ?? {}
      const count = open + created + usesBefore('open', wish.merchantId, [])
      const isNear = maxOpenPayments !== null && isNearLimit(maxOpenPayments, count)
      const uses = hasUserQuota(draft) ? usesBefore('user', userKey(draft), memory.users.idsOf(userKey(draft))) : 0
      const isOften = uses > 0 && uses >= Math.min(countedFromUse, maxHeldPerUser ?? countedFromUse)
      const isContested = wish.isPoolContested && pool.hasShared(wish)
      const isAgain = isContested && usesBefore('amount', amountKey(draft), memory.shared.idsOf(amountKey(draft))) > 0
      return isNear || isOften || isAgain
    }),
  )
}

/** Remembers the payments that were created. */
export const noteCreated = (context: Context, answers: Answers, now: Instant): void => {
  const memory = memoryOf(context)
  for (const [draft, answer] of answers) {
    if (answer.kind !== 'created') continue
    const { id, merchantId } = answer.payment
    const counted = memory.open.get(merchantId)
    if (counted) counted.created++
    if (hasUserQuota(draft)) memory.users.note(userKey(draft), id, now)
    if (draft.wish.isPoolContested && answer.requisite.merchantId === null)
      memory.shared.note(amountKey(draft), id, now)
  }
}

const tooMany = (message: string, retryAfterMs: number): CreateResult =>
  refused(
    new Refusal('too_many_open_payments', message, {
      retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / second)),
    }),
  )

/** When the payment of a draft would expire: those that are created together with it do so, too. */
const wouldExpireAt = ({ profile, request }: Draft, now: Instant): Instant =>
  now + profile.terms[request.method].timeToPayMs

const wouldHoldUntil = (draft: Draft, now: Instant): Instant => {
  const { profile, request } = draft
  const { method } = request
  return lateUntil({ expiredAt: wouldExpireAt(draft, now), terms: profile.terms[method], method })
}

/** Refuses drafts whose user already holds as many amounts as it may, among the payments that this process created. */
const refuseBeyondUserQuota = async (tx: Tx, memory: Memory, drafts: readonly Draft[]): Promise<Answers> => {
  const answers = new Map<Draft, CreateResult>()
  const byUser = Map.groupBy(drafts.filter(hasUserQuota), userKey)
  for (const [key, each] of byUser) {
    const [first] = each
    const most = first?.profile.merchant.settings.maxHeldPerUser ?? null
    const ids = memory.users.idsOf(key)
    if (!first || most === null || ids.length + each.length <= most) continue
    const { merchantId } = first.wish
    const [counted] = await tx.query(countHeld, { merchantId, ids, now: tx.now })
    const { held = 0, endsAt = null } = counted ?? {}
    for (const draft of each.slice(Math.max(0, most - held))) {
      const message = `Unpaid payments of this user already hold ${most} amounts, the most allowed.`
      answers.set(draft, tooMany(message, (endsAt ?? wouldHoldUntil(draft, tx.now)) - tx.now))
    }
  }
  return answers
}

/** Refuses drafts whose merchant has reached its limit of open payments. */
const refuseBeyondOpenLimit = async (tx: Tx, drafts: readonly Draft[]): Promise<Answers> => {
  const answers = new Map<Draft, CreateResult>()
  for (const [merchantId, each] of Map.groupBy(drafts, ({ wish }) => wish.merchantId)) {
    const most = each[0]?.profile.merchant.settings.maxOpenPayments ?? null
    if (most === null) continue
    const [counted] = await tx.query(countOpenPayments, { merchantId })
    const { open = 0, endsAt = null } = counted ?? {}
    for (const draft of each.slice(Math.max(0, most - open))) {
      const message = `There are already ${most} open payments, the most allowed.`
      answers.set(draft, tooMany(message, (endsAt ?? wouldExpireAt(draft, tx.now)) - tx.now))
    }
  }
  return answers
}

/**
 * Refuses counted drafts whose merchant or user has reached its limit. Locks their merchants, so that other nodes count
 * what this one creates.
 */
export const refuseBeyondQuotas = async (
  context: Pick<Context, 'catalog'>,
  tx: Tx,
  drafts: readonly Draft[],
  counted: ReadonlySet<Draft>,
): Promise<Answers> => {
  const locked = new Set(drafts.filter((draft) => counted.has(draft)).map(({ wish }) => wish.merchantId))
  await lockMerchants(tx, [...locked])
  const concerned = drafts.filter(({ wish }) => locked.has(wish.merchantId))
  const beyondOpen = await refuseBeyondOpenLimit(tx, concerned)
  const left = concerned.filter((draft) => !beyondOpen.has(draft))
  return new Map([...beyondOpen, ...(await refuseBeyondUserQuota(tx, memoryOf(context), left))])
}

/** Most keys in each of the two generations. */
const maxKeys = 20_000
const maxAgeMs = 4 * hour
/** Most ids of a key in each generation; quotas are smaller. */
const maxIds = 1000

/**
 * The payments that this process has created lately, by a key such as their user. Its memory is bounded: every few
 * hours, or after too many keys, it forgets the older half, and it keeps the newest ids of a key.
 */
class RecentCreates {
  #older: ReadonlyMap<string, readonly string[]> = new Map()
  #newer = new Map<string, string[]>()
  #startedAt = 0

  idsOf(key: string): readonly string[] {
    return [...(this.#older.get(key) ?? []), ...(this.#newer.get(key) ?? [])]
  }

  /** Notes a payment that was created. */
  note(key: string, id: string, now: Instant): void {
    if (this.#newer.size >= maxKeys || now - this.#startedAt > maxAgeMs) {
      this.#older = this.#newer
      this.#newer = new Map()
      this.#startedAt = now
    }
    const ids = this.#newer.get(key)
    if (!ids) this.#newer.set(key, [id])
    else if (ids.push(id) > maxIds) ids.shift()
  }
}
