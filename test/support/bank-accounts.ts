// Accounts that bank files are of.
import assert from 'node:assert/strict'
import { setLimits } from '../../src/engine/merchants/merchant.ts'
import { addRequisites } from '../../src/engine/requisites/add-requisites.ts'
import { openOperator } from './operator.ts'
import type { TestService } from './service.ts'
import { newNumber, openShop } from './shop.ts'

type Listed = {
  readonly bookedOn?: string
  readonly bookedAt: string
  readonly amount: number
  readonly senderName?: string
  readonly kind?: string
  readonly state?: string
  readonly duplicateOf?: string
}

const describe = (each: Listed, sign: string): string => {
  const isDuplicate = each.kind === 'duplicate' || each.state === 'duplicate'
  const mark = each.duplicateOf === undefined ? '' : isDuplicate ? '=' : '?'
  const day = (each.bookedOn ?? each.bookedAt.slice(0, 10)).replace('2026-11-', '')
  return `${day} ${mark}${sign}${each.amount} ${each.senderName ?? ''}`.trim()
}

let accounts = 0

/** Two bound accounts with a requisite each, and what an operator sees of them. */
export const openAccounts = async (service: TestService, currency: string) => {
  const shop = await openShop(service, { perMethod: 0 })
  const operator = openOperator(service)
  const numbers = [1, 2].map(() => {
    const number = String(++accounts).padStart(4, '0')
    return currency === 'rub' ? `4070281090000088${number}` : `DE32500105170077${number}00`
  }) as [string, string]
  const shared = { mode: 'live', method: 'account-to-account', currency, transferScope: null } as const
  const owner = { merchantId: shop.merchantId, bankIssuer: 'bank-a', holder: 'Shop', limits: {} }
  const ids = await service.context.transaction(async (tx) => {
    await setLimits(tx, null, { currency, min: 1_00n, max: 10_000_00n })
    return addRequisites(
      tx,
      numbers.map(() => ({ ...shared, ...owner, number: newNumber('account-to-account') })),
    )
  })
  for (const [index, number] of numbers.entries()) {
    const bound = await operator.call('PUT', '/statement-accounts', {
      accounts: [{ number, requisiteIds: [ids[index]] }],
    })
    assert.equal(bound.status, 200, JSON.stringify(bound.body))
  }
  return {
    operator,
    numbers,
    /** By another operator: alone, nobody brings money out in a currency that may have no rate. */
    confirm: (id: string) => openOperator(service, 'boris').call('POST', `/statements/${id}/confirm`),
    /** Money as `23 ±amount initials`, a day of November 2026; `?` marks possible duplicates, `=` certain ones. */
    recorded: async (): Promise<string[]> => {
      const found: string[] = []
      for (const id of ids) {
        const { transfers } = (await operator.get(`/transfers?requisiteId=${id}&limit=100`)).body
        const { outgoing } = (await operator.get(`/outgoing?requisiteId=${id}&limit=100`)).body
        found.push(...transfers.map((each: Listed) => describe(each, '+')))
        found.push(...outgoing.map((each: Listed) => describe(each, '-')))
      }
      return found.toSorted()
    },
    /** What the ledger has on both accounts, in hundredths. */
    held: async (): Promise<number> => {
      const { balances } = (await operator.get('/ledger/balances')).body
      const own = balances.filter(({ account }: { account: string }) => ids.some((id) => account === `bank:${id}`))
      return own.reduce((sum: number, each: { balance: string }) => sum + Math.round(Number(each.balance) * 100), 0)
    },
  }
}
