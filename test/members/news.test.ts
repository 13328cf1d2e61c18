// The stream of news for pages of the console: what has changed, for those who may know, as long as they may.
import assert from 'node:assert/strict'
import { test } from 'node:test'
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

onEngines('a stream ends with its session, and a page without one gets none', async (service) => {
  const shop = await openShop(service)
  const member = await enrolMember(service, { role: 'merchant', merchantId: shop.merchantId })
  const other = await enrolMember(service, { role: 'support' })
  const [ending, staying] = [await listen(service, member), await listen(service, other)]
  await openOperator(service).call('PATCH', `/members/${member.name}`, { isDisabled: true })
  await ending.ended
  await shop.create('after')
  await staying.hear('payments')
  staying.close()
  const status = async (headers: Record<string, string>) => (await send(service, '/console/news', { headers })).status
  assert.equal(await status({ cookie: cookieOf(member), 'x-payin-console': '1' }), 401)
  assert.equal(await status({ cookie: cookieOf(other) }), 401)
  assert.equal(await status({ cookie: cookieOf(other), 'x-payin-console': '1', origin: 'https://evil.example' }), 403)
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
