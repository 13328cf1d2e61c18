import { demoRateSource } from '../../../../src/rules/money/rate.ts'
import type { RateAnswer } from '../../../../src/operations/rates.ts'
import { Badge } from '../../parts/status-badge.tsx'

/** Whether new payments use a rate; the demo's are for the sandbox only. */
export const RateBadge = ({ rate: { usable, source } }: { readonly rate: Pick<RateAnswer, 'usable' | 'source'> }) =>
  !usable ? (
    <Badge tone="bad">stale</Badge>
  ) : source === demoRateSource ? (
    <Badge tone="wait">sandbox only</Badge>
  ) : (
    <Badge tone="good">in use</Badge>
  )
