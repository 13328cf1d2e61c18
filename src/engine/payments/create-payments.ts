import type { Context, Tx } from '../context.ts'
import type { Queryable } from 'payin-database'
import { coalesce } from '../coalesce.ts'
import { lateUntil, mayShareSlot, type Payment } from '../../rules/payments/payment.ts'
import { Refusal } from '../../rules/refusal.ts'
import { freeMeanwhile, noRequisite } from '../../rules/requisites/requisite-shortage.ts'
import type { SimulatedStep } from '../../rules/sandbox/simulation.ts'
import type { Instant } from '../../rules/time.ts'
import { listDebtors } from '../ledger/read.ts'
import { findShortage } from '../requisites/explain-allocation.ts'
import { type Allocation, type Allocator, needUsage, startAllocation } from '../requisites/start-allocation.ts'
import { lockPayers } from '../risk/judge-payers.ts'
import { scheduleSteps } from '../sandbox/simulate-payments.ts'
import { type Answers, answerExisting, type CreateResult, refused, replayRefused } from './answer-existing.ts'
import {
  type CreateCommand,
  type Draft,
  draftPayment,
  newPayment,
  type ReferenceData,
  readReference,
  sandboxStory,
  termsId,
} from './draft-payment.ts'
import { insertPayment, insertPayments, insertSharers } from './inserting/store.ts'
import { judgeNewPayments } from './judge-new-payments.ts'
import { findCountedDrafts, noteCreated, refuseBeyondQuotas } from './refuse-beyond-quotas.ts'

/** What the steps of one call share: the transaction, reference data, and the creation time of all its payments. */
type Creation = {
  readonly sql: Queryable
  readonly newId: Context['newId']
  readonly reference: ReferenceData
  readonly now: Instant
}

/**
 * How often a payment that lost its slot to another node tries the next candidate. Each loss means that another payment
 * got the slot, so the tries end when no slot is free; the bound only guards against an endless loop.
 */
const maxRounds = 100

const unanswered = (drafts: readonly Draft[], answers: Answers): Draft[] =>
  drafts.filter((draft) => !answers.has(draft))

const refuseWithoutRequisite = async ({ sql, reference, now }: Creation, { wish }: Draft): Promise<CreateResult> =>
  refused(noRequisite((await findShortage(sql, reference.pool, wish, now)) ?? freeMeanwhile(now), now))

/** Gives drafts their requisites and inserts them; drafts that lost their slot to another node get no answer. */
const runRound = async (
  creation: Creation,
  allocator: Allocator,
  drafts: readonly Draft[],
  isFirst: boolean,
): Promise<Answers> => {
  const { sql, newId, reference, now } = creation
  const wishes = drafts.map((draft) => draft.wish)
  if (!isFirst) await allocator.learnTaken(sql, wishes)
  const answers = new Map<Draft, CreateResult>()
  const attempts = new Map<string, Allocation & { draft: Draft; payment: Payment }>()
  for (const draft of drafts) {
    const allocation = allocator.allocate(draft.wish) ?? (isFirst ? undefined : allocator.share(draft.wish))
    if (allocation) {
      const payment = newPayment(draft, allocation, newId, now)
      attempts.set(payment.id, { draft, payment, ...allocation })
    } else if (!isFirst) {
      // Not in the first round: memory only knows the slots that this node has seen taken.
      answers.set(draft, await refuseWithoutRequisite(creation, draft))
    }
  }
  const inserted = await insertNewPayments(sql, now, [...attempts.values()])
  for (const { draft, payment, requisite } of attempts.values()) {
    if (inserted.has(payment.id)) answers.set(draft, { kind: 'created', payment, requisite })
    else allocator.uncount(requisite, draft.wish)
  }
  for (const [draft, answer] of await answerExisting(sql, reference, unanswered(drafts, answers))) {
    // The first try inserted it, but its answer was lost with the connection.
    const own = answer.kind === 'existing' ? attempts.get(answer.payment.id) : undefined
    answers.set(draft, own ? { kind: 'created', payment: own.payment, requisite: own.requisite } : answer)
  }
  return answers
}

/** Gives each draft a requisite and inserts it; tries the next candidate if another node was first. */
const insertDrafts = async (creation: Creation, allocator: Allocator, drafts: readonly Draft[]): Promise<Answers> => {
  const answers = new Map<Draft, CreateResult>()
  let pending = drafts
  for (let round = 0; pending.length > 0 && round < maxRounds; round++) {
    const answered = await runRound(creation, allocator, pending, round === 0)
    for (const [draft, answer] of answered) answers.set(draft, answer)
    pending = unanswered(pending, answered)
  }
  for (const draft of pending) answers.set(draft, await refuseWithoutRequisite(creation, draft))
  return answers
}

const stepsOf = ({ profile, request }: Draft): SimulatedStep[] =>
  sandboxStory(profile, request).steps?.(request.amount) ?? []

const scheduleStories = async (tx: Tx, answers: Answers): Promise<void> => {
  const planned = [...answers].flatMap(([draft, answer]) => {
    if (answer.kind !== 'created' || answer.payment.status !== 'new') return []
    const { merchantId, id: paymentId } = answer.payment
    return stepsOf(draft).map((step) => ({ merchantId, paymentId, step }))
  })
  await scheduleSteps(tx, planned)
}

/** Creates payments with different orderIds: in one query, or in a transaction if counting or planning is needed. */
const createDistinct = async (
  context: Context,
  reference: ReferenceData,
  drafts: readonly Draft[],
  now: Instant,
): Promise<Answers> => {
  const { pool } = reference
  const wishes = drafts.map((draft) => draft.wish)
  const creation = { sql: context, newId: context.newId, reference, now }
  const counted = await findCountedDrafts(context, reference, drafts, now)
  const needsSteps = (draft: Draft): boolean =>
    counted.has(draft) || draft.payers.length > 0 || stepsOf(draft).length > 0
  if (!needUsage(pool, wishes) && !drafts.some(needsSteps)) {
    return insertDrafts(creation, await startAllocation(pool, wishes, now, undefined), drafts)
  }
  return context.transaction(async (tx) => {
    // Existing payments are answered first: they do not count towards the limits.
    const existing = await answerExisting(tx, reference, drafts)
    const fresh = unanswered(drafts, existing)
    const beyond = await refuseBeyondQuotas(context, tx, fresh, counted)
    const kept = unanswered(fresh, beyond)
    await lockPayers(
      tx,
      kept.flatMap((draft) => draft.payers),
    )
    const allocator = await startAllocation(pool, wishes, now, tx)
    // Shared requisites are then given only up to the merchant's fair share.
    const contested = kept.filter((draft) => counted.has(draft) && draft.wish.isPoolContested)
    if (contested.length > 0)
      await allocator.learnTaken(
        tx,
        contested.map(({ wish }) => wish),
      )
    const inserted = await insertDrafts({ ...creation, sql: tx }, allocator, kept)
    const judged = new Map([...inserted, ...(await judgeNewPayments(tx, reference, inserted))])
    await scheduleStories(tx, judged)
    return new Map([...existing, ...beyond, ...judged])
  })
}

/** Splits drafts by orderId: the first of each, and the others, which are answered from it. */
const splitByOrder = (drafts: readonly Draft[]): { first: Draft[]; others: Draft[] } => {
  const first = new Map<string, Draft>()
  for (const draft of drafts) {
    const order = `${draft.wish.merchantId} ${draft.request.orderId}`
    if (!first.has(order)) first.set(order, draft)
  }
  const chosen = new Set(first.values())
  return { first: [...chosen], others: drafts.filter((draft) => !chosen.has(draft)) }
}

/** Refuses drafts of merchants that owe more than they may. */
const refuseDebtors = async (context: Context, drafts: readonly Draft[]): Promise<Answers> => {
  const bounded = drafts.filter(({ profile }) => profile.merchant.settings.maxDebt !== null)
  if (bounded.length === 0) return new Map()
  const ids = [...new Set(bounded.map(({ wish }) => wish.merchantId))]
  const debtors = new Set((await listDebtors(context, ids, ids.length)).map(({ merchantId }) => merchantId))
  const refusal = new Refusal('debt_too_large', 'Your balance is further below zero than agreed.')
  return new Map(
    bounded.flatMap((draft) => (debtors.has(draft.wish.merchantId) ? [[draft, refused(refusal)] as const] : [])),
  )
}

const answerDrafts = async (
  context: Context,
  reference: ReferenceData,
  drafts: readonly Draft[],
  now: Instant,
): Promise<Answers> => {
  const { first, others } = splitByOrder(drafts)
  const created = await createDistinct(context, reference, first, now)
  noteCreated(context, created, now)
  if (others.length === 0) return created
  const existing = await answerExisting(context, reference, others)
  const left = unanswered(others, existing)
  // The first one was refused: the next one tries.
  const further = left.length > 0 ? await answerDrafts(context, reference, left, now) : []
  return new Map([...created, ...existing, ...further])
}

/**
 * Creates payments, each with its slot, first event and notification; the answers are in the order of the commands. An
 * orderId that exists is answered from its payment (`existing`) or refused (`order_conflict`). Other refusals: those of
 * `readPaymentRequest`, `rate_unavailable`, `debt_too_large`, `too_many_open_payments`, `requisites_unavailable`. If a block or a
 * velocity rule refuses the payer, the payment is created and immediately `failed`, with the reason `risk`
 * (docs/domain.md §3).
 */
export const createPayments = async (context: Context, commands: readonly CreateCommand[]): Promise<CreateResult[]> => {
  const reference = await readReference(context)
  const now = context.clock()
  await reference.pool.learnUses(context, now)
  const asked = commands.map((command) => ({ command, draft: draftPayment(reference, command, now) }))
  const drafts = asked.flatMap(({ draft }) => (draft instanceof Refusal ? [] : [draft]))
  const indebted = await refuseDebtors(context, drafts)
  const created = await answerDrafts(context, reference, unanswered(drafts, indebted), now)
  const answers = new Map([...indebted, ...created])
  const made = [...answers.values()].flatMap((answer) => (answer.kind === 'created' ? [answer.payment.merchantId] : []))
  context.changes.announce('payments', [...new Set(made)])
  const answered = asked.map(({ command, draft }) => {
    const result = draft instanceof Refusal ? refused(draft) : answers.get(draft)
    if (!result) throw new Error(`order ${command.request.orderId} was not answered`)
    return { command, result }
  })
  const refusedCommands = answered.flatMap(({ command, result }) => (result.kind === 'refused' ? [command] : []))
  const replayed = await replayRefused(context, reference, refusedCommands)
  return answered.map(({ command, result }) => replayed.get(command) ?? result)
}

/**
 * Creates one payment together with other concurrent calls; answers as `createPayments` does. In halves, 64 and 256
 * connections create 1.11 and 1.25 times as many payments (2 cores; decision 7).
 */
export const createPayment = coalesce(createPayments, {
  name: 'create-payment',
  maxBatch: 500,
  maxWaiting: 5000,
  inHalves: true,
})

type NewPayment = Parameters<typeof insertPayment.encode>[0]

const termsOfSet = (rows: readonly NewPayment[]) => {
  const shared = new Map(rows.map((row) => [row.termsId, row.terms]))
  return { sharedIds: [...shared.keys()], sharedTerms: [...shared.values()] }
}

const insertHolders = async (sql: Queryable, rows: readonly NewPayment[]): Promise<{ id: string }[]> => {
  const [first] = rows
  if (!first) return []
  return rows.length === 1 ? sql.query(insertPayment, first) : sql.query(insertPayments, { ...termsOfSet(rows), rows })
}

/**
 * Inserts payments with their slots and first events, and returns the ids of the inserted ones. The others lost their
 * slot, their orderId or, with `isSole`, their requisite to another payment, and wrote nothing. No notification is
 * sent: the caller has the payment in its answer.
 */
const insertNewPayments = async (
  sql: Queryable,
  now: Instant,
  payments: readonly { readonly payment: Payment; readonly isSole: boolean }[],
): Promise<ReadonlySet<string>> => {
  const rows = payments.map(({ payment, isSole }) => ({
    ...payment,
    ...{ termsId: termsId(payment.terms), isSole, heldUntil: lateUntil(payment) },
    shares: mayShareSlot(payment.type, payment.terms),
  }))
  const sharers = rows.filter((row) => row.sharesSlot)
  const holders = sharers.length === 0 ? rows : rows.filter((row) => !row.sharesSlot)
  const inserted = await insertHolders(sql, holders)
  // After the holders: they may share with those.
  if (sharers.length > 0)
    inserted.push(...(await sql.query(insertSharers, { ...termsOfSet(sharers), now, rows: sharers })))
  return new Set(inserted.map(({ id }) => id))
}
