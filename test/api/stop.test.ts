import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTestService, type TestService, usualEngine } from '../support/service.ts'
import { openShop } from '../support/shop.ts'

const connectTo = async (service: TestService, bytes: string): Promise<() => boolean> => {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  let closed = false
  socket.on('error', () => undefined)
  socket.on('close', () => (closed = true))
  socket.resume()
  await new Promise((resolve) => socket.once('connect', resolve))
  socket.write(bytes)
  return () => closed
}

test('stopping answers waiting requests, and no connection delays it', async () => {
  const service = await openTestService(usualEngine())
  const shop = await openShop(service, { perMethod: 1 })
  await shop.create('waiting')
  const silent = await connectTo(service, '')
  const idle = await connectTo(service, 'GET /healthz HTTP/1.1\r\nHost: payin.test\r\n\r\n')
  const slow = await connectTo(service, 'GET /healthz HTTP/1.1\r\nHost: pay')
  const waiting = shop.get('/payments/byOrderId/waiting/status?wait=60')
  await sleep(300)
  const startedAt = performance.now()
  const stopped = service.stop()
  const answer = await waiting
  assert.deepEqual([answer.status, answer.body.status], [200, 'new'])
  assert.equal(answer.headers.get('connection'), 'close')
  assert.ok(performance.now() - startedAt < 1500)
  await stopped
  assert.ok(performance.now() - startedAt < 8000, `${performance.now() - startedAt} ms`)
  await sleep(50)
  assert.deepEqual([silent(), idle(), slow()], [true, true, true])
})

test('who asks again while the service stops is held back for a moment, and learns of a change at once', async () => {
  const service = await openTestService(usualEngine())
  try {
    const shop = await openShop(service, { perMethod: 1 })
    await shop.create('waiting')
    service.context.changes.close()
    const startedAt = performance.now()
    assert.equal((await shop.get('/payments/byOrderId/waiting/status?wait=60')).body.status, 'new')
    const heldMs = performance.now() - startedAt
    assert.ok(heldMs > 900 && heldMs < 3000, `${heldMs} ms`)
    const waiting = shop.get('/payments/byOrderId/waiting/status?wait=60')
    await sleep(100)
    await shop.post('/payments/byOrderId/cancel', { orderId: 'waiting' })
    assert.equal((await waiting).body.status, 'canceled')
    assert.ok(performance.now() - startedAt - heldMs < 900, 'not at the end of the moment')
  } finally {
    await service.stop()
  }
})

test('a service without open requests stops at once', async () => {
  const service = await openTestService(usualEngine())
  for (let connections = 0; connections < 5; connections++) await connectTo(service, '')
  await sleep(50)
  const startedAt = performance.now()
  await service.stop()
  assert.ok(performance.now() - startedAt < 3000, `${performance.now() - startedAt} ms`)
})
