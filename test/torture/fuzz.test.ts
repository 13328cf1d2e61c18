// Requests made from the OpenAPI document, good and bad ones: no 5xx, no undeclared status, no answer that breaks its schema.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomFrom } from '../support/random.ts'
import { assertHealthy, engines, openTestService, type TestService } from '../support/service.ts'
import { countOf, isTorture, openSightings, repeat, seedOf, type Sightings } from '../support/torture.ts'
import { openFuzzer, type Fuzzer } from './fuzz/fuzzer.ts'

const count = countOf(400)
const seed = seedOf()
/** Requests at the same time. */
const lanes = isTorture ? 16 : 8
/** Requests between two looks at what the fuzzer needs. */
const batch = isTorture ? 500 : 200
const rareAnswers = [
  ...['401', '403', '405', '409', '413', '415', '422', '431'],
  ...['bytes 200', 'bytes without an answer', 'chain not paid'],
]
/** Batches between two looks at the invariants. */
const batchesPerCheck = 10

const fuzz = async (service: TestService, fuzzer: Fuzzer, name: string, seen: Sightings): Promise<number> => {
  let sent = 0
  const round = async (index: number): Promise<void> => {
    await fuzzer.tend()
    if (index % batchesPerCheck === batchesPerCheck - 1) await assertHealthy(service)
    const until = Math.min(sent + batch, count)
    const lane = async (): Promise<void> => {
      while (sent < until) {
        const more = await fuzzer.step()
        sent += more
      }
    }
    await Promise.all(Array.from({ length: lanes }, lane))
  }
  const state = (): string => `${sent} requests, ${seen.count('finding')} findings`
  await repeat(name, Math.ceil(count / batch), round, state)
  await fuzzer.tend()
  return sent
}

const shown = (fuzzer: Fuzzer): string =>
  [...fuzzer.findings.values()].map(({ what, request, answer }) => `${what}\n  ${request}\n  ${answer}`).join('\n')

const run = async (service: TestService, name: string): Promise<void> => {
  const seen = openSightings()
  const fuzzer = await openFuzzer(service, randomFrom(seed), seen)
  try {
    // Alone, before random requests suspend the merchant or use its limits up: few requests may not pay a payment.
    await fuzzer.payOne()
    const sent = await fuzz(service, fuzzer, name, seen)
    console.log(`${name}: ${sent} requests from seed ${seed}: ${seen.text()}`)
    assert.equal(fuzzer.findings.size, 0, `seed ${seed}\n${shown(fuzzer)}`)
    seen.assertSeen('200', '201', '400', '404', 'chain paid', 'bytes 400')
    // What is rarer than one in twenty requests may be missing in a few hundred.
    if (count >= 10_000) seen.assertSeen(...rareAnswers)
    await service.runJobs()
    await assertHealthy(service)
  } finally {
    fuzzer.close()
  }
}

for (const engine of engines) {
  const skip = engine === 'postgres' && !process.env['TEST_DATABASE_URL'] ? 'no PostgreSQL on this machine' : false
  test(`no answer is undeclared or a failure in ${count} requests [${engine}]`, { skip }, async () => {
    const service = await openTestService(engine)
    try {
      await run(service, `fuzz ${engine}`)
    } finally {
      await service.stop()
    }
  })
}
