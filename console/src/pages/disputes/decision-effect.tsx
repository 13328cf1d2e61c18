import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { decisionPreview, type WantedDecision } from '../../api/disputes.ts'
import { LedgerEntries } from '../../parts/ledger-entries.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { PaymentBadge } from '../../parts/status-badge.tsx'
import { say } from '../../language.ts'

/** What one decision would write, from a preview of the service. */
export const DecisionEffect = ({ wanted }: { readonly wanted: WantedDecision }) => {
  const { data, error } = useQuery(decisionPreview([wanted]))
  if (error !== null) return <ProblemMessage error={error} />
  const [effect] = data ?? []
  if (effect === undefined) return <Skeleton height={72} aria-label="Previewing" />
  if (effect.state === 'refused')
    return (
      <p className="effect-refused" role="alert">
        {effect.message && say(effect.message)}
      </p>
    )
  return (
    <section className="effect" aria-label="What it does">
      <p>
        The payment becomes {effect.status !== undefined && <PaymentBadge status={effect.status} />}
        {effect.needsSecondOperator && (
          <strong> once another operator has confirmed it, because no money covers this amount.</strong>
        )}
      </p>
      <LedgerEntries entries={effect.entries ?? []} names={{}} empty="Nothing is written to the ledger." />
    </section>
  )
}
