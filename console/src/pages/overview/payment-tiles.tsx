import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { PaymentSummaryAnswer } from '../../../../src/operations/payment-summary.ts'
import type { Query } from '../../api/client.ts'
import { MoneyText } from '../../parts/money-text.tsx'
import { Sparkline } from '../../parts/sparkline.tsx'
import { percent, spanText, type Step } from './period.ts'
import { language, say } from '../../language.ts'

type TileProps = {
  readonly name: string
  readonly values: readonly number[]
  /** The filters of the list that the tile opens. */
  readonly filters: Query
  readonly note?: string
  readonly isWide?: boolean
  readonly children: ReactNode
}

const Tile = ({ name, values, filters, note, isWide = false, children }: TileProps) => (
  <li className={isWide ? 'figure-wide' : undefined}>
    <Link className="figure-tile panel" to="/payments" search={filters}>
      <span className="quiet small">{name}</span>
      <span className="figure-value">{children}</span>
      <span className="figure-foot quiet small">
        <span>{note}</span>
        <Sparkline values={values} />
      </span>
    </Link>
  </li>
)

type Props = {
  readonly summary: PaymentSummaryAnswer
  readonly steps: readonly Step[]
  readonly filters: Query
}

/** The figures of a period, each with its trend; a click opens the list of the payments. */
export const PaymentTiles = ({ summary: { total, medianMs, to }, steps: all, filters }: Props) => {
  // A trend ends with the current hour or day: the hours of today that have not begun would end it with zeros.
  const steps = all.filter(({ at }) => at < Date.parse(to))
  const { created, paid, credited, successRate } = total
  const main = credited.toSorted((one, other) => Number(other.amount) - Number(one.amount))[0]?.currency ?? ''
  const paidOnly = { ...filters, status: 'paid' }
  return (
    <ul className="figure-tiles" aria-label="Figures">
      <Tile name="Created" values={steps.map((step) => step.created)} filters={filters}>
        {created.toLocaleString(language)}
      </Tile>
      <Tile name="Paid" values={steps.map((step) => step.paid)} filters={paidOnly}>
        {paid.toLocaleString(language)}
      </Tile>
      <Tile
        name="Credited"
        note="before reversals and assigned overpayments, which only the ledger has"
        isWide
        values={steps.map((step) => step.credited.get(main) ?? 0)}
        filters={paidOnly}
      >
        {credited.length === 0
          ? '–'
          : credited.map(({ amount, currency }) => (
              <span key={currency} className="figure-money">
                <MoneyText amount={amount} currency={currency} />
              </span>
            ))}
      </Tile>
      <Tile
        name="Success rate"
        values={steps
          .filter((step) => step.paid + step.expired > 0)
          .map((step) => step.paid / (step.paid + step.expired))}
        filters={{ ...filters, status: 'expired' }}
      >
        {percent(successRate)}
      </Tile>
      <Tile name="Time to paid" note={say('median')} values={[]} filters={paidOnly}>
        {medianMs === undefined ? '–' : spanText(medianMs)}
      </Tile>
    </ul>
  )
}
