import type { TriedTermsAnswer } from '../../../../src/operations/terms.ts'
import { MoneyText } from '../../parts/money-text.tsx'
import { PaymentBadge } from '../../parts/status-badge.tsx'

type End = TriedTermsAnswer['changed'][number]['now']

const Ending = ({ end, currency }: { readonly end: End; readonly currency: string }) => (
  <span className="ending">
    <PaymentBadge status={end.status} /> <MoneyText amount={end.creditedAmount} currency={currency} />
    <span className="quiet small"> {end.statusReason}</span>
  </span>
)

/** How past transfers would have been matched with other terms. */
export const TriedTerms = ({ tried }: { readonly tried: TriedTermsAnswer }) => {
  const statuses = [...new Set([...Object.keys(tried.now), ...Object.keys(tried.tried)])].toSorted()
  return (
    <section className="panel" role="status">
      <h2>
        {tried.changedCount === 0
          ? `No payment would have ended differently: ${tried.payments} payments, ${tried.transfers} transfers`
          : `${tried.changedCount} of ${tried.payments} payments would have ended differently`}
      </h2>
      {tried.truncated && (
        <p className="quiet">There were more than one trial accepts; only the oldest were replayed.</p>
      )}
      {tried.changedCount > 0 && (
        <>
          <p className="quiet small">
            {statuses.map((status) => `${status}: ${tried.now[status] ?? 0} → ${tried.tried[status] ?? 0}`).join(' · ')}
          </p>
          <ul className="tried">
            {tried.changed.map(({ id, orderId, currency, now, tried: then }) => (
              <li key={id}>
                <span className="strong cut">{orderId}</span>
                <Ending end={now} currency={currency} />
                <span aria-label="becomes" className="quiet">
                  →
                </span>
                <Ending end={then} currency={currency} />
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
