import type { Instant } from './time.ts'

/** Formats in which the simulated bank writes its statements. */
export const simulatedFormats = ['camt.053', '1c', 'mt940', 'csv'] as const
/** One of `simulatedFormats`. */
export type SimulatedFormat = (typeof simulatedFormats)[number]

/** A booking of the simulated bank. Amounts are minor units. */
export type SimulatedBooking = {
  readonly id: string
  readonly amount: bigint
  /** Whether the bank takes money back; with the reference of what it received. */
  readonly isReversal: boolean
  readonly reference: string
  readonly bookedAt: Instant
}

/** What the simulated bank says of an account and a day. */
export type SimulatedStatement = {
  readonly account: string
  readonly holder: string
  readonly currency: string
  /** The day in the zone of the account, such as `2026-01-31`. */
  readonly day: string
  readonly utcOffsetMinutes: number
  readonly opening: bigint
  readonly closing: bigint
  readonly bookings: readonly SimulatedBooking[]
}

/** What the payers of the sandbox are called, and what they write. */
export const simulatedPayer = { name: 'Simulated Payer', bank: 'Simulated Bank', text: 'Simulated transfer' } as const

/** What a booking changes, below zero for money that left. */
export const changeOf = ({ amount, isReversal }: SimulatedBooking): bigint => (isReversal ? -amount : amount)

/** References of MT940 have no more characters. */
const referenceLength = 16
const referenceMark = 'SB'

/** The bank's own reference of what a step brings, always the same for a step. */
export const simulatedReference = (stepId: string): string => {
  // The last digits of an identifier are those that differ most; 18 of them are 14 of base 36.
  const digits = BigInt(`0x${stepId.replaceAll('-', '').slice(-18)}`)
    .toString(36)
    .toUpperCase()
  return referenceMark + digits.padStart(referenceLength - referenceMark.length, '0')
}
