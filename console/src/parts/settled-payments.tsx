import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { BalanceEntry } from '../../../src/operations/settlements.ts'
import { settledEntries } from '../api/settlements.ts'
import { CsvButton } from './csv-button.tsx'
import { entryWords } from './entry-words.ts'
import { Moment } from './moment.tsx'
import { MoneyText } from './money-text.tsx'
import { ProblemMessage } from './problem-message.tsx'

type Props = {
  /** The path of its entries. */
  readonly at: string
  /** The link to the payment of an entry. */
  readonly linkOf: (entry: BalanceEntry) => ReactNode
}

/** The payments that a settlement pays out, and what else moved the balance since the settlement before it. */
export const SettledPayments = ({ at, linkOf }: Props) => {
  const { data, error, refetch } = useQuery(settledEntries(at))
  if (data === undefined) return error && <ProblemMessage error={error} onRetry={() => void refetch()} />
  return (
    <section>
      <Group justify="space-between">
        <h2>Payments in it</h2>
        <CsvButton path={at} />
      </Group>
      <p className="quiet small">
        And all else that moved the balance since the settlement before it. What a settlement of a part leaves, the next
        one pays out, too.
      </p>
      <ul className="plain-rows" aria-label="Payments in it">
        {data.entries.map((entry) => (
          <li key={entry.id}>
            <span className="plain-about">
              {entry.paymentId === undefined ? (
                <span>{entry.reference ?? entryWords[entry.kind] ?? entry.kind}</span>
              ) : (
                <span>{linkOf(entry)}</span>
              )}
              <span className="quiet small">
                {entryWords[entry.kind] ?? entry.kind}, <Moment at={entry.postedAt} />
              </span>
            </span>
            <MoneyText amount={entry.amount} currency={entry.currency} inColumn />
          </li>
        ))}
      </ul>
      {data.nextCursor !== undefined && (
        <p className="quiet small">These are the last {data.entries.length}; the CSV has all.</p>
      )}
    </section>
  )
}
