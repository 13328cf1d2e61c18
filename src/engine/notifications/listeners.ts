import type { Context, Tx } from '../context.ts'
import { pause } from '../let-others-run.ts'
import type { AttemptOutcome } from '../../rules/notices/delivery.ts'
import type { EndpointWish } from '../../rules/notices/endpoint.ts'
import { requireRow } from '../../rules/refusal.ts'
import { Refusal } from '../../rules/refusal.ts'
import { simulatedFailures } from '../../rules/sandbox/simulation.ts'
import { type Instant, minute } from '../../rules/time.ts'
import type { DueDelivery } from './deliveries/lanes/lane.ts'
import { listDue } from './deliveries/lanes/store.ts'
import { decideAttempt, simulatedFailure } from './deliveries/lanes/send-due.ts'
import { recordAttempts } from './deliveries/store.ts'
import { createEndpoint, removeEndpoint } from './endpoints/endpoints.ts'
import { listenUntil, selectSilentListeners, startListening } from './endpoints/store.ts'

/** Most deliveries per answer. */
export const mostTaken = 20
/**
 * Deliveries that a listener took are among this many that are due first, unless as many others were sent again
 * meanwhile.
 */
const searched = 500
/** How often a waiting listener checks. */
const lookEveryMs = 300

type Key = { readonly merchantId: string; readonly endpointId: string }

/** A delivery for a listener, to be attempted once. */
type TakenDelivery = Pick<DueDelivery, 'eventId' | 'body' | 'attempts' | 'queuedAt'>

/** The listener's result of an attempt. */
export type TakenResult = Pick<TakenDelivery, 'eventId' | 'attempts' | 'queuedAt'> & {
  readonly outcome: AttemptOutcome
}

const listHeads = async (context: Context, key: Key): Promise<DueDelivery[]> => {
  const rows = await context.query(listDue, {
    now: context.clock(),
    rows: [{ ...key, afterDueAt: 0, afterPosition: 0n, size: searched }],
  })
  return rows.flatMap(({ eventId, body, ...row }) =>
    eventId === null || body === null ? [] : [{ ...row, eventId, body }],
  )
}

type Ended = { readonly due: DueDelivery; readonly outcome: AttemptOutcome }

const record = async (context: Context, key: Key, ended: readonly Ended[]): Promise<void> => {
  if (ended.length === 0) return
  const now = context.clock()
  const rows = ended.map(({ due, outcome }) => ({
    ...due,
    ...outcome,
    ...decideAttempt(due, outcome, now),
    ...key,
    url: noAddress,
    // Not earlier by the latency, which only the listener reports: attempts of a payment must stay in order.
    at: now,
  }))
  await context.query(recordAttempts, { rows, now })
  context.changes.announce('deliveries', [key.merchantId])
}

const isOf = (due: DueDelivery, { eventId, attempts, queuedAt }: TakenResult): boolean =>
  due.eventId === eventId && due.attempts === attempts && due.queuedAt === queuedAt

/** Writes results of attempts; skips those written before, and those whose delivery was restarted meanwhile. */
const writeResults = async (context: Context, key: Key, results: readonly TakenResult[]): Promise<void> => {
  if (results.length === 0) return
  const firsts = await listHeads(context, key)
  const ended = results.flatMap((result) => {
    const due = firsts.find((head) => isOf(head, result))
    return due === undefined ? [] : [{ due, outcome: result.outcome }]
  })
  await record(context, key, ended)
}

/** Deliveries that are due; tries that the sandbox lets fail without sending are written as failed, and left out. */
const take = async (context: Context, key: Key): Promise<TakenDelivery[]> => {
  const firsts = await listHeads(context, key)
  const failing = firsts.filter(({ play, attempts }) => play === 'fails-twice' && attempts < simulatedFailures)
  await record(
    context,
    key,
    failing.map((due) => ({ due, outcome: simulatedFailure })),
  )
  return firsts.filter((due) => !failing.includes(due)).slice(0, mostTaken)
}

/**
 * Writes the results of the deliveries that a listener was given, and returns those that are due now, the first one of
 * each payment; waits for one up to `waitMs`, or until `signal` aborts. A delivery without a result is given again.
 * Refuses `resource_not_found` if the listener does not exist, or no longer.
 */
export const takeDeliveries = async (
  context: Context,
  key: Key,
  asked: { readonly results: readonly TakenResult[]; readonly waitMs: number; readonly signal: AbortSignal },
): Promise<{ readonly deliveries: readonly TakenDelivery[]; readonly until: Instant }> => {
  const until = context.clock() + listenedForMs
  requireRow(await context.query(listenUntil, { merchantId: key.merchantId, id: key.endpointId, until }), 'endpoint')
  await writeResults(context, key, asked.results)
  for (let waitedMs = 0; ; waitedMs += lookEveryMs) {
    const deliveries = await take(context, key)
    const isOver = waitedMs >= asked.waitMs || asked.signal.aborted || context.changes.closed()
    if (deliveries.length > 0 || isOver) return { deliveries, until }
    await pause(lookEveryMs, asked.signal)
  }
}

/** How long a listener is kept after its last call. */
const listenedForMs = 2 * minute

/** Stored instead of an address: a name that leads nowhere (RFC 2606). */
const noAddress = 'https://listener.invalid/'

/**
 * Adds an endpoint without an address, whose deliveries are taken by `takeDeliveries`. It is removed after two minutes
 * without a call. Its secret is not kept: whoever takes deliveries signs them. Refusals as `createEndpoint`.
 */
export const createListener = async (
  tx: Tx,
  merchantId: string,
  wish: Omit<EndpointWish, 'url'>,
): Promise<{ readonly id: string; readonly until: Instant }> => {
  const policy = { loopbackAllowed: false, mayBePublic: () => true }
  const { endpoint } = await createEndpoint(tx, policy, merchantId, { ...wish, url: noAddress })
  const until = tx.now + listenedForMs
  await tx.query(startListening, { merchantId, id: endpoint.id, listeningUntil: until })
  return { id: endpoint.id, until }
}

/** Most listeners removed per round. */
const listenersAtOnce = 100

/** Removes listeners that have been silent for too long; returns how many. */
export const removeSilentListeners = async (context: Context): Promise<number> => {
  const silent = await context.query(selectSilentListeners, { now: context.clock(), limit: listenersAtOnce })
  for (const { merchantId, id } of silent) {
    try {
      await context.transaction((tx) => removeEndpoint(tx, merchantId, id, 'operator'))
    } catch (error) {
      // Its program has removed it meanwhile.
      if (!(error instanceof Refusal)) throw error
    }
  }
  return silent.length
}
