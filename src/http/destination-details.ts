import { type Destination, destinationStatus } from '../rules/money/destination.ts'
import type { Instant } from '../rules/time.ts'
import type { DestinationDetails } from '../operations/destinations.ts'
import { wire } from '../operations/fields.ts'
import type { Static } from '../operations/schema.ts'

/** The wire form of a destination at a time. */
export const toDestinationDetails = (destination: Destination, now: Instant): Static<typeof DestinationDetails> => {
  const { merchantId: _merchant, proposedBy: _author, approvedBy: _second, retiredBy: _last, ...shown } = destination
  return wire.fields({ ...shown, status: destinationStatus(destination, now) })
}
