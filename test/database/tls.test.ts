// TLS to PostgreSQL: what each sslmode of DATABASE_URL encrypts and checks.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseSettings } from '../../src/settings/config.ts'
import { boolean, query } from 'payin-database'
import { openDatabase } from 'payin-database/open'
import { startFailure } from '../../src/process/start-failure.ts'
import { findAccount, startPostgres } from '../support/postgres.ts'

const isEncrypted = query('test_is_encrypted', {
  row: { ssl: boolean },
  text: 'select ssl from pg_stat_ssl where pid = pg_backend_pid()',
})

/** Of this process alone: another test may use the port on the usual address. */
const address = `127.${process.pid % 200}.${process.pid % 251}.7`
/** The server listens here, too, and its certificate does not say so. */
const otherAddress = address.replace(/7$/, '8')

/** A folder with the certificate of a server, which is its own authority, and another one. */
const makeCertificates = (): { folder: string; remove(): void } | { missing: string } => {
  const account = findAccount()
  if ('missing' in account) return account
  if (spawnSync('openssl', ['version']).status !== 0) return { missing: 'no openssl on this machine' }
  const folder = mkdtempSync('/tmp/payin-tls-')
  for (const name of ['server', 'other']) {
    const files = ['-keyout', join(folder, `${name}.key`), '-out', join(folder, `${name}.crt`)]
    const names = ['-subj', '/CN=payin test', '-addext', `subjectAltName=IP:${address}`]
    const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
    execFileSync('openssl', [...made, ...files, ...names], { stdio: 'ignore' })
  }
  if (account.uid !== undefined && account.gid !== undefined)
    for (const name of ['', 'server.key', 'server.crt']) chownSync(join(folder, name), account.uid, account.gid)
  return { folder, remove: () => rmSync(folder, { recursive: true }) }
}

test('sslmode of DATABASE_URL encrypts, and refuses a server that is not the one named', async (t) => {
  const made = makeCertificates()
  if ('missing' in made) return t.skip(`NOT RUN: ${made.missing}`)
  const { folder } = made
  t.after(() => made.remove())
  const tls = { ssl: 'on', ssl_cert_file: join(folder, 'server.crt'), ssl_key_file: join(folder, 'server.key') }
  const server = await startPostgres({ ...tls, listen_addresses: `${address},${otherAddress}` })
  if ('missing' in server) return t.skip(`NOT RUN: ${server.missing}`)
  t.after(() => server.stop())

  const urlOf = (parameters: string, host = address): string => `postgres://payin@${host}/postgres?${parameters}`
  const encrypted = async (url: string): Promise<boolean | undefined> => {
    const database = await openDatabase({
      url,
      dataDir: '',
      poolSize: 1,
      preparedStatements: true,
      queryTimeoutMs: 5000,
    })
    try {
      return (await database.query(isEncrypted, {}))[0]?.ssl
    } finally {
      await database.close()
    }
  }
  const refusal = async (url: string): Promise<string> => {
    const parsed = parseSettings({ DATABASE_URL: url })
    const settings = parsed.ok ? parsed.settings : assert.fail(parsed.errors.join())
    const error = await encrypted(url).then(
      () => assert.fail('it is connected'),
      (thrown: unknown) => thrown,
    )
    const { text, exitCode } = startFailure(error, settings)
    assert.equal(exitCode, 78, text)
    return text
  }
  const authority = `sslrootcert=${join(folder, 'server.crt')}`

  assert.equal(await encrypted(urlOf('')), false)
  assert.equal(await encrypted(urlOf('sslmode=disable')), false)
  for (const mode of ['verify-full', 'verify-ca', 'require', 'prefer']) {
    assert.equal(await encrypted(urlOf(`sslmode=${mode}&${authority}`)), true, mode)
    assert.match(await refusal(urlOf(`sslmode=${mode}`)), /certificate.*sslrootcert/, mode)
  }
  assert.equal(await encrypted(urlOf('sslmode=no-verify')), true)
  const wrong = `sslmode=verify-full&sslrootcert=${join(folder, 'other.crt')}`
  assert.match(await refusal(urlOf(wrong)), /certificate.*sslrootcert/)
  assert.match(await refusal(urlOf(`sslmode=verify-full&${authority}`, otherAddress)), /certificate.*host/)
  // The servers of a list are checked, too.
  const list = urlOf(`sslmode=verify-full&${authority}`).replace(address, `${otherAddress},${address}`)
  assert.equal(await encrypted(list), true)

  const plain = await startPostgres({ listen_addresses: address.replace(/7$/, '9') })
  if ('missing' in plain) return
  t.after(() => plain.stop())
  const unable = urlOf(`sslmode=verify-full&${authority}`, address.replace(/7$/, '9'))
  assert.match(await refusal(unable), /does not support SSL.*sslmode=disable/)
})
