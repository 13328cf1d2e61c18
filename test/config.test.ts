import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { inspect, parseEnv } from 'node:util'
import { isGuessable, isGuessableKey } from '../src/secrets/guessable.ts'
import { describeSettings, maskedSettings, parseSettings, type Settings } from '../src/settings/config.ts'

const key = (byte: number) =>
  Buffer.from(Array.from({ length: 32 }, (_, index) => (index * 37 + byte) % 256)).toString('base64')
const token = '9f2c41d7be05a8631ce7f40b92d65a38'
const production = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://pay.example.com',
  PAYIN_ENCRYPTION_KEYS: `k1:${key(7)}`,
  PAYIN_OPERATOR_TOKEN: token,
}

const directory = mkdtempSync(join(tmpdir(), 'payin-config-'))
after(() => rmSync(directory, { recursive: true }))

function file(content: string): string {
  const path = join(mkdtempSync(join(directory, 'secret-')), 'value')
  writeFileSync(path, content)
  return path
}

function settingsOf(environment: Record<string, string | undefined>): Settings {
  const result = parseSettings(environment)
  assert.ok(result.ok, inspect(result))
  return result.settings
}

function errorsOf(environment: Record<string, string | undefined>): string[] {
  const result = parseSettings(environment)
  assert.ok(!result.ok, 'accepted')
  return result.errors
}

suite('settings', () => {
  test('an empty environment gives the defaults', () => {
    assert.deepEqual(settingsOf({}), {
      configFile: '',
      language: '',
      fileStorage: undefined,
      fileStorageKeyId: '',
      fileStorageRegion: 'us-east-1',
      fileStorageSecret: undefined,
      drainMs: 500,
      metricsHost: '127.0.0.1',
      metricsPort: undefined,
      metricsToken: undefined,
      port: 8080,
      host: '127.0.0.1',
      publicUrl: 'http://localhost:8080',
      console: 'build',
      trustProxy: [],
      rateLimit: 2000,
      pageRateLimit: 3000,
      pageStreams: 500,
      linkUnpaidPerAddress: 10,
      linkUnpaid: 200,
      connections: 20_000,
      connectionsPerAddress: 4000,
      databaseListenUrl: undefined,
      databaseSchema: undefined,
      databaseUrl: undefined,
      dataDir: './payin-data',
      pickupFolder: undefined,
      databasePool: 10,
      databasePrepared: true,
      queryTimeoutMs: 30_000,
      notificationsInFlight: 256,
      notificationsPerEndpoint: 16,
      notificationTimeoutMs: 15_000,
      notificationRetentionDays: 30,
      requestLogDays: 14,
      notificationLoopback: false,
      alertCheckMs: 60_000,
      smtpUrl: undefined,
      smtpFrom: undefined,
      telegramUrl: 'https://api.telegram.org',
      outboundLoopback: false,
      encryptionKeys: undefined,
      operatorToken: undefined,
      operatorTokens: undefined,
      merchantToken: undefined,
      messageDays: 30,
      webhookSecret: undefined,
      secondPersonAbove: 1_000_000_000n,
      loneReportsAbove: undefined,
      secondPersonAgeDays: 7,
      destinationCoolingHours: 24,
      environment: 'development',
      production: false,
      demo: true,
      roles: ['web', 'worker'],
      logLevel: 'info',
      migrate: 'on',
      serviceUrl: 'http://127.0.0.1:8080',
    })
  })

  test('an empty value counts as unset and spaces around a value are dropped', () => {
    const settings = settingsOf({
      PORT: '',
      DATABASE_URL: ' ',
      PAYIN_OPERATOR_TOKEN_FILE: '',
      PAYIN_LOG_LEVEL: ' warn ',
    })
    assert.equal(settings.port, 8080)
    assert.equal(settings.databaseUrl, undefined)
    assert.equal(settings.logLevel, 'warn')
  })

  const accepted: [string, string, keyof Settings, unknown][] = [
    ['PORT', '0', 'port', 0],
    ['PORT', '9000', 'publicUrl', 'http://localhost:9000'],
    ['HOST', '::', 'host', '::'],
    ['PUBLIC_URL', 'https://Pay.example.com/', 'publicUrl', 'https://pay.example.com'],
    ['PUBLIC_URL', 'https://example.com/pay/', 'publicUrl', 'https://example.com/pay'],
    [
      'DATABASE_URL',
      'postgresql://a:b@one:5432,two:5432/payin',
      'databaseUrl',
      'postgresql://a:b@one:5432,two:5432/payin',
    ],
    ['DATABASE_URL', 'postgres:///payin?host=/run/postgresql', 'databaseUrl', 'postgres:///payin?host=/run/postgresql'],
    ['PAYIN_DEMO', 'off', 'demo', false],
    ['PAYIN_ROLES', 'worker', 'roles', ['worker']],
    ['PAYIN_ROLES', 'worker, web', 'roles', ['web', 'worker']],
    ['PAYIN_TRUST_PROXY', '10.0.0.0/8, ::1, 192.0.2.1', 'trustProxy', ['10.0.0.0/8', '::1', '192.0.2.1']],
    ['PAYIN_RATE_LIMIT', '0', 'rateLimit', 0],
    ['PAYIN_DATABASE_PREPARED', 'off', 'databasePrepared', false],
    ['PAYIN_LOG_LEVEL', 'silent', 'logLevel', 'silent'],
  ]
  for (const [name, text, setting, value] of accepted) {
    test(`${name}=${text} gives ${setting} ${inspect(value)}`, () => {
      assert.deepEqual(settingsOf({ [name]: text })[setting], value)
    })
  }

  const refused: [string, string, RegExp][] = [
    ['PORT', '65536', /whole number from 0 to 65535 \(found "65536"\): .*default 8080/],
    ['PORT', '0x50', /whole number/],
    ['PORT', '-1', /whole number/],
    ['HOST', 'http://x', /neither an IP address nor a host name/],
    ['PUBLIC_URL', 'pay.example.com', /is not an address/],
    ['PUBLIC_URL', 'ftp://example.com', /http:\/\/ or https:\/\//],
    ['PUBLIC_URL', 'https://example.com/?', /query or a fragment/],
    ['PUBLIC_URL', 'https://example.com/#a', /query or a fragment/],
    ['PAYIN_TRUST_PROXY', '::/80', /every IPv4 address/],
    ['PAYIN_TRUST_PROXY', '::ffff:0:0/96', /every IPv4 address/],
    ['NODE_ENV', 'prod', /one of development, production, test/],
    ['PAYIN_DEMO', 'true', /neither on nor off/],
    ['PAYIN_ROLES', 'web,web', /each at most once, of web, worker/],
    ['PAYIN_ROLES', 'web,wroker', /each at most once, of web, worker/],
    ['PAYIN_ROLES', ',', /each at most once, of web, worker/],
    ['PAYIN_LOG_LEVEL', 'verbose', /one of trace, debug/],
    ['PAYIN_TRUST_PROXY', 'proxy.internal', /IP addresses and CIDR ranges/],
    ['PAYIN_TRUST_PROXY', '10.0.0.0/33', /IP addresses and CIDR ranges/],
    ['PAYIN_TRUST_PROXY', '10.0.0.0/8/8', /IP addresses and CIDR ranges/],
    ['PAYIN_TRUST_PROXY', '0.0.0.0/0', /trusts every address/],
    ['PAYIN_RATE_LIMIT', '1.5', /whole number/],
    ['PAYIN_DATABASE_POOL', '0', /whole number from 1/],
    ['PAYIN_QUERY_TIMEOUT_MS', '0', /whole number from 100/],
  ]
  for (const [name, text, problem] of refused) {
    test(`${name}=${text} is refused with the variable, the fault and the cure in one line`, () => {
      const errors = errorsOf({ [name]: text })
      assert.equal(errors.length, 1)
      assert.match(errors[0] ?? '', new RegExp(`^${name} .+: .+`))
      assert.match(errors[0] ?? '', problem)
    })
  }

  test('all faults are reported at once', () => {
    const errors = errorsOf({ PORT: 'x', HOST: '?', PAYIN_ROLES: 'x', PAYIN_OPERATOR_TOKEN: 'short', PAYIN_X: '' })
    assert.deepEqual(
      errors.map((error) => error.split(' ')[0] ?? '').toSorted((a, b) => a.localeCompare(b)),
      ['HOST', 'PAYIN_OPERATOR_TOKEN', 'PAYIN_ROLES', 'PAYIN_X', 'PORT'],
    )
  })

  const misspelt: [string, string][] = [
    ['PAYIN_OPERATR_TOKEN', 'PAYIN_OPERATOR_TOKEN'],
    ['PAYIN_PUBLIC_URL', 'PUBLIC_URL'],
    ['PAYIN_PORT', 'PORT'],
    ['PAYIN_LOGLEVEL', 'PAYIN_LOG_LEVEL'],
    ['PAYIN_ENCRYPTION_KEY_FILE', 'PAYIN_ENCRYPTION_KEYS_FILE'],
  ]
  for (const [name, suggestion] of misspelt) {
    test(`${name} is refused and ${suggestion} suggested`, () => {
      assert.deepEqual(errorsOf({ [name]: '8080' }), [
        `${name} is not a setting: did you mean ${suggestion}? Otherwise remove it`,
      ])
    })
  }

  test('the variables that Kubernetes adds for a Service named payin are let pass', () => {
    settingsOf({
      PAYIN_SERVICE_HOST: '10.0.0.1',
      PAYIN_SERVICE_PORT: '80',
      PAYIN_SERVICE_PORT_HTTP: '80',
      PAYIN_PORT: 'tcp://10.0.0.1:80',
      PAYIN_PORT_80_TCP: 'tcp://10.0.0.1:80',
      PAYIN_PORT_80_TCP_ADDR: '10.0.0.1',
      PAYIN_POSTGRES_PORT: 'tcp://10.0.0.2:5432',
    })
  })
})

suite('production', () => {
  test('is accepted with https and given secrets, and never has a demo', () => {
    const settings = settingsOf({ ...production, PAYIN_DEMO: 'on' })
    assert.equal(settings.production, true)
    assert.equal(settings.demo, false)
  })

  for (const name of ['PUBLIC_URL', 'PAYIN_ENCRYPTION_KEYS', 'PAYIN_OPERATOR_TOKEN']) {
    test(`is refused without ${name}`, () => {
      const errors = errorsOf({ ...production, [name]: undefined })
      assert.equal(errors.length, 1)
      assert.match(errors[0] ?? '', new RegExp(`^${name} is not set, and production needs it: .+`))
    })
  }

  test('without keys: the message asks for those of the database, which may be lost, and not for new ones', () => {
    const [error = ''] = errorsOf({ ...production, PAYIN_ENCRYPTION_KEYS: undefined })
    assert.match(error, /set the keys with which the database was written; only for a new database: /)
    assert.doesNotMatch(error, /make a key/)
  })

  test('is refused on plain http', () => {
    assert.match(errorsOf({ ...production, PUBLIC_URL: 'http://pay.example.com' }).join(), /^PUBLIC_URL is not https/)
  })

  test('is refused under a name of the machine itself', () => {
    for (const host of ['localhost', 'LOCALHOST:8443', 'a.localhost', '127.0.0.1', '127.1', '[::1]', '0.0.0.0']) {
      const errors = errorsOf({ ...production, PUBLIC_URL: `https://${host}` })
      assert.match(errors.join(), /^PUBLIC_URL is this machine itself/, host)
    }
  })

  test('is refused with secrets that nobody drew at random, and accepted with random ones', () => {
    const weak = [
      '0123456789abcdef0123456789abcdef',
      'abcdefghijklmnopqrstuvwxyz0123456789',
      'change-me-change-me-change-me-change-me',
      'payin-operator-token-for-production!',
      'qwertyuiqwertyuiqwertyuiqwertyui',
    ]
    for (const text of weak) {
      assert.match(
        errorsOf({ ...production, PAYIN_OPERATOR_TOKEN: text }).join(),
        /^PAYIN_OPERATOR_TOKEN is not random/,
        text,
      )
      assert.match(errorsOf({ ...production, PAYIN_OPERATOR_TOKENS: `anna:${text}` }).join(), /is not random/, text)
    }
    const thought = Buffer.from('payin-test-key-32-bytes-long!!01').toString('base64')
    assert.match(errorsOf({ ...production, PAYIN_ENCRYPTION_KEYS: `k1:${thought}` }).join(), /is not random/)
    // A weak key that is being replaced still decrypts.
    settingsOf({ ...production, PAYIN_ENCRYPTION_KEYS: `k2:${randomBytes(32).toString('base64')},k1:${thought}` })
    for (let index = 0; index < 2000; index++) {
      assert.ok(!isGuessable(randomBytes(16).toString('hex')))
      assert.ok(!isGuessable(randomBytes(32).toString('base64url')))
      assert.ok(!isGuessableKey(randomBytes(32)))
    }
  })
})

suite('tokens of operators', () => {
  const random = 'payin_ops_test_token_of_anna_0123456789abcdef'
  test('have a role', () => {
    const { operatorTokens } = settingsOf({ PAYIN_OPERATOR_TOKENS: `anna:${random},cara/support:${random}2` })
    assert.deepEqual(operatorTokens, [
      { name: 'anna', role: 'owner', token: random },
      { name: 'cara', role: 'support', token: `${random}2` },
    ])
  })

  test('are not the one of PAYIN_OPERATOR_TOKEN, which would have two names', () => {
    const errors = errorsOf({ PAYIN_OPERATOR_TOKEN: random, PAYIN_OPERATOR_TOKENS: `anna:${random}` })
    assert.match(errors.join(), /^PAYIN_OPERATOR_TOKENS gives the PAYIN_OPERATOR_TOKEN to another operator/)
  })

  test('have no name by which events call what acts automatically', () => {
    for (const name of ['service', 'bank', 'payer', 'merchant', 'source', 'simulated', 'simulated-second'])
      assert.match(
        errorsOf({ PAYIN_OPERATOR_TOKENS: `${name}:${random}` }).join(),
        new RegExp(`PAYIN_OPERATOR_TOKENS.* the name ${name}, `),
        name,
      )
    assert.equal(settingsOf({ PAYIN_OPERATOR_TOKENS: `bank-anna:${random}` }).operatorTokens?.length, 1)
  })
})

suite('secrets', () => {
  test('come from files, trimmed', () => {
    const settings = settingsOf({
      DATABASE_URL_FILE: file('postgres://db/payin\n'),
      PAYIN_OPERATOR_TOKEN_FILE: file(`${token}\r\n`),
      PAYIN_ENCRYPTION_KEYS_FILE: file(`\nk2:${key(1)}, k1:${key(2)}\n`),
    })
    assert.equal(settings.databaseUrl, 'postgres://db/payin')
    assert.equal(settings.operatorToken, token)
    assert.deepEqual(
      settings.encryptionKeys?.map((each) => [each.id, each.key.toString('base64')]),
      [
        ['k2', key(1)],
        ['k1', key(2)],
      ],
    )
  })

  test('are refused when both the variable and the file are set', () => {
    const errors = errorsOf({ PAYIN_OPERATOR_TOKEN: token, PAYIN_OPERATOR_TOKEN_FILE: file(token) })
    assert.match(errors.join(), /^PAYIN_OPERATOR_TOKEN and PAYIN_OPERATOR_TOKEN_FILE are both set/)
  })

  test('are refused when the file is missing, a directory or empty', () => {
    assert.match(errorsOf({ DATABASE_URL_FILE: join(directory, 'nowhere') }).join(), /^DATABASE_URL_FILE .*ENOENT/)
    assert.match(errorsOf({ DATABASE_URL_FILE: directory }).join(), /^DATABASE_URL_FILE .*EISDIR/)
    assert.match(errorsOf({ DATABASE_URL_FILE: file(' \n') }).join(), /^DATABASE_URL_FILE names an empty file/)
  })

  const published = Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('base64')
  const weak: [string, string, RegExp][] = [
    ['PAYIN_OPERATOR_TOKEN', 'canary-too-short', /has 16 characters/],
    ['PAYIN_OPERATOR_TOKEN', `canary ${token}`, /without spaces/],
    ['PAYIN_OPERATOR_TOKEN', 'canary'.padEnd(40, 'a'), /repeats few characters/],
    ['DATABASE_URL', 'mysql://root:canary@db/payin', /postgres:\/\//],
    ['PAYIN_ENCRYPTION_KEYS', key(3), /not written id:key/],
    ['PAYIN_ENCRYPTION_KEYS', `K1:${key(3)}`, /its id is not/],
    ['PAYIN_ENCRYPTION_KEYS', `toolongid:${key(3)}`, /its id is not/],
    ['PAYIN_ENCRYPTION_KEYS', 'k1:canary!', /not base64/],
    ['PAYIN_ENCRYPTION_KEYS', `k1:${Buffer.from('canary').toString('base64')}`, /6 bytes, not 32/],
    ['PAYIN_ENCRYPTION_KEYS', `k1:${Buffer.alloc(32).toString('base64')}`, /not random/],
    ['PAYIN_ENCRYPTION_KEYS', `k1:${Buffer.alloc(32, 'ab').toString('base64')}`, /not random/],
    ['PAYIN_ENCRYPTION_KEYS', `k1:${published}`, /published sample/],
    ['PAYIN_ENCRYPTION_KEYS', `k1:${key(3)},k1:${key(4)}`, /twice/],
    ['PAYIN_ENCRYPTION_KEYS', `k1:${key(3)},k2:${key(3)}`, /repeats another key/],
    ['PAYIN_ENCRYPTION_KEYS', `k1:${key(3)},`, /key 2: it is not written id:key/],
  ]
  for (const [index, [name, text, problem]] of weak.entries()) {
    test(`${name} is refused when weak or malformed, without quoting it (${index + 1}: ${problem.source})`, () => {
      for (const environment of [{ [name]: text }, { [`${name}_FILE`]: file(text) }]) {
        const errors = errorsOf(environment)
        assert.equal(errors.length, 1)
        assert.match(errors[0] ?? '', problem)
        for (const part of text.split(/[:,@]/)) if (part.length > 9) assert.ok(!errors[0]?.includes(part), errors[0])
        assert.ok(!errors[0]?.includes('canary'), errors[0])
      }
    })
  }

  test('are not quoted when they stand where a file name or an address belongs', () => {
    assert.ok(!errorsOf({ PAYIN_OPERATOR_TOKEN_FILE: 'canary' }).join().includes('canary'))
    assert.ok(!errorsOf({ PUBLIC_URL: 'https://me:canary@example.com' }).join().includes('canary'))
    assert.ok(!errorsOf({ PAYIN_OPERATOR_TOKN: 'canary' }).join().includes('canary'))
  })

  test('are masked for logs and health pages', () => {
    const masked = maskedSettings(settingsOf({ ...production, DATABASE_URL: '' }))
    assert.equal(masked['PAYIN_OPERATOR_TOKEN'], '(set)')
    assert.equal(masked['PAYIN_ENCRYPTION_KEYS'], '(set)')
    assert.equal(masked['DATABASE_URL'], '(not set)')
    assert.equal(masked['PUBLIC_URL'], 'https://pay.example.com')
    assert.ok(!JSON.stringify(masked).includes(token))
  })
})

suite('.env.example', () => {
  test('is what the settings describe', () => {
    assert.equal(readFileSync(join(import.meta.dirname, '../.env.example'), 'utf8'), describeSettings())
  })

  test('changes nothing when every line is uncommented', () => {
    const uncommented = describeSettings().replaceAll(/^#(?=[A-Z_]+=)/gm, '')
    const variables = parseEnv(uncommented)
    assert.deepEqual(Object.keys(variables).toSorted(), Object.keys(maskedSettings(settingsOf({}))).toSorted())
    assert.deepEqual(settingsOf(variables), settingsOf({}))
  })
})
