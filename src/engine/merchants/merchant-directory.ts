import type { Context } from '../context.ts'
import type { CatalogPart } from '../catalog.ts'
import { serviceBook } from '../../rules/money/ledger.ts'
import {
  type CurrencyLimits,
  defaultTerms,
  type Merchant,
  type MerchantMode,
  type Terms,
} from '../../rules/merchants/merchant.ts'
import { paymentMethods, type PaymentMethod } from '../../rules/values/payment-method.ts'
import { noSuch } from '../../rules/refusal.ts'
import { selectLimits, listLogos, listMerchants, listTerms } from './store.ts'

/** A merchant with its effective limits and terms. */
export type MerchantProfile = {
  readonly merchant: Merchant
  /** Effective limits by currency: the merchant's own if set, else those of the service. */
  readonly limits: ReadonlyMap<string, CurrencyLimits>
  readonly terms: Readonly<Record<PaymentMethod, Terms>>
  readonly logo: MerchantLogo | null
}

/** A merchant's logo by its hash, which is its address; its size in pixels if known. */
export type MerchantLogo = { readonly hash: string; readonly width: number | null; readonly height: number | null }

/** All merchants by id, kept in memory. */
export const merchantDirectory: CatalogPart<ReadonlyMap<string, MerchantProfile>> = {
  name: 'merchants',
  load: async (sql) => {
    const [merchants, limitRows, termRows, logos] = await Promise.all([
      sql.query(listMerchants, {}),
      sql.query(selectLimits, {}),
      sql.query(listTerms, {}),
      sql.query(listLogos, {}),
    ])
    const limitsOf = (merchantId: string): [string, CurrencyLimits][] =>
      limitRows
        .filter((row) => row.merchantId === merchantId)
        .map(({ currency, min, max }) => [currency, { currency, min, max }])
    const shared = limitsOf(serviceBook)
    return new Map(
      merchants.map((merchant) => {
        const own = termRows.filter((row) => row.merchantId === merchant.id)
        const terms = Object.fromEntries(
          paymentMethods.map((method) => [
            method,
            { ...defaultTerms(method), ...own.find((row) => row.method === method)?.terms },
          ]),
        ) as Record<PaymentMethod, Terms>
        const logo = logos.find((row) => row.merchantId === merchant.id) ?? null
        return [merchant.id, { merchant, terms, logo, limits: new Map([...shared, ...limitsOf(merchant.id)]) }]
      }),
    )
  },
}

/** Whether payers of a merchant pay only to its own requisites. */
export const takesOwnOnly = (merchants: ReadonlyMap<string, MerchantProfile>, id: string): boolean =>
  merchants.get(id)?.merchant.settings.ownRequisitesOnly ?? false

/** The active merchants that may get requisites of the shared pool of a mode. */
const usersOfPool = (merchants: ReadonlyMap<string, MerchantProfile>, mode: MerchantMode | undefined) =>
  merchants
    .values()
    .filter(({ merchant }) => merchant.mode === mode && merchant.status === 'active')
    .filter(({ merchant }) => !merchant.settings.ownRequisitesOnly)

/** Whether several merchants may get requisites of the shared pool of a mode. */
export const isPoolShared = (merchants: ReadonlyMap<string, MerchantProfile>, mode: MerchantMode): boolean =>
  usersOfPool(merchants, mode).take(2).toArray().length > 1

/** Whether merchants other than this one may get requisites of its shared pool. */
export const isPoolContested = (merchants: ReadonlyMap<string, MerchantProfile>, id: string): boolean =>
  usersOfPool(merchants, merchants.get(id)?.merchant.mode).some(({ merchant }) => merchant.id !== id)

/** A merchant with its limits and terms; refuses `resource_not_found`. */
export const getProfile = async ({ catalog }: Pick<Context, 'catalog'>, id: string): Promise<MerchantProfile> => {
  const profile = (await catalog.get(merchantDirectory)).get(id)
  if (!profile) throw noSuch('merchant')
  return profile
}
