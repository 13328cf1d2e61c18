/** Shorter references only count bookings, and so begin again, each day or in each file. */
const referenceLength = 8

/** Whether a bank's reference is too short, without leading zeros and the number of a part, to identify a booking. */
export const isRunning = (reference: string): boolean =>
  reference
    .replace(/\/\d+$/, '')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replace(/^0+/, '').length < referenceLength
