import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { TrialBalanceAnswer } from '../../../../src/operations/ledger.ts'
import { Link } from '@tanstack/react-router'
import { api, type Query } from '../../api/client.ts'
import { useLive } from '../../live.ts'
import { CsvButton } from '../../parts/csv-button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ModeChoice, useMode } from '../../parts/mode-choice.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { Ageing } from './ageing.tsx'
import { kindOf, kindPages, kindWords } from './account-words.ts'
import { LedgerViews } from './ledger-views.tsx'
import { language, sayWord } from '../../language.ts'

/** What a kind of account holds, and where that is listed one by one. */
const Meaning = ({ kind, mode }: { readonly kind: string; readonly mode: Query }) => {
  if (!(kind in kindPages)) return <span className="quiet small">{kindWords[kind]}</span>
  const { to, text, ...place } = kindPages[kind as keyof typeof kindPages]
  return (
    <span className="quiet small">
      {kindWords[kind]}:{' '}
      <Link to={to} search={{ ...mode, ...('search' in place && place.search) }}>
        {text}
      </Link>
    </span>
  )
}

/** Whether debits and credits of each currency are equal, by kind of account. */
export const TrialBalance = () => {
  const { refetchInterval } = useLive()
  const mode = useMode()
  const { data, error, refetch } = useQuery({
    queryKey: ['ledger', 'trial-balance', mode],
    queryFn: () => api.get<TrialBalanceAnswer>('/ledger/trial-balance', mode),
    refetchInterval: refetchInterval && refetchInterval * 2,
  })
  const byCurrency = Map.groupBy(data?.rows ?? [], ({ currency }) => currency)
  return (
    <>
      <PageHead title="Ledger">
        <ModeChoice />
        <LedgerViews own="/ledger/trial-balance" />
        <CsvButton path="/ledger/trial-balance" query={mode} />
      </PageHead>
      {error !== null && <ProblemMessage error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton height={240} radius={10} role="status" aria-label="Loading" />}
      {data !== undefined && (
        <p className={data.balanced ? 'balanced' : 'balanced not'}>
          <Icon name={data.balanced ? 'check' : 'alert'} />
          {data.balanced
            ? 'Debits and credits are equal in each currency.'
            : 'Debits and credits differ: check Health, and do not book anything by hand.'}
        </p>
      )}
      <div className="trial-list">
        {[...byCurrency].map(([currency, rows]) => (
          <section key={currency} className="panel trial" aria-label={currency.toUpperCase()} tabIndex={0}>
            <table className="trial-table">
              <thead>
                <tr>
                  <th scope="col">{currency.toUpperCase()}</th>
                  <th scope="col">Accounts</th>
                  <th scope="col">Debit</th>
                  <th scope="col">Credit</th>
                </tr>
              </thead>
              <tbody>
                {rows.map(({ kind, accounts, debit, credit }) => (
                  <tr key={kind}>
                    <td>
                      <span className="strong">
                        {kind
                          .split(':')
                          .map((part) => sayWord(part, ['account']))
                          .join(' · ')}
                      </span>{' '}
                      <Meaning kind={kindOf(kind)} mode={mode} />
                    </td>
                    <td>{accounts.toLocaleString(language)}</td>
                    <td>{Number(debit) === 0 ? '' : <MoneyText amount={debit} currency={currency} inColumn />}</td>
                    <td>{Number(credit) === 0 ? '' : <MoneyText amount={credit} currency={currency} inColumn />}</td>
                  </tr>
                ))}
              </tbody>
              {data?.totals
                .filter((total) => total.currency === currency)
                .map(({ debit, credit }) => (
                  <tfoot key={currency}>
                    <tr>
                      <th scope="row">Total</th>
                      <td />
                      <td>
                        <MoneyText amount={debit} currency={currency} bold inColumn />
                      </td>
                      <td>
                        <MoneyText amount={credit} currency={currency} bold inColumn />
                      </td>
                    </tr>
                  </tfoot>
                ))}
            </table>
          </section>
        ))}
        <Ageing mode={mode} />
      </div>
    </>
  )
}
