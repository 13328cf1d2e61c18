import { accountDigits } from './account-number.ts'
import { type PayerName, mayBeOneName, readName } from './payer-name.ts'

/** Who paid, as far as a report says. */
export type ReportedPayer = {
  /** Digits of an account, card or phone; empty where it has none. */
  readonly digits: string
  readonly name: PayerName | null
}

/** Reads who paid, once for all comparisons. */
export const readPayer = (number: string | null, name: string | null): ReportedPayer => ({
  digits: accountDigits(number ?? ''),
  name: name === null ? null : readName(name),
})

/**
 * Whether two reports may name one payer. Files leave payers out, shorten and mask them, and give a phone in one text and
 * the account in the next: only numbers of one length that end differently are two payers, and without a number names
 * that have nothing to do with each other.
 */
export const mayBeOnePayer = (one: ReportedPayer, other: ReportedPayer): boolean => {
  const { digits } = one
  if (digits !== '' && digits.length === other.digits.length) return digits.slice(-4) === other.digits.slice(-4)
  return one.name === null || other.name === null || mayBeOneName(one.name, other.name)
}

/** Whether two reports name one payer: both give a number, or a name, and nothing contradicts it. */
export const isOnePayer = (one: ReportedPayer, other: ReportedPayer): boolean => {
  const haveNumbers = one.digits !== '' && one.digits.length === other.digits.length
  return (haveNumbers || (one.name !== null && other.name !== null)) && mayBeOnePayer(one, other)
}
