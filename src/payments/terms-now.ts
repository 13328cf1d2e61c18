import type { LockedTerms } from '../domain/merchant.ts'
import type { PaymentMethod } from '../domain/payment-method.ts'
import type { MerchantProfile } from '../merchants/merchant-directory.ts'
import { startHash } from '../secrets/hashes.ts'
import { lockedTerms } from './store.ts'

const ofProfiles = new WeakMap<MerchantProfile, Map<string, LockedTerms>>()

/** The terms that a merchant's payments by a method in a currency are created with now: one object until they change. */
export const termsNow = (profile: MerchantProfile, method: PaymentMethod, currency: string): LockedTerms => {
  const known = ofProfiles.get(profile) ?? new Map<string, LockedTerms>()
  ofProfiles.set(profile, known)
  const key = `${method} ${currency}`
  const terms = known.get(key)
  if (terms) return terms
  const limits = profile.limits.get(currency)
  const locked = { ...profile.terms[method], minMinor: limits?.min ?? 1n, maxMinor: limits?.max ?? 0n }
  known.set(key, locked)
  return locked
}

const ids = new WeakMap<LockedTerms, string>()

/** The id of terms: a UUID of the first half of the SHA-256 of what is written of them. */
export const termsId = (terms: LockedTerms): string => {
  const known = ids.get(terms)
  if (known !== undefined) return known
  const sum = startHash()
  sum.add(Buffer.from(lockedTerms.encode(terms) ?? ''))
  const id = sum
    .end()
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  ids.set(terms, id)
  return id
}
