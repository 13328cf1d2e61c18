import { NumberInput, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { currencyDecimals } from '../../../../src/rules/values/currency.ts'
import type { SimulatedEvent, SimulatedReporter } from '../../../../src/rules/sandbox/simulation.ts'
import type { Timeline } from '../../../../src/operations/payments.ts'
import { api } from '../../api/client.ts'
import { merchants } from '../../api/merchants.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { useMay } from '../../session.ts'

/** What may be simulated, in words. */
const events: Readonly<Record<SimulatedEvent, string>> = {
  paid: 'The payer sends the amount',
  partial: 'The payer sends half',
  underpaid: 'The payer sends too little, and the time ends',
  overpaid: 'The payer sends too much',
  late: 'The payer sends the amount late',
  expired: 'The time ends',
  duplicate: 'The payer sends the amount twice',
  reversed: 'The bank takes the money back',
  'dispute-opened': 'A dispute is opened',
  'dispute-accepted': 'A dispute is accepted',
  'dispute-rejected': 'A dispute is rejected',
  failed: 'The service closes it',
  'ack-overdue': 'The merchant does not acknowledge it',
  settled: 'The merchant’s balance is paid out',
  refunded: 'A refund reaches the payer',
  'refund-failed': 'A refund does not reach the payer',
}

const choices = Object.entries(events).map(([value, label]) => ({ value, label }))

/** Who reports the money, in words. */
const reporters: Readonly<Record<SimulatedReporter, string>> = {
  feed: "The bank's feed",
  message: "The bank's message on a phone (roubles)",
  statement: "Only the bank's file",
}

const reporterChoices = Object.entries(reporters).map(([value, label]) => ({ value, label }))

const start = { event: 'paid', amount: '' as number | string, reportedBy: 'feed' }

/** Lets the simulated bank, payer or operator act on a payment; shows nothing for a live merchant's payment. */
export const SimulatePayment = ({ payment }: { readonly payment: Timeline }) => {
  const maySimulate = useMay('decide')
  const { data } = useQuery(merchants)
  const [given, setGiven] = useState(start)
  if (!maySimulate || data?.find(({ id }) => id === payment.merchantId)?.mode !== 'sandbox') return null
  const { event, amount, reportedBy } = given
  return (
    <ActButton
      text="Simulate…"
      title={`Simulate something for ${payment.orderId}`}
      confirm="Simulate it"
      onOpen={() => setGiven(start)}
      run={() =>
        api.post(`/payments/${payment.merchantId}/${payment.id}/simulate`, {
          event,
          ...(amount === '' ? {} : { amount: Number(amount) }),
          reportedBy,
        })
      }
      changes={['payments']}
      done={
        reportedBy === 'statement'
          ? 'Only the simulated bank knows it: import its file under Statements'
          : 'It happens within a second'
      }
    >
      <Select
        label="What happens"
        data={choices}
        value={event}
        allowDeselect={false}
        onChange={(chosen) => setGiven({ ...given, event: chosen ?? event })}
      />
      <NumberInput
        label={`Another amount, in ${payment.currency.toUpperCase()}`}
        description="To send, take back, claim, credit or refund instead of the usual one"
        placeholder="the usual one"
        min={0}
        decimalScale={currencyDecimals(payment.currency)}
        hideControls
        value={amount}
        onChange={(typed) => setGiven({ ...given, amount: typed })}
      />
      <Select
        label="Who reports the money"
        data={reporterChoices}
        value={reportedBy}
        allowDeselect={false}
        onChange={(chosen) => setGiven({ ...given, reportedBy: chosen ?? reportedBy })}
      />
    </ActButton>
  )
}
