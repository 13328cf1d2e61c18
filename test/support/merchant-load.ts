// Merchants who create, poll, acknowledge, cancel, refund and ask for their balance, repeat requests without an answer, and remember every answer that
// the service must keep to.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { destinationRules } from '../../src/rules/money/destination.ts'
import { type Cluster, type Node, tryCall } from './cluster.ts'
import { oneOf, type Random } from './random.ts'
import type { Answer } from './shop.ts'
import type { Sightings } from './torture.ts'

/** What the service has answered to a merchant, and must keep to. */
type Promised = {
  readonly request: { readonly orderId: string }
  /** The ids of the payment and its requisite, which never change. */
  readonly created: readonly unknown[]
  acknowledged?: unknown
  isCanceled?: true
  /** Refunds and settlements that were asked for: the same reference is always the same one. */
  readonly asked: { readonly path: string; readonly body: object; readonly id: string }[]
}

/** A payment that waits for a bank to report its money. */
export type Unpaid = { readonly requisiteId: string; readonly amount: number }

/** What merchants were answered up to a moment. */
export type Memory = { readonly promises: readonly Promised[] }

/** A load of merchants on a cluster. */
export type MerchantLoad = {
  /** The number of answered writes. */
  answered(): number
  /** Waits until this many more writes were answered. */
  proceed(writes: number): Promise<void>
  /** Ends the load when all requests under way are answered or given up. */
  stop(): Promise<void>
  /** Describes what was answered and is missing: of answers since the last call, or of `everything`. */
  findLost(everything?: boolean): Promise<string[]>
  /** What was answered so far. */
  remember(): Memory
  /** Like `findLost` for what was remembered, at nodes of another cluster that also has the merchant. */
  findLostIn(memory: Memory, nodes: readonly Node[]): Promise<string[]>
  /** Up to this many payments that the sandbox does not pay: the oldest ones that were not returned before. */
  takeUnpaid(most: number): readonly Unpaid[]
  /** Answers that no client should get: neither 2xx, nor a documented refusal that says when to try again. */
  readonly wrong: readonly string[]
}

/** 408: this process was too busy to send a request in time. */
const isTransient = (answer: Answer | undefined): boolean =>
  answer === undefined || [408, 429, 503].includes(answer.status)

const proceedWithinMs = 60_000

/** Starts merchants who never pause; each only waits for its answers. */
export const startMerchantLoad = (
  cluster: Pick<Cluster, 'web' | 'token'>,
  random: Random,
  seen: Sightings,
  clients = 4,
): MerchantLoad => {
  const promises: Promised[] = []
  const wrong: string[] = []
  const unpaid: Unpaid[] = []
  let isStopping = false
  let orders = 0
  let answered = 0
  let checked = 0

  const call = (node: Node, path: string, body?: unknown) => tryCall(node, cluster.token, path, body)

  /** Repeats a request, at any node, until it is answered; a repeated create is never a second payment. */
  const insist = async (path: string, body: unknown, asked?: readonly Node[]): Promise<Answer | undefined> => {
    for (let tries = 0; tries < 400; tries++) {
      const answer = await call(oneOf(random, asked ?? cluster.web), path, body)
      if (!isTransient(answer)) return answer
      seen.note(answer === undefined ? 'no answer' : String(answer.body.code))
      const isRefused = answer !== undefined && answer.status !== 408
      if (isRefused && !/^[1-9]\d*$/.test(answer.headers.get('retry-after') ?? ''))
        wrong.push(`${path}: no Retry-After`)
      if (isStopping && asked === undefined && tries > 3) return undefined
      await sleep(50)
    }
    return undefined
  }

  const create = async (): Promise<Promised | undefined> => {
    const order = ++orders
    const isPaid = order % 2 === 0
    const cents = isPaid ? 0.01 : 0.37
    const amount = 1000 + (order % 90_000) + cents
    const request = { type: 'direct', amount, orderId: `load-${order}`, currency: 'rub', method: 'sbp' }
    const answer = await insist('/payments', request)
    if (!answer) return undefined
    if (answer.status > 201) return void wrong.push(`create: ${answer.status} ${JSON.stringify(answer.body)}`)
    seen.note(answer.status === 201 ? 'created' : 'created again')
    answered++
    const promised = { request, created: namesOf(answer), asked: [] }
    promises.push(promised)
    if (!isPaid) unpaid.push({ requisiteId: answer.body.card.id, amount: answer.body.payment.amount })
    return promised
  }

  const ask = async (promised: Promised, path: string, body: object): Promise<string | undefined> => {
    const answer = await insist(path, body)
    // The balance may not cover it, and an older release does not have it.
    if (!answer || answer.status === 409 || answer.status === 404) return undefined
    if (answer.status > 201) return void wrong.push(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    answered++
    seen.note(`asked for ${path.slice(path.lastIndexOf('/') + 1)}`)
    promised.asked.push({ path, body, id: answer.body.id })
    return answer.body.id
  }

  /** Gives a rouble of a payment back, or asks for a part of the balance and cancels that. */
  const moveMoney = async (promised: Promised): Promise<void> => {
    const reference = promised.request.orderId
    if (random(2) === 0)
      return void (await ask(promised, `/payments/byOrderId/${reference}/refunds`, { reference, amount: 1 }))
    const wallet = { kind: 'tron', address: destinationRules.tron.example, label: 'Wallet' }
    const destinationId = await ask(promised, '/destinations', wallet)
    if (destinationId === undefined) return
    const id = await ask(promised, '/settlements', { reference, amount: 0.01, destinationId })
    if (id !== undefined) await insist(`/settlements/${id}/cancel`, {})
  }

  const finish = async (promised: Promised): Promise<void> => {
    const { orderId } = promised.request
    const isCanceling = random(4) === 0
    const answer = await insist(`/payments/byOrderId/${isCanceling ? 'cancel' : 'ack'}`, { orderId })
    if (!answer || answer.status === 409) return
    if (answer.status !== 200) return void wrong.push(`${orderId}: ${answer.status} ${JSON.stringify(answer.body)}`)
    answered++
    seen.note(isCanceling ? 'canceled' : 'acknowledged')
    if (isCanceling) promised.isCanceled = true
    else promised.acknowledged = answer.body
    if (!isCanceling && random(3) === 0) await moveMoney(promised)
  }

  const client = async (): Promise<void> => {
    const waiting: Promised[] = []
    while (!isStopping) {
      const promised = await create()
      if (promised) waiting.push(promised)
      // The sandbox pays after two seconds, so payments that were created some time ago are paid by now.
      if (waiting.length > 20 || random(5) === 0)
        await finish(waiting.shift() ?? { request: { orderId: '-' }, created: [], asked: [] })
    }
  }

  const check = async (promised: Promised, nodes: readonly Node[]): Promise<string[]> => {
    const { orderId } = promised.request
    const again = await insist('/payments', promised.request, nodes)
    const lost: string[] = []
    if (again?.status !== 200 || !isEqual(namesOf(again), promised.created))
      lost.push(`${orderId}: created, now ${shown(again)}`)
    if (promised.acknowledged) {
      const acknowledged = await insist('/payments/byOrderId/ack', { orderId }, nodes)
      if (!isEqual(acknowledged?.body, promised.acknowledged))
        lost.push(`${orderId}: acknowledged, now ${shown(acknowledged)}`)
    }
    for (const { path, body, id } of promised.asked) {
      const same = await insist(path, body, nodes)
      if (same?.status !== 200 || same.body.id !== id) lost.push(`${orderId}: asked for ${path}, now ${shown(same)}`)
    }
    if (promised.isCanceled) {
      const status = (await insist(`/payments/byOrderId/${orderId}/status`, undefined, nodes))?.body.status
      if (status !== 'canceled') lost.push(`${orderId}: canceled, now ${status}`)
    }
    return lost
  }

  const checkAll = async (wanted: Promised[], nodes: readonly Node[]): Promise<string[]> => {
    const lost: string[] = []
    const lane = async (): Promise<void> => {
      for (let next = wanted.pop(); next; next = wanted.pop()) lost.push(...(await check(next, nodes)))
    }
    await Promise.all(Array.from({ length: 8 }, lane))
    return lost
  }

  const running = Array.from({ length: clients }, client)
  return {
    answered: () => answered,
    proceed: async (writes) => {
      const wanted = answered + writes
      for (let waited = 0; answered < wanted; waited += 5) {
        assert.ok(waited < proceedWithinMs, `only ${answered} of ${wanted} writes were answered: ${seen.text()}`)
        await sleep(5)
      }
    },
    takeUnpaid: (most) => unpaid.splice(0, most),
    wrong,
    stop: async () => {
      isStopping = true
      await Promise.all(running)
    },
    findLost: (everything = false) => {
      const wanted = promises.slice(everything ? 0 : checked)
      checked = promises.length
      return checkAll(wanted, cluster.web)
    },
    remember: () => ({ promises: promises.map((each) => ({ ...each })) }),
    findLostIn: (memory, nodes) => checkAll([...memory.promises], nodes),
  }
}

const namesOf = ({ body }: Answer): unknown[] => [body.payment.id, body.payment.amount, body.card.id]

const shown = (answer: Answer | undefined): string => `${answer?.status} ${JSON.stringify(answer?.body)}`.slice(0, 200)

const isEqual = (a: unknown, b: unknown): boolean => {
  try {
    assert.deepEqual(a, b)
    return true
  } catch {
    return false
  }
}
