import type { PaymentStatus } from '../../../src/rules/payments/payment.ts'
import { Fact } from './facts.tsx'
import { MaskedNumber } from './masked-number.tsx'
import { MoneyText } from './money-text.tsx'
import { PaymentBadge } from './status-badge.tsx'
import { say } from '../language.ts'

type Head = {
  readonly amount: number
  readonly currency: string
  readonly status: PaymentStatus
  readonly statusReason: string
}

/** The first line about a payment: its amount, its status and the reason for it. */
export const PaymentHead = ({ payment }: { readonly payment: Head }) => (
  <div className="drawer-amount">
    <MoneyText amount={payment.amount} currency={payment.currency} bold />
    <PaymentBadge status={payment.status} />
    <span className="quiet">{say(payment.statusReason)}</span>
  </div>
)

type Received = { readonly currency: string; readonly receivedAmount: number; readonly finalAmount?: number }

/** What was received for a payment, and what was credited if that is another amount. */
export const ReceivedFacts = ({ payment }: { readonly payment: Received }) => (
  <>
    <Fact name="Received">
      <MoneyText amount={payment.receivedAmount} currency={payment.currency} />
    </Fact>
    {payment.finalAmount !== undefined && (
      <Fact name="Credited">
        <MoneyText amount={payment.finalAmount} currency={payment.currency} />
      </Fact>
    )}
  </>
)

/** The metadata that the merchant sent with the payment. */
export const MetadataFact = ({
  payment,
}: {
  readonly payment: { readonly metadata?: Readonly<Record<string, string>> }
}) =>
  payment.metadata === undefined ? null : (
    <Fact name="Metadata">
      {Object.entries(payment.metadata).map(([name, value]) => (
        <span key={name} className="pair">
          <span className="quiet">{name}</span> {value}
        </span>
      ))}
    </Fact>
  )

/**
 * The payer: the number as far as it is known, and the merchant's id of its user. With the path of the payment operators
 * may reveal the number.
 */
export const PayerFact = ({
  payment: { sourcePan, userId },
  path,
}: {
  readonly payment: { readonly sourcePan: string; readonly userId: string }
  readonly path?: string
}) => (
  <Fact name="Payer">
    {sourcePan !== '' && path !== undefined ? (
      <MaskedNumber masked={sourcePan} of="the payer" path={path} />
    ) : (
      sourcePan || <span className="quiet">not known yet</span>
    )}
    <span className="quiet small">user {userId}</span>
  </Fact>
)
