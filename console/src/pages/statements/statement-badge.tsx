import type { StatementState } from '../../../../src/rules/statements/statement-import.ts'
import { Badge, type Tone } from '../../parts/status-badge.tsx'

const tones: Readonly<Record<StatementState, Tone>> = {
  reading: 'live',
  ready: 'wait',
  refused: 'bad',
  discarded: 'over',
  importing: 'live',
  imported: 'good',
  withdrawing: 'live',
  withdrawn: 'over',
}

/** The state of a statement. */
export const StatementBadge = ({ state }: { readonly state: StatementState }) => (
  <Badge tone={tones[state]}>{state}</Badge>
)
