// A tenant with busy merchants, a busy bank and a receiver, and checks of what must be true afterwards.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BankLoad, startBankLoad } from './bank-load.ts'
import { type Cluster, operatorToken, tryCall } from './cluster.ts'
import { type MerchantLoad, startMerchantLoad } from './merchant-load.ts'
import type { Random } from './random.ts'
import type { Call, Receiver } from './receiver.ts'
import { runSqlAt } from './run-sql.ts'
import { commandsOf, openSandboxShop } from './sandbox-shop.ts'
import type { Sightings } from './torture.ts'
import { countUnqueued } from './unqueued.ts'

export type TenantPlace = { readonly name: string; readonly server: string; readonly url: string }

export type LoadedTenant = {
  readonly place: TenantPlace
  readonly merchants: MerchantLoad
  readonly bank: BankLoad
  /** Describes what was answered and is missing: of answers since the last call, or of all. */
  findLost(everything?: boolean): Promise<string[]>
  /** Ends the load. */
  stop(): Promise<void>
  /**
   * Creates a payment, and waits until the simulated bank has paid it and the receiver was notified; returns the
   * milliseconds that it took.
   */
  serveOne(): Promise<number>
  /** Waits until everything was delivered and no expired lease is left. */
  settle(): Promise<void>
  /** Describes what exists twice, or was not delivered correctly. */
  findWrong(): Promise<string[]>
}

const withinMs = 60_000
const schemaOf = ({ name }: TenantPlace): string => (name === 'main' ? 'public' : `tenant_${name}`)

/** Work that is left, and leases of processes that have ended: they expire, and another round takes over the work. */
const leftIn = (place: TenantPlace): string => {
  const from = `from ${schemaOf(place)}.`
  return `
    select 'pending deliveries' as what, count(*)::integer as n ${from}deliveries where status = 'pending'
    union all select 'merchants with events that are not queued', (${countUnqueued(schemaOf(place))})
    union all select 'steps of the simulated bank', count(*)::integer ${from}simulated_steps where due_at < now()
    union all select 'lanes held by nobody', count(*)::integer ${from}delivery_lanes where leased_until < now()
    union all select 'messages held by nobody', count(*)::integer ${from}alert_messages where leased_until < now()
    union all select 'payments whose time is over', count(*)::integer ${from}payments
      where due_at < now() - interval '5 seconds'`
}

/** Each payment must have one transfer, because the bank and the sandbox pay none twice. */
const doublesIn = (place: TenantPlace): string => {
  const from = `from ${schemaOf(place)}.`
  return `
    select 'payment ' || payment_id || ' has the money of ' || count(distinct transfer_id) || ' transfers' as wrong
      ${from}transfer_parts where payment_id is not null and replaced_at is null
      group by payment_id having count(distinct transfer_id) > 1
    union all select 'transfer ' || bank_reference || ' was recorded ' || count(*) || ' times'
      ${from}transfers where bank_reference like 'bank-%' group by bank_reference having count(*) > 1
    union all select 'order ' || order_id || ' has ' || count(*) || ' payments'
      ${from}payments group by order_id having count(*) > 1
    union all select 'event ' || kind || ' ' || sequence || ' of ' || payment_id || ' was written ' || count(*) || ' times'
      ${from}outbox where payment_id is not null group by payment_id, sequence, kind having count(*) > 1
    union all select 'a lane is held by a process that has ended' ${from}delivery_lanes
      where leased_until < now() - interval '10 seconds'`
}

const eventOf = ({ type, data }: Call): string => `${type} ${data.sequence} of ${data.id}`

/** The differences between what the receiver got and the merchant's feed. */
const compareDeliveries = (calls: readonly Call[], feed: readonly string[]): string[] => {
  const arrived = new Set(calls.map(({ id }) => id))
  const known = new Set(feed)
  const idOf = new Map(calls.map((call) => [eventOf(call), call.id]))
  return [
    ...feed.filter((id) => !arrived.has(id)).map((id) => `${id}: never arrived`),
    ...[...arrived].filter((id) => !known.has(id)).map((id) => `${id}: arrived, and is no event`),
    ...calls
      .filter((call) => idOf.get(eventOf(call)) !== call.id)
      .map((call) => `${eventOf(call)}: arrived as ${call.id} and as ${idOf.get(eventOf(call))}`),
  ]
}

/** Creates the tenant, unless it is `main`, and a merchant with the receiver as its endpoint; returns the token. */
export const addTenant = async (cluster: Cluster, receiver: Receiver, place: TenantPlace): Promise<string> => {
  const { name } = place
  const [first] = cluster.web
  assert.ok(first)
  const service = { url: first.url, operatorToken }
  if (name !== 'main') await commandsOf(service)(`tenants create ${name} --server ${place.server}`)
  const token = await openSandboxShop(commandsOf(service, name))
  const added = await tryCall(first, token, '/endpoints', { url: `${receiver.url}/${name}` })
  assert.equal(added?.status, 201, JSON.stringify(added?.body))
  return token
}

/** Starts the load of a tenant that was added. */
export const startLoadedTenant = async (
  cluster: Cluster,
  receiver: Receiver,
  place: TenantPlace & { readonly token: string },
  random: Random,
  seen: Sightings,
): Promise<LoadedTenant> => {
  const { name, token } = place
  const [first] = cluster.web
  assert.ok(first)
  const merchants = startMerchantLoad({ web: cluster.web, token }, random, seen, 1)
  const takeUnpaid = (most: number) => merchants.takeUnpaid(most)
  const bank = await startBankLoad(cluster, random, { atOnce: 10, pauseMs: 50, tenant: name, takeUnpaid })
  const calls = (): Call[] => receiver.calls.filter(({ path }) => path === `/${name}`)

  const until = async (what: string, isDone: () => Promise<boolean> | boolean): Promise<void> => {
    for (const startedAt = performance.now(); !(await isDone()); await sleep(50))
      assert.ok(performance.now() - startedAt < withinMs, `${name}: ${what}`)
  }
  const feed = async (): Promise<string[]> => {
    const ids: string[] = []
    for (let after = '0'; ; ) {
      const answer = await tryCall(first, token, `/events?limit=500&after=${after}`)
      assert.ok(answer?.status === 200, JSON.stringify(answer?.body))
      const { events, cursor } = answer.body as { events: { id: string }[]; cursor: string }
      if (events.length === 0) return ids
      ids.push(...events.map(({ id }) => id))
      after = cursor
    }
  }
  let served = 0
  return {
    place,
    merchants,
    bank,
    findLost: async (everything = false) =>
      [...(await merchants.findLost(everything)), ...(await bank.findLost())].map((each) => `${name}: ${each}`),
    stop: async () => {
      await Promise.all([merchants.stop(), bank.stop()])
    },
    serveOne: async () => {
      const startedAt = performance.now()
      const order = { type: 'direct', amount: 200_000.01, orderId: `serve-${++served}`, currency: 'rub', method: 'sbp' }
      const created = await tryCall(first, token, '/payments', order)
      assert.ok(created?.status === 201, JSON.stringify(created?.body))
      const { id } = created.body.payment as { id: string }
      await until('a paid payment is not delivered', () =>
        calls().some(({ type, data }) => type === 'payment.paid' && data.id === id),
      )
      return performance.now() - startedAt
    },
    settle: async () => {
      let left: { what: string; n: number }[] = []
      await until('work is left', async () => {
        left = (await runSqlAt<{ what: string; n: number }>(place.url, leftIn(place))).filter(({ n }) => n > 0)
        return left.length === 0
      }).catch((error: Error) => assert.fail(`${error.message}: ${JSON.stringify(left)}`))
    },
    findWrong: async () => {
      const doubles = await runSqlAt<{ wrong: string }>(place.url, doublesIn(place))
      const wrong = [...doubles.map((each) => each.wrong), ...compareDeliveries(calls(), await feed())]
      return [...wrong, ...merchants.wrong].map((each) => `${name}: ${each}`)
    },
  }
}
