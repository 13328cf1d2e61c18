import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSettings } from '../src/settings/config.ts'
import { openLog } from '../src/process/open-log.ts'

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
