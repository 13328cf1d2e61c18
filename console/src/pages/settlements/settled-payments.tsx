import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { settledEntries } from '../../api/settlements.ts'
import { CsvButton } from '../../parts/csv-button.tsx'
import { entryWords } from '../../parts/entry-words.ts'
import { Moment } from '../../parts/moment.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { PaymentLink } from '../../parts/payment-link.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'

type Props = { readonly settlement: { readonly merchantId: string; readonly id: string } }

/** The payments that a settlement pays out, and what else moved the balance since the settlement before it. */
export const SettledPayments = ({ settlement: { merchantId, id } }: Props) => {
  const key = `${merchantId}/${id}`
  const { data, error, refetch } = useQuery(settledEntries(key))
  if (data === undefined) return error && <ProblemMessage error={error} onRetry={() => void refetch()} />
  return (
    <section>
      <Group justify="space-between">
        <h2>Payments in it</h2>
        <CsvButton path={`/settlements/${key}/entries`} />
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
                <span>
                  <PaymentLink merchantId={merchantId} paymentId={entry.paymentId} orderId={entry.orderId} />
                </span>
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
