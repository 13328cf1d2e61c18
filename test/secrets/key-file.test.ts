import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { parseAccessToken } from '../../src/secrets/access-token.ts'
import { loadOrCreateSecrets } from '../../src/secrets/key-file.ts'
import { createVault } from '../../src/secrets/vault.ts'

const directory = mkdtempSync(join(tmpdir(), 'payin-secrets-'))
after(() => rmSync(directory, { recursive: true }))

const newDataDir = () => join(mkdtempSync(join(directory, 'case-')), 'data')

suite('the key file', () => {
  test('is made on the first start, readable by its owner only, and kept afterwards', () => {
    const dataDir = newDataDir()
    const secrets = loadOrCreateSecrets(dataDir)
    assert.equal(statSync(join(dataDir, 'secrets.json')).mode & 0o777, 0o600)
    assert.deepEqual(readdirSync(dataDir), ['secrets.json'])
    assert.deepEqual(
      secrets.encryptionKeys.map(({ id, key }) => [id, key.length]),
      [['k1', 32]],
    )
    assert.deepEqual(parseAccessToken(secrets.operatorToken), { mode: 'ops' })
    assert.ok(createVault(secrets.encryptionKeys).keyChecks()[0])
    assert.deepEqual(loadOrCreateSecrets(dataDir), secrets)
  })

  test('differs between two data directories', () => {
    const [one, two] = [loadOrCreateSecrets(newDataDir()), loadOrCreateSecrets(newDataDir())]
    assert.notEqual(one.operatorToken, two.operatorToken)
    assert.notDeepEqual(one.encryptionKeys, two.encryptionKeys)
  })

  test('is the same for processes that start at once', async () => {
    const dataDir = newDataDir()
    const startAt = Date.now() + 1_500
    const program = `
      import { loadOrCreateSecrets } from ${JSON.stringify(import.meta.resolve('../../src/secrets/key-file.ts'))}
      while (Date.now() < ${startAt});
      console.log(JSON.stringify(loadOrCreateSecrets(${JSON.stringify(dataDir)})))`
    const run = () => promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program])
    const answers = (await Promise.all(Array.from({ length: 6 }, run))).map(({ stdout }) => stdout.trim())
    assert.equal(new Set(answers).size, 1)
    assert.equal(answers[0], JSON.stringify(loadOrCreateSecrets(dataDir)))
    assert.deepEqual(readdirSync(dataDir), ['secrets.json'])
  })

  test('stops the start when it is a directory, as the mount of a missing file is', () => {
    const dataDir = newDataDir()
    mkdirSync(join(dataDir, 'secrets.json'), { recursive: true })
    assert.throws(() => loadOrCreateSecrets(dataDir), /secrets\.json is a directory/)
  })

  test('stops the start when it is damaged, is not replaced and is not quoted', () => {
    const dataDir = newDataDir()
    loadOrCreateSecrets(dataDir)
    const path = join(dataDir, 'secrets.json')
    const good = readFileSync(path, 'utf8')
    for (const content of ['', 'canary', '[]', 'null', '{}', good.slice(0, -9), good.replace('k1:', 'k1:canary')]) {
      writeFileSync(path, content)
      assert.throws(
        () => loadOrCreateSecrets(dataDir),
        (error: Error) => /secrets\.json is damaged/.test(error.message) && !/canary|payin_ops_/.test(error.message),
      )
      assert.equal(readFileSync(path, 'utf8'), content)
    }
  })
})
