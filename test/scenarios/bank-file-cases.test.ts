// Bank files from public bug reports, each as an operator would bring it: upload, preview, confirm, ledger and doctor.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setLimits } from '../../src/merchants/merchant.ts'
import { addRequisites } from '../../src/requisites/add-requisites.ts'
import { openOperator } from '../support/operator.ts'
import { assertHealthy, type TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'
import { newNumber, openShop } from '../support/shop.ts'
import { uploadFile } from '../support/statement-files.ts'

const { onEngines } = shareEngines()

const cases = ['../../..', '../../../..']
  .map((up) => resolve(import.meta.dirname, up, 'shared/data/cases'))
  .find((path) => existsSync(path))

type Case = {
  /** The accounts that the files name; for a file that names none, its requisite is chosen. */
  readonly accounts: readonly string[]
  readonly currency?: string
  /** Why the file is refused. */
  readonly refused?: RegExp
  /** What is recorded of all files, as `day ±amount initials`; `?` marks what waits as a possible duplicate, `=` what is one. */
  readonly recorded?: readonly string[]
}

const expected: Readonly<Record<string, Case>> = {
  '03': {
    accounts: ['DE59500105170000000006'],
    recorded: ['2026-11-02 +418.2 J. N.', '2026-11-24 +418.2 E. L.'],
  },
  '04': {
    accounts: ['DE32500105170000000007'],
    recorded: [
      '2026-11-02 +250 E. F.',
      '2026-11-23 +250 A. B.',
      '2026-11-23 +80 B. C.',
      '2026-11-24 +250 C. D.',
      '2026-11-24 +90 D. E.',
    ],
  },
  '05': {
    accounts: ['DE26500105170000000018'],
    recorded: ['2026-11-23 +53 A. B.', '2026-11-24 +53 B. C.'],
  },
  '06': {
    accounts: ['DE86500105170000000102'],
    recorded: ['2026-11-26 +35 A. B.', '2026-11-26 +55 B. C.', '2026-11-26 =+90'],
  },
  '24': { accounts: ['DE75500105170000000009'], refused: /1,650/ },
  p08: {
    accounts: ['DE05500105170000000008'],
    recorded: ['2026-11-23 +10 A. B.', '2026-11-23 +25 B. C.', '2026-11-24 +40 C. D.', '2026-11-24 -0.3'],
  },
}

type Listed = {
  bookedOn?: string
  bookedAt: string
  amount: number
  senderName?: string
  kind?: string
  duplicateOf?: string
}

const describe = ({ bookedOn, bookedAt, amount, senderName, kind, duplicateOf }: Listed, sign: string): string => {
  const mark = duplicateOf === undefined ? '' : kind === 'duplicate' ? '=' : '?'
  return [
    bookedOn ?? bookedAt.slice(0, 10),
    `${mark}${sign}${amount}`,
    ...(senderName === undefined ? [] : [senderName]),
  ].join(' ')
}

const openAccounts = async (service: TestService, { accounts, currency = 'eur' }: Case) => {
  const numbers = accounts.length > 0 ? accounts : [undefined]
  const shop = await openShop(service, { perMethod: 0 })
  const operator = openOperator(service)
  const ids = await service.context.transaction(async (tx) => {
    await setLimits(tx, null, { currency, min: 1_00n, max: 10_000_00n })
    const shared = { mode: 'live', method: 'account-to-account', currency, transferScope: null } as const
    return addRequisites(
      tx,
      numbers.map(() => ({
        ...{ ...shared, merchantId: shop.merchantId, bankIssuer: 'bank-a', holder: 'Shop', limits: {} },
        number: newNumber('account-to-account'),
      })),
    )
  })
  for (const [index, number] of accounts.entries()) {
    const bound = await operator.call('PUT', '/statement-accounts', { number, requisiteIds: [ids[index]] })
    assert.equal(bound.status, 200, JSON.stringify(bound.body))
  }
  return { operator, ids }
}

for (const [name, expectation] of Object.entries(expected)) {
  const files = cases === undefined ? [] : readdirSync(cases).filter((file) => file.startsWith(`${name}-`))
  const inputs = files.filter((file) => !file.endsWith('.md')).toSorted()
  if (inputs.length === 0) console.error(`NOT RUN: bank file ${name}, which is not part of the project.`)
  else
    onEngines(`bank file ${inputs[0]}`, async (service) => {
      service.clock.now = Date.parse('2026-11-28T08:00:00.000Z')
      const { operator, ids } = await openAccounts(service, expectation)
      const chosen: Record<string, string> = expectation.accounts.length === 0 ? { requisiteId: ids[0] ?? '' } : {}
      for (const input of inputs) {
        const { status, body } = await uploadFile(service, readFileSync(resolve(cases ?? '', input)), chosen)
        if (expectation.refused) {
          assert.equal(status, 422)
          assert.match(body.detail, expectation.refused)
          return
        }
        assert.deepEqual([status, body.faults], [201, []], JSON.stringify(body))
        assert.equal((await operator.call('POST', `/statements/${body.id}/confirm`, {})).status, 200)
        await service.runJobs()
        const { state, accounts } = (await operator.get(`/statements/${body.id}`)).body
        assert.equal(state, 'imported')
        for (const { difference } of accounts) assert.equal(difference, undefined)
      }
      const recorded: string[] = []
      for (const id of ids) {
        const { transfers } = (await operator.get(`/transfers?requisiteId=${id}&limit=100`)).body
        recorded.push(...transfers.map((each: Listed) => describe(each, '+')))
        const { outgoing } = (await operator.get(`/outgoing?requisiteId=${id}&limit=100`)).body
        recorded.push(...outgoing.map((each: Listed) => describe(each, '-')))
      }
      assert.deepEqual(recorded.toSorted(), expectation.recorded)
      await assertHealthy(service)
    })
}
