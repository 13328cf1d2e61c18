import type { PayerIdentity, PayerKind } from '../domain/risk.ts'
import { accountDigits } from '../domain/account-number.ts'
import type { Vault } from '../secrets/vault.ts'

/** What is known of a payer: the merchant's id of its user, its phone as digits. */
export type KnownPayer = { readonly merchantId: string; readonly userId: string | null; readonly phone?: string }

/** What a value of a kind is looked up by: one spelling per number, a user together with its merchant. */
export const payerFingerprint = (
  kind: PayerKind,
  merchantId: string | null,
  value: string,
): readonly [kind: string, value: string] =>
  kind === 'user' ? ['payer-user', JSON.stringify([merchantId, value])] : ['payer', accountDigits(value)]

/** The identities of a payer by which it may be blocked or counted. */
export const identifyPayers = (
  vault: Pick<Vault, 'blindIndexes'>,
  { merchantId, userId, phone }: KnownPayer,
): PayerIdentity[] => {
  const identity = (kind: 'user' | 'phone', value: string): PayerIdentity => {
    const indexes = vault.blindIndexes(...payerFingerprint(kind, merchantId, value))
    return { kind, indexes, index: indexes[0] ?? '', userId: kind === 'user' ? value : null }
  }
  return [
    ...(userId === null ? [] : [identity('user', userId)]),
    ...(phone === undefined ? [] : [identity('phone', phone)]),
  ]
}
