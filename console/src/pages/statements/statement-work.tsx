import { Button, Progress } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { PartKind } from '../../../../src/rules/transfers/transfer.ts'
import type { DetailedStatement } from '../../../../src/operations/statements.ts'
import { language } from '../../language.ts'

type Props = { readonly statement: DetailedStatement }

/** Where a statement's money is, in words that follow a number. */
const places: Readonly<Record<string, string>> = {
  payment: 'credited to payments',
  overpayment: 'owed to payers',
  suspense: 'wait for a decision',
  ignored: 'ignored',
  duplicate: 'known money',
  reversed: 'taken back by the bank',
  withdrawn: 'withdrawn',
  open: 'taken back, from an unknown transfer',
} satisfies Readonly<Record<PartKind | 'open', string>>

const UnderWay = ({ statement, verb }: Props & { readonly verb: string }) => {
  const { progress, counts } = statement
  const share = counts.rows === 0 ? 100 : Math.min(100, (progress / counts.rows) * 100)
  return (
    <section className="note panel work" aria-live="polite">
      <div className="work-line">
        <span className="strong">{verb}…</span>
        <span className="figures">
          {Math.min(progress, counts.rows).toLocaleString(language)} of {counts.rows.toLocaleString(language)} rows
        </span>
      </div>
      <Progress value={share} animated aria-label={`${verb} rows`} />
      <p className="quiet small">You may leave this page: the work continues.</p>
    </section>
  )
}

const Result = ({ statement }: Props) => {
  const sums = new Map<string, number>()
  for (const { kind, transfers } of statement.outcomes) sums.set(kind, (sums.get(kind) ?? 0) + transfers)
  const waiting = sums.get('suspense') ?? 0
  return (
    <section className="note panel work" aria-label="Result">
      <div className="work-line">
        <span className="outcomes">
          {sums.size === 0 && <span className="strong">Nothing in it was new.</span>}
          {[...sums].map(([kind, transfers]) => (
            <span key={kind}>
              <span className="strong figures">{transfers.toLocaleString(language)}</span> {places[kind] ?? kind}
            </span>
          ))}
          {statement.counts.outgoing > 0 && (
            <span>
              <span className="strong figures">{statement.counts.outgoing.toLocaleString(language)}</span> left the
              account
            </span>
          )}
        </span>
        {waiting > 0 && (
          <Button component={Link} to={`/matching?statementId=${statement.id}` as '/matching'}>
            Match {waiting.toLocaleString(language)}
          </Button>
        )}
      </div>
      {statement.withdrawalProposedBy !== undefined && (
        <p>
          {statement.withdrawalProposedBy} would withdraw it ({statement.withdrawalReason}): another operator must do
          the same.
        </p>
      )}
      {statement.withdrawalFailure !== undefined && (
        <p className="refused">Not withdrawn: {statement.withdrawalFailure}</p>
      )}
    </section>
  )
}

/** What is happening with a statement, or its result. */
export const StatementWork = ({ statement }: Props) => {
  if (statement.state === 'importing') return <UnderWay statement={statement} verb="Importing" />
  if (statement.state === 'withdrawing') return <UnderWay statement={statement} verb="Withdrawing" />
  if (statement.state === 'imported') return <Result statement={statement} />
  if (statement.state === 'ready')
    return (
      <p className="note quiet">
        Nothing has moved yet. Importing records the new rows; what clearly matches one payment is credited immediately,
        everything else waits in Matching.
      </p>
    )
  if (statement.state === 'refused')
    return (
      <p className="note quiet">
        The whole file was refused, so that no row is missed. Read it differently, or have it corrected.
      </p>
    )
  return null
}
