import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { AgeingAnswer } from '../../../../src/operations/ledger.ts'
import { type Age, ages, waitingKinds } from '../../../../src/rules/notices/waiting.ts'
import { api, type Query } from '../../api/client.ts'
import { MoneyText } from '../../parts/money-text.tsx'
import { language } from '../../language.ts'

type Row = AgeingAnswer['rows'][number]

const kindNames: Readonly<Record<Row['kind'], string>> = {
  outgoing: 'Outgoing money to explain',
  overpayments: 'Overpayments',
  transfers: 'Transfers to match',
}
const ageNames: Readonly<Record<Age, string>> = {
  day: 'A day',
  week: 'A week',
  month: '30 days',
  older: 'Longer',
}

const Line = ({ rows }: { readonly rows: readonly Row[] }) => {
  const [first] = rows
  if (first === undefined) return null
  const { page, ...place } = waitingKinds[first.kind]
  return (
    <tr>
      <td>
        <Link to={page} search={'search' in place ? place.search : {}}>
          {kindNames[first.kind]}
        </Link>{' '}
        <span className="quiet small">{first.currency.toUpperCase()}</span>
      </td>
      {ages.map((age) => {
        const row = rows.find((each) => each.age === age)
        return (
          <td key={age} data-age={ageNames[age]}>
            {row !== undefined && (
              <>
                <MoneyText amount={row.amount} currency={row.currency} inColumn />
                <span className="second-line quiet small">{row.count.toLocaleString(language)}</span>
              </>
            )}
          </td>
        )
      })}
    </tr>
  )
}

/** How long money has waited that nobody has decided about, since its bank booked it. */
export const Ageing = ({ mode }: { readonly mode: Query }) => {
  const { data } = useQuery({
    queryKey: ['ledger', 'ageing', mode],
    queryFn: () => api.get<AgeingAnswer>('/ledger/ageing', mode),
  })
  if (data === undefined || data.rows.length === 0) return null
  return (
    <section className="panel trial" aria-label="How long money has waited" tabIndex={0}>
      <table className="trial-table ageing">
        <thead>
          <tr>
            <th scope="col">How long money has waited</th>
            {ages.map((age) => (
              <th key={age} scope="col">
                {ageNames[age]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...Map.groupBy(data.rows, ({ kind, currency }) => `${kind} ${currency}`)].map(([key, rows]) => (
            <Line key={key} rows={rows} />
          ))}
        </tbody>
      </table>
    </section>
  )
}
