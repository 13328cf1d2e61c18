// What a job does for each of many.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachAlone } from '../src/engine/for-each-alone.ts'

test('what fails holds up nothing after it, and is thrown at the end', async () => {
  const done: number[] = []
  const step = async (each: number) => {
    if (each % 2 === 1) throw new Error(`no ${each}`)
    done.push(each)
  }
  const all = forEachAlone([1, 2, 3, 4], step)
  await assert.rejects(all, ({ errors, message }: AggregateError) => {
    assert.deepEqual(
      errors.map((error: Error) => error.message),
      ['no 1', 'no 3'],
    )
    return message === '2 of 4 failed'
  })
  assert.deepEqual(done, [2, 4])
  assert.equal(await forEachAlone([2, 4], step), 2)
})
