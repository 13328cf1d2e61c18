import { Refusal } from '../../rules/refusal.ts'
import { second } from '../../rules/time.ts'
import { addressGroup } from './address-group.ts'
import { countOpen, type OpenLimit } from './count-open.ts'

/** How slow an upload may be: at least `bytes` in every `windowMs`, and all of it within `withinMs`. */
export type UploadPace = { readonly windowMs: number; readonly bytes: number; readonly withinMs: number }

/** The slowest upload that is accepted: 5 MB in three minutes are 28 kB/s, what the worst mobile networks reach. */
export const slowestUpload: UploadPace = { windowMs: 20 * second, bytes: 64 * 1024, withinMs: 180 * second }

/** When the body of an upload is cut off, in milliseconds: later than the pace allows, whose refusal says more. */
export const uploadWithinMs = slowestUpload.withinMs + 10 * second

const uploadsPerPayment = 1
/** Several payers may share an address. */
const uploadsPerAddress = 6
/** Each upload holds up to 5 MB until it is stored: 24 of them are 120 MB. */
const uploadsInAll = 24

/** Counts the files that are being sent: one per payment and a few per address, so that nobody can keep others out. */
export const limitUploads = () => {
  const open = countOpen()
  return {
    /**
     * Counts one more upload until the returned function is called. Refuses `rate_limited` for the payment and the
     * address, `overloaded` for the process.
     */
    take: (address: string, paymentId: string): (() => void) => {
      const group = addressGroup(address)
      const limits: OpenLimit[] = [
        [group, uploadsPerAddress],
        [paymentId, uploadsPerPayment],
      ]
      if (limits.some(open.isFull)) {
        throw new Refusal('rate_limited', 'Another file is being sent.', { retryAfterSeconds: 10 })
      }
      if (open.isFull(['all', uploadsInAll])) {
        throw new Refusal('overloaded', 'Too many files are being sent.', { retryAfterSeconds: 10 })
      }
      return open.take([group, paymentId, 'all'])
    },
  }
}
