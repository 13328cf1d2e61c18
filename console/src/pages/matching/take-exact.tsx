import { Button, Group, Modal } from '@mantine/core'
import type { ListedTransfer } from '../../../../src/http/operator-api/transfers.ts'
import type { Wanted } from '../../api/transfers.ts'
import { takeCandidate } from './take-candidate.ts'

/** Points for the right amount (src/domain/suggest.ts). */
const exactPoints = 30
const mostAtOnce = 1000

/** Whether exactly one payment lacks this amount, and the transfer is not a possible duplicate. */
const isExact = ({ suggestions, duplicateOf }: ListedTransfer): boolean =>
  duplicateOf === undefined &&
  suggestions[0]?.parts['amount'] === exactPoints &&
  suggestions.filter(({ parts }) => parts['amount'] === exactPoints).length === 1

type Props = {
  readonly rows: readonly ListedTransfer[]
  readonly onTake: (wanted: readonly Wanted[]) => void
  readonly onClose: () => void
}

/** Asks whether to assign all transfers whose amount exactly one payment lacks. */
export const TakeExact = ({ rows, onTake, onClose }: Props) => {
  const exact = rows.filter(isExact).slice(0, mostAtOnce)
  return (
    <Modal opened onClose={onClose} title="Take all exact" closeButtonProps={{ 'aria-label': 'Close' }}>
      <p>
        {exact.length === 0
          ? `None of the ${rows.length} loaded transfers is exactly the missing amount of only one payment.`
          : `${exact.length} of the ${rows.length} loaded transfers are exactly the missing amount of only one payment. They are assigned to these payments; u takes it back.`}
      </p>
      <Group mt="md" justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        <Button
          data-autofocus
          disabled={exact.length === 0}
          onClick={() => onTake(exact.flatMap((row) => takeCandidate(row, 0) ?? []))}
        >
          Take {exact.length}
        </Button>
      </Group>
    </Modal>
  )
}
