import { Button, Group, Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { listContradictions } from '../../../../src/rules/transfers/evidence-words.ts'
import type { ListedTransfer } from '../../../../src/operations/transfers.ts'
import { decisionPreview, mostPreviewed, type Wanted } from '../../api/transfers.ts'
import { type Effect, PaymentChanges } from './assign-effect.tsx'
import { UndoNote } from './undo-note.tsx'
import { say } from '../../language.ts'

/** What is to be assigned although something contradicts it or little speaks for it. */
export type Weak = {
  readonly wanted: readonly Wanted[]
  /** How many of `wanted` have a weak candidate. */
  readonly weakCount: number
  /** The weak candidate, if it is the only one; with what taking it does, if that is known. */
  readonly candidate?: ListedTransfer['suggestions'][number] & Effect
}

/** Why one candidate is weak. */
const Reasons = ({ evidence }: Pick<NonNullable<Weak['candidate']>, 'evidence'>) => {
  const against = listContradictions(evidence)
  if (against.length === 0) {
    const { amount, number, name, order } = evidence
    const isUnknown = [number, name, order].every(({ verdict }) => verdict === 'unknown')
    return <p>{`The money is ${say(amount.why)}${isUnknown ? ', and nothing says that its payer sent it' : ''}.`}</p>
  }
  return (
    <div>
      <p>This contradicts it:</p>
      <ul className="against">
        {against.map((why) => (
          <li key={why}>{say(why)}</li>
        ))}
      </ul>
    </div>
  )
}

/** What the decisions would do, as the service has tried it; nothing for too many. */
const Preview = ({
  wanted,
  candidate,
}: {
  readonly wanted: readonly Wanted[]
  readonly candidate: Effect | undefined
}) => {
  const isKnown = candidate?.revocable !== undefined
  const isTried = !isKnown && wanted.length <= mostPreviewed
  const { data, error } = useQuery({ ...decisionPreview(wanted), enabled: isTried })
  if (error !== null) return <p className="refused">{say(error.message)}</p>
  const refused = data?.transfers.filter(({ state }) => state === 'refused') ?? []
  const possible = isKnown ? [candidate] : (data?.transfers.filter(({ state }) => state === 'possible') ?? [])
  return (
    <>
      {wanted.length === 1 && <PaymentChanges {...possible[0]} />}
      {refused.length > 0 && <p className="refused">{refused[0]?.message && say(refused[0].message)}</p>}
      {possible.length > 0 && (
        <p>
          <UndoNote previews={possible} />
        </p>
      )}
    </>
  )
}

type Props = Weak & { readonly onAssign: (wanted: readonly Wanted[]) => void; readonly onClose: () => void }

/** Asks before money is assigned to payments that hardly fit; Enter assigns it. */
export const AssignWeak = ({ wanted, weakCount, candidate, onAssign, onClose }: Props) => (
  <Modal
    opened
    onClose={onClose}
    title={
      candidate === undefined
        ? `Assign money to ${wanted.length} payments?`
        : `Assign the money to ${candidate.orderId}?`
    }
    closeButtonProps={{ 'aria-label': 'Close' }}
  >
    <div className="ask">
      {candidate === undefined ? (
        <p>
          {weakCount} of the {wanted.length} payments are contradicted, or neither the amount nor anything about the
          payer fits.
        </p>
      ) : (
        <Reasons {...candidate} />
      )}
      <Preview wanted={wanted} candidate={candidate} />
    </div>
    <Group mt="md" justify="flex-end">
      <Button variant="default" onClick={onClose}>
        Close
      </Button>
      <Button data-autofocus onClick={() => onAssign(wanted)}>
        Assign {candidate === undefined ? `all ${wanted.length}` : 'it'}
      </Button>
    </Group>
  </Modal>
)
