import { Button, Kbd, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { TransferDetails } from '../../../../src/operations/inbox.ts'
import { keyText, transferDetails } from '../../api/transfers.ts'
import { Fact, Facts } from '../../parts/facts.tsx'
import { MaskedNumber } from '../../parts/masked-number.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { Moment } from '../../parts/moment.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { ReportedBy } from '../../parts/reported-by.tsx'
import { BankDifference } from './bank-difference.tsx'
import { Candidates } from './candidates.tsx'
import { formatMoney } from '../../money.ts'
import { lastActOf } from './decided-by.ts'
import { waitingOf } from './waiting-of.ts'
import { assignCandidate } from './assign-candidate.ts'
import { AssignEffect } from './assign-effect.tsx'
import { say } from '../../language.ts'

/** What can be done about a transfer. */
export type Act = 'assign' | 'split' | 'ignore' | 'park'

type Props = {
  readonly of: string
  readonly chosen: number
  readonly onChoose: (index: number) => void
  readonly onAct: (act: Act, transfer: TransferDetails) => void
  readonly mayDecide: boolean
}

const TransferFacts = ({ transfer }: { readonly transfer: TransferDetails }) => {
  const { requisite } = transfer
  const act = lastActOf(transfer)
  return (
    <Facts>
      {act !== undefined && (
        <Fact name={act.what}>
          {act.why ?? <span className="quiet">no reason given</span>}
          <span className="quiet small">
            {act.by} {act.at !== undefined && <Moment at={act.at} />}
          </span>
        </Fact>
      )}
      <Fact name="From">
        {transfer.senderName ?? (transfer.sender === undefined && <span className="quiet">unknown</span>)}
        {transfer.sender !== undefined && (
          <span className={transfer.senderName === undefined ? undefined : 'quiet small'}>
            <MaskedNumber masked={transfer.sender} of="the sender" path={`/transfers/${keyText(transfer)}`} />
          </span>
        )}
      </Fact>
      <Fact name="To">
        {requisite?.label ?? requisite?.bankIssuer ?? transfer.requisiteId}
        <span className="quiet small">
          {requisite && say(requisite.method)}{' '}
          {requisite !== undefined && (
            <MaskedNumber masked={requisite.number} of="the requisite" path={`/requisites/${transfer.requisiteId}`} />
          )}
        </span>
      </Fact>
      <Fact name="Booked" at={transfer.bookedAt} day={transfer.bookedOn} />
      <Fact name="Reference">{transfer.bankReference ?? <span className="quiet">none</span>}</Fact>
      {transfer.statements.length > 0 && (
        <Fact name="Reported by">
          <ReportedBy statements={transfer.statements} />
        </Fact>
      )}
      {transfer.text !== undefined && <Fact name="Text">{transfer.text}</Fact>}
    </Facts>
  )
}

/** One transfer with the payments that it may be for, and what each choice would write. */
export const TransferPanel = ({ of, chosen, onChoose, onAct, mayDecide }: Props) => {
  const { data: transfer, error, refetch } = useQuery(transferDetails(of))
  if (transfer === undefined) {
    return error === null ? (
      <Skeleton className="matched-wait" role="status" aria-label="Loading" />
    ) : (
      <ProblemMessage error={error} onRetry={() => void refetch()} />
    )
  }
  const acts = [
    ['assign', 'Assign', 'Enter', assignCandidate(transfer, chosen) === undefined],
    ['split', 'Split…', 's', false],
    ['ignore', 'Ignore…', 'i', false],
    ['park', transfer.parked === undefined ? 'Park…' : 'Back from parking', 'p', false],
  ] as const
  return (
    <>
      <div className="matched-facts">
        <div className="drawer-amount">
          <MoneyText amount={waitingOf(transfer)} currency={transfer.currency} bold />
          {waitingOf(transfer) !== transfer.amount && (
            <span className="quiet">of {formatMoney(transfer.amount, transfer.currency)}</span>
          )}
          <span className="quiet">{transfer.reasons.map(say).join(' · ')}</span>
        </div>
        <div className="acts">
          {mayDecide &&
            acts.map(([act, label, key, isDisabled]) => (
              <Button
                key={act}
                variant={act === 'assign' ? 'filled' : 'default'}
                disabled={isDisabled}
                onClick={() => onAct(act, transfer)}
                rightSection={<Kbd size="xs">{key}</Kbd>}
              >
                {label}
              </Button>
            ))}
          <BankDifference requisiteId={transfer.requisiteId} />
        </div>
        <TransferFacts transfer={transfer} />
        <section>
          <h2>Payments that it may be for</h2>
          {transfer.suggestions.length === 0 ? (
            <p className="quiet">
              No payment waits for such money. Split finds a payment by its order or amount; ignore what belongs to no
              payment.
            </p>
          ) : (
            <Candidates transfer={transfer} chosen={chosen} onChoose={onChoose} />
          )}
        </section>
      </div>
      <AssignEffect transfer={transfer} chosen={chosen} />
    </>
  )
}
