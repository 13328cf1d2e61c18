import { MoneyText } from './money-text.tsx'
import { Moment } from './moment.tsx'
import { say, sayAccount } from '../language.ts'

type Entry = {
  readonly kind: string
  readonly debit: string
  readonly credit: string
  readonly debitName?: string
  readonly creditName?: string
  readonly currency: string
  readonly amount: number
  readonly postedAt?: string
}

type Props = {
  readonly entries: readonly Entry[]
  /** Names of merchants and requisites by the ids in accounts. */
  readonly names: Readonly<Record<string, string | undefined>>
  readonly empty: string
}

/** Ledger entries: from which account to which one, and how much. */
export const LedgerEntries = ({ entries, names, empty }: Props) => {
  const nameAccount = (account: string): string => sayAccount(account.split(':').map((part) => names[part] ?? part))
  if (entries.length === 0) return <p className="quiet">{empty}</p>
  return (
    <ul className="entries">
      {entries.map((entry, index) => (
        <li key={`${index} ${entry.debit}`}>
          <span className="entry-kind">{say(entry.kind)}</span>
          <span className="entry-way">
            <span>{nameAccount(entry.debitName ?? entry.debit)}</span>
            <span className="quiet" aria-label="to">
              →
            </span>
            <span>{nameAccount(entry.creditName ?? entry.credit)}</span>
          </span>
          <span className="entry-amount">
            <MoneyText amount={entry.amount} currency={entry.currency} />
          </span>
          {entry.postedAt !== undefined && (
            <span className="quiet small entry-time">
              <Moment at={entry.postedAt} />
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}
