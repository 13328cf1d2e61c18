// A phone that forwards messages of a bank in large requests, repeats those without an answer, and remembers what it sent.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, operatorToken } from './cluster.ts'
import { oneOf, type Random } from './random.ts'
import { type Answer, send } from './shop.ts'

const perRequest = 50
const giveUpAfterMs = 120_000

type Listed = { readonly id: string; readonly balance?: number; readonly state: string; readonly missing?: number }

/** A load of forwarded messages on a cluster. */
export type PhoneLoad = {
  /** The number of messages that were answered. */
  answered(): number
  /** Waits until this many more messages were answered. */
  proceed(messages: number): Promise<void>
  /** Ends the load when the request under way is answered or given up. */
  stop(): Promise<void>
  /** Describes what was answered and is not kept exactly once, as recorded money that follows the message before it. */
  findLost(): Promise<string[]>
}

/** Adds a phone and forwards messages about credits, each with the balance after it. */
export const startPhoneLoad = async (cluster: Pick<Cluster, 'web'>, random: Random): Promise<PhoneLoad> => {
  const call = (path: string, init: RequestInit, headers: Record<string, string>): Promise<Answer | undefined> =>
    send({ url: oneOf(random, cluster.web).url }, path, {
      ...init,
      headers: { 'content-type': 'application/json', ...headers },
      signal: AbortSignal.timeout(60_000),
    }).catch(() => undefined)
  const operate = async (path: string, body?: object, method = 'POST'): Promise<Answer['body']> => {
    const init = body === undefined ? {} : { method, body: JSON.stringify(body) }
    for (const startedAt = performance.now(); performance.now() - startedAt < giveUpAfterMs; await sleep(50)) {
      const answer = await call(`/api/v1/operator${path}`, init, { authorization: `Bearer ${operatorToken}` })
      if (answer !== undefined && answer.status < 300) return answer.body
    }
    throw new Error(`${path} is not answered`)
  }
  const { requisites } = await operate('/requisites?limit=100')
  const { id: requisiteId } = requisites.find((each: { currency: string }) => each.currency === 'rub')
  const settings = { name: 'phone of the load', app: 'other', requisiteIds: [requisiteId], dailyLimit: 0 }
  const { id, secret } = await operate('/phones', settings)
  await operate(`/phones/${id}/accounts`, { requisiteId, digits: ['4071'] }, 'PUT')
  const sent: number[] = []
  let balance = 1000
  let answered = 0
  let isStopping = false

  const forward = async (): Promise<void> => {
    const messages = Array.from({ length: perRequest }, () => {
      const amount = 1 + random(5000)
      balance += amount
      const text = `СЧЁТ4071 Перевод из Т-Банк +${amount}р от ИННА П. Баланс: ${balance}р`
      return { balance, message: { from: '900', text, sentStamp: Date.now() } }
    })
    const init = { method: 'POST', body: JSON.stringify({ messages: messages.map(({ message }) => message) }) }
    for (const startedAt = performance.now(); ; await sleep(50)) {
      const answer = await call(`/api/v1/phones/${id}`, init, { authorization: `Bearer ${secret}` })
      if (answer?.status === 200) break
      const mayRepeat = answer === undefined || [408, 503].includes(answer.status)
      assert.ok(mayRepeat, `${answer?.status} ${JSON.stringify(answer?.body)}`)
      if (performance.now() - startedAt > giveUpAfterMs) throw new Error('nobody takes the messages')
    }
    sent.push(...messages.map((each) => each.balance))
    answered += perRequest
  }

  const running = (async () => {
    while (!isStopping) await forward()
  })()
  // Whoever waits for the load next gets the error.
  running.catch(() => undefined)
  return {
    answered: () => answered,
    proceed: async (messages) => {
      const wanted = answered + messages
      while (answered < wanted) await Promise.race([sleep(5), running])
    },
    stop: async () => {
      isStopping = true
      await running
    },
    findLost: async () => {
      const kept = new Map<number, Listed[]>()
      for (let path = `/phone-messages?phoneId=${id}&limit=500`; ; ) {
        const { messages, nextCursor } = (await operate(path)) as { messages: readonly Listed[]; nextCursor?: string }
        for (const each of messages) kept.set(each.balance ?? 0, [...(kept.get(each.balance ?? 0) ?? []), each])
        if (nextCursor === undefined) break
        path = `/phone-messages?phoneId=${id}&limit=500&cursor=${nextCursor}`
      }
      return sent.flatMap((each) => {
        const found = kept.get(each) ?? []
        const isRight = found.length === 1 && found[0]?.state === 'recorded' && found[0].missing === undefined
        return isRight ? [] : [`the message with the balance ${each}: ${JSON.stringify(found)}`]
      })
    },
  }
}
