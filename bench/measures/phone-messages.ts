import { cpus } from 'node:os'
import { compare, type Measure, type Sample } from '../measure.ts'
import { checkInvariants } from '../rig/check-creates.ts'
import { watchCpu } from '../rig/cpu.ts'
import { fillPayments } from '../rig/fill-payments.ts'
import type { Bench } from '../rig/open-bench.ts'
import { askOperator, startPayin } from '../rig/payin.ts'
import type { Server } from '../rig/processes.ts'
import { checkMoney, creditReports, type Transfer, writeReports } from './crediting.ts'

/** As many as a request may bring: what a phone forwards once it is online again. */
const perRequest = 100
/** Phones that are online at once; each sends its next request once the last one is answered. */
const phoneCount = 10

type Forwarder = { readonly id: string; readonly secret: string }
/** The phone that reports a requisite, and the last digits of its account as its bank writes them. */
type Reported = { readonly phone: Forwarder; readonly digits: string }
type Request = { readonly phone: Forwarder; readonly body: string }

/** Adds phones, each for its share of the requisites. */
const addPhones = async (server: Server, requisites: readonly string[]): Promise<Map<string, Reported>> => {
  const reported = new Map<string, Reported>()
  for (let index = 0; index < phoneCount; index++) {
    const requisiteIds = requisites.filter((_, at) => at % phoneCount === index)
    const settings = { name: `phone ${index}`, app: 'other', requisiteIds, dailyLimit: 999_999_999 }
    const phone = (await askOperator(server, 'phones', JSON.stringify(settings))) as Forwarder
    for (const requisiteId of requisiteIds) {
      const digits = String(1000 + reported.size)
      const account = { requisiteId, digits: [digits] }
      await askOperator(server, `phones/${phone.id}/accounts`, JSON.stringify(account), 'PUT')
      reported.set(requisiteId, { phone, digits })
    }
  }
  return reported
}

/**
 * The money of transfers as their bank writes it, with the balance after each. A request is of one or two accounts, as the
 * phone of a person forwards it.
 */
const writeMessages = (transfers: readonly Transfer[], reported: ReadonlyMap<string, Reported>): Request[][] => {
  const balances = new Map<string, bigint>()
  const ofAccounts = [...Map.groupBy(transfers, ({ requisiteId }) => requisiteId).values()].flat()
  const messages = ofAccounts.map(({ requisiteId, amount, bookedAt }) => {
    const { phone, digits } = reported.get(requisiteId) ?? {}
    const balance = (balances.get(requisiteId) ?? 0n) + BigInt(Math.round(amount * 100))
    balances.set(requisiteId, balance)
    const after = `${balance / 100n}.${String(balance % 100n).padStart(2, '0')}`
    const time = new Date(Date.parse(bookedAt) + 3 * 60 * 60_000).toISOString().slice(11, 16)
    const text = `СЧЁТ${digits} ${time} Перевод из Т-Банк +${amount.toFixed(2)}р от ИННА П. Баланс: ${after}р`
    return { phone, message: { from: '900', text, sentStamp: Date.parse(bookedAt) } }
  })
  return [...Map.groupBy(messages, ({ phone }) => phone)].map(([phone, own]) =>
    Array.from({ length: Math.ceil(own.length / perRequest) }, (_, index) => {
      if (!phone) throw new Error('a requisite has no phone')
      const part = own.slice(index * perRequest, (index + 1) * perRequest).map(({ message }) => message)
      return { phone, body: JSON.stringify({ messages: part }) }
    }),
  )
}

const forward = async (server: Server, requests: readonly Request[]): Promise<void> => {
  for (const { phone, body } of requests) {
    const response = await fetch(`${server.url}/api/v1/phones/${phone.id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${phone.secret}`, 'content-type': 'application/json' },
      body,
    })
    if (response.status !== 200) throw new Error(`messages answered ${response.status}: ${await response.text()}`)
  }
}

const measureOnce = async (bench: Bench, count: number) => {
  await using database = await bench.createDatabase()
  await fillPayments(bench, database, count)
  await database.query('vacuum analyze')
  const transfers = (await writeReports(database)).flatMap((report) => report.transfers)
  await using server = await startPayin(database, bench.signal)
  const requisites = [...new Set(transfers.map(({ requisiteId }) => requisiteId))]
  const queues = writeMessages(transfers, await addPhones(server, requisites))
  // As if another operator had approved them: phones that stand on the word of one share their turns.
  await database.query('update phones set changed_by = null')
  bench.say(`P17: ${transfers.length} messages of ${queues.length} phones`)
  const watched = { pids: server.pids, postmaster: bench.postmaster }
  const started = performance.now()
  const { cpu } = await watchCpu(watched, cpus().length, () =>
    Promise.all(queues.map((requests) => forward(server, requests))),
  )
  const seconds = (performance.now() - started) / 1000
  const messages: Sample = { value: transfers.length / seconds, answers: transfers.length, cpu }
  return { messages, checks: [...(await checkMoney(database, transfers.length)), await checkInvariants(server)] }
}

const feedOnce = async (bench: Bench, count: number): Promise<Sample> => {
  await using database = await bench.createDatabase()
  await fillPayments(bench, database, count)
  await database.query('vacuum analyze')
  const reports = await writeReports(database)
  const sent = reports.reduce((total, report) => total + report.transfers.length, 0)
  return (await creditReports(bench, database, reports, sent)).credited
}

/** P17: how many messages of banks per second are read, recorded, matched and credited, and how that compares with a feed. */
export const phoneMessages: Measure = {
  id: 'P17',
  title: 'messages of banks on phones, read and credited',
  run: async (bench) => {
    const count = bench.quick ? 10_000 : 50_000
    const runs: Awaited<ReturnType<typeof measureOnce>>[] = []
    const feeds: Sample[] = []
    for (let round = 1; round <= bench.rounds; round++) {
      runs.push(await measureOnce(bench, count))
      feeds.push(await feedOnce(bench, count))
    }
    const messages = { name: 'Payin, from messages', samples: runs.map((run) => run.messages) }
    const feed = { name: 'Payin, from reports of a feed', samples: feeds }
    return [
      {
        title: `${count} messages of ${phoneCount} phones, ${perRequest} in a request`,
        unit: 'messages/s',
        series: [messages, feed],
        verdicts: [
          {
            text: 'of 2 000 messages/s',
            unit: '×',
            values: messages.samples.map(({ value }) => value / 2000),
            goal: { atLeast: 1 },
          },
          compare('of the same transfers in reports of a feed', messages, feed),
        ],
        checks: runs.flatMap(({ checks }) => checks),
      },
    ]
  },
}
