import type { PhoneRequisite } from './phone.ts'

/** A requisite of a phone, with what is known of its account. */
export type KnownRequisite = PhoneRequisite & {
  readonly currency: string
  readonly bankIssuer: string
  /** Numbers of its account as they may be shown: `•••• 4821`. */
  readonly numbersMasked: readonly string[]
  /** The requisite on which the money of its account is booked. */
  readonly bookedOn: string
}

type Said = {
  readonly bank: string | null
  readonly account: string | null
  readonly currency: string | null
  readonly sim: string | null
}

/** The digits at the end of a text, such as a masked number. */
export const lastDigits = (text: string | null): string => (text ?? '').trimEnd().split(/\D/).at(-1) ?? ''

const areOneAccount = (one: string, other: string): boolean =>
  one.length >= 3 && other.length >= 3 && (one.endsWith(other) || other.endsWith(one))

/** The name of a bank without what some of its spellings leave out: `t-bank` and `tbank`. */
const shortName = (bank: string): string => bank.replace(/-?bank$/, '').replaceAll('-', '')

/** Those that fit, or all if none does. */
const prefer = <T>(all: readonly T[], fits: (each: T) => boolean): readonly T[] => {
  const fitting = all.filter(fits)
  return fitting.length > 0 ? fitting : all
}

/**
 * The requisite whose money a message reports, or undefined if several may be meant or none: by the last digits, which
 * must not be those of another account; then by the SIM card and the bank; else the only one.
 */
export const chooseRequisite = (said: Said, known: readonly KnownRequisite[]): KnownRequisite | undefined => {
  const digits = lastDigits(said.account)
  const inCurrency = known.filter(({ currency }) => said.currency === null || currency === said.currency)
  const shown = (each: KnownRequisite): string[] => [...each.digits, ...each.numbersMasked.map(lastDigits)]
  const named = inCurrency.filter((each) => shown(each).some((one) => areOneAccount(one, digits)))
  const unknown = inCurrency.filter((each) => shown(each).every((one) => one === ''))
  const byDigits = digits === '' ? inCurrency : named.length > 0 ? named : unknown
  const onSim = byDigits.filter(({ sim }) => sim === null || said.sim === null || sim === said.sim)
  const left = prefer(
    prefer(onSim, ({ sim }) => sim !== null && sim === said.sim),
    ({ bankIssuer }) => said.bank !== null && shortName(bankIssuer) === shortName(said.bank),
  )
  return new Set(left.map(({ bookedOn }) => bookedOn)).size === 1 ? left[0] : undefined
}
