import type { Context } from '../context.ts'
import { type Instant, minute, second, day } from '../../rules/time.ts'
import { insertRequests, deleteRequests } from './store.ts'

/** A request without its bodies. */
export type SeenRequest = Omit<Row, 'times' | keyof Bodies>

/** The bodies of a request, redacted. */
export type Bodies = Pick<Row, 'requestBody' | 'answerBody'>

type Row = Parameters<typeof insertRequests.encode>[0]['rows'][number]

/** How many rows something may have in a burst, and how long until it may have one more. */
type Allowance = { readonly burst: number; readonly everyMs: number }

// docs/decisions/0028-request-log.md: a successful poll is one of thousands of equal ones.
const ofReads: Allowance = { burst: 1, everyMs: minute }
const ofOthers: Allowance = { burst: 100, everyMs: second / 2 }

/** Most rows that wait to be written, and most kinds of requests that are counted; anything beyond is lost. */
const maxWaiting = 1000
const maxCounted = 10_000

/** The rest of an allowance, which refills over time. */
class Gate {
  readonly allowance: Allowance
  #left: number
  #filledAt: Instant

  constructor(allowance: Allowance, now: Instant) {
    this.allowance = allowance
    this.#left = allowance.burst
    this.#filledAt = now
  }

  #fill(now: Instant): void {
    const { burst, everyMs } = this.allowance
    const more = Math.floor((now - this.#filledAt) / everyMs)
    if (more <= 0) return
    this.#left = Math.min(burst, this.#left + more)
    this.#filledAt += more * everyMs
  }

  take(now: Instant): boolean {
    this.#fill(now)
    if (this.#left === 0) return false
    this.#left--
    return true
  }

  isFull(now: Instant): boolean {
    this.#fill(now)
    return this.#left === this.allowance.burst
  }
}

/** Requests of one node that wait to be written, and those that are only counted. */
type Waiting = {
  rows: Row[]
  readonly gates: Map<string, Gate>
  readonly counted: Map<string, { gate: string; last: SeenRequest; times: number }>
  lost: number
  /** The sets being written, one after the other. */
  writing: Promise<void>
}

const ofNode = new WeakMap<Context, Waiting>()

const waitingOf = (context: Context): Waiting => {
  const known = ofNode.get(context)
  if (known) return known
  const made: Waiting = { rows: [], gates: new Map(), counted: new Map(), lost: 0, writing: Promise.resolve() }
  ofNode.set(context, made)
  return made
}

const isRead = ({ method, status }: SeenRequest): boolean => (method === 'GET' || method === 'HEAD') && status < 400

const gateName = (request: SeenRequest): string => {
  if (isRead(request)) return `${request.merchantId} ${request.operation}`
  return `${request.merchantId} ${request.status < 400 ? 'changed' : 'failed'}`
}

/**
 * Logs a request without waiting for anything: it is written within a second, or only counted if its merchant has used
 * its allowance of rows; the count is the `times` of a later row. `bodies` is called only for written requests.
 */
export const noteRequest = (context: Context, request: SeenRequest, bodies: () => Bodies): void => {
  const waiting = waitingOf(context)
  const now = context.clock()
  const name = gateName(request)
  let gate = waiting.gates.get(name)
  if (!gate) {
    gate = new Gate(isRead(request) ? ofReads : ofOthers, now)
    waiting.gates.set(name, gate)
  }
  if (gate.take(now)) {
    if (waiting.rows.length < maxWaiting) waiting.rows.push({ ...request, ...bodies(), times: 1 })
    else waiting.lost++
    return
  }
  const kind = `${request.merchantId} ${request.operation} ${request.status} ${request.code ?? ''}`
  const counted = waiting.counted.get(kind)
  if (counted) {
    counted.last = request
    counted.times++
  } else if (waiting.counted.size < maxCounted) waiting.counted.set(kind, { gate: name, last: request, times: 1 })
  else waiting.lost++
}

/** Turns counts whose turn has come into rows, and deletes gates that are no longer needed. */
const takeCounted = (waiting: Waiting, now: Instant, isLast: boolean): void => {
  for (const [kind, { gate, last, times }] of waiting.counted) {
    if (waiting.rows.length >= maxWaiting) break
    if (!isLast && waiting.gates.get(gate)?.take(now) === false) continue
    waiting.counted.delete(kind)
    waiting.rows.push({ ...last, requestBody: null, answerBody: null, times })
  }
  for (const [name, gate] of waiting.gates) if (gate.isFull(now)) waiting.gates.delete(name)
}

const write = async (context: Context, waiting: Waiting): Promise<void> => {
  const { rows } = waiting
  waiting.rows = []
  try {
    if (rows.length > 0 && context.isWritable()) await context.query(insertRequests, { rows })
    else waiting.lost += rows.length
  } catch (error) {
    waiting.lost += rows.length
    context.log.debug({ err: error }, 'requests are not in the request log')
  }
  if (waiting.lost === 0) return
  context.log.warn({ lost: waiting.lost }, 'the request log lacks requests')
  waiting.lost = 0
}

/**
 * Writes what this node has logged so far, one set at a time; never fails. With `isLast` it also writes what is still
 * only counted.
 */
export const writeRequests = async (context: Context, isLast = false): Promise<void> => {
  const waiting = waitingOf(context)
  takeCounted(waiting, context.clock(), isLast)
  if (waiting.rows.length > 0 || waiting.lost > 0) waiting.writing = waiting.writing.then(() => write(context, waiting))
  await waiting.writing
}

/** Most requests deleted per round. */
const batchSize = 5000

/** Deletes requests older than `PAYIN_REQUEST_LOG_DAYS`; returns how many. */
export const forgetRequests = async (context: Context): Promise<number> => {
  const before = context.clock() - context.settings.requestLogDays * day
  const [row] = await context.query(deleteRequests, { before, limit: batchSize })
  return Number(row?.deleted ?? 0)
}
