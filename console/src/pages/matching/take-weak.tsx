import { Button, Group, Kbd, Modal } from '@mantine/core'
import type { Wanted } from '../../api/transfers.ts'

/** What is to be assigned although little speaks for it. */
export type Weak = {
  readonly wanted: readonly Wanted[]
  /** How many of `wanted` have a weak candidate. */
  readonly weakCount: number
  /** The weak candidate, if it is the only one. */
  readonly candidate?: { readonly orderId: string }
}

type Props = Weak & { readonly onTake: (wanted: readonly Wanted[]) => void; readonly onClose: () => void }

/** Asks before money is assigned to payments that hardly fit; Enter takes them. */
export const TakeWeak = ({ wanted, weakCount, candidate, onTake, onClose }: Props) => (
  <Modal
    opened
    onClose={onClose}
    title={candidate === undefined ? `Take ${wanted.length} payments?` : `Take ${candidate.orderId}?`}
    closeButtonProps={{ 'aria-label': 'Close' }}
  >
    <p>
      {candidate === undefined
        ? `For ${weakCount} of the ${wanted.length} payments, neither the amount nor anything about the payer fits.`
        : 'Neither the amount nor anything about the payer fits this payment.'}{' '}
      You can undo it with <Kbd size="xs">u</Kbd>.
    </p>
    <Group mt="md" justify="flex-end">
      <Button variant="default" onClick={onClose}>
        Close
      </Button>
      <Button data-autofocus onClick={() => onTake(wanted)}>
        Take {candidate === undefined ? `all ${wanted.length}` : 'it'}
      </Button>
    </Group>
  </Modal>
)
