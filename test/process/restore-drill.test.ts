// The drill that operators run on their backups, on a backup of a moment ago.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { dirname, resolve } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startArchivingPostgres } from '../support/archiving-postgres.ts'
import { openOperator } from '../support/operator.ts'
import { openTestService } from '../support/service.ts'
import { openShop } from '../support/shop.ts'

const keys = 'k1:cmVzdG9yZS1kcmlsbC1rZXktMzItYnl0ZXMtbG9uZy4='
const script = resolve(import.meta.dirname, '../../scripts/restore-drill.ts')

test('the restore drill restores a backup to an instant, and says what is wrong where it cannot', async (t) => {
  const server = await startArchivingPostgres()
  if ('missing' in server) return t.skip(`NOT RUN: ${server.missing}`)
  await using postgres = server
  const service = await openTestService('embedded', { DATABASE_URL: postgres.url, PAYIN_ENCRYPTION_KEYS: keys })
  const shop = await openShop(service)
  await shop.create('before the backup')
  const backup = postgres.backUp()
  try {
    await shop.create('after the backup')
    await sleep(20)
    assert.match(
      JSON.stringify((await openOperator(service).get('/doctor')).body),
      /"broken":0/,
      'the drill reads everything again',
    )
    const at = new Date().toISOString()
    await shop.create('after the instant')
    await postgres.awaitArchive()
    const folder = dirname(dirname(postgres.archive))
    const given = ['--backup', backup.data, '--archive', postgres.archive, '--folder', folder]
    const drill = (...more: readonly string[]): { status: number | null; text: string } => {
      const env = { ...process.env, PAYIN_ENCRYPTION_KEYS: keys }
      const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...given, ...more], {
        env,
        encoding: 'utf8',
      })
      return { status, text: stdout + stderr }
    }
    const restored = drill('--at', at)
    assert.equal(restored.status, 0, restored.text)
    assert.match(restored.text, /^payments: 2$/m)
    assert.match(restored.text, /^last transaction that was replayed: .* ago$/m)
    assert.match(restored.text, /^Healthy: all \d+ invariants hold/m)
    const early = drill('--at', '2099-01-01T00:00:00Z')
    assert.equal(early.status, 1)
    assert.match(early.text, /recovery ended before configured recovery target was reached/)
  } finally {
    backup.remove()
    await service.stop()
  }
})
