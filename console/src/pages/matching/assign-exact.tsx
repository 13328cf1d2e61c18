import { Button, Group, Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { isCertainAmount } from '../../../../src/rules/transfers/evidence-words.ts'
import type { DecidedTransfer } from '../../../../src/operations/decide-transfers.ts'
import type { ListedTransfer } from '../../../../src/operations/transfers.ts'
import { decisionPreview, mostPreviewed, type Wanted } from '../../api/transfers.ts'
import { assignCandidate } from './assign-candidate.ts'
import { UndoNote } from './undo-note.tsx'
import { say } from '../../language.ts'

/** Whether the first candidate has exactly this amount, nothing contradicts it, and no other one has the amount. */
const isExact = ({ suggestions, duplicateOf }: ListedTransfer): boolean => {
  const [first, ...others] = suggestions
  return (
    duplicateOf === undefined &&
    first !== undefined &&
    isCertainAmount(first.evidence) &&
    others.every(({ evidence }) => evidence.amount.verdict !== 'proves')
  )
}

/** Assigns each exact transfer to its payment, and only the first of several for one payment. */
const wantedOf = (rows: readonly ListedTransfer[]): readonly Wanted[] => {
  const byPayment = new Map<string | undefined, ListedTransfer>()
  for (const row of rows.filter(isExact)) {
    const paymentId = row.suggestions[0]?.paymentId
    if (!byPayment.has(paymentId)) byPayment.set(paymentId, row)
  }
  return [...byPayment.values()].flatMap((row) => assignCandidate(row, 0) ?? []).slice(0, mostPreviewed)
}

/** Whether a payment that waited is then paid: one that is paid already has the same amount. */
const pays = ({ payments = [] }: DecidedTransfer): boolean =>
  payments.length > 0 && payments.every(({ before, after }) => after === 'paid' && before !== 'paid')

type Props = {
  readonly rows: readonly ListedTransfer[]
  readonly onAssign: (wanted: readonly Wanted[]) => void
  readonly onClose: () => void
}

/** Asks whether to assign all transfers whose amount exactly one payment lacks, after the service has tried it. */
export const AssignExact = ({ rows, onAssign, onClose }: Props) => {
  const wanted = wantedOf(rows)
  const { data, error } = useQuery({ ...decisionPreview(wanted), enabled: wanted.length > 0 })
  const isTried = wanted.length === 0 || data !== undefined
  const paying = data?.transfers.filter(pays) ?? []
  const exact = wanted.filter(({ id }) => paying.some((each) => each.id === id))
  return (
    <Modal opened onClose={onClose} title="Assign all exact" closeButtonProps={{ 'aria-label': 'Close' }}>
      <div className="ask">
        <p>
          {!isTried
            ? `${wanted.length} of the ${rows.length} loaded transfers may be exact. Trying them…`
            : exact.length === 0
              ? `None of the ${rows.length} loaded transfers is exactly the missing amount of only one payment.`
              : `${exact.length} of the ${rows.length} loaded transfers are exactly the missing amount of only one payment, and nothing contradicts. Their payments are then paid.`}
        </p>
        {exact.length > 0 && (
          <p>
            <UndoNote previews={paying} />
          </p>
        )}
        {error !== null && <p className="refused">{say(error.message)}</p>}
      </div>
      <Group mt="md" justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        <Button
          data-autofocus
          loading={!isTried && error === null}
          disabled={exact.length === 0}
          onClick={() => onAssign(exact)}
        >
          Assign {exact.length}
        </Button>
      </Group>
    </Modal>
  )
}
