import { accountDigits } from '../../rules/values/account-number.ts'
import type { PayerIdentity, PayerKind, RiskRules } from '../../rules/merchants/risk.ts'
import type { Instant } from '../../rules/time.ts'
import type { Vault } from '../../secrets/vault.ts'

type Indexer = Pick<Vault, 'blindIndexes'>

/** The known identity of a payer: the merchant's id of its user, its phone as digits. */
export type KnownPayer = { readonly merchantId: string; readonly userId: string | null; readonly phone?: string }

/** The text that is hashed for a payer: a number has one spelling, and a user belongs to its merchant. */
const hashedOf = (kind: PayerKind, merchantId: string | null, value: string): readonly [string, string] =>
  kind === 'user' ? ['payer-user', JSON.stringify([merchantId, value])] : ['payer', accountDigits(value)]

/** The blind indexes of a payer. */
export const payerIndexes = (
  vault: Indexer,
  kind: PayerKind,
  merchantId: string | null,
  value: string,
): readonly string[] => vault.blindIndexes(...hashedOf(kind, merchantId, value))

/** The blind index of a payer, for storing. */
export const payerIndex = (
  vault: Pick<Vault, 'blindIndex'>,
  kind: PayerKind,
  merchantId: string | null,
  value: string,
): string => vault.blindIndex(...hashedOf(kind, merchantId, value))

/** The identities of a payer by which it may be blocked or counted. */
const identifyPayers = (vault: Indexer, { merchantId, userId, phone }: KnownPayer): PayerIdentity[] => {
  const identity = (kind: 'user' | 'phone', value: string): PayerIdentity => {
    const indexes = payerIndexes(vault, kind, merchantId, value)
    return { kind, indexes, index: indexes[0] ?? '', userId: kind === 'user' ? value : null }
  }
  return [
    ...(userId === null ? [] : [identity('user', userId)]),
    ...(phone === undefined ? [] : [identity('phone', phone)]),
  ]
}

/**
 * The identities of a payer that a block or a velocity rule concerns; nearly everybody has none. Decided in memory, so
 * that a payment which no rule watches costs no query.
 */
export const watchedPayers = (
  rules: RiskRules,
  vault: Pick<Vault, 'blindIndexes'>,
  payer: KnownPayer,
  now: Instant,
): readonly PayerIdentity[] => {
  if (rules.isEmpty) return []
  return identifyPayers(vault, payer).filter(
    (identity) =>
      rules.findBlock(payer.merchantId, identity, now) !== undefined ||
      rules.rulesFor(payer.merchantId, identity.kind).length > 0,
  )
}
