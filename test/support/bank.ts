// A bank for tests: a requisite, the account of its statements, a feed, and what an operator sees.
import assert from 'node:assert/strict'
import type { MerchantMode } from '../../src/rules/merchants/merchant.ts'
import { withAccountKey } from '../../src/rules/money/bank-details.ts'
import { openApprovedFeed } from './push.ts'
import { openOperator } from './operator.ts'
import type { TestService } from './service.ts'
import { openShop } from './shop.ts'
import { csvOf, type Made, type MadeRow, uploadFile } from './statement-files.ts'

const moscow = 3 * 60 * 60 * 1000
let accounts = 0

/** The BIC of the bank at which the accounts are. */
export const bankBic = '044525225'

type Listed = {
  id: string
  requisiteId: string
  outcome: string
  kind: string
  reasons: string[]
  duplicateOf?: string
}

/** A shop with one SBP requisite, the account of its statements and a feed, and functions that use them. */
export const openBank = async (
  service: TestService,
  mode: MerchantMode = 'live',
  wanted: Parameters<typeof openShop>[1] = {},
) => {
  const account = withAccountKey(`4070281070000000${String(++accounts).padStart(4, '0')}`, bankBic)
  const shop = await openShop(service, { mode, perMethod: 1, ...wanted })
  const operator = openOperator(service)
  const created = await shop.create('waits', { amount: 99_999 })
  await shop.create('waits, too', { amount: 99_998 })
  const requisiteId: string = created.body.card.id
  await operator.call('PUT', '/statement-accounts', { accounts: [{ number: account, requisiteIds: [requisiteId] }] })
  const feed = await openApprovedFeed(service, `feed ${account}`, [requisiteId])
  const date = new Date(service.clock.now + moscow).toISOString().slice(0, 10)
  const upload = async (
    render: (made: Made) => string,
    rows: readonly Partial<MadeRow>[],
    others: Partial<Made> = {},
    given: Readonly<Record<string, string>> = {},
  ) => {
    const made = { account, ...others, rows: rows.map((row) => ({ minor: 500_00n, date, ...row })) }
    const fields: Record<string, string> = render === csvOf ? { requisiteId } : {}
    const uploaded = await uploadFile(service, render(made), { ...fields, ...given })
    assert.equal(uploaded.status, 201, JSON.stringify(uploaded.body))
    return uploaded.body
  }
  /** Confirms a file that `operator` has uploaded: alone, unless another operator does. */
  const confirm = async (id: string, by = operator) => {
    const confirmed = await by.call('POST', `/statements/${id}/confirm`)
    assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body))
    await service.runJobs()
    return (await operator.get(`/statements/${id}`)).body
  }
  return {
    ...{ account, shop, operator, requisiteId, date, upload, confirm, feed },
    bring: async (...file: Parameters<typeof upload>) => confirm((await upload(...file)).id),
    /** A file that one operator uploads and another one confirms. */
    bringAgreed: async (...file: Parameters<typeof upload>) =>
      confirm((await upload(...file)).id, openOperator(service, 'boris')),
    push: async (bankReference: string, fields: object = {}) => {
      const bookedAt = new Date(service.clock.now).toISOString()
      const pushed = await feed([{ amount: 500, currency: 'rub', bookedAt, bankReference, ...fields }])
      assert.equal(pushed.status, 200, JSON.stringify(pushed.body))
      return pushed.body.transfers[0].id as string
    },
    inbox: async (): Promise<Listed[]> =>
      (await operator.get('/transfers?unmatched=true&limit=500')).body.transfers.filter(
        (each: Listed) => each.requisiteId === requisiteId,
      ),
    decide: (id: string, word: string, body: object) =>
      operator.call('POST', `/transfers/${requisiteId}/${id}/${word}`, body),
    balanceOf: async (name: string): Promise<number> => {
      const { balances } = (await operator.get('/ledger/balances')).body
      const isWanted = (each: { account: string; currency: string }) => each.account === name && each.currency === 'rub'
      return Number(balances.find(isWanted)?.balance ?? 0)
    },
  }
}
