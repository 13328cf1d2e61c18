import type { TransferDetails } from '../../../../src/operations/inbox.ts'
import { LedgerEntries } from '../../parts/ledger-entries.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { PaymentBadge } from '../../parts/status-badge.tsx'
import { UndoNote } from './undo-note.tsx'

/** What taking a candidate does, as far as known. */
export type Effect = Pick<TransferDetails['suggestions'][number], 'payments' | 'revocable' | 'whyIrrevocable'>

/** What becomes of each payment that gets money. */
export const PaymentChanges = ({ payments = [] }: Effect) => (
  <ul className="payment-changes">
    {payments.map(({ paymentId, orderId, before, after, finalAmount, currency }) => (
      <li key={paymentId}>
        <span className="strong">{orderId}</span>
        <PaymentBadge status={before} />
        {before === after ? (
          <span className="quiet small">stays so</span>
        ) : (
          <>
            <span className="quiet" aria-label="becomes">
              →
            </span>
            <PaymentBadge status={after} />
          </>
        )}
        {finalAmount !== undefined && (
          <span className="small">
            with <MoneyText amount={finalAmount} currency={currency} />
          </span>
        )}
      </li>
    ))}
  </ul>
)

/** What taking a candidate does: to payments, in the ledger, and whether it can be undone. */
export const AssignEffect = ({ transfer, chosen }: { readonly transfer: TransferDetails; readonly chosen: number }) => {
  const candidate = transfer.suggestions[chosen]
  if (candidate === undefined) return null
  const names = {
    [transfer.requisiteId]: transfer.requisite?.label ?? transfer.requisite?.number,
    ...Object.fromEntries(
      transfer.suggestions.flatMap(({ merchantId, merchantName, paymentId, orderId }) => [
        [merchantId, merchantName],
        [paymentId, orderId],
      ]),
    ),
  }
  return (
    <section className="matched-effect">
      <div className="effect-head">
        <h2>What assigning it does</h2>
        <PaymentChanges {...candidate} />
      </div>
      <LedgerEntries
        entries={candidate.entries ?? []}
        names={names}
        empty={candidate.refused ?? 'It would write nothing.'}
      />
      {candidate.revocable !== undefined && (
        <p className="small effect-undo">
          <UndoNote previews={[candidate]} />
        </p>
      )}
    </section>
  )
}
