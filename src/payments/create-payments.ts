import type { Context, Tx } from '../context.ts'
import { coalesce } from '../database/coalesce.ts'
import type { Queryable } from '../database/database.ts'
import type { Payment } from '../domain/payment.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Requisite } from '../domain/requisite.ts'
import { kopecksStory } from '../domain/simulation.ts'
import type { Instant } from '../domain/time.ts'
import { lockMerchants } from '../merchants/lock-merchants.ts'
import { type Allocator, needUsage, startAllocation } from '../requisites/start-allocation.ts'
import { lockPayers } from '../risk/lock-payers.ts'
import { scheduleSteps } from '../sandbox/schedule-steps.ts'
import { answerExisting, type CreateResult, refused, replayRefused } from './answer-existing.ts'
import {
  type CreateCommand,
  type Draft,
  draftPayment,
  newPayment,
  noRequisite,
  type Reference,
  readReference,
} from './draft-payment.ts'
import { insertNewPayments } from './insert-new-payments.ts'
import { judgeNewPayments } from './judge-new-payments.ts'
import { countOpenPayments } from './store.ts'
import { suggestAlternatives } from './suggest-alternatives.ts'

/**
 * How often a payment that lost its slot to another node tries the next candidate. Each loss is another's gain, so the
 * tries end with the free slots; the bound only guards against an endless loop.
 */
const maxRounds = 100

const hasOpenLimit = (draft: Draft): boolean => draft.profile.merchant.settings.maxOpenPayments !== null

/** Refuses drafts whose merchant has no room for one more open payment; locks and counts only where a limit is set. */
const refuseBeyondOpenLimit = async (tx: Tx, drafts: readonly Draft[], results: CreateResult[]): Promise<Draft[]> => {
  const limited = new Set(drafts.filter(hasOpenLimit).map((draft) => draft.wish.merchantId))
  await lockMerchants(tx, [...limited])
  const open = new Map<string, number>()
  for (const id of limited) open.set(id, (await tx.query(countOpenPayments, { merchantId: id }))[0]?.open ?? 0)
  return drafts.filter((draft) => {
    const { id, settings } = draft.profile.merchant
    const count = open.get(id) ?? 0
    open.set(id, count + 1)
    if (settings.maxOpenPayments === null || count < settings.maxOpenPayments) return true
    const message = `There are already ${settings.maxOpenPayments} open payments, the most that is allowed.`
    results[draft.index] = refused(new Refusal('too_many_open_payments', message, { retryAfterSeconds: 60 }))
    return false
  })
}

const refuseWithoutRequisite = async (
  sql: Queryable,
  { pool }: Reference,
  { profile, wish }: Draft,
  now: Instant,
): Promise<CreateResult> => {
  const limits = profile.limits.get(wish.currency)
  return refused(noRequisite(await suggestAlternatives(sql, pool, wish, limits, now)))
}

const runRounds = async (
  context: Context,
  sql: Queryable,
  reference: Reference,
  allocator: Allocator,
  drafts: readonly Draft[],
  results: CreateResult[],
  now: Instant,
): Promise<void> => {
  let pending = [...drafts]
  for (let round = 0; pending.length > 0 && round < maxRounds; round++) {
    if (round > 0)
      await allocator.learnTakenSlots(
        sql,
        pending.map((draft) => draft.wish),
      )
    const attempts: { draft: Draft; payment: Payment; requisite: Requisite }[] = []
    const again: Draft[] = []
    for (const draft of pending) {
      const requisite = allocator.allocate(draft.wish)
      if (requisite) {
        attempts.push({
          draft,
          requisite,
          payment: newPayment(draft, requisite, context.newId, now),
        })
      } else if (round === 0) {
        // Memory only knows what this node saw: the database is asked before anybody is refused.
        again.push(draft)
      } else {
        results[draft.index] = await refuseWithoutRequisite(sql, reference, draft, now)
      }
    }
    const inserted = await insertNewPayments(
      context,
      sql,
      attempts.map((attempt) => attempt.payment),
    )
    for (const { draft, payment, requisite } of attempts) {
      if (inserted.has(payment.id)) results[draft.index] = { kind: 'created', payment, requisite }
      else {
        allocator.giveBack(requisite, draft.wish)
        again.push(draft)
      }
    }
    pending = await answerExisting(sql, reference, again, results)
    for (const { draft, payment, requisite } of attempts) {
      // Inserted at the first try, whose answer was lost with its connection.
      const result = results[draft.index]
      if (result?.kind === 'existing' && result.payment.id === payment.id)
        results[draft.index] = { kind: 'created', payment, requisite }
    }
  }
  for (const draft of pending) results[draft.index] = await refuseWithoutRequisite(sql, reference, draft, now)
}

/** Several commands for one new orderId: the first one of them is created, the others are answered from it. */
const splitRepeated = (drafts: readonly Draft[]): { first: Draft[]; repeated: Draft[] } => {
  const seen = new Set<string>()
  const first: Draft[] = []
  const repeated: Draft[] = []
  for (const draft of drafts) {
    const key = `${draft.wish.merchantId} ${draft.request.orderId}`
    ;(seen.has(key) ? repeated : first).push(draft)
    seen.add(key)
  }
  return { first, repeated }
}

const scheduleStories = async (tx: Tx, results: readonly CreateResult[], drafts: readonly Draft[]): Promise<void> => {
  const planned = drafts.flatMap((draft) => {
    const result = results[draft.index]
    if (result?.kind !== 'created' || draft.profile.merchant.mode !== 'sandbox') return []
    if (result.payment.status !== 'new') return []
    const { merchantId, id, amount, currency } = result.payment
    return kopecksStory(amount, currency).map((step) => ({ merchantId, paymentId: id, step }))
  })
  await scheduleSteps(tx, planned)
}

/** Creates payments of different orderIds: in one statement, or in a transaction where something is counted or planned. */
const createDistinct = async (
  context: Context,
  reference: Reference,
  drafts: readonly Draft[],
  results: CreateResult[],
  now: Instant,
): Promise<void> => {
  const wishes = drafts.map((draft) => draft.wish)
  const isPlayed = (draft: Draft): boolean =>
    draft.profile.merchant.mode === 'sandbox' && kopecksStory(draft.wish.amount, draft.wish.currency).length > 0
  const isWatched = (draft: Draft): boolean => draft.payers.length > 0
  const inSteps = needUsage(reference.pool, wishes) || drafts.some(isPlayed)
  if (inSteps || drafts.some(hasOpenLimit) || drafts.some(isWatched)) {
    await context.transaction(async (tx) => {
      // Repetitions are answered first: they take no room of what is limited.
      const fresh = await answerExisting(tx, reference, drafts, results)
      const kept = await refuseBeyondOpenLimit(tx, fresh, results)
      await lockPayers(
        tx,
        kept.flatMap((draft) => draft.payers),
      )
      const allocator = await startAllocation(reference.pool, wishes, now, tx)
      await runRounds(context, tx, reference, allocator, kept, results, now)
      await judgeNewPayments(tx, reference, kept, results)
      await scheduleStories(tx, results, kept)
    })
    return
  }
  const allocator = await startAllocation(reference.pool, wishes, now, undefined)
  await runRounds(context, context, reference, allocator, drafts, results, now)
}

/**
 * Creates payments, each with its slot, first event and notification; answers every command at its place. An orderId
 * that exists is answered from its payment (`existing`) or refused (`order_conflict`). Other refusals: those of
 * `readPaymentRequest`, `rate_unavailable`, `too_many_open_payments`, `requisites_unavailable`. A payment whose payer is
 * refused by a block or a velocity rule is created and `failed` at once, with the reason `risk`.
 */
export const createPayments = async (context: Context, commands: readonly CreateCommand[]): Promise<CreateResult[]> => {
  const reference = await readReference(context)
  const now = context.clock()
  const drafts: Draft[] = []
  const results: CreateResult[] = []
  commands.forEach((command, index) => {
    const draft = draftPayment(reference, command, index, now)
    if (draft instanceof Refusal) results[index] = refused(draft)
    else drafts.push(draft)
  })
  for (let waiting = drafts; waiting.length > 0; ) {
    const { first, repeated } = splitRepeated(waiting)
    await createDistinct(context, reference, first, results, now)
    waiting = await answerExisting(context, reference, repeated, results)
  }
  await replayRefused(context, reference, commands, results)
  return results
}

/** Creates one payment together with those that are asked for at the same time; answers as `createPayments` does. */
export const createPayment = coalesce(createPayments, { maxBatch: 500, maxWaiting: 5000 })
