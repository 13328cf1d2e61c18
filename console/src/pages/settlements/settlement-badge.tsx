import type { SettlementStatus } from '../../../../src/rules/money/settlement.ts'
import { Badge, type Tone } from '../../parts/status-badge.tsx'

const tones: Readonly<Record<SettlementStatus, Tone>> = {
  draft: 'wait',
  approved: 'live',
  paid: 'good',
  failed: 'over',
}

/** The status of a settlement. */
export const SettlementBadge = ({ status }: { readonly status: SettlementStatus }) => (
  <Badge tone={tones[status]}>{status}</Badge>
)
