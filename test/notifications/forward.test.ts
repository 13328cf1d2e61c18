// Deliveries of endpoints that work again are brought forward, endpoint by endpoint.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Deliveries, Lane } from '../../src/engine/notifications/deliveries/lanes/lane.ts'
import { forwardDeliveries } from '../../src/engine/notifications/deliveries/deliver-notifications.ts'
import { Refusal } from '../../src/rules/refusal.ts'

const forwardAll = async (failure: Error) => {
  const lanes = new Map(
    ['first', 'second', 'third'].map((endpointId) => {
      const forward = { since: 0, cursor: { dueAt: 0, position: 0n } }
      return [endpointId, { endpointId, failures: 0, target: { enabled: true }, forward } as Lane]
    }),
  )
  const asked: string[] = []
  const logged: string[] = []
  const context = {
    clock: () => 0,
    log: { error: ({ endpointId }: { endpointId: string }) => void logged.push(endpointId) },
    query: async (_query: unknown, { endpointId }: { endpointId: string }) => {
      asked.push(endpointId)
      if (endpointId === 'first') throw failure
      return []
    },
  }
  const done = await forwardDeliveries({ lanes, context } as unknown as Deliveries)
  const waiting = [...lanes.values()].filter(({ forward }) => forward !== null).map(({ endpointId }) => endpointId)
  return { done, asked, logged, waiting }
}

test('an endpoint for which it fails holds up no other', async () => {
  assert.deepEqual(await forwardAll(new Error('division by zero')), {
    done: 2,
    asked: ['first', 'second', 'third'],
    logged: ['first'],
    waiting: [],
  })
})

test('while the database is out of reach, the others wait for a later round', async () => {
  assert.deepEqual(await forwardAll(new Refusal('database_unavailable', 'Out of reach.')), {
    done: 0,
    asked: ['first'],
    logged: ['first'],
    waiting: ['second', 'third', 'first'],
  })
})
