import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { listChanged, selectTests, type Sources } from '../scripts/changed-tests.ts'

const sources: Sources = new Map([
  ['migrations/0001_service.sql', ''],
  ['README.md', ''],
  ['package-lock.json', ''],
  ['src/main.ts', "import { startService } from './process/start-service.ts'"],
  [
    'src/process/start-service.ts',
    "import { createServer } from '../http/server.ts'\nimport { jobs } from './jobs/jobs.ts'\nconst folder = 'migrations'",
  ],
  [
    'src/http/server.ts',
    `import './errors/errors.ts'
     import { registerOperatorApi } from './operator-api/operator-api.ts'
     import { registerPaymentPage } from './payment-page/payment-page.ts'`,
  ],
  ['src/http/errors/errors.ts', ''],
  [
    'src/http/operator-api/operator-api.ts',
    "import { registerDisputes } from './disputes.ts'\nimport { registerRates } from './rates.ts'",
  ],
  [
    'src/http/operator-api/disputes.ts',
    "import { acceptDispute } from '../../engine/disputes/accept-dispute.ts'\napp.post('/disputes/:id/accept', () => {})",
  ],
  ['src/http/operator-api/rates.ts', "app.get(\n  '/rates', () => {})"],
  ['src/http/payment-page/payment-page.ts', "import { layout } from './layout.ts'\nconst style = 'page.css'"],
  ['src/http/payment-page/layout.ts', ''],
  ['src/http/payment-page/page.css', ''],
  [
    'src/process/jobs/jobs.ts',
    "import { remind } from '../../engine/disputes/remind.ts'\nimport { archive } from '../../engine/slots/archive.ts'",
  ],
  [
    'src/engine/disputes/accept-dispute.ts',
    "import { fee } from '../../rules/fee.ts'\nimport type { Terms } from '../../rules/terms.ts'",
  ],
  ['src/engine/disputes/remind.ts', ''],
  ['src/engine/slots/archive.ts', ''],
  ['src/rules/fee.ts', ''],
  ['src/rules/terms.ts', ''],
  [
    'packages/files/package.json',
    '{"name":"files","exports":{".":"./src/files.ts","./pure":"./src/pure.ts"},"imports":{"#formats/*":{"default":"./src/formats/*.ts"}}}',
  ],
  ['packages/files/src/files.ts', "export * from './pure.ts'"],
  ['packages/files/src/pure.ts', ''],
  ['packages/files/src/formats/one.ts', ''],
  ['packages/files/test/one.test.ts', ''],
  ['src/engine/files/read.ts', "import { read } from 'files'"],
  ['src/rules/files.ts', "import { names } from 'files/pure'"],
  ['test/support/service.ts', "import { startService } from '../../src/process/start-service.ts'"],
  ['test/support/process.ts', "spawn('node', ['src/main.ts'])"],
  ['test/support/receipts.ts', "const open = async () => import('../../src/engine/disputes/accept-dispute.ts')"],
  ['packages/database/package.json', '{"name":"payin-database","exports":{".":"./src/payin-database.ts"}}'],
  ['packages/database/src/payin-database.ts', "export * from './query.ts'"],
  ['packages/database/src/query.ts', ''],
  ['test/database/query.test.ts', "import { query } from 'payin-database'"],
  ['test/rules/fee.test.ts', "import { fee } from '../../src/rules/fee.ts'"],
  ['test/rules/files.test.ts', "import { names } from '../../src/rules/files.ts'"],
  ['test/scenarios/files.test.ts', "import { read } from '../../src/engine/files/read.ts'"],
  ['test/rules/terms.test.ts', "import { terms } from '../../src/rules/terms.ts'"],
  ['test/api/disputes.test.ts', "import '../support/service.ts'\ntest('a', () => post(`/disputes/${id}/accept`))"],
  ['test/api/rates.test.ts', "import '../support/service.ts'\nget('/rates')"],
  ['test/api/pages.test.ts', "import '../support/service.ts'\nawait open(created.redirectUrl)"],
  ['test/process/readme.test.ts', "import '../support/process.ts'\nread('README.md')"],
  ['test/scenarios/receipts.test.ts', "import '../support/receipts.ts'"],
  ['test/docs.test.ts', ''],
  ['test/tidy.test.ts', ''],
])

const services = [
  'test/api/disputes.test.ts',
  'test/api/pages.test.ts',
  'test/api/rates.test.ts',
  'test/process/readme.test.ts',
]

const cases: readonly [title: string, changed: string, tests: readonly string[]][] = [
  ['a test file: itself', 'test/api/rates.test.ts', ['test/api/rates.test.ts']],
  [
    'a module: the tests that import it, also by way of others, of support and of a request',
    'src/rules/fee.ts',
    ['test/api/disputes.test.ts', 'test/rules/fee.test.ts', 'test/scenarios/receipts.test.ts'],
  ],
  [
    'a module of a package: the tests that import the package',
    'packages/database/src/query.ts',
    ['test/database/query.test.ts'],
  ],
  ['a module of types for most: the tests that run it', 'src/rules/terms.ts', ['test/rules/terms.test.ts']],
  ['an operation: the tests that ask for its address', 'src/http/operator-api/rates.ts', ['test/api/rates.test.ts']],
  ['a job: the tests that name its area', 'src/engine/disputes/remind.ts', ['test/api/disputes.test.ts']],
  ['a module that nothing leads to: every test of a service', 'src/engine/slots/archive.ts', services],
  ['what all requests pass: every test of a service', 'src/http/errors/errors.ts', services],
  ['the page: the tests that open one', 'src/http/payment-page/layout.ts', ['test/api/pages.test.ts']],
  ['a file that a module reads: as the module', 'src/http/payment-page/page.css', ['test/api/pages.test.ts']],
  ['a migration: every test with a database', 'migrations/0001_service.sql', services],
  ['a migration that was deleted: the same', 'migrations/0000_gone.sql', services],
  ['a helper: the tests that use it', 'test/support/process.ts', ['test/process/readme.test.ts']],
  ['the program: the tests that start it', 'src/main.ts', ['test/process/readme.test.ts']],
  [
    'a part of a package that it loads later: its tests, and those that run the package',
    'packages/files/src/formats/one.ts',
    ['packages/files/test/one.test.ts', 'test/scenarios/files.test.ts'],
  ],
  [
    'a part that an entry of a package imports: also those that import the entry',
    'packages/files/src/pure.ts',
    ['packages/files/test/one.test.ts', 'test/rules/files.test.ts', 'test/scenarios/files.test.ts'],
  ],
  [
    'a document: the tests that read it, or all documents',
    'README.md',
    ['test/docs.test.ts', 'test/process/readme.test.ts'],
  ],
]

for (const [title, changed, tests] of cases) {
  test(title, () => {
    assert.deepEqual(selectTests(sources, [changed]), [...tests, 'test/tidy.test.ts'])
  })
}

test('several files: the tests of each; the packages: all tests; nothing: none', () => {
  const both = ['src/http/operator-api/rates.ts', 'src/rules/terms.ts']
  assert.deepEqual(selectTests(sources, both), [
    'test/api/rates.test.ts',
    'test/rules/terms.test.ts',
    'test/tidy.test.ts',
  ])
  const all = [...sources.keys()].filter((path) => path.endsWith('.test.ts'))
  assert.deepEqual(selectTests(sources, ['package-lock.json']), all.toSorted())
  assert.deepEqual(selectTests(sources, []), [])
})

test('changed is what was committed since main, what is not committed, what is new and what is gone', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'payin-changed-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const git = (...args: string[]): void => {
    const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.com']
    const { status, stderr } = spawnSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8' })
    assert.equal(status, 0, stderr)
  }
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
  assert.equal(listChanged(folder), undefined)
  git('init', '--quiet', '--initial-branch=main')
  for (const name of ['kept', 'edited', 'removed', 'committed', 'переименован']) write(name, 'one')
  git('add', '.')
  git('commit', '--quiet', '--message=first')
  assert.deepEqual(listChanged(folder)?.changed, [])
  git('checkout', '--quiet', '-b', 'branch')
  write('committed', 'two')
  git('commit', '--quiet', '--all', '--message=second')
  write('edited', 'two')
  write('new', 'one')
  rmSync(join(folder, 'removed'))
  git('mv', 'переименован', 'renamed')
  assert.deepEqual(listChanged(folder)?.changed.toSorted(), [
    'committed',
    'edited',
    'new',
    'removed',
    'renamed',
    'переименован',
  ])
  assert.deepEqual(listChanged(folder, 'HEAD')?.changed.toSorted(), [
    'edited',
    'new',
    'removed',
    'renamed',
    'переименован',
  ])
  assert.equal(listChanged(folder, 'nothing'), undefined)
})
