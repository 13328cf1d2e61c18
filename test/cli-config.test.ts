import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
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
  test('reads .env, or the file of PAYIN_CONFIG instead, shows no secret, and refuses a file that it may not read', async () => {
    const named = { PAYIN_CONFIG: join(folder, '.env') }
    for (const [place, more] of [
      [folder, {}],
      [empty, named],
    ] as const) {
      const { out } = await runPayin(['config', 'check'], { folder: place, environment: { ...more, HOST: '' } })
      assert.match(out, /The service would start/)
      assert.doesNotMatch(out, /DATABASE_URL|canary/)
    }
    const environment = { PAYIN_CONFIG: join(folder, 'nobody') }
    const none = await runPayin(['config'], { folder, environment })
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
