import { mayBeOnePayer, readPayer } from './one-payer.ts'
import { accountDigits } from '../values/account-number.ts'
import { compareNames } from '../values/payer-name.ts'
import { isNamedIn } from './propose-outgoing.ts'

/** A payee or payer, as a bank names them. */
export type NamedParty = { readonly number: string | null; readonly name: string | null }

/** What is known of a refund or reversal that was recorded before its bank reports it. */
export type AnnouncedDetails = {
  /** Who sent the money that it returns (see `mainSenders`). */
  readonly payers: readonly NamedParty[]
  /** Names that a text may use for it: its reference, its order and payment, the bank's reference of its transfer. */
  readonly names: readonly string[]
}

/**
 * Who sent the most to a payment, several if they sent the same. Nobody becomes a payer of what others sent by a small
 * transfer, nor by one with the number of a payer and another name.
 */
export const mainSenders = (transfers: readonly (NamedParty & { readonly sent: bigint })[]): NamedParty[] => {
  const bySender = Map.groupBy(transfers, ({ number, name }) => `${accountDigits(number ?? '')} ${name ?? ''}`)
  const sums = [...bySender.values()].map((own) => ({ own, sum: own.reduce((sum, { sent }) => sum + sent, 0n) }))
  const most = sums.reduce((max, { sum }) => (sum > max ? sum : max), 0n)
  return sums.filter(({ sum }) => sum === most).flatMap(({ own }) => own.slice(0, 1))
}

/** Shorter numbers are not complete. */
const completeLength = 10

const isNumberOf = (payee: NamedParty, payer: NamedParty): boolean => {
  const digits = accountDigits(payee.number ?? '')
  return digits.length >= completeLength && digits === accountDigits(payer.number ?? '')
}

const isNameOf = (payee: NamedParty, payer: NamedParty): boolean =>
  payee.name !== null && payer.name !== null && compareNames(payee.name, payer.name) !== 'different'

/** Whether money went to the number of a payer. */
export const isPayeeOf = (payee: NamedParty, { payers }: AnnouncedDetails): boolean =>
  payers.some((payer) => isNumberOf(payee, payer))

/** Whether money went to somebody with the name of a payer. */
export const hasPayerName = (payee: NamedParty, { payers }: Pick<AnnouncedDetails, 'payers'>): boolean =>
  payers.some((payer) => isNameOf(payee, payer))

/**
 * Whether a bank's report of outgoing money fits an announcement: `agrees` if its payee is one of the payers or its
 * text names the announcement, `contradicts` if its payee is somebody else, else `unknown`.
 */
export const compareAnnounced = (
  outgoing: NamedParty & { readonly text: string | null },
  announced: AnnouncedDetails,
): 'agrees' | 'unknown' | 'contradicts' => {
  const { payers, names } = announced
  if (isPayeeOf(outgoing, announced)) return 'agrees'
  const payee = readPayer(outgoing.number, outgoing.name)
  const isOther = payers.length > 0 && !payers.some(({ number, name }) => mayBeOnePayer(payee, readPayer(number, name)))
  const isNamed = names.some(isNamedIn(outgoing.text))
  // A payer may have named another account of their own.
  if (isOther) return isNamed ? 'unknown' : 'contradicts'
  return isNamed || hasPayerName(outgoing, announced) ? 'agrees' : 'unknown'
}
