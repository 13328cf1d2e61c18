import { NumberInput, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Static } from 'typebox'
import { refundStatuses } from '../../../src/rules/transfers/refund.ts'
import type { OwnTimeline } from '../../../src/http/merchant-api/payment-timeline.ts'
import { RefundDetails, RefundStatus } from '../../../src/operations/refunds.ts'
import { own, ownActs } from '../api/portal.ts'
import { formatMoney } from '../money.ts'
import { ActButton } from '../parts/act-button.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { FieldFacts } from '../parts/field-facts.tsx'
import { MoneyText } from '../parts/money-text.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { typed } from '../parts/typed.ts'
import { useScope } from '../session.ts'
import { columnsOf } from '../table/field-columns.tsx'
import { ListPage } from '../table/list-page.tsx'

type OwnRefund = Static<typeof RefundDetails>

const changes = ['refunds', 'balance', 'payments']

/** Asks how much to give back, and why. */
export const AskForRefund = ({ payment }: { readonly payment: OwnTimeline }) => {
  const { orderId, currency } = payment
  const whole = payment.finalAmount ?? payment.receivedAmount
  const [amount, setAmount] = useState<number | string>(whole)
  const [reason, setReason] = useState('')
  const [payTo, setPayTo] = useState('')
  const [reference, setReference] = useState('')
  const wanted = {
    ...{ reference, amount: Number(amount) },
    ...(reason.trim() !== '' && { reason: reason.trim() }),
    ...(payTo.trim() !== '' && { payTo: payTo.trim() }),
  }
  return (
    <ActButton
      text="Refund…"
      title={`Refund ${orderId}?`}
      confirm="Ask for the refund"
      run={() => ownActs.refund(orderId, wanted)}
      changes={changes}
      isReady={wanted.amount > 0}
      done={`The refund of ${orderId} waits for the operator`}
      onOpen={() => setReference(crypto.randomUUID())}
    >
      <p className="quiet">
        Your balance pays for it at once. The operator sends it to the account that paid; if that does not work, your
        balance gets the money back.
      </p>
      <NumberInput
        label={`Amount, in ${currency.toUpperCase()}`}
        description={`At most ${formatMoney(whole, currency)}, less earlier refunds.`}
        value={amount}
        onChange={setAmount}
        min={0}
        decimalScale={4}
        hideControls
        required
        withAsterisk={false}
      />
      <Textarea label="Reason" maxLength={500} autosize {...typed(reason, setReason)} />
      <TextInput
        label="Account of the payer"
        description="Only if the operator asks for it, because the bank has not named it."
        maxLength={200}
        {...typed(payTo, setPayTo)}
      />
    </ActButton>
  )
}

const Content = ({ refund }: { readonly refund: OwnRefund }) => {
  const mayCancel = useScope('refunds:write') && (refund.status === 'requested' || refund.status === 'approved')
  return (
    <>
      <div className="drawer-amount">
        <MoneyText amount={refund.amount} currency={refund.currency} bold />
        <StatusBadge of={RefundStatus} word={refund.status} />
      </div>
      {mayCancel && (
        <div className="drawer-actions portal-actions">
          <ActButton
            text="Cancel the refund…"
            title={`Cancel the refund of ${refund.orderId}?`}
            confirm="Cancel the refund"
            run={() => ownActs.cancelRefund(refund.id)}
            changes={changes}
            done={`The refund of ${refund.orderId} is canceled`}
          >
            <p>Nothing was sent yet. Your balance gets its money back.</p>
          </ActButton>
        </div>
      )}
      <FieldFacts
        of={RefundDetails}
        value={refund}
        facts={[
          'orderId',
          { name: 'Your balance', cell: ({ balanceChange }: OwnRefund) => <MoneyText {...balanceChange} /> },
          { field: 'failure', name: 'Why it ended' },
          'reason',
          'payTo',
          'reference',
          { field: 'createdAt', name: 'Asked' },
          { field: 'changedAt', name: 'Changed' },
          { field: 'id', name: 'Refund' },
        ]}
      />
    </>
  )
}

const columns = columnsOf<OwnRefund>(RefundDetails, [
  { field: 'orderId', isStrong: true, second: 'createdAt' },
  { field: 'reason', rank: 3 },
  { field: 'amount', rank: 0, whenNarrow: 'status' },
  { field: 'status', rank: 2 },
  'changedAt',
])

/** What the merchant gives back to its payers. */
export const OwnRefunds = () => (
  <ListPage<OwnRefund>
    title="Refunds"
    path={own('/refunds')}
    rowsName="refunds"
    columns={columns}
    keyOf={({ id }) => id}
    filters={[{ name: 'status', label: 'Any status', options: refundStatuses, width: 132 }]}
    empty={<EmptyState title="No refunds yet">Open a paid payment to give money back to its payer.</EmptyState>}
    details={{ title: ({ orderId }) => orderId, content: (refund) => <Content refund={refund} /> }}
  />
)
