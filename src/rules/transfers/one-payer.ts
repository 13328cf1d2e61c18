import { accountDigits } from '../values/account-number.ts'
import { type PayerName, mayBeOneName, readName } from '../values/payer-name.ts'

export type ReportedPayer = {
  /** Digits of an account, card or phone; empty if there is none. */
  readonly digits: string
  readonly name: PayerName | null
}

/** Parses who paid, once for all comparisons. */
export const readPayer = (number: string | null, name: string | null): ReportedPayer => ({
  digits: accountDigits(number ?? ''),
  name: name === null ? null : readName(name),
})

/**
 * Whether two reports may name the same payer. Files omit payers, shorten and mask them, and give a phone in one text
 * and the account in the next: they are different payers only if they have numbers of the same length with different
 * endings or, without numbers, names that have nothing in common.
 */
export const mayBeOnePayer = (one: ReportedPayer, other: ReportedPayer): boolean => {
  const { digits } = one
  if (digits !== '' && digits.length === other.digits.length) return digits.slice(-4) === other.digits.slice(-4)
  return one.name === null || other.name === null || mayBeOneName(one.name, other.name)
}

/** Whether two reports name the same payer: both give a number, or both a name, and nothing contradicts it. */
export const isOnePayer = (one: ReportedPayer, other: ReportedPayer): boolean => {
  const haveNumbers = one.digits !== '' && one.digits.length === other.digits.length
  return (haveNumbers || (one.name !== null && other.name !== null)) && mayBeOnePayer(one, other)
}
