import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertProblem } from '../support/problem.ts'
import { openTestService } from '../support/service.ts'
import { openShop, send } from '../support/shop.ts'

test('503: overloaded while the event loop lags, at once, and back to normal when it keeps up again', async () => {
  const service = await openTestService('embedded')
  try {
    const shop = await openShop(service)
    assert.equal((await shop.create('before')).status, 201)
    // A second of samples must pass in which the loop hardly turns.
    for (let turn = 0; turn < 4; turn++) {
      const until = performance.now() + 700
      while (performance.now() < until);
      await new Promise((resolve) => setImmediate(resolve))
    }
    const refused = await shop.create('during')
    assertProblem(refused, 503, 'overloaded')
    assert.equal(refused.headers.get('retry-after'), '1')
    assert.equal((await send(service, '/healthz')).status, 200)
    const startedAt = performance.now()
    let answer = refused
    while (answer.status === 503 && performance.now() - startedAt < 30_000) {
      await sleep(100)
      answer = await shop.create('during')
    }
    assert.equal(answer.status, 201)
  } finally {
    await service.stop()
  }
})
