import { Kbd } from '@mantine/core'
import type { TransferDetails } from '../../../../src/http/operator-api/inbox.ts'
import { Icon } from '../../parts/icon.tsx'
import { MoneyText } from '../../parts/money-text.tsx'

/** The criteria of a suggestion, with the most points that `src/domain/suggest.ts` gives for each. */
const criteria = [
  ['amount', 'Amount', 30],
  ['sender', 'Number', 20],
  ['text', 'Order', 15],
  ['time', 'Time', 15],
  ['name', 'Name', 10],
  ['bank', 'Bank', 5],
  ['status', 'Open', 5],
] as const

const Mark = ({ label, points, most }: { readonly label: string; readonly points: number; readonly most: number }) => {
  const share = points / most
  const [className, icon, says] =
    share >= 0.66
      ? (['mark full', 'check', 'fits'] as const)
      : share > 0
        ? (['mark some', 'minus', 'fits in part'] as const)
        : (['mark none', 'close', 'does not fit'] as const)
  return (
    <span className={className} title={`${label} ${says}: ${points} of ${most} points`}>
      <Icon name={icon} size={12} />
      {label}
      <span className="unseen"> {says}</span>
    </span>
  )
}

type Props = {
  readonly transfer: TransferDetails
  readonly chosen: number
  readonly onChoose: (index: number) => void
}

/** The payments that a transfer may be for, the best first, with a mark for each criterion. */
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
            <span className="strong">{candidate.orderId}</span>
            <span className="quiet cut">{candidate.merchantName}</span>
            <span className="candidate-score">
              {candidate.score}
              <span className="quiet small"> of 100</span>
            </span>
          </span>
          <span className="marks">
            {criteria.map(([part, label, most]) => (
              <Mark key={part} label={label} points={candidate.parts[part] ?? 0} most={most} />
            ))}
          </span>
          {candidate.reasons.length > 0 && <span className="quiet small">{candidate.reasons.join(' · ')}</span>}
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
