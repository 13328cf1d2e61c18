import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { maskedSettings, parseSettings } from '../src/settings/config.ts'
import { runPayin } from './support/run-payin.ts'

const folder = mkdtempSync(join(tmpdir(), 'payin-cli-config-'))
after(() => rmSync(folder, { recursive: true }))
const canary = 'canary-9f2c41d7be05a8631ce7f40b92d65a38'
writeFileSync(join(folder, 'token'), canary)
writeFileSync(
  join(folder, '.env'),
  [
    'PAYIN_LOG_LEVEL=debug',
    'PORT=9000',
    `DATABASE_URL=postgres://payin:${canary}@db/payin`,
    `PAYIN_OPERATOR_TOKEN_FILE=${join(folder, 'token')}`,
  ].join('\n'),
)
const empty = mkdtempSync(join(folder, 'empty-'))

const production = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://pay.example.com',
  PAYIN_ENCRYPTION_KEYS: 'k1:6Zu3hnXk1Yy0wq4mEoVJrC9bTLsFz8vNdGaQpUiRtM8=',
  PAYIN_OPERATOR_TOKEN: '9f2c41d7be05a8631ce7f40b92d65a38',
}

describe('payin config', () => {
  test('shows every setting, where it comes from, and no secret; the environment has the last word', async () => {
    const { code, out, error } = await runPayin(['config', '--json'], { folder, environment: { PORT: '9100' } })
    assert.deepEqual([code, error], [0, ''])
    const settings = (JSON.parse(out) as { settings: { name: string; value: string; source: string }[] }).settings
    const found = new Map(settings.map(({ name, value, source }) => [name, [value, source]]))
    const parsed = parseSettings({})
    assert.ok(parsed.ok)
    assert.deepEqual([...found.keys()], Object.keys(maskedSettings(parsed.settings)))
    assert.deepEqual(found.get('PORT'), ['9100', 'environment'])
    assert.deepEqual(found.get('PAYIN_LOG_LEVEL'), ['debug', '.env'])
    assert.deepEqual(found.get('DATABASE_URL'), ['(set)', '.env'])
    assert.deepEqual(found.get('PAYIN_OPERATOR_TOKEN'), ['(set)', 'file'])
    assert.deepEqual(found.get('HOST'), ['127.0.0.1', 'default'])
    assert.deepEqual(found.get('PUBLIC_URL'), ['http://localhost:9100', 'default'])
    assert.deepEqual(found.get('PAYIN_METRICS_TOKEN'), ['', 'not set'])
    assert.ok(!out.includes('canary'))
  })

  test('--changed shows what is not the default, as a table by group', async () => {
    const { out } = await runPayin(['config', '--changed'], { folder })
    assert.match(out, /^PAYIN_OPERATOR_TOKEN +\(set\) +file \(PAYIN_OPERATOR_TOKEN_FILE\)$/m)
    assert.match(out, /^PORT +9000 +\.env$/m)
    assert.doesNotMatch(out, /PAYIN_RATE_LIMIT|canary/)
    const none = await runPayin(['config', '--changed'], { folder: empty })
    assert.match(none.out, /^All settings have their defaults\.$/m)
  })

  test('shows the words of an address without its password', async () => {
    const environment = { PUBLIC_URL: `https://me:${canary}@example.com` }
    const { out } = await runPayin(['config'], { folder: empty, environment })
    assert.ok(!out.includes('canary'))
  })

  test('reads the file of PAYIN_CONFIG instead of .env, and refuses one that it may not read', async () => {
    const environment = { PAYIN_CONFIG: join(folder, '.env') }
    const { out } = await runPayin(['config', '--changed'], { folder: empty, environment })
    assert.match(out, /^PORT +9000 .+payin-cli-config-.+\.env$/m)
    const none = await runPayin(['config'], { folder, environment: { PAYIN_CONFIG: join(folder, 'nobody') } })
    assert.deepEqual([none.code, none.out], [2, ''])
    assert.match(none.error, /nobody cannot be read \(ENOENT\)/)
  })

  test('the file of PAYIN_CONFIG also says where the service listens, and which database is worked on', async () => {
    const settings = join(folder, 'payin.env')
    const lines = ['HOST=127.0.0.9', 'PORT=9', 'DATABASE_URL=postgres://payin:x@127.0.0.9:9/payin']
    writeFileSync(settings, [...lines, `PAYIN_OPERATOR_TOKEN=${canary}`].join('\n'))
    const place = { folder: empty, environment: { PAYIN_CONFIG: settings } }
    assert.match((await runPayin(['doctor'], place)).error, /^Nothing answers at http:\/\/127\.0\.0\.9:9 /)
    const any = { folder: empty, environment: { ...place.environment, HOST: '0.0.0.0' } }
    assert.match((await runPayin(['doctor'], any)).error, /^Nothing answers at http:\/\/127\.0\.0\.1:9 /)
    const { code, error } = await runPayin(['copy-database', settings], place)
    assert.equal(code, 1)
    assert.match(error, /ECONNREFUSED 127\.0\.0\.9:9/)
    const none = await runPayin(['copy-database', settings], { folder: empty })
    assert.deepEqual([none.code, none.out], [1, ''])
    assert.match(none.error, /^There is no database in .+data, .*PAYIN_CONFIG\.$/m)
    assert.deepEqual(readdirSync(empty), [], 'no embedded database was made')
  })

  const checks: readonly (readonly [string, Record<string, string>, string[], number, RegExp[]])[] = [
    [
      'the defaults start, not in production',
      {},
      [],
      0,
      [/Production refuses:\n {2}PUBLIC_URL/, /would start, but not with/],
    ],
    ['--production judges as production does', {}, ['--production'], 1, [/would not start/, /openssl rand -hex 32/]],
    [
      'a misspelt name is wrong',
      { PAYIN_METRIC_PORT: '1' },
      [],
      1,
      [/Wrong:\n {2}PAYIN_METRIC_PORT.*PAYIN_METRICS_PORT/],
    ],
    ['a wrong value is quoted with its remedy', { PORT: 'http' }, [], 1, [/PORT is not a whole number.*8080/]],
    [
      'production settings start, with advice',
      production,
      [],
      0,
      [/unwise[^]*DATABASE_URL[^]*PAYIN_TRUST_PROXY/, /would start\.$/m],
    ],
    [
      'production with a weak token',
      { ...production, PAYIN_OPERATOR_TOKEN: 'ab'.repeat(20) },
      [],
      1,
      [/PAYIN_OPERATOR_TOKEN/],
    ],
  ]
  for (const [name, environment, options, expected, texts] of checks) {
    test(`check: ${name}`, async () => {
      const { code, out } = await runPayin(['config', 'check', ...options], { folder: empty, environment })
      assert.equal(code, expected, out)
      for (const text of texts) assert.match(out, text)
      for (const secret of ['abababab', production.PAYIN_OPERATOR_TOKEN, '6Zu3hn']) assert.ok(!out.includes(secret))
    })
  }
})
