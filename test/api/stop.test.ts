import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTestService, type TestService, usualEngine } from '../support/service.ts'
import { openShop } from '../support/shop.ts'
import { goesOn, until, within } from '../support/waiting.ts'

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

test('stopping answers waiting requests, and ends all connections', async () => {
  const service = await openTestService(usualEngine())
  const shop = await openShop(service, { perMethod: 1 })
  await shop.create('waiting')
  const silent = await connectTo(service, '')
  const idle = await connectTo(service, 'GET /healthz HTTP/1.1\r\nHost: payin.test\r\n\r\n')
  const waiting = shop.get('/payments/byOrderId/waiting/status?wait=60')
  await sleep(300)
  const stopped = service.stop()
  const answer = await within('who waits for a minute is answered', waiting)
  assert.deepEqual([answer.status, answer.body.status], [200, 'new'])
  assert.equal(answer.headers.get('connection'), 'close')
  await within('the service has stopped', stopped)
  await until('all connections are closed', () => silent() && idle())
})

test('who asks again while the service stops is held back for a moment, and learns of a change at once', async () => {
  const service = await openTestService(usualEngine())
  try {
    const shop = await openShop(service)
    await shop.create('unchanged')
    service.context.changes.close()
    const wait = (orderId: string) => shop.get(`/payments/byOrderId/${orderId}/status?wait=60`)
    const held = wait('unchanged')
    assert.ok(await goesOn(held, 900), 'answered at once')
    assert.equal((await within('the moment is over', held)).body.status, 'new')
    /** Whether who waits for a payment that is canceled is answered before who waits for another one. */
    const learnsFirst = async (orderId: string): Promise<boolean> => {
      await shop.create(orderId)
      const answered: string[] = []
      const both = [orderId, 'unchanged'].map(async (each) => {
        const { body } = await wait(each)
        answered.push(body.status)
      })
      await sleep(100)
      await shop.post('/payments/byOrderId/cancel', { orderId })
      await within('both are answered', Promise.all(both))
      assert.deepEqual(answered.toSorted(), ['canceled', 'new'])
      return answered[0] === 'canceled'
    }
    // A busy machine may take the whole moment to cancel.
    for (let tries = 1; !(await learnsFirst(`changed-${tries}`)); tries++)
      assert.ok(tries < 5, 'only at the end of the moment')
  } finally {
    await service.stop()
  }
})

test('connections that say nothing delay a stop less than a request that never goes on, which delays it for a while', async () => {
  const [silent, slow] = [await openTestService(usualEngine()), await openTestService(usualEngine())]
  for (let connections = 0; connections < 5; connections++) await connectTo(silent, '')
  const isClosed = await connectTo(slow, 'GET /healthz HTTP/1.1\r\nHost: pay')
  await sleep(50)
  const ended: string[] = []
  const stops = Object.entries({ slow, silent }).map(async ([name, service]) => {
    await service.stop()
    ended.push(name)
  })
  await within('both have stopped', Promise.all(stops))
  assert.deepEqual(ended, ['silent', 'slow'])
  await until('the connection is closed', isClosed)
})
