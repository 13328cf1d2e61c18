// Cells: installations with their own schemas on one PostgreSQL, of which each is backed up, restored and removed alone.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openOperator } from '../support/operator.ts'
import { findBinaries } from '../support/postgres.ts'
import { assertProblem } from '../support/problem.ts'
import { runSqlAt } from '../support/run-sql.ts'
import { assertHealthy, openTestService, type TestService } from '../support/service.ts'
import { openShop, payIn, send } from '../support/shop.ts'
import { createEmptyPostgres } from '../support/templates.ts'

const server = process.env['TEST_DATABASE_URL'] ?? ''
const skip = server === '' ? 'no PostgreSQL on this machine' : false

type Cells = { readonly url: string; readonly open: (schema: string) => Promise<TestService> }

const withCells = async (work: (cells: Cells) => Promise<void>): Promise<void> => {
  const database = await createEmptyPostgres(server)
  const opened: TestService[] = []
  const open = async (schema: string): Promise<TestService> => {
    const service = await openTestService('embedded', { DATABASE_URL: database.url, PAYIN_DATABASE_SCHEMA: schema })
    opened.push(service)
    return service
  }
  try {
    await work({ url: database.url, open })
  } finally {
    for (const service of opened) await service.stop()
    await database.drop()
  }
}

test('cells on one database know nothing of each other', { skip }, () =>
  withCells(async ({ open }) => {
    const [a, b] = [await open('cell_a'), await open('cell_b')]
    const [shop, other] = [await openShop(a), await openShop(b)]
    assert.equal((await shop.create('one')).status, 201)
    assert.equal((await other.get('/payments/byOrderId/one/status')).status, 404)
    const { merchants } = (await openOperator(b).get('/merchants')).body
    assert.equal(merchants.length, 1)
    const withForeignToken = { headers: { authorization: `Bearer ${shop.token}` } }
    assertProblem(await send(b, '/api/v1/merchant/me', withForeignToken), 401, 'token_invalid')

    const { processes } = (await openOperator(a).get('/installation')).body
    const names = new Set(processes.map(({ name }: { name: string }) => name.split(' ')[0]))
    assert.deepEqual([...names], ['payin/cell_a'])
    const keys = (await openOperator(b).get('/keys')).body.processes.map(({ name }: { name: string }) => name)
    assert.ok(keys.length > 0 && keys.every((name: string) => name.startsWith('payin/cell_b ')), keys.join())

    const heard: string[] = []
    a.context.changes.subscribe('a key', () => heard.push('a'))
    b.context.changes.subscribe('a key', () => heard.push('b'))
    const again = await open('cell_a')
    const arrived = new Promise<void>((resolve) => void again.context.changes.subscribe('a key', () => resolve()))
    a.context.changes.publish(['a key'])
    await arrived
    assert.deepEqual(heard, ['a'])
    for (const cell of [a, b]) await assertHealthy(cell)
  }),
)

test(
  'a cell is backed up while it works, restored to that moment, and removed, by programs of PostgreSQL',
  {
    skip: skip || (findBinaries() === undefined ? 'the programs of PostgreSQL are not installed' : false),
  },
  () =>
    withCells(async ({ url, open }) => {
      const folder = mkdtempSync(join(tmpdir(), 'payin-cell-'))
      const file = join(folder, 'cell_a.dump')
      const runProgram = (program: string, ...words: readonly string[]): void => {
        const { status, stderr } = spawnSync(join(findBinaries() ?? '', program), [...words], { encoding: 'utf8' })
        assert.equal(status, 0, stderr)
      }
      try {
        const [a, b] = [await open('cell_a'), await open('cell_b')]
        const [shop, other] = [await openShop(a), await openShop(b)]
        const { body } = await shop.create('before')
        await payIn(a, { requisiteId: body.card.id, minor: 5000_00n })
        runProgram('pg_dump', '--format=custom', '--schema=cell_a', `--file=${file}`, `--dbname=${url}`)
        assert.equal((await shop.create('after')).status, 201)
        assert.equal((await other.create('elsewhere')).status, 201)

        await a.stop()
        await runSqlAt(url, 'alter schema cell_a rename to cell_a_before')
        runProgram('pg_restore', '--exit-on-error', '--single-transaction', `--dbname=${url}`, file)
        await a.restart()
        assert.deepEqual(a.migrated, [])
        assert.equal(await shop.status('before'), 'paid')
        assertProblem(await shop.get('/payments/byOrderId/after/status'), 404, 'payment_not_found')
        assert.equal((await openOperator(a).get('/doctor?full=true')).body.healthy, true)
        await runSqlAt(url, 'drop schema cell_a_before cascade')
        assert.equal((await shop.create('after')).status, 201)
        assert.equal(await other.status('elsewhere'), 'new')

        await a.stop()
        await runSqlAt(url, 'drop schema cell_a cascade')
        assert.equal((await other.create('still there')).status, 201)
        await assertHealthy(b)
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    }),
)
