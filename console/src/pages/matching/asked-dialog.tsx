import type { DecisionWord } from '../../../../src/rules/transfers/transfer.ts'
import type { TransferDetails } from '../../../../src/operations/inbox.ts'
import type { ListedTransfer } from '../../../../src/operations/transfers.ts'
import type { Wanted } from '../../api/transfers.ts'
import { ReasonDialog, SplitDialog } from './decide-dialogs.tsx'
import { AssignExact } from './assign-exact.tsx'
import { AssignWeak, type Weak } from './assign-weak.tsx'

/** What the person is asked before something is decided. */
export type Asked =
  | { readonly act: 'ignore' | 'park' | 'exact' }
  | { readonly act: 'split'; readonly transfer: TransferDetails }
  | ({ readonly act: 'weak' } & Weak)

type Props = {
  readonly asked: Asked
  readonly rows: readonly ListedTransfer[]
  /** The transfers that a decision is about. */
  readonly acted: readonly ListedTransfer[]
  readonly onDecide: (wanted: readonly Wanted[]) => void
  readonly onClose: () => void
}

/** The dialog for what is asked. */
export const AskedDialog = ({ asked, rows, acted, onDecide, onClose }: Props) => {
  if (asked.act === 'exact') return <AssignExact rows={rows} onClose={onClose} onAssign={onDecide} />
  if (asked.act === 'weak') return <AssignWeak {...asked} onClose={onClose} onAssign={onDecide} />
  if (asked.act === 'split') {
    const { requisiteId, id } = asked.transfer
    return (
      <SplitDialog
        transfer={asked.transfer}
        onClose={onClose}
        onSplit={(shares) => onDecide([{ requisiteId, id, decision: 'assign', shares }])}
      />
    )
  }
  return (
    <ReasonDialog
      decision={asked.act}
      count={acted.length}
      isDoubtful={acted.length > 0 && acted.every((row) => row.duplicateOf !== undefined)}
      onDecide={(decision: DecisionWord, note: string) =>
        onDecide(acted.map(({ requisiteId, id }) => ({ requisiteId, id, decision, note })))
      }
      onClose={onClose}
    />
  )
}
