import type { Timeline } from '../../../../src/operations/payments.ts'
import { DeliveryStatus } from '../../../../src/operations/deliveries.ts'
import { personName } from '../../parts/field-values.tsx'
import { type Happening, Happenings } from '../../parts/happenings.tsx'
import { MaskedNumber } from '../../parts/masked-number.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { ReportedByOf } from '../../parts/reported-by.tsx'
import { PaymentBadge, StatusBadge } from '../../parts/status-badge.tsx'
import { say } from '../../language.ts'

/** The parts of a payment that its history shows. */
export type Happened = Pick<
  Timeline,
  'currency' | 'transfers' | 'disputes' | 'deliveries' | 'claimedAt' | 'claimReceivedAt' | 'acknowledgedAt'
> & { readonly events: readonly Omit<Timeline['events'][number], 'trigger'>[] }

const statusesOf = ({ events }: Happened): Happening[] =>
  events.map(({ sequence, status, statusReason, actor, at }) => ({
    key: `event ${sequence}`,
    at,
    what: <PaymentBadge status={status} />,
    details: `${say(statusReason)}, by ${personName(actor)}`,
  }))

const transfersOf = ({ transfers, currency }: Happened): Happening[] =>
  transfers.map(({ requisiteId, id, kind, amount, outcome, by, note, bookedAt, sender, bankReference }) => ({
    key: `transfer ${id} ${kind}`,
    at: bookedAt,
    what: (
      <>
        Money came: <MoneyText amount={amount} currency={currency} />
      </>
    ),
    details: (
      <>
        {say(outcome)}, by {personName(by)}
        {note !== undefined && <>: {note}</>}
        {sender !== undefined && (
          <>
            {' '}
            · from <MaskedNumber masked={sender} of="the sender" path={`/transfers/${requisiteId}/${id}`} />
          </>
        )}
        {bankReference !== undefined && <> · {bankReference}</>}
        <ReportedByOf transfer={`${requisiteId}/${id}`} />
      </>
    ),
  }))

const disputesOf = ({ disputes, currency }: Happened): Happening[] =>
  disputes.map(({ id, state, reason, amount, openedAt }) => ({
    key: `dispute ${id}`,
    at: openedAt,
    what: (
      <>
        Dispute about <MoneyText amount={amount} currency={currency} />
      </>
    ),
    details: `${say(reason)}, now ${say(state)}`,
  }))

const deliveriesOf = ({ deliveries }: Happened): Happening[] =>
  deliveries.map(({ eventId, endpointId, type, status, attempts, queuedAt }) => ({
    key: `delivery ${eventId} ${endpointId}`,
    at: queuedAt,
    what: (
      <>
        <code>{type}</code> to the merchant <StatusBadge of={DeliveryStatus} word={status} />
      </>
    ),
    details: attempts === 1 ? '1 attempt' : `${attempts} attempts`,
  }))

const claimsOf = ({ claimedAt, claimReceivedAt, acknowledgedAt }: Happened): Happening[] => [
  ...(claimedAt === undefined ? [] : [{ key: 'claimed', at: claimedAt, what: 'The payer said “I have paid”' }]),
  ...(claimReceivedAt === undefined
    ? []
    : [{ key: 'claim', at: claimReceivedAt, what: 'The payer claimed to have paid the closed payment' }]),
  ...(acknowledgedAt === undefined
    ? []
    : [{ key: 'acknowledged', at: acknowledgedAt, what: 'The merchant acknowledged it' }]),
]

/** The history of a payment as one timeline. */
export const PaymentEvents = ({ payment }: { readonly payment: Happened }) => {
  const happenings = [statusesOf, transfersOf, disputesOf, deliveriesOf, claimsOf]
    .flatMap((read) => read(payment))
    .toSorted((a, b) => a.at.localeCompare(b.at))
  return (
    <Happenings
      of={happenings.map(({ details, ...each }) => ({
        ...each,
        details: details !== undefined && <div className="quiet small">{details}</div>,
      }))}
    />
  )
}
