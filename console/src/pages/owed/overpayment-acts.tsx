import { Select, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { OverpaymentDecision } from '../../../../src/rules/transfers/overpayment.ts'
import type { Overpayment } from '../../../../src/operations/overpayments.ts'
import { api } from '../../api/client.ts'
import { requisiteChoices, requisiteName } from '../../api/requisites.ts'
import { amountPattern, formatMoney, readDecimal } from '../../money.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { LedgerPreview } from '../../parts/ledger-preview.tsx'
import { typed } from '../../parts/typed.ts'

const words: Readonly<Record<OverpaymentDecision, { text: string; confirm: string; about: string }>> = {
  refund: {
    text: 'Refund booked…',
    confirm: 'Book the refund',
    about: 'The money went back to the payer from one of your accounts. Payin sends no money: it records what you did.',
  },
  assign: {
    text: 'Credit the merchant…',
    confirm: 'Credit the merchant',
    about: "The merchant gets it, at the payment's rate and fee.",
  },
  'write-off': {
    text: 'Keep…',
    confirm: 'Keep the money',
    about:
      'It stays here, but is no income: the payer may still ask for it. For large sums, draft an adjustment, which another person posts.',
  },
}

type Props = {
  readonly overpayment: Overpayment
  readonly decision: OverpaymentDecision
  readonly requisiteId: string | undefined
}

/** Decides about an overpayment, after showing the entries. */
export const OverpaymentAct = ({ overpayment, decision, requisiteId: usual }: Props) => {
  const { merchantId, paymentId, orderId, currency } = overpayment
  const { text, confirm, about } = words[decision]
  const amountText = amountPattern(currency)
  const [amount, setAmount] = useState('')
  const [reason, setReason] = useState('')
  const [requisiteId, setRequisiteId] = useState<string | null>(usual ?? null)
  const [reference, setReference] = useState('')
  const { data: requisites = [] } = useQuery({ ...requisiteChoices, enabled: decision === 'refund' })
  const isRefund = decision === 'refund'
  const path = `/overpayments/${merchantId}/${paymentId}`
  const body = {
    reference,
    decision,
    ...(amountText.test(amount) ? { amount: Number(amount) } : {}),
    ...(isRefund && requisiteId !== null ? { requisiteId } : {}),
  }
  return (
    <ActButton
      text={text}
      title={`${confirm} of ${orderId}?`}
      confirm={confirm}
      size="lg"
      isReady={
        reason.trim() !== '' && (amount === '' || amountText.test(amount)) && (!isRefund || requisiteId !== null)
      }
      run={() => api.post(`${path}/decisions`, { ...body, reason: reason.trim() })}
      changes={['overpayments', 'payments', 'overview']}
      done={`Decided about the money of ${orderId}`}
      isGrave={decision === 'write-off'}
      onOpen={() => setReference(`console ${crypto.randomUUID()}`)}
    >
      <p>{about}</p>
      <TextInput
        label={`Amount, in ${currency.toUpperCase()}`}
        description={`Leave empty for everything owed, ${formatMoney(overpayment.amount, currency)}.`}
        value={amount}
        error={amount !== '' && !amountText.test(amount)}
        inputMode="decimal"
        onChange={(event) => setAmount(readDecimal(event.currentTarget.value.trim()))}
      />
      {isRefund && (
        <Select
          label="From the account"
          data={requisites
            .filter((each) => each.currency === currency)
            .map((each) => ({ value: each.id, label: requisiteName(each) }))}
          value={requisiteId}
          onChange={setRequisiteId}
          searchable
          allowDeselect={false}
        />
      )}
      <Textarea label="Reason" maxLength={500} autosize {...typed(reason, setReason)} />
      {reference !== '' && (!isRefund || requisiteId !== null) && (
        <LedgerPreview
          path={`${path}/preview`}
          body={{ ...body, reason: 'A preview' }}
          names={{ [paymentId]: orderId }}
        />
      )}
    </ActButton>
  )
}
