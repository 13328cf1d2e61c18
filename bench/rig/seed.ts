import type { Tx } from '../../src/context.ts'
import { scopes } from '../../src/domain/access.ts'
import { createMerchant, setLimits, setTerms } from '../../src/merchants/merchant.ts'
import { issueToken } from '../../src/merchants/tokens.ts'
import { setRate } from '../../src/merchants/rates/rate.ts'
import { addRequisites } from '../../src/requisites/add-requisites.ts'
import { setBankIssuers } from '../../src/requisites/bank-issuers.ts'
import { activateTenant } from '../../src/tenants/tenant.ts'
import { mainServer, schemaOfTenant } from '../../src/domain/tenant.ts'
import { openPayin, type Storage } from './payin.ts'

/** The merchant for which the loads create payments. */
export type Merchant = { readonly id: string; readonly token: string }

// With this many, one create of 50 000 needs a taken slot, as rarely as in real operation.
const requisiteCount = 500
/** All tenants together have more than a busy merchant. */
const requisitesOfTenant = 50

/** A live merchant with token, limits, rate, terms and receiving accounts, whose numbers begin with `numbers`. */
const seedMerchant = async (tx: Tx, requisites: number, numbers: string): Promise<Merchant> => {
  await setBankIssuers(tx, [
    { code: 'bank-a', name: 'Bank A', country: 'RU', sbpMemberId: null },
    { code: 'bank-b', name: 'Bank B', country: 'RU', sbpMemberId: null },
  ])
  await setLimits(tx, null, { currency: 'rub', min: 100_00n, max: 300_000_00n })
  await setRate(tx, { currency: 'rub', price: 92_50000000n, source: 'bench', maxAgeMs: null, outsideBand: true })
  const { id } = await createMerchant(tx, { name: 'Bench Shop', mode: 'live', settings: { maxOpenPayments: null } })
  await setTerms(tx, id, 'sbp', { timeToPayMs: 60 * 60_000, feePpm: 15_000 })
  await addRequisites(
    tx,
    Array.from({ length: requisites }, (_, index) => ({
      merchantId: id,
      mode: 'live' as const,
      method: 'sbp' as const,
      currency: 'rub',
      transferScope: null,
      bankIssuer: index % 2 === 0 ? 'bank-a' : 'bank-b',
      holder: 'Ivan Petrov',
      number: numbers + String(index).padStart(11 - numbers.length, '0'),
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
    return await service.context.transaction((tx) => seedMerchant(tx, requisiteCount, '7'))
  } finally {
    await service.stop()
  }
}

/** An added tenant, and its merchant. */
export type SeededTenant = { readonly schema: string; readonly merchant: Merchant }

/** Adds tenants with a merchant each. */
export const seedTenants = async (
  storage: Storage,
  count: number,
  { say, signal }: { readonly say: (text: string) => void; readonly signal: AbortSignal },
): Promise<SeededTenant[]> => {
  const service = await openPayin(storage, { PAYIN_ROLES: 'web' })
  const { context, tenants } = service
  try {
    const seeded: SeededTenant[] = []
    for (let index = 0; index < count; index++) {
      signal.throwIfAborted()
      const name = `bench_${index}`
      await tenants.prepare(name, mainServer)
      await context.transaction((tx) => activateTenant(tx, name))
      const tenant = await tenants.find(name)
      if (!tenant) throw new Error(`tenant ${name} is not there`)
      const numbers = `79${String(index).padStart(4, '0')}`
      const merchant = await tenant.transaction((tx) => seedMerchant(tx, requisitesOfTenant, numbers))
      seeded.push({ schema: schemaOfTenant(name), merchant })
      if (index % 20 === 19) say(`P14: ${index + 1} of ${count} tenants are there`)
    }
    return seeded
  } finally {
    await service.stop()
  }
}
