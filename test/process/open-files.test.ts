import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { shareFiles } from '../../src/process/open-files.ts'
import { demoToken, freePort, startProcess } from '../support/process.ts'

const usual = {
  connections: 20_000,
  databaseUrl: undefined,
  databasePool: 10,
  notificationsInFlight: 256,
  roles: ['web', 'worker'],
} as const

const shares: readonly (readonly [
  limit: number | undefined,
  own: object,
  connections: number,
  notifications: number,
])[] = [
  [undefined, {}, 20_000, 256],
  [1_048_576, {}, 20_000, 256],
  [20_000, {}, 17_680 + 1000, 256],
  [1024, {}, 528, 176],
  [256, {}, 72, 24],
  [1024, { databaseUrl: 'postgres://db/payin' }, 707, 235],
  [1024, { databaseUrl: 'postgres://db/payin', roles: ['web'] }, 942, 256],
  [1024, { connections: 100 }, 100, 176],
  [1024, { connections: 0 }, 528, 176],
]

for (const [limit, own, connections, notificationsInFlight] of shares) {
  test(`of ${limit} files with ${JSON.stringify(own)}, clients have ${connections}`, () => {
    const { engineFiles: _, ...shared } = shareFiles(limit, { ...usual, ...own })
    assert.deepEqual(shared, { connections, notificationsInFlight })
  })
}

test('too few files for the database and its clients are refused with the limit that is needed', () => {
  const refused = (): unknown => shareFiles(128, usual)
  assert.throws(refused, /may open 128 files .* at least 177/)
})

/** Opens connections that say nothing, and again in place of those that were closed, until it is stopped. */
const flood = (port: number): { stop(): Promise<void> } => {
  const sockets = new Set<Socket>()
  const timer = setInterval(() => {
    for (let missing = 400 - sockets.size; missing > 0; missing--) {
      const socket = connect(port, '127.0.0.1')
      sockets.add(socket)
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    }
  }, 20)
  return {
    stop: async () => {
      clearInterval(timer)
      for (const socket of sockets) socket.destroy()
      await sleep(200)
    },
  }
}

test('more connections than the process may open files leave the embedded database its own', {
  skip: process.platform === 'linux' ? false : 'the open files of a process are counted in /proc',
}, async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'payin-files-'))
  const port = await freePort()
  const most = 224
  const started = await startProcess({ PORT: String(port), PAYIN_DATA_DIR: dataDir }, { openFiles: most })
  t.after(async () => {
    await started.end('SIGKILL')
    rmSync(dataDir, { recursive: true, force: true })
  })
  const headers = { authorization: `Bearer ${demoToken(started)}`, 'content-type': 'application/json' }
  let orders = 0
  const create = async (): Promise<number | undefined> => {
    const body = { type: 'direct', amount: 1000 + ++orders, orderId: `order-${orders}`, currency: 'rub', method: 'sbp' }
    const url = `http://127.0.0.1:${port}/api/v1/merchant/payments`
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }).catch(() => undefined)
    await answer?.arrayBuffer()
    return answer?.status
  }
  const countFiles = (): number => readdirSync(`/proc/${started.child.pid}/fd`).length
  const attack = flood(port)
  const answers: (number | undefined)[] = []
  let open = 0
  for (const until = performance.now() + 2000; performance.now() < until; await sleep(10)) {
    answers.push(await create())
    open = Math.max(open, countFiles())
  }
  await attack.stop()
  assert.ok(open < most, `${open} of ${most} files were open`)
  // A client that finds no place has no answer; none has a wrong one.
  assert.deepEqual(
    [...new Set(answers)].filter((status) => status !== undefined && status !== 201),
    [],
  )
  for (let after = 0; after < 5; after++) assert.equal(await create(), 201)
  assert.doesNotMatch(started.errors(), /out of file descriptors|58P02|internal error/)
})
