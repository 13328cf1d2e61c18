// Statements that nobody here wrote, uploaded, previewed and imported over HTTP, where they are on this machine.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { setLimits } from '../../src/engine/merchants/merchant.ts'
import { addRequisites } from '../../src/engine/requisites/add-requisites.ts'
import { openOperator } from '../support/operator.ts'
import { assertProblem } from '../support/problem.ts'
import { readFile } from '../../packages/bank-files/test/support/read-file.ts'
import type { TestService } from '../support/service.ts'
import { shareService } from '../support/shared-service.ts'
import { openShop } from '../support/shop.ts'
import { uploadFile } from '../support/statement-files.ts'

/** Where the samples are: next to the checkout, or next to a folder that it is in. */
const samples = 'shared/data/statements'
const folder = ['../../..', '../../../..']
  .map((up) => resolve(import.meta.dirname, up, samples))
  .find((path) => existsSync(path))
const skip = folder === undefined ? `the samples (${samples}) are not on this machine` : false
if (skip)
  console.error(
    `NOT RUN: ${skip}. Each way of writing in them is repeated by a file of packages/bank-files/test/corpus.`,
  )

/** Rows, and what is wrong: the line and a part of the reason. */
type Expected = { readonly rows: number; readonly fault?: readonly [line: number, reason: RegExp] }

const expected: Readonly<Record<string, Expected>> = {
  'camt053.v2.five.decimals.xml': {
    rows: 1,
    fault: [107, /opening \+ credits − debits is 18\.15 \+ 8\.85 − 0\.00 = 27\.00, but the closing balance is 27\.05/],
  },
  'camt053.v2.minimal.xml': { rows: 1, fault: [171, /opening balance is in eur, the closing balance in sek/] },
  'camt053.v2.multi.statement.xml': { rows: 2 },
  'camt053.v2.wrong.xml': { rows: 0, fault: [10, /no statement in it/] },
  'camt053.v4.xml': { rows: 1, fault: [192, /opening balance is in eur/] },
  'camt053.v8.xml': { rows: 1, fault: [199, /opening balance is in eur/] },
  'camt054.v4.xml': { rows: 1 },
  'cmxl-mt940.sta': { rows: 16 },
  'jejik-generic.sta': { rows: 2 },
  'jejik-ing.sta': { rows: 7, fault: [26, /but the closing balance is 3\.47/] },
  'sberbank-171011_01234945.sta': { rows: 3 },
  'self-provided-february_30.sta': { rows: 1 },
  'self-provided-malformed_details.sta': { rows: 1, fault: [15, /but the closing balance is 12345\.98/] },
}

const opened = shareService()
let requisites = 0
/** Some samples are of one account, whose money stays where it was booked first. */
const bound = new Map<string, string>()

/** Binds the accounts of a file to requisites of their currencies; answers one of them. */
const bindAccounts = async (service: TestService, content: Uint8Array): Promise<string> => {
  const { merchantId } = await openShop(service)
  const operator = openOperator(service)
  const { rows, balances } = await readFile(content)
  const accounts = new Map(
    [...balances, ...rows].flatMap(({ account, currency }) => (currency === null ? [] : [[account ?? '', currency]])),
  )
  let chosen = ''
  for (const [account, currency] of accounts.size > 0 ? accounts : new Map([['', 'eur']])) {
    const known = bound.get(account)
    if (known !== undefined) {
      chosen = known
      continue
    }
    const [id = ''] = await service.context.transaction(async (tx) => {
      await setLimits(tx, null, { currency, min: 100n, max: 300_000_00n })
      const common = { merchantId, mode: 'live', method: 'account-to-account', currency, transferScope: null } as const
      const number = String(40702810900000500000n + BigInt(++requisites))
      return addRequisites(tx, [{ ...common, bankIssuer: 'bank-a', holder: 'Shop', number, limits: {} }])
    })
    chosen = id
    if (account === '') continue
    bound.set(account, id)
    const answer = await operator.call('PUT', '/statement-accounts', {
      accounts: [{ number: account, requisiteIds: [id] }],
    })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }
  return chosen
}

describe('samples', { skip }, () => {
  const paths =
    folder === undefined
      ? []
      : ['camt', 'mt940'].flatMap((kind) =>
          readdirSync(join(folder, kind))
            .filter((name) => name !== 'LICENSE')
            .map((name) => [name, join(folder, kind, name)] as const),
        )

  test('every sample is known here', () => {
    assert.deepEqual(new Set(paths.map(([name]) => name)), new Set(Object.keys(expected)))
  })

  for (const [name, path] of paths) {
    const { rows, fault } = expected[name] ?? { rows: -1 }
    if (fault) {
      test(`422: ${name} is refused whole, with the line and the reason`, async () => {
        const service = opened()
        const content = readFileSync(path)
        const requisiteId = await bindAccounts(service, content)
        const refused = await uploadFile(service, content, { requisiteId })
        assertProblem(refused, 422, 'statement_refused')
        const { errors, statementId } = refused.body
        assert.deepEqual(
          errors.map(({ field }: { field: string }) => field),
          [`line ${fault[0]}`],
          JSON.stringify(errors),
        )
        assert.match(errors[0].message, fault[1])
        assert.deepEqual((await openOperator(service).get(`/statements/${statementId}/rows`)).body.rows, [])
      })
      continue
    }
    test(`201: ${name} is previewed and imported, and adds nothing when it comes again`, async () => {
      const service = opened()
      const operator = openOperator(service)
      const content = readFileSync(path)
      const requisiteId = await bindAccounts(service, content)
      const { status, body } = await uploadFile(service, content, { requisiteId })
      assert.equal(status, 201, JSON.stringify(body))
      assert.deepEqual([body.state, body.counts.rows, body.counts.alreadyKnown], ['ready', rows, 0])
      const { counts } = body
      assert.equal(counts.new + counts.pending, rows)
      await openOperator(service, 'boris').call('POST', `/statements/${body.id}/confirm`)
      await service.runJobs()
      const imported = (await operator.get(`/statements/${body.id}`)).body
      assert.equal(imported.state, 'imported')
      const brought = imported.outcomes.reduce((sum: number, each: { transfers: number }) => sum + each.transfers, 0)
      assert.equal(brought, counts.new - counts.outgoing)
      const again = await uploadFile(service, content, { requisiteId })
      assert.deepEqual([again.status, again.body.id], [200, body.id])
    })
  }
})
