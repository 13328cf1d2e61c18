import { Link } from '@tanstack/react-router'
import type { PaymentSummaryAnswer } from '../../../../src/operations/payment-summary.ts'
import type { Query } from '../../api/client.ts'
import { MoneyText } from '../../parts/money-text.tsx'
import { percent } from './period.ts'
import { language } from '../../language.ts'

type Row = PaymentSummaryAnswer['total'] & { readonly key: string; readonly filters: Query }

type Props = { readonly title: string; readonly first: string; readonly rows: readonly Row[] }

/** The payments of a period, broken down by one property; each line opens the list of its payments. */
export const Breakdown = ({ title, first, rows }: Props) => {
  const most = Math.max(1, ...rows.map(({ created }) => created))
  return (
    <section className="panel overview-panel" aria-label={title}>
      <h3>{title}</h3>
      <table className="breakdown">
        <thead>
          <tr>
            <th scope="col">{first}</th>
            <th scope="col">Created</th>
            <th scope="col">Paid</th>
            <th scope="col">Success</th>
            <th scope="col">Credited</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, filters, created, paid, successRate, credited }) => (
            <tr key={key}>
              <th scope="row">
                <Link to="/payments" search={filters}>
                  {key}
                </Link>
                <span className="breakdown-bar" aria-hidden="true">
                  <span style={{ width: `${(created / most) * 100}%` }}>
                    <span style={{ width: `${created === 0 ? 0 : (paid / created) * 100}%` }} />
                  </span>
                </span>
              </th>
              <td>{created.toLocaleString(language)}</td>
              <td>{paid.toLocaleString(language)}</td>
              <td>{percent(successRate)}</td>
              <td>
                {credited.length === 0
                  ? '–'
                  : credited.map(({ amount, currency }) => (
                      <span key={currency} className="second-line">
                        <MoneyText amount={amount} currency={currency} />
                      </span>
                    ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
