import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertProblem } from '../support/problem.ts'
import { openTestService, usualEngine } from '../support/service.ts'
import { type Answer, openShop, send } from '../support/shop.ts'

const holdLoop = async (turns: number, turnMs: number): Promise<void> => {
  for (let turn = 0; turn < turns; turn++) {
    const until = performance.now() + turnMs
    while (performance.now() < until);
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Asks after a lag. The delay is judged by two seconds: if quick turns fall between the lag and the request, again. */
const askDuringLag = async (ask: () => Promise<Answer>): Promise<Answer> => {
  for (let tries = 1; ; tries++) {
    await holdLoop(6, 700)
    const answer = await ask()
    if (answer.status === 503 || tries === 5) return answer
  }
}

test('503: overloaded while the event loop lags, at once, and back to normal once it keeps up', async () => {
  const service = await openTestService(usualEngine())
  try {
    const shop = await openShop(service)
    assert.equal((await shop.create('before')).status, 201)
    const refused = await askDuringLag(() => shop.create('during'))
    assertProblem(refused, 503, 'overloaded')
    assert.equal(refused.headers.get('retry-after'), '1')
    assert.equal((await send(service, '/healthz')).status, 200)
    const headers = { authorization: `Bearer ${shop.token}` }
    assertProblem(await askDuringLag(() => send(service, '/api/v1/sandbox/statement', { headers })), 503, 'overloaded')
    const startedAt = performance.now()
    let answer = refused
    while (answer.status === 503 && performance.now() - startedAt < 30_000) {
      await sleep(100)
      answer = await shop.create('after')
    }
    assert.equal(answer.status, 201)
  } finally {
    await service.stop()
  }
})

test('single long turns refuse nothing', async () => {
  const service = await openTestService(usualEngine())
  try {
    const shop = await openShop(service)
    let status = 503
    // A busy machine may make other turns long as well, but not each time.
    for (let tries = 0; tries < 3 && status !== 404; tries++) {
      // The second turn begins when a second does, which therefore knows nothing but this turn.
      await sleep(1100)
      await holdLoop(1, 1100)
      await sleep(25)
      await holdLoop(1, 1100)
      status = (await shop.get('/payments/byOrderId/none')).status
    }
    assert.equal(status, 404)
  } finally {
    await service.stop()
  }
})
