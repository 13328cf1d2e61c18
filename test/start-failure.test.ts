import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import pg from 'pg'
import { parseSettings } from '../src/settings/config.ts'
import { Misconfigured, Refusal } from '../src/rules/refusal.ts'
import { startFailure } from '../src/process/start-failure.ts'

const parsed = parseSettings({ PAYIN_DATA_DIR: '/srv/payin', PORT: '80', PAYIN_METRICS_PORT: '9464' })
const settings = parsed.ok ? parsed.settings : assert.fail(parsed.errors.join())

const onOnePort = parseSettings({ PORT: '8080', PAYIN_METRICS_PORT: '8080' })
const withOnePort = onOnePort.ok ? onOnePort.settings : assert.fail(onOnePort.errors.join())

const withDatabase = parseSettings({ DATABASE_URL: 'postgres://payin:canary@db:5432/payin', HOST: 'payin.invalid' })
const certified = parseSettings({
  DATABASE_URL: 'postgres://payin:canary@db:5432/payin?sslmode=verify-full&sslrootcert=/srv/payin/ca.pem',
  DATABASE_LISTEN_URL: 'postgres://payin:canary@db:5433/payin?sslmode=verify-full&sslkey=/etc/own%20key.pem',
  PAYIN_DATA_DIR: '/srv/payin',
})
const withCertificates = certified.ok ? certified.settings : assert.fail(certified.errors.join())
const onPostgres = withDatabase.ok ? withDatabase.settings : assert.fail(withDatabase.errors.join())

const fault = (code: string, syscall: string, path?: string) =>
  Object.assign(new Error(`${code}: it failed, ${syscall}`), { code, syscall, ...(path !== undefined && { path }) })
const listen = (code: string, port: number) => Object.assign(fault(code, 'listen'), { address: '127.0.0.1', port })
const answer = (code: string, message: string) => Object.assign(new pg.DatabaseError(message, 0, 'error'), { code })
const unavailable = (cause: Error) => Object.assign(new Refusal('database_unavailable', 'Out of reach.'), { cause })
const lookup = Object.assign(fault('ENOTFOUND', 'getaddrinfo'), { hostname: 'db' })
const refused = Object.assign(fault('ECONNREFUSED', 'connect'), { address: '10.0.0.7', port: 5432 })
const noPassword = 'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'

const cases: readonly (readonly [error: Error, exitCode: 1 | 78, says: RegExp])[] = [
  [listen('EADDRINUSE', 80), 1, /port 80 is in use.*PORT=81 npm start$/],
  [listen('EADDRINUSE', 65_535), 1, /port 65535 is in use\. Stop the other program, or set another one$/],
  [listen('EADDRINUSE', 9464), 1, /port 9464 of PAYIN_METRICS_PORT is in use.*set another one$/],
  [listen('EACCES', 80), 78, /may not listen on 127\.0\.0\.1:80 \(EACCES\).*HOST or port/],
  [listen('EADDRNOTAVAIL', 80), 1, /may not listen on 127\.0\.0\.1:80 \(EADDRNOTAVAIL\)/],
  [fault('EACCES', 'mkdir', '/srv/payin'), 78, /data directory \/srv\/payin .*\(EACCES\).*PAYIN_DATA_DIR/],
  [fault('EACCES', 'open', '/srv/payin/secrets.json'), 78, /data directory \/srv\/payin .*\(EACCES\).*PAYIN_DATA_DIR/],
  [fault('EROFS', 'mkdir', '/srv/payin/database'), 78, /data directory \/srv\/payin .*\(EROFS\).*PAYIN_DATA_DIR/],
  [fault('ENOTDIR', 'open', '/srv/payin/secrets.json'), 78, /directory \/srv\/payin .*\(ENOTDIR\).*PAYIN_DATA_DIR/],
  [fault('EEXIST', 'mkdir', '/srv/payin'), 78, /\/srv\/payin is not a directory \(EEXIST\).*PAYIN_DATA_DIR/],
  [
    fault('ENOSPC', 'write', '/srv/payin/database'),
    1,
    /disk of the data directory \/srv\/payin is full.*PAYIN_DATA_DIR/,
  ],
  [
    answer('57P02', 'ENOSPC: no space left on device, write'),
    1,
    /disk of the data directory \/srv\/payin is full \(ENOSPC.*Free space there/,
  ],
  [
    answer('53100', 'could not extend file "base/5/2659": No space left on device'),
    1,
    /disk of the data directory \/srv\/payin is full \(could not.*Free space there/,
  ],
  [
    answer('57P02', '/srv/payin/cluster was made by PostgreSQL 15; this release reads PostgreSQL 18.'),
    78,
    /made by PostgreSQL 15.* Start the release that made it, or set PAYIN_DATA_DIR/,
  ],
  [fault('EACCES', 'open', '/etc/ca.pem'), 1, /^Payin cannot start: EACCES: it failed, open$/],
  [fault('ENOTDIR', 'open', '/srv/payin-2/ca.pem'), 1, /^Payin cannot start: ENOTDIR: it failed, open$/],
  [new Misconfigured('This database needs the encryption key k1.'), 78, /needs the encryption key k1\.$/],
]

const ofRelative: typeof cases = [
  [fault('EACCES', 'mkdir', 'payin-data'), 78, /data directory \.\/payin-data .*\(EACCES\)/],
  [fault('EACCES', 'open', 'payin-data/secrets.json'), 78, /data directory \.\/payin-data .*\(EACCES\)/],
  [fault('ENOTDIR', 'open', '/etc/hostname/metadata.pem'), 1, /^Payin cannot start: ENOTDIR: it failed, open$/],
]

const ofCertificates: typeof cases = [
  [
    fault('ENOENT', 'open', '/srv/payin/ca.pem'),
    78,
    /cannot read \/srv\/payin\/ca\.pem \(ENOENT\), the sslrootcert of DATABASE_URL\. Name a file/,
  ],
  [fault('EACCES', 'open', '/srv/payin/ca.pem'), 78, /\(EACCES\), the sslrootcert of DATABASE_URL\. Name a file/],
  [fault('ENOENT', 'open', '/etc/own key.pem'), 78, /\(ENOENT\), the sslkey of DATABASE_LISTEN_URL\. Name a file/],
  [fault('ENOENT', 'open', '/etc/ca.pem'), 1, /^Payin cannot start: ENOENT: it failed, open$/],
  [fault('EISDIR', 'read'), 78, /DATABASE_URL or DATABASE_LISTEN_URL names a directory \(EISDIR\).*Name a file/],
]

const ofSamePorts: typeof cases = [
  [listen('EADDRINUSE', 8080), 78, /PORT and PAYIN_METRICS_PORT are both 8080\. Set another one\.$/],
]

const ofPostgres: typeof cases = [
  [
    Object.assign(fault('ENOTFOUND', 'getaddrinfo'), { hostname: 'payin.invalid' }),
    1,
    /the host payin\.invalid of HOST has no address \(ENOTFOUND\)\. Correct its name\.$/,
  ],
  [
    answer('28P01', 'password authentication failed for user "payin"'),
    78,
    /user "payin".*Correct the user or password/,
  ],
  [
    answer('28000', 'no pg_hba.conf entry for host "10.0.0.7"'),
    78,
    /no pg_hba\.conf entry.*Correct the user.*allow it/,
  ],
  [
    Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL', input: 'canary' }),
    78,
    /DATABASE_URL is not an address\. Write postgres:\/\/user:password@host:5432\/database/,
  ],
  [answer('53100', 'No space left on device'), 1, /No space left on device \(53100\)\. Free space on its disk\.$/],
  [answer('3D000', 'database "payin" does not exist'), 78, /"payin" does not exist.*Create the database, or correct/],
  [new Error(noPassword), 78, /asks for a password, and there is none/],
  [unavailable(lookup), 1, /the host db of DATABASE_URL has no address \(ENOTFOUND\).*Correct its name/],
  [unavailable(refused), 1, /nothing accepts connections at 10\.0\.0\.7:5432.*Start PostgreSQL/],
  [unavailable(new Error('timeout expired')), 1, /DATABASE_URL does not answer \(timeout expired\)/],
  [answer('57P03', 'the database system is starting up'), 1, /DATABASE_URL does not answer \(.*starting up\)/],
  [
    answer('42501', 'permission denied for schema public'),
    78,
    /permission denied for schema public \(42501\)\. Grant the user that right, or .*DATABASE_URL\.$/,
  ],
  [answer('3F000', 'no schema has been selected to create in'), 78, /\(3F000\)\. Let .*, or set PAYIN_DATABASE_SCHEMA/],
  [
    answer('42P07', 'relation "payments" already exists'),
    78,
    /"payments" already exists \(42P07\), and a migration makes it/,
  ],
  [
    unavailable(fault('CERT_NOT_YET_VALID', 'connect')),
    1,
    /the certificate of the server of DATABASE_URL is not valid yet\. Correct the clock/,
  ],
  [answer('22P02', 'invalid input syntax'), 1, /^Payin cannot start: invalid input syntax$/],
]

describe('why a start failed is one line that says what to change', () => {
  for (const [which, given] of [
    [cases, settings],
    [ofRelative, onPostgres],
    [ofPostgres, onPostgres],
    [ofCertificates, withCertificates],
    [ofSamePorts, withOnePort],
  ] as const) {
    for (const [error, exitCode, says] of which) {
      const { path = '' } = error as { path?: string }
      test(`${error.message} ${path}`, () => {
        const failure = startFailure(error, given)
        assert.match(failure.text, says)
        assert.equal(failure.exitCode, exitCode)
        assert.doesNotMatch(failure.text, /\n|canary/)
      })
    }
  }
})
