import { mayBeOnePayer, readPayer } from './one-payer.ts'
import { accountDigits } from '../values/account-number.ts'
import { compareNames } from '../values/payer-name.ts'
import { isNamedIn } from './propose-outgoing.ts'
import type { Instant } from '../time.ts'

export type NamedParty = { readonly number: string | null; readonly name: string | null }

/** The reference of a refund or reversal, its order or payment, or the bank's reference of a transfer. */
type AnnouncedName = {
  readonly name: string
  /** Null if it proves nothing: an order, or a bank's reference that only one person reports. */
  readonly setAt: Instant | null
  /** Who chose it, or chose the payment or transfer with it. */
  readonly setBy: readonly string[]
}

export type AnnouncedDetails = {
  /** Who sent the money that it returns (see `mainSenders`). */
  readonly payers: readonly NamedParty[]
  /** How much each of them sent, less all earlier refunds of the payment. */
  readonly returnable: bigint
  readonly names: readonly AnnouncedName[]
}

/**
 * Who sent the most to a payment, several if they sent the same, and how much. Nobody becomes a payer of what others
 * sent by a small transfer, nor by one with the number of a payer and another name.
 */
export const mainSenders = <Each extends NamedParty & { readonly sent: bigint }>(transfers: readonly Each[]) => {
  const bySender = Map.groupBy(transfers, ({ number, name }) => `${accountDigits(number ?? '')} ${name ?? ''}`)
  const sums = [...bySender.values()].map((own) => ({ own, sum: own.reduce((sum, { sent }) => sum + sent, 0n) }))
  const most = sums.reduce((max, { sum }) => (sum > max ? sum : max), 0n)
  return { payers: sums.filter(({ sum }) => sum === most).flatMap(({ own }) => own.slice(0, 1)), most }
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
export const isPayeeOf = (payee: NamedParty, { payers }: Pick<AnnouncedDetails, 'payers'>): boolean =>
  payers.some((payer) => isNumberOf(payee, payer))

/** Whether money went to somebody with the name of a payer. */
export const hasPayerName = (payee: NamedParty, { payers }: Pick<AnnouncedDetails, 'payers'>): boolean =>
  payers.some((payer) => isNameOf(payee, payer))

/** Whether money out fits an announcement: `agrees` by payee or text, `contradicts` if its payee is somebody else. */
export const compareAnnounced = (
  outgoing: NamedParty & { readonly text: string | null },
  announced: Pick<AnnouncedDetails, 'payers' | 'names'>,
): 'agrees' | 'unknown' | 'contradicts' => {
  const { payers, names } = announced
  if (isPayeeOf(outgoing, announced)) return 'agrees'
  const payee = readPayer(outgoing.number, outgoing.name)
  const isOther = payers.length > 0 && !payers.some(({ number, name }) => mayBeOnePayer(payee, readPayer(number, name)))
  const isNamed = names.map(({ name }) => name).some(isNamedIn(outgoing.text))
  // A payer may have named another account of their own.
  if (isOther) return isNamed ? 'unknown' : 'contradicts'
  return isNamed || hasPayerName(outgoing, announced) ? 'agrees' : 'unknown'
}

/**
 * Whether a bank's report proves that outgoing money was returned, whatever its decider says: its payee is a payer who
 * sent as much, and has not got it back, or its text has a name that was set before the money left, only by those who
 * are certainly somebody else.
 */
export const isProvenReturn = (
  outgoing: NamedParty & { readonly text: string | null; readonly amount: bigint; readonly bookedAt: Instant },
  announced: AnnouncedDetails,
  isOther: (setBy: string) => boolean,
): boolean => {
  const { payers, returnable } = announced
  const names = announced.names.filter(
    ({ setAt, setBy }) => setAt !== null && setAt <= outgoing.bookedAt && setBy.every(isOther),
  )
  const isPayer = isPayeeOf(outgoing, announced) || hasPayerName(outgoing, announced)
  return compareAnnounced(outgoing, { payers, names }) === 'agrees' && (!isPayer || outgoing.amount <= returnable)
}
