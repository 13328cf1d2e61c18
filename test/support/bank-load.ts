// A bank that reports transfers in large requests, repeats those without an answer, and remembers every answer.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, operatorToken } from './cluster.ts'
import type { Unpaid } from './merchant-load.ts'
import { oneOf, type Random } from './random.ts'
import { type Answer, send } from './shop.ts'

/** A load of reported transfers on a cluster. */
export type BankLoad = {
  /** The number of answered transfers. */
  answered(): number
  /** Waits until this many more transfers were answered. */
  proceed(transfers: number): Promise<void>
  /** Ends the load when all requests under way are answered or given up. */
  stop(): Promise<void>
  /** Reports again what was answered since the last call, and describes each transfer without the same id. */
  findLost(): Promise<string[]>
}

const giveUpAfterMs = 120_000

type Recorded = { readonly transfers: readonly object[]; readonly ids: readonly string[] }
type RecordedAnswer = { readonly id: string; readonly alreadyKnown: boolean }

const call = (url: string, path: string, body?: object): Promise<Answer | undefined> => {
  const own = { authorization: `Bearer ${operatorToken}` }
  const headers = { ...own, 'content-type': 'application/json' }
  const init = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) }
  return send({ url }, `/api/v1/operator${path}`, { ...init, signal: AbortSignal.timeout(60_000) }).catch(
    () => undefined,
  )
}

/** What a bank reports, and to which service. */
type BankOptions = {
  readonly atOnce?: number
  /** The pause between two requests. */
  readonly pauseMs?: number
  /** Payments that wait for their money, each returned once. No payment waits for the other transfers. */
  readonly takeUnpaid?: (most: number) => readonly Unpaid[]
}

/** Starts a bank that reports `atOnce` transfers per request. */
export const startBankLoad = async (
  cluster: Pick<Cluster, 'web'>,
  random: Random,
  { atOnce = 500, pauseMs = 0, takeUnpaid = () => [] }: BankOptions = {},
): Promise<BankLoad> => {
  const listed = await call(cluster.web[0]?.url ?? '', '/requisites?limit=100')
  const requisiteId: string = listed?.body.requisites.find((each: { currency: string }) => each.currency === 'rub').id
  const bookedAt = new Date().toISOString()
  let answered = 0
  let reported = 0
  let isStopping = false
  let unchecked: Recorded[] = []

  const insist = async (transfers: readonly object[]): Promise<readonly RecordedAnswer[] | undefined> => {
    for (const startedAt = performance.now(); performance.now() - startedAt < giveUpAfterMs; await sleep(50)) {
      const answer = await call(oneOf(random, cluster.web).url, '/transfers', { transfers })
      if (answer?.status === 200) return answer.body.transfers
      assert.ok(
        answer === undefined || [408, 503].includes(answer.status),
        `${answer?.status} ${JSON.stringify(answer?.body)}`,
      )
      if (isStopping) return undefined
    }
    throw new Error('nobody records the transfers')
  }

  const report = async (): Promise<void> => {
    const wanted = takeUnpaid(atOnce)
    const transfers = Array.from({ length: atOnce }, (_, index) => {
      const bankReference = `bank-${++reported}`
      const money = wanted[index] ?? { requisiteId, amount: 500_000 + (reported % 100_000) }
      return { ...money, currency: 'rub', bookedAt: wanted[index] ? new Date().toISOString() : bookedAt, bankReference }
    })
    const recorded = await insist(transfers)
    if (!recorded) return
    answered += atOnce
    unchecked.push({ transfers, ids: recorded.map(({ id }) => id) })
  }

  const running = (async () => {
    for (; !isStopping; await sleep(pauseMs)) await report()
  })()
  return {
    answered: () => answered,
    proceed: async (transfers) => {
      const wanted = answered + transfers
      while (answered < wanted) await Promise.race([sleep(5), running])
    },
    stop: async () => {
      isStopping = true
      await running
    },
    findLost: async () => {
      const wanted = unchecked
      unchecked = []
      const lost: string[] = []
      for (const { transfers, ids } of wanted) {
        const again = (await insist(transfers)) ?? []
        ids.forEach((id, index) => {
          const found = again[index]
          if (found?.id !== id || !found.alreadyKnown) lost.push(`${id}: recorded, now ${JSON.stringify(found)}`)
        })
      }
      return lost
    },
  }
}
