import type { Instant } from '../time.ts'

/** A booking of the simulated bank. Amounts are minor units. */
export type SimulatedBooking = {
  readonly id: string
  readonly amount: bigint
  /** A reversal takes money back, under the reference of the received money; a refund is sent to the payer. */
  readonly kind: 'receipt' | 'reversal' | 'refund'
  /** What a refund is for. */
  readonly text: string | null
  readonly reference: string
  readonly bookedAt: Instant
}

/** A statement of the simulated bank for an account and a day. */
export type SimulatedStatement = {
  readonly account: string
  readonly holder: string
  readonly currency: string
  /** The day in the zone of the account, such as `2026-01-31`. */
  readonly day: string
  readonly opening: bigint
  readonly closing: bigint
  readonly bookings: readonly SimulatedBooking[]
}

/** The name and bank of the sandbox's payers, and their text. */
export const simulatedPayer = { name: 'Simulated Payer', bank: 'Simulated Bank', text: 'Simulated transfer' } as const

/** The change by a booking, negative for outgoing money. */
export const changeOf = ({ amount, kind }: SimulatedBooking): bigint => (kind === 'receipt' ? amount : -amount)

/** References in MT940, to which banks cut them, have no more characters. */
const referenceLength = 16
const referenceMark = 'SB'

/** The bank's own reference for a step, always the same for the same step. */
export const simulatedReference = (stepId: string): string => {
  // The last digits of an identifier vary most; 18 of them are 14 in base 36.
  const digits = BigInt(`0x${stepId.replaceAll('-', '').slice(-18)}`)
    .toString(36)
    .toUpperCase()
  return referenceMark + digits.padStart(referenceLength - referenceMark.length, '0')
}
