import type { DisputeState } from '../../../../src/rules/payments/dispute.ts'
import { Badge, type Tone } from '../../parts/status-badge.tsx'

const tones: Readonly<Record<DisputeState, Tone>> = {
  open: 'wait',
  proposed: 'live',
  accepted: 'good',
  rejected: 'over',
  withdrawn: 'over',
}

/** The state of a dispute. */
export const DisputeBadge = ({ state }: { readonly state: DisputeState }) => <Badge tone={tones[state]}>{state}</Badge>

/** What a claimant says is wrong, in words. */
export const reasonText = (reason: string): string => reason.replaceAll('-', ' ')
