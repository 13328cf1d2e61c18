import type { TypedName } from '../../rules/values/id-text.ts'
import type { Context, Tx } from '../context.ts'
import { serviceBook } from '../../rules/money/ledger.ts'
import type { CurrencyLimits, Merchant } from '../../rules/merchants/merchant.ts'
import { noSuch } from '../../rules/refusal.ts'
import {
  selectLogo,
  findToken,
  findTokens,
  selectLimits,
  listMerchants,
  selectTokens,
  lockMerchantRows,
} from './store.ts'

/** The merchant as currently stored; refuses `resource_not_found`. */
export const findMerchant = async (tx: Tx, id: string): Promise<Merchant> => {
  const merchant = (await tx.query(listMerchants, {})).find((each) => each.id === id)
  if (!merchant) throw noSuch('merchant')
  return merchant
}

/** Locks merchants until the transaction ends, against other callers of this function. */
export const lockMerchants = async (tx: Tx, ids: readonly string[]): Promise<void> => {
  if (ids.length > 0) await tx.query(lockMerchantRows, { ids })
}

/** All limits that are set, by currency; `merchantId` is `null` for those of every merchant without its own. */
export const listLimits = async (context: Context): Promise<(CurrencyLimits & { merchantId: string | null })[]> =>
  (await context.query(selectLimits, {})).map((row) => ({
    ...row,
    merchantId: row.merchantId === serviceBook ? null : row.merchantId,
  }))

/** A merchant's tokens without their secret part, the oldest first. */
export const listTokens = (context: Context, merchantId: string) => context.query(selectTokens, { merchantId })

/** Whether an unrevoked token with this hash exists. */
export const isTokenKnown = async (context: Context, hash: string): Promise<boolean> => {
  const [row] = await context.query(findToken, { hash })
  return row !== undefined && row.revokedAt === null
}

/** The logo with a hash, and its media type; `undefined` if no merchant has it any more. */
export const findLogo = async (
  context: Context,
  hash: string,
): Promise<{ readonly contentType: string; readonly content: Uint8Array } | undefined> => {
  const [row] = await context.query(selectLogo, { hash })
  return row && { contentType: row.contentType, content: Buffer.from(row.content, 'base64') }
}

/** Tokens of merchants that a name, the first characters or a shortened id may mean; only a few of them. */
export const findTokensByName = (context: Context, wanted: TypedName & { readonly merchantIds: readonly string[] }) =>
  context.query(findTokens, { ...wanted, now: context.clock() })
