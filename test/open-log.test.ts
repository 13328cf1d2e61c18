import assert from 'node:assert/strict'
import fs from 'node:fs'
import { test } from 'node:test'
import { parseSettings } from '../src/settings/config.ts'
import { LogFile, openLog } from '../src/process/open-log.ts'
import { until } from './support/waiting.ts'

const lineOf = (environment: Record<string, string>): Record<string, unknown> => {
  const parsed = parseSettings(environment)
  const settings = parsed.ok ? parsed.settings : assert.fail(parsed.errors.join())
  const lines: string[] = []
  const log = openLog(settings, { write: (line) => void lines.push(line) })
  log.warn({ token: 'canary' }, 'no secret')
  assert.equal(lines.length, 1)
  assert.doesNotMatch(lines.join(), /canary/)
  return JSON.parse(lines.join())
}

test('a line has its time and its level in words', () => {
  const { level, time, msg } = lineOf({})
  assert.deepEqual([level, msg], ['warn', 'no secret'])
  assert.match(String(time), /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.ok(Math.abs(Date.parse(String(time)) - Date.now()) < 60_000)
})

test('a log on a full disk keeps lines up to a limit, and says once there is room how many are lost', async (t) => {
  const failure = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  const written: Buffer[] = []
  let isFull = true
  let tries = 0
  const write = (_: number, bytes: Buffer, done: (error: Error | null, count: number) => void): void => {
    tries++
    const error = isFull ? failure : null
    if (!isFull) written.push(bytes.subarray(0, 5000))
    setImmediate(() => done(error, Math.min(bytes.length, 5000)))
  }
  t.mock.method(fs, 'write', write as typeof fs.write)
  t.mock.method(fs, 'writeSync', () => assert.fail(failure))
  const file = new LogFile(2)
  const log = openLog({ logLevel: 'info' }, file)
  log.info('before')
  for (let number = 0; number < 2000; number++) log.info({ number, text: 'x'.repeat(1000) }, 'a line')
  await until('it was tried again', () => tries >= 3)
  const text = (): string => Buffer.concat(written).toString()
  assert.equal(text(), '')
  isFull = false
  await until('what is lost', () => text().includes('are lost'))
  const lines = text()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { msg: string; number?: number; lines?: number })
  const kept = lines.filter(({ msg }) => msg === 'a line')
  assert.ok(kept.length > 500 && kept.length < 1100, `${kept.length} lines are kept`)
  assert.deepEqual(
    kept.map(({ number }) => number),
    kept.map((_, index) => index),
  )
  assert.equal(lines[0]?.msg, 'before')
  assert.equal(lines.at(-1)?.lines, 2000 - kept.length)
  isFull = true
  log.info('at the end')
  // The end of the process does not wait for room.
  file.flushSync()
})
