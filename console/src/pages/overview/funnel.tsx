import type { PaymentSummaryAnswer } from '../../../../src/operations/payment-summary.ts'
import { percent } from './period.ts'
import { language } from '../../language.ts'

type Totals = PaymentSummaryAnswer['total']

const steps = [
  ['created', 'Created', 'by merchants'],
  ['shown', 'Shown', 'the payer saw where to pay'],
  ['claimed', 'Claimed', 'the payer said so, or money arrived'],
  ['paid', 'Paid', 'credited to the merchant'],
] as const

/** How many payments reached each step. */
export const Funnel = ({ total }: { readonly total: Totals }) => (
  <section className="panel overview-panel" aria-labelledby="funnel">
    <h3 id="funnel">How far payments get</h3>
    <ol className="funnel">
      {steps.map(([step, name, why], index) => {
        const count = total[step]
        const before = steps[index - 1]?.[0]
        const lost = before === undefined ? 0 : total[before] - count
        return (
          <li key={step}>
            <span className="funnel-words">
              <span>
                <span className="strong">{name}</span> <span className="quiet small">{why}</span>
              </span>
              <span className="figures">
                <span className="strong">{count.toLocaleString(language)}</span>{' '}
                <span className="quiet small">{total.created === 0 ? '' : percent(count / total.created)}</span>
              </span>
            </span>
            <span className="funnel-bar">
              <span style={{ width: `${total.created === 0 ? 0 : (count / total.created) * 100}%` }} />
            </span>
            {lost > 0 && <span className="quiet small figures">{lost.toLocaleString(language)} went no further</span>}
          </li>
        )
      })}
    </ol>
  </section>
)
