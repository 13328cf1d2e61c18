import { isClaimTime, type PayerClaim, type Payment } from '../../rules/payments/payment.ts'
import { maxMinor } from '../../rules/values/currency.ts'
import { readTypedAmount } from '../../rules/payments/typed-amount.ts'
import { type Instant, minute } from '../../rules/time.ts'
import type { ClaimErrors } from './form-errors.ts'

const readAmount = (text: string, currency: string): bigint | undefined => {
  const amount = readTypedAmount(text, currency, { min: 1n, max: maxMinor })
  return typeof amount === 'bigint' ? amount : undefined
}

const readTime = (text: string, offsetMinutes: number): Instant | undefined => {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text)) return undefined
  const local = Date.parse(`${text}Z`)
  return Number.isNaN(local) ? undefined : local - offsetMinutes * minute
}

/** The browser's offset from UTC in minutes, as the script adds it; `undefined` without the script. */
const readZone = (text: string | undefined): number | undefined =>
  text !== undefined && /^-?\d{1,3}$/.test(text) && Math.abs(Number(text)) <= 14 * 60 ? Number(text) : undefined

/** Reads the form of a claim, whose time is in the payer's zone, else in `zone`. Reports all wrong fields at once. */
export const readClaim = (
  form: { readonly amount: string; readonly paidAt: string; readonly zone: string | undefined },
  payment: Payment,
  zone: number,
  now: Instant,
): PayerClaim | ClaimErrors => {
  const own = readZone(form.zone)
  const amount = readAmount(form.amount, payment.currency)
  const paidAt = readTime(form.paidAt, own ?? zone)
  const timeFits = paidAt !== undefined && isClaimTime(payment, paidAt, now, own !== undefined)
  if (amount !== undefined && timeFits) return { amount, paidAt }
  const { amount: writtenAmount, paidAt: writtenTime } = form
  const fields = [...(amount === undefined ? ['amount' as const] : []), ...(timeFits ? [] : ['paidAt' as const])]
  return { amount: writtenAmount, paidAt: writtenTime, fields }
}
