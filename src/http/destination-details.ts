import { type Static, Type } from './schema.ts'
import {
  type Destination,
  destinationKinds,
  destinationRules,
  destinationStatus,
  destinationStatuses,
} from '../rules/money/destination.ts'
import type { Instant } from '../rules/time.ts'
import { Id, Time, wire } from './fields.ts'

const { example } = destinationRules.tron

/** Schema of the kind of a destination. */
export const DestinationKind = Type.OneOf(destinationKinds, {
  title: 'DestinationKind',
  description: destinationKinds.map((kind) => `\`${kind}\`: ${destinationRules[kind].name}`).join('; '),
  examples: ['tron'],
})

/** A destination as its merchant sees it. */
export const DestinationDetails = Type.Titled('Destination', {
  id: Id,
  kind: DestinationKind,
  address: Type.Text('In the only spelling of its kind.', example),
  label: Type.String({ examples: ['Main wallet'] }),
  status: Type.OneOf(destinationStatuses, {
    description: '`cooling`: approved, but no settlement may be sent there before `readyAt`.',
    examples: ['ready'],
  }),
  proposedAt: Time,
  readyAt: Type.Optional(Time, 'When settlements may first be sent there. Present once it is approved.'),
  retiredAt: Type.Optional(Time),
})

/** The wire form of a destination at a time. */
export const toDestinationDetails = (destination: Destination, now: Instant): Static<typeof DestinationDetails> => {
  const { merchantId: _merchant, proposedBy: _author, approvedBy: _second, retiredBy: _last, ...shown } = destination
  return wire.fields({ ...shown, status: destinationStatus(destination, now) })
}
