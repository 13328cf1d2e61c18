// A field of a settlement is said in three files, migration, store and declaration, and is then everywhere: shown by
// adding one to a copy of the service.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const root = resolve(import.meta.dirname, '..')

const changes: readonly (readonly [path: string, before: string, after: string])[] = [
  [
    'migrations/0009_ledger.sql',
    '  failing_by text,\n',
    "  failing_by text,\n  cost_centre text not null default 'retail',\n",
  ],
  [
    'src/engine/ledger/settlements/store.ts',
    "page('list_settlements', settlementRow,",
    "page('list_settlements', { ...settlementRow, costCentre: text },",
  ],
  [
    'src/operations/settlements.ts',
    '  createdAt: Time,\n',
    "  'costCentre?': Type.Text('Which budget pays for it.', 'retail'),\n  createdAt: Time,\n",
  ],
]

const probe = `
import { fieldsOf } from '../src/operations/field.ts'
import { rowFieldsOf } from '../src/operations/operation.ts'
import { SettlementAnswer, settlements } from '../src/operations/settlements.ts'
import { sdkSource } from '../scripts/describe-sdk.ts'
import { openDestination } from './support/destination.ts'
import { openOperator } from './support/operator.ts'
import { payinOf } from './support/run-payin.ts'
import { openTestService } from './support/service.ts'
import { openShop, payIn } from './support/shop.ts'

const service = await openTestService('embedded')
try {
  const shop = await openShop(service)
  const { body } = await shop.create('earned', { amount: 5000 })
  await payIn(service, { requisiteId: body.card.id, minor: 5000_00n })
  const operator = openOperator(service)
  const destinationId = await openDestination(service, shop.merchantId)
  await operator.call('POST', '/settlements', { merchantId: shop.merchantId, reference: 'june', destinationId })
  const document = (await service.app.inject('/openapi.json')).json()
  console.log(JSON.stringify({
    api: (await operator.get('/settlements')).body.settlements[0].costCentre,
    csv: await payinOf(service)(['settlements', 'list', '--csv']),
    table: await payinOf(service)(['settlements', 'list', '--columns', 'reference,cost-centre']),
    openapi: document.components.schemas.OperatorSettlement.properties.costCentre,
    sdk: sdkSource(JSON.stringify(document), []).includes('costCentre'),
    console: [rowFieldsOf(settlements.operations.list), fieldsOf(SettlementAnswer)].map((fields) =>
      fields.find(({ name }) => name === 'costCentre')?.heading),
  }))
} finally {
  await service.stop()
}
`

test('a new field of a settlement is in the API, its reference, CSV, terminal and console', async () => {
  const copy = mkdtempSync(join(tmpdir(), 'payin-field-'))
  try {
    for (const folder of ['src', 'site', 'migrations', 'scripts', 'sdk', 'docs', 'test/support', 'package.json'])
      cpSync(join(root, folder), join(copy, folder), { recursive: true })
    for (const folder of ['node_modules', 'packages']) symlinkSync(join(root, folder), join(copy, folder))
    for (const [path, before, after] of changes) {
      const text = readFileSync(join(copy, path), 'utf8')
      assert.ok(text.includes(before), path)
      writeFileSync(join(copy, path), text.replaceAll(before, after))
    }
    writeFileSync(join(copy, 'test', 'probe.ts'), probe)
    const { stdout } = await promisify(execFile)(process.execPath, ['test/probe.ts'], { cwd: copy })
    const said = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
    assert.equal(said.api, 'retail')
    assert.match(said.csv.out, /^[^\n]*,costCentre,/)
    assert.match(said.table.out, /REFERENCE +COST CENTRE\njune +retail/)
    assert.equal(said.openapi.description, 'Which budget pays for it.')
    assert.equal(said.sdk, true)
    assert.deepEqual(said.console, ['Cost centre', 'Cost centre'])
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
})
