// The stream of news for pages of the console: what has changed, for those who may know, as long as they may.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setImmediate, setTimeout as wait } from 'node:timers/promises'
import { minute, second } from '../../src/rules/time.ts'
import { newsKey } from '../../src/rules/notices/topic.ts'
import { endSessions, findMembers, selectMembers } from '../../src/engine/members/store.ts'
import { type Enrolled, enrolMember } from '../support/console.ts'
import { openOperator } from '../support/operator.ts'
import { openTestService, type TestService, usualEngine } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { openShop, payIn, send } from '../support/shop.ts'

const environment = { PAYIN_TRUST_PROXY: '127.0.0.1' }
const { onEngines, opened } = shareEngines(environment)

type Listening = {
  /** Topics of all messages so far. */
  readonly topics: Set<string>
  /** Waits until all of them have come. */
  hear(...topics: string[]): Promise<void>
  /** Settles when the service ends the stream. */
  readonly ended: Promise<void>
  close(): void
}

const cookieOf = ({ cookies }: Enrolled): string => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

const listen = async (service: TestService, member: Enrolled): Promise<Listening> => {
  const abort = new AbortController()
  const headers = { cookie: cookieOf(member), 'x-payin-console': '1' }
  const { status, body } = await fetch(`${service.url}/console/news`, { headers, signal: abort.signal })
  assert.equal(status, 200)
  const topics = new Set<string>()
  let wake = (): void => undefined
  const read = async (): Promise<void> => {
    for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      for (const [, line = ''] of text.matchAll(/^data: (.*)$/gm))
        for (const topic of line.split(' ')) topics.add(topic)
      wake()
    }
  }
  const ended = read().catch((error: unknown) => {
    if (!abort.signal.aborted) throw error
  })
  return {
    topics,
    ended,
    close: () => abort.abort(),
    hear: async (...wanted) => {
      while (!wanted.every((topic) => topics.has(topic)))
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    },
  }
}

onEngines('an operator hears of payments, transfers, disputes and deliveries of all merchants', async (service) => {
  const member = await enrolMember(service, { role: 'auditor' })
  const listening = await listen(service, member)
  const shop = await openShop(service)
  const { body } = await shop.create('news-1')
  await listening.hear('payments')
  await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
  await listening.hear('transfers', 'deliveries', 'ledger')
  await openOperator(service).call('POST', `/payments/${shop.merchantId}/${body.payment.id}/notes`, { text: 'Seen' })
  await listening.hear('records')
  listening.close()
  await listening.ended
})

test('a member of a merchant hears of that merchant only', async () => {
  const service = opened()
  const [own, theirs] = [await openShop(service), await openShop(service)]
  const listening = await listen(service, await enrolMember(service, { role: 'merchant', merchantId: own.merchantId }))
  const all = await listen(service, await enrolMember(service, { role: 'auditor' }))
  const { body } = await theirs.create('theirs')
  await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
  await all.hear('payments', 'transfers', 'ledger')
  assert.deepEqual([...listening.topics], [])
  await own.create('own')
  await listening.hear('payments')
  assert.deepEqual([...listening.topics], ['payments'])
  for (const each of [listening, all]) each.close()
})

/** Waits for the end of a stream, which must come before the next heartbeat. */
const endsSoon = async ({ ended }: Listening): Promise<void> => {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('the stream goes on')), 15 * second)
  await Promise.race([ended, late.promise])
  clearTimeout(timer)
}

onEngines('a stream ends with its session, and a page without one gets none', async (service) => {
  const shop = await openShop(service)
  const member = await enrolMember(service, { role: 'merchant', merchantId: shop.merchantId })
  const other = await enrolMember(service, { role: 'support' })
  const [ending, staying] = [await listen(service, member), await listen(service, other)]
  await openOperator(service).call('PATCH', `/members/${member.name}`, { isDisabled: true })
  await endsSoon(ending)
  await shop.create('after')
  await staying.hear('payments')
  staying.close()
  const status = async (headers: Record<string, string>) => (await send(service, '/console/news', { headers })).status
  assert.equal(await status({ cookie: cookieOf(member), 'x-payin-console': '1' }), 401)
  assert.equal(await status({ cookie: cookieOf(other) }), 401)
  assert.equal(await status({ cookie: cookieOf(other), 'x-payin-console': '1', origin: 'https://evil.example' }), 403)
})

test('a stream of a member ends when the merchant is suspended', async () => {
  const service = opened()
  const { merchantId } = await openShop(service)
  const listening = await listen(service, await enrolMember(service, { role: 'merchant', merchantId }))
  await openOperator(service).call('PATCH', `/merchants/${merchantId}`, { status: 'suspended' })
  await endsSoon(listening)
})

/** How to see that the session of a member was used now, which a check notes after a minute, too. */
const watchUse = (service: TestService, { name }: Enrolled): (() => Promise<void>) => {
  const { context, clock } = service
  clock.advance(2 * minute)
  return async () => {
    const isUsed = async (): Promise<boolean> =>
      (await context.query(selectMembers, { limit: 1000 })).some(
        (each) => each.name === name && each.lastSeenAt === clock.now,
      )
    while (!(await isUsed())) await setImmediate()
  }
}

test('a stream ends with its session while sessions are checked, too', async () => {
  const service = opened()
  const { context } = service
  const member = await enrolMember(service, { role: 'support' })
  const other = await enrolMember(service, { role: 'auditor' })
  const [{ id: memberId } = { id: '' }] = await context.query(findMembers, { names: [member.name], email: '' })
  const ending = await listen(service, member)
  const others = await Promise.all(Array.from({ length: 20 }, () => listen(service, other)))
  // News of what was done so far is gathered for a quarter of a second.
  await wait(second)
  const check = (): void => context.changes.publish([newsKey({ topic: 'records', merchantId: null })])
  const isChecked = watchUse(service, member)
  check()
  await isChecked()
  await context.query(endSessions, { memberId })
  check()
  await endsSoon(ending)
  for (const each of others) each.close()
})

test('a stream that has ended behind another one on its connection takes no more news', async () => {
  const service = opened()
  const ending = await enrolMember(service, { role: 'support' })
  const staying = await enrolMember(service, { role: 'auditor' })
  const isOpen = watchUse(service, ending)
  const { hostname, port, host } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  for (const member of [staying, ending])
    socket.write(
      `GET /console/news HTTP/1.1\r\nhost: ${host}\r\nx-payin-console: 1\r\ncookie: ${cookieOf(member)}\r\n\r\n`,
    )
  const closed = new Promise((resolve) => socket.once('close', resolve))
  let heard = ''
  socket.setEncoding('utf8').on('data', (text: string) => (heard += text))
  const hear = async (times: number): Promise<void> => {
    while (heard.split('data: ').length <= times) await wait(20)
  }
  const thrown: unknown[] = []
  const noteThrown = (error: unknown): unknown => thrown.push(error)
  process.on('uncaughtExceptionMonitor', noteThrown)
  await isOpen()
  await setImmediate()
  const operator = openOperator(service)
  await operator.call('PATCH', `/members/${ending.name}`, { isDisabled: true })
  await hear(1)
  // News goes out once a second.
  for (const times of [2, 3, 4]) {
    await operator.call('PATCH', `/members/${ending.name}`, { role: times === 3 ? 'auditor' : 'support' })
    await hear(times)
  }
  process.off('uncaughtExceptionMonitor', noteThrown)
  assert.deepEqual(thrown, [])
  socket.destroy()
  await closed
})

test('one member has 20 streams at most; all end when the service stops', async () => {
  const service = await openTestService(usualEngine(), environment)
  const member = await enrolMember(service, { role: 'support' })
  const streams = await Promise.all(Array.from({ length: 20 }, () => listen(service, member)))
  const headers = { cookie: cookieOf(member), 'x-payin-console': '1' }
  assert.equal((await send(service, '/console/news', { headers })).status, 429)
  streams[0]?.close()
  await streams[0]?.ended
  streams.push(await listen(service, member))
  await service.stop()
  await Promise.all(streams.map(({ ended }) => ended))
})
