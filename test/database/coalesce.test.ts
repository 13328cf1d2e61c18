import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { coalesce } from '../../src/engine/coalesce.ts'
import { Refusal } from '../../src/rules/refusal.ts'

const limits = { name: 'test', maxBatch: 100, maxWaiting: 1000 }
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('coalesce', () => {
  test('calls of one turn of the event loop go together, those that come meanwhile next, one batch at a time', async () => {
    const batches: number[][] = []
    const started = Promise.withResolvers<void>()
    let underWay = 0
    const call = coalesce(async (_: object, inputs: readonly number[]) => {
      assert.equal(++underWay, 1)
      batches.push([...inputs])
      started.resolve()
      await turn()
      underWay--
      return inputs.map((input) => input * 2)
    }, limits)
    const context = {}
    const first = call(context, 1)
    // Another request that was read in the same turn, some promises later.
    await Promise.resolve()
    const second = call(context, 2)
    await started.promise
    const others = [3, 4].map((input) => call(context, input))
    assert.deepEqual(await Promise.all([first, second, ...others]), [2, 4, 6, 8])
    assert.deepEqual(batches, [
      [1, 2],
      [3, 4],
    ])
  })

  test('with two at once a second batch goes while the first is under way, and a third waits', async () => {
    const batches: number[][] = []
    const ends: (() => void)[] = []
    const call = coalesce(
      async (_: object, inputs: readonly number[]) => {
        batches.push([...inputs])
        await new Promise<void>((resolve) => ends.push(resolve))
        return inputs
      },
      { ...limits, atOnce: 2 },
    )
    const context = {}
    const answers: Promise<number>[] = []
    for (const input of [1, 2, 3, 4]) {
      answers.push(call(context, input))
      await turn()
      await turn()
    }
    assert.deepEqual(batches, [[1], [2]])
    ends[1]?.()
    await turn()
    assert.deepEqual(batches, [[1], [2], [3, 4]])
    ends.forEach((end) => end())
    assert.deepEqual(await Promise.all(answers), [1, 2, 3, 4])
  })

  test('a batch never takes more than its limit, and the order of the calls is kept', async () => {
    const batches: number[] = []
    const seen: number[] = []
    const call = coalesce(
      async (_: object, inputs: readonly number[]) => {
        batches.push(inputs.length)
        seen.push(...inputs)
        return inputs
      },
      { name: 'test', maxBatch: 10, maxWaiting: 1000 },
    )
    const context = {}
    await Promise.all(Array.from({ length: 95 }, (_, index) => call(context, index)))
    assert.ok(Math.max(...batches) <= 10)
    assert.deepEqual(
      seen,
      Array.from({ length: 95 }, (_, index) => index),
    )
  })

  test('in halves, callers that come back together are split into two batches that take turns', async () => {
    const batches: number[] = []
    const call = coalesce(
      async (_: object, inputs: readonly number[]) => {
        batches.push(inputs.length)
        await turn()
        return inputs
      },
      { ...limits, inHalves: true },
    )
    const context = {}
    const callers = Array.from({ length: 64 }, async (_, caller) => {
      for (let round = 0; round < 3; round++) await call(context, caller)
    })
    await Promise.all(callers)
    assert.deepEqual(batches, [32, 32, 32, 32, 32, 32])
  })

  test('a few calls are not halved', async () => {
    const batches: number[] = []
    const call = coalesce(
      async (_: object, inputs: readonly number[]) => {
        batches.push(inputs.length)
        return inputs
      },
      { ...limits, inHalves: true },
    )
    const context = {}
    for (const count of [1, 16, 20])
      await Promise.all(Array.from({ length: count }, (_, index) => call(context, index)))
    assert.deepEqual(batches, [1, 16, 16, 4])
  })

  test('beyond the limit of waiting calls the next is refused with overloaded at once, and later ones pass again', async () => {
    const call = coalesce(
      async (_: object, inputs: readonly number[]) => {
        await turn()
        return inputs
      },
      { name: 'test', maxBatch: 2, maxWaiting: 3 },
    )
    const context = {}
    const waiting = [1, 2, 3].map((input) => call(context, input))
    await assert.rejects(call(context, 4), { code: 'overloaded', details: { retryAfterSeconds: 1 } })
    assert.deepEqual(await Promise.all(waiting), [1, 2, 3])
    assert.equal(await call(context, 5), 5)
  })

  test('a refusal of the whole is given to every call once, without running them again', async () => {
    let runs = 0
    const call = coalesce(async (): Promise<number[]> => {
      runs++
      throw new Refusal('database_unavailable', 'gone')
    }, limits)
    const context = {}
    const results = await Promise.allSettled([1, 2, 3].map(() => call(context, 0)))
    assert.ok(results.every((result) => result.status === 'rejected'))
    assert.equal(runs, 1)
  })

  test('contexts never share a batch', async () => {
    const call = coalesce(
      async (context: { name: string }, inputs: readonly number[]) => inputs.map((input) => `${context.name}${input}`),
      limits,
    )
    assert.deepEqual(await Promise.all([call({ name: 'a' }, 1), call({ name: 'b' }, 2)]), ['a1', 'b2'])
  })

  test('property: in any mix of good, refused and failing calls each gets what it would have got alone', async () => {
    type Kind = 'good' | 'refused' | 'fails'
    const alone = (kind: Kind, input: number): number | Refusal => {
      if (kind === 'fails') throw new Error(`bug ${input}`)
      return kind === 'refused' ? new Refusal('order_conflict', `no ${input}`) : input
    }
    const kinds = fc.array(fc.constantFrom<Kind>('good', 'good', 'good', 'refused', 'fails'), { maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(kinds, fc.integer({ min: 1, max: 20 }), fc.boolean(), async (mix, maxBatch, halved) => {
        const call = coalesce(
          async (_: object, inputs: readonly number[]) => {
            await turn()
            return inputs.map((input) => alone(mix[input] as Kind, input))
          },
          { name: 'test', maxBatch, maxWaiting: 1000, ...(halved && { inHalves: true }) },
        )
        const context = {}
        const results = await Promise.allSettled(mix.map((_, index) => call(context, index)))
        mix.forEach((kind, index) => {
          const result = results[index]
          if (kind === 'fails') assert.equal(result?.status === 'rejected' && result.reason.message, `bug ${index}`)
          else assert.deepEqual(result?.status === 'fulfilled' && result.value, alone(kind, index))
        })
      }),
      { numRuns: 200 },
    )
  })
})
