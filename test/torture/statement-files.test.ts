// Files of all formats, broken at random: each is refused with a line or read, in bounded time and however it is cut into
// pieces; what is imported is what its preview said, and leaves books that add up.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openBank } from '../support/bank.ts'
import { oneOf, randomFrom, type Random } from '../support/random.ts'
import { type ReadFile, readFile } from '../../packages/bank-files/test/support/read-file.ts'
import { assertHealthy, openTestService, type TestService, usualEngine } from '../support/service.ts'
import { camtOf, csvOf, exchangeOf, type Made, mt940Of, uploadFile } from '../support/statement-files.ts'
import { countOf, openSightings, repeat, seedOf } from '../support/torture.ts'
import { leastWorkOf, workOf } from '../support/work-of.ts'
import { mutate } from './files/mutate.ts'

const count = countOf(300)
const seed = seedOf()
/** Of this many files that can be read one is imported, and of that many that cannot one is uploaded. */
const importEvery = { read: 6, refused: 50 } as const
const corpus = join(import.meta.dirname, '../../packages/bank-files/test/corpus')
const account = '40702810900000000001'
const made: Made = {
  account,
  opening: 10_00n,
  rows: [
    { minor: 1500_00n, date: '2026-01-29', reference: 'REF-10001', payer: 'Иванов Иван', text: 'Заказ 1' },
    { minor: 1500_00n, date: '2026-01-29', payer: 'Петров Пётр', payerAccount: '40817810000000001111' },
    { minor: 7n, date: '2026-01-30', text: 'Order 2, +7 916 123-45-67' },
    { minor: -700_00n, date: '2026-01-30', payer: 'ООО Аренда', text: 'Аренда' },
    { minor: -1500_00n, date: '2026-01-31', reversal: true, reference: 'REF-10001' },
  ],
}
const files: readonly (readonly [name: string, content: Buffer])[] = [
  ...readdirSync(corpus).map((name) => [name, readFileSync(join(corpus, name))] as const),
  ...[camtOf, exchangeOf, mt940Of, csvOf].map((render) => [render.name, Buffer.from(render(made))] as const),
]

const amountPattern = /^\d{1,15}(?:\.\d{1,6})?$/

const check = ({ rows, faults }: ReadFile): void => {
  for (const { line, reason } of faults) assert.ok(line >= 1 && reason.length > 10, JSON.stringify({ line, reason }))
  for (const row of rows) {
    assert.ok(row.line >= 1)
    assert.match(row.amount, amountPattern)
    for (const text of [row.text, row.reference, row.number, row.counterparty.name])
      assert.ok(text === null || (text.trim() === text && text.length > 0 && !text.includes('\0')), JSON.stringify(row))
  }
}

const essence = ({ rows, balances, faults, skipped }: ReadFile) => ({ rows, balances, faults, skipped })

/** Uploads a file; where it is accepted, imports it and compares what it was recorded as with what its preview said. */
const importFile = async (service: TestService, content: Buffer, requisiteId: string): Promise<string> => {
  const uploaded = await uploadFile(service, content, { requisiteId })
  assert.ok([200, 201, 422].includes(uploaded.status), `${uploaded.status} ${JSON.stringify(uploaded.body)}`)
  if (uploaded.status !== 201) return `upload ${uploaded.status}`
  const call = async (method: string, path: string) => {
    const answer = await fetch(`${service.url}/api/v1/operator${path}`, {
      method,
      headers: { authorization: `Bearer ${service.operatorToken}` },
    })
    assert.ok(answer.ok, `${path} ${answer.status}`)
    return JSON.parse(await answer.text())
  }
  const heldOf = async (): Promise<number> => {
    const { balances } = await call('GET', '/ledger/balances')
    return Number(balances.find((each: { account: string }) => each.account === `bank:${requisiteId}`)?.balance ?? 0)
  }
  const before = await heldOf()
  const preview = uploaded.body
  await call('POST', `/statements/${preview.id}/confirm`)
  await service.runJobs()
  const after = await call('GET', `/statements/${preview.id}`)
  assert.equal(after.state, 'imported')
  assert.deepEqual(after.counts, preview.counts)
  if (preview.counts.alreadyKnown + preview.counts.duplicates + preview.counts.reversals > 0)
    return 'import, in part known'
  const sum = (name: 'credits' | 'debits'): number =>
    after.accounts.reduce((total: number, each: Record<string, number>) => total + Number(each[name]), 0)
  assert.equal(((await heldOf()) - before).toFixed(2), (sum('credits') - sum('debits')).toFixed(2))
  return 'import of new money'
}

test(`${count} broken files are refused or read, and what is imported adds up`, async () => {
  const random: Random = randomFrom(seed)
  const readTwice = async (content: Buffer) =>
    [await readFile(content), await readFile(content, { pieceBytes: 1 + random(5000) })].map(essence)
  // Control: a broken file, which may be some times as large, is no more work than all files, three times.
  const readAll = async () => {
    for (const [, content] of files) await readTwice(content)
  }
  // What is read for the first time is compiled, which takes more than reading.
  for (let times = 0; times < 3; times++) await readAll()
  const mostWork = 3 * (await workOf(readAll))
  let slowest = { work: 0, shown: '' }
  const seen = openSightings()
  const service = await openTestService(usualEngine())
  try {
    const bank = await openBank(service)
    await repeat('statement files', count, async (index) => {
      const [name, original] = oneOf(random, files)
      const { content, how } = mutate(original, random)
      const shown = `seed ${seed}, file ${index}: ${name} with ${how}`
      let read: Awaited<ReturnType<typeof readTwice>> = []
      const work = await leastWorkOf(async () => (read = await readTwice(content)), mostWork)
      const [whole, inPieces] = read
      if (work > slowest.work) slowest = { work, shown }
      assert.ok(work < mostWork, `${shown}: ${work} ms of work, and ${mostWork} for all files, three times`)
      try {
        check({ ...whole, shape: undefined } as ReadFile)
        if (whole?.faults.length === 0) assert.deepEqual(inPieces, whole)
        const result = whole?.faults.length === 0 ? 'read' : 'refused'
        seen.note(result)
        if (seen.count(result) % importEvery[result] === 1)
          seen.note(await importFile(service, content, bank.requisiteId))
      } catch (error) {
        throw new Error(shown, { cause: error })
      }
    })
    console.log(`statement files: ${count} from seed ${seed}: ${seen.text()}`)
    console.log(`most work: ${Math.round(slowest.work)} of ${Math.round(mostWork)} ms for ${slowest.shown}`)
    seen.assertSeen('read', 'refused', 'upload 422', 'import of new money')
    await assertHealthy(service)
  } finally {
    await service.stop()
  }
})
