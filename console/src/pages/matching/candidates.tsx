import { Kbd } from '@mantine/core'
import type { Verdict } from '../../../../src/rules/transfers/evidence.ts'
import { criterionWords, listJudgements, verdictSigns } from '../../../../src/rules/transfers/evidence-words.ts'
import type { TransferDetails } from '../../../../src/operations/inbox.ts'
import { formatAmount } from '../../money.ts'
import { MoneyText } from '../../parts/money-text.tsx'
import { Moment } from '../../parts/moment.tsx'
import { say } from '../../language.ts'

type Candidate = TransferDetails['suggestions'][number]

const Mark = ({ verdict, label }: { readonly verdict: Verdict; readonly label: string }) => (
  <span className={`mark ${verdict}`}>
    <span className="mark-sign" aria-hidden="true">
      {verdictSigns[verdict]}
    </span>
    {label} {say(verdict)}
  </span>
)

type Marked = { readonly evidence: Candidate['evidence'] }

/** What speaks for and against it, in a few words; why is in a title, and read out. */
const Marks = ({ evidence }: Marked) => (
  <span className="marks">
    {listJudgements(evidence)
      .filter(({ verdict }) => verdict !== 'unknown')
      .map(({ criterion, verdict, why }) => (
        <span key={criterion} className="mark-line" title={say(why)}>
          <span className={`mark ${verdict}`}>
            <span className="mark-sign" aria-hidden="true">
              {verdictSigns[verdict]}
            </span>
            {criterionWords[criterion]}
            <span className="unseen">
              {' '}
              {say(verdict)}: {say(why)}
            </span>
          </span>
        </span>
      ))}
  </span>
)

/** What each criterion says, with why in sight. */
const ExplainedMarks = ({ evidence }: Marked) => {
  const judgements = listJudgements(evidence)
  const unknown = judgements.filter(({ verdict }) => verdict === 'unknown')
  return (
    <span className="marks explained">
      {judgements
        .filter(({ verdict }) => verdict !== 'unknown')
        .map(({ criterion, verdict, why }) => (
          <span key={criterion} className="mark-line">
            <Mark verdict={verdict} label={criterionWords[criterion]} />
            <span className="mark-why">{say(why)}</span>
          </span>
        ))}
      {unknown.length > 0 && (
        <span className="mark-line">
          <Mark verdict="unknown" label={String(unknown.length)} />
          <span className="mark-why quiet" title={unknown.map(({ why }) => say(why)).join(' · ')}>
            {unknown.map(({ criterion }) => criterionWords[criterion]).join(', ')}
          </span>
        </span>
      )}
    </span>
  )
}

const Difference = ({ candidate, currency }: { readonly candidate: Candidate; readonly currency: string }) => {
  const { difference, split, evidence } = candidate
  if (split !== undefined) return <span className="quiet small">its share of {split.length}</span>
  if (difference === 0) {
    return <span className={evidence.amount.verdict === 'proves' ? 'difference exact' : 'difference'}>exact</span>
  }
  return (
    <span className="difference">
      {difference > 0 && '+'}
      {formatAmount(difference, currency)}
    </span>
  )
}

type Props = {
  readonly transfer: TransferDetails
  readonly chosen: number
  readonly onChoose: (index: number) => void
}

/** The payments that a transfer may be for, the best first, with what speaks for and against each. */
export const Candidates = ({ transfer, chosen, onChoose }: Props) => (
  <ol className="candidates">
    {transfer.suggestions.map((candidate, index) => (
      <li key={candidate.paymentId}>
        <button
          type="button"
          className={index === chosen ? 'candidate chosen' : 'candidate'}
          aria-pressed={index === chosen}
          onClick={() => onChoose(index)}
        >
          <span className="candidate-head">
            <Kbd size="xs">{index + 1}</Kbd>
            <span className="strong candidate-order">{candidate.orderId}</span>
            <span className="quiet cut">{candidate.merchantName}</span>
            {index !== chosen && <Marks evidence={candidate.evidence} />}
            <span className="candidate-amount">
              <MoneyText amount={candidate.amount} currency={transfer.currency} bold />
              <Difference candidate={candidate} currency={transfer.currency} />
            </span>
          </span>
          {index === chosen && (
            <>
              <span className="quiet small">
                {candidate.payer ?? 'payer unknown'} · created <Moment at={candidate.createdAt} show="relative" />
              </span>
              <ExplainedMarks evidence={candidate.evidence} />
            </>
          )}
          {candidate.split !== undefined && (
            <span className="small split-shares">
              {candidate.split.map(({ paymentId, orderId, amount }) => (
                <span key={paymentId}>
                  {orderId} <MoneyText amount={amount} currency={transfer.currency} />
                </span>
              ))}
            </span>
          )}
          {candidate.refused !== undefined && <span className="refused small">{candidate.refused}</span>}
        </button>
      </li>
    ))}
  </ol>
)
