import { SegmentedControl, Skeleton, Textarea } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DecidedDispute } from '../../../../src/operations/decide-disputes.ts'
import type { ListedDispute } from '../../../../src/operations/disputes.ts'
import { confirmationOf, decideDisputes, decisionPreview, type WantedDecision } from '../../api/disputes.ts'
import { formatMoney } from '../../money.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { Badge, type Tone } from '../../parts/status-badge.tsx'
import { typed } from '../../parts/typed.ts'

type Verb = WantedDecision['decision']

const tones: Readonly<Record<DecidedDispute['state'], Tone>> = {
  done: 'good',
  proposed: 'wait',
  possible: 'live',
  refused: 'bad',
}

const wordOf = ({ state, needsSecondOperator }: DecidedDispute): string =>
  state === 'possible' && needsSecondOperator ? 'needs a second person' : state

const creditedBy = ({ entries = [] }: DecidedDispute): string =>
  entries
    .filter(({ kind }) => kind === 'credit')
    .map(({ amount, currency }) => formatMoney(amount, currency))
    .join(', ')

/** The result, or the previewed result, for each dispute. */
const Results = ({ results }: { readonly results: readonly DecidedDispute[] }) => (
  <ul className="decided-rows">
    {results.map((result) => (
      <li key={result.id}>
        <span className="strong cut">{result.orderId ?? result.id}</span>
        <Badge tone={tones[result.state]}>{wordOf(result)}</Badge>
        <span className="quiet small">{result.message ?? creditedBy(result)}</span>
      </li>
    ))}
  </ul>
)

const toWanted = (decision: Verb, rows: readonly ListedDispute[]): WantedDecision[] =>
  rows.map(({ merchantId, id, correction }) => ({
    merchantId,
    id,
    decision,
    ...(decision === 'confirm' && correction !== undefined ? confirmationOf(correction) : {}),
  }))

const Preview = ({ wanted }: { readonly wanted: readonly WantedDecision[] }) => {
  const { data } = useQuery(decisionPreview(wanted))
  return data === undefined ? <Skeleton height={90} aria-label="Previewing" /> : <Results results={data} />
}

type Props = { readonly rows: readonly ListedDispute[]; readonly onDecided: () => void }

/** Decides about the selected disputes. Each has its own result; if one is refused, the others are still decided. */
export const DecideSelected = ({ rows, onDecided }: Props) => {
  const [decision, setDecision] = useState<Verb>('reject')
  const [note, setNote] = useState('')
  const [isOpen, setOpen] = useState(false)
  const canConfirm = rows.every(({ correction }) => correction !== undefined)
  const wanted = toWanted(decision, rows)
  const what = rows.length === 1 ? '1 dispute' : `${rows.length} disputes`
  return (
    <ActButton
      text={`Decide ${what}…`}
      variant="filled"
      title={`Decide ${what}`}
      confirm={`${decision[0]?.toUpperCase()}${decision.slice(1)} ${what}`}
      size="lg"
      isReady={note.trim() !== '' || decision === 'confirm'}
      run={() => decideDisputes(wanted, note.trim() || 'Confirmed')}
      onFinished={onDecided}
      changes={['disputes', 'payments', 'transfers', 'overview']}
      result={(results: readonly DecidedDispute[]) => <Results results={results} />}
      isGrave={decision === 'reject'}
      onOpen={() => setOpen(true)}
    >
      <SegmentedControl
        aria-label="Decision"
        fullWidth
        value={decision}
        onChange={setDecision}
        data={[
          { value: 'accept', label: 'Accept' },
          { value: 'reject', label: 'Reject' },
          { value: 'confirm', label: 'Confirm', disabled: !canConfirm },
        ]}
      />
      {decision !== 'confirm' && (
        <Textarea
          label="Reason"
          description="The merchants see it."
          maxLength={1000}
          autosize
          {...typed(note, setNote)}
        />
      )}
      {isOpen && <Preview wanted={wanted} />}
    </ActButton>
  )
}
