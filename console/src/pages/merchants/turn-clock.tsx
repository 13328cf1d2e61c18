import { NumberInput, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { day, hour, minute } from '../../../../src/rules/time.ts'
import type { MerchantAnswer } from '../../../../src/operations/merchants.ts'
import type { TurnedClockAnswer } from '../../../../src/operations/sandbox.ts'
import { api } from '../../api/client.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { language } from '../../language.ts'

const units = [
  { value: String(minute), label: 'Minutes' },
  { value: String(hour), label: 'Hours' },
  { value: String(day), label: 'Days' },
]

const start = { count: 30 as number | string, unit: String(minute) }

const paymentsText = (count: number): string =>
  count === 1 ? '1 payment' : `${count.toLocaleString(language)} payments`

const disputesText = (count: number): string =>
  count === 1 ? '1 dispute' : `${count.toLocaleString(language)} disputes`

/** Turns the clock of a sandbox merchant forward. */
export const TurnClock = ({ merchant }: { readonly merchant: Pick<MerchantAnswer, 'id' | 'name'> }) => {
  const [given, setGiven] = useState(start)
  const forwardMs = Math.round(Number(given.count) * Number(given.unit))
  return (
    <ActButton<TurnedClockAnswer>
      text="Turn the clock…"
      title={`Turn the clock of ${merchant.name} forward`}
      confirm="Turn the clock"
      onOpen={() => setGiven(start)}
      run={() => api.post(`/merchants/${merchant.id}/clock`, { forwardMs })}
      changes={['payments', 'disputes', 'deliveries']}
      isReady={forwardMs > 0 && forwardMs <= 90 * day}
      done={({ payments, disputes }) => `It comes sooner for ${paymentsText(payments)} and ${disputesText(disputes)}`}
    >
      <p>
        Everything still to come for its payments, disputes and notifications comes that much sooner. Other merchants
        are not affected, and the clock cannot be turned back.
      </p>
      <NumberInput
        label="By"
        min={1}
        allowDecimal={false}
        hideControls
        value={given.count}
        onChange={(typed) => setGiven({ ...given, count: typed })}
      />
      <SegmentedControl
        aria-label="Unit"
        data={units}
        value={given.unit}
        onChange={(unit) => setGiven({ ...given, unit })}
      />
    </ActButton>
  )
}
