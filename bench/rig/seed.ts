import type { Tx } from '../../src/engine/context.ts'
import { scopes } from '../../src/rules/members/access.ts'
import { createMerchant, setLimits, setTerms } from '../../src/engine/merchants/merchant.ts'
import { issueToken } from '../../src/engine/merchants/tokens.ts'
import { setRate } from '../../src/engine/merchants/rates/rate.ts'
import { addRequisites } from '../../src/engine/requisites/add-requisites.ts'
import { setBankIssuers } from '../../src/engine/requisites/bank-issuers.ts'
import { openPayin, type Storage } from './payin.ts'

/** The merchant for which the loads create payments. */
export type Merchant = { readonly id: string; readonly token: string }

// With this many, one create of 50 000 needs a taken slot, as rarely as in real operation.
const requisiteCount = 500

/** A live merchant with token, limits, rate, terms and receiving accounts. */
const seedMerchant = async (tx: Tx): Promise<Merchant> => {
  await setBankIssuers(tx, [
    { code: 'bank-a', name: 'Bank A', country: 'RU', sbpMemberId: null },
    { code: 'bank-b', name: 'Bank B', country: 'RU', sbpMemberId: null },
  ])
  await setLimits(tx, null, { currency: 'rub', min: 100_00n, max: 300_000_00n })
  await setRate(tx, { currency: 'rub', price: 92_50000000n, source: 'bench', validUntil: null })
  const { id } = await createMerchant(tx, { name: 'Bench Shop', mode: 'live', settings: { maxOpenPayments: null } })
  await setTerms(tx, id, 'sbp', { timeToPayMs: 60 * 60_000, feePpm: 15_000 })
  await addRequisites(
    tx,
    Array.from({ length: requisiteCount }, (_, index) => ({
      merchantId: id,
      mode: 'live' as const,
      method: 'sbp' as const,
      currency: 'rub',
      transferScope: null,
      bankIssuer: index % 2 === 0 ? 'bank-a' : 'bank-b',
      holder: 'Ivan Petrov',
      number: `7${String(index).padStart(10, '0')}`,
      limits: {},
    })),
  )
  const { token } = await issueToken(tx, { merchantId: id, name: 'bench', scopes, allowList: [], expiresAt: null })
  return { id, token }
}

/** Migrates an empty database, and adds a live merchant with token, limits, rate, terms and receiving accounts. */
export const seed = async (storage: Storage): Promise<Merchant> => {
  const service = await openPayin(storage)
  try {
    return await service.context.transaction(seedMerchant)
  } finally {
    await service.stop()
  }
}
