import { TextInput } from '@mantine/core'
import { useState } from 'react'
import type { WholeDay } from '../../../../src/operations/reconciliation.ts'
import { api } from '../../api/client.ts'
import { setOpenings } from '../../api/reconciliation.ts'
import { formatMoney, readDecimal } from '../../money.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { LedgerEntries } from '../../parts/ledger-entries.tsx'
import { ReasonField } from '../../parts/reason-field.tsx'

type Props = { readonly day: WholeDay }

export const balanceText = /^-?(0|[1-9]\d{0,12})(\.\d{1,3})?$/
export const dayText = /^\d{4}-\d{2}-\d{2}$/
const changes = ['reconciliation', 'ledger']

const BalanceField = ({
  label,
  value,
  onChange,
}: {
  label: string
  value: string
  onChange: (text: string) => void
}) => (
  <TextInput
    label={label}
    value={value}
    inputMode="decimal"
    error={value !== '' && !balanceText.test(value)}
    onChange={(event) => onChange(readDecimal(event.currentTarget.value.trim()))}
    data-autofocus
  />
)

/** Sets what an account held before its first day here. */
export const SetOpening = ({ day: { requisiteId, requisite, day, currency, opening, closings } }: Props) => {
  const difference = closings[0]?.difference ?? 0
  const [firstDay, setFirstDay] = useState(day)
  const [balance, setBalance] = useState(String(Math.round((opening + difference) * 1000) / 1000))
  const [reason, setReason] = useState('First statement of the bank')
  const isReady = balanceText.test(balance) && dayText.test(firstDay) && reason.trim() !== ''
  const [bank, opened] = [`bank:${requisiteId}`, 'opening']
  return (
    <ActButton
      text="Set the opening balance…"
      title="What did the account hold at the start?"
      confirm="Set the opening balance"
      run={() =>
        setOpenings({
          balances: [{ requisiteId, day: firstDay, balance: Number(balance), currency }],
          reason: reason.trim(),
        })
      }
      changes={changes}
      isReady={isReady}
      done={([set]) =>
        set?.proposed === true ? 'Proposed: another operator sets the same balance' : 'The opening balance is set'
      }
    >
      <p>
        It is set once, for the first day whose transfers are recorded here, and includes everything that the bank
        booked before.
      </p>
      <TextInput
        label="First day"
        description="The balance at the start of this day, in the zone of the account."
        placeholder="2026-01-31"
        value={firstDay}
        error={!dayText.test(firstDay)}
        onChange={(event) => setFirstDay(event.currentTarget.value.trim())}
      />
      <BalanceField label={`Balance in ${currency.toUpperCase()}`} value={balance} onChange={setBalance} />
      <ReasonField value={reason} onChange={setReason} />
      {isReady && Number(balance) !== 0 && (
        <LedgerEntries
          entries={[
            {
              kind: 'open',
              debit: Number(balance) > 0 ? bank : opened,
              credit: Number(balance) > 0 ? opened : bank,
              currency,
              amount: Math.abs(Number(balance)),
            },
          ]}
          names={{ [requisiteId]: requisite?.label ?? requisite?.number }}
          empty=""
        />
      )}
    </ActButton>
  )
}

/** Sets the balance that the bank reports for the end of a day. */
export const SetClosing = ({ day: { requisiteId, day, currency, ledger } }: Props) => {
  const [balance, setBalance] = useState('')
  return (
    <ActButton
      text="Set the closing balance…"
      title={`What did the account hold at the end of ${day}?`}
      confirm="Set the closing balance"
      run={() => api.put(`/requisites/${requisiteId}/closing-balances/${day}`, { balance: Number(balance), currency })}
      changes={changes}
      isReady={balanceText.test(balance)}
      done={`The closing balance of ${day} is set`}
    >
      <p>
        According to the bank, as its app or statement shows it. It is compared with the ledger, which has{' '}
        {formatMoney(ledger, currency)}; no money moves. It replaces what an operator set before.
      </p>
      <BalanceField label={`Balance in ${currency.toUpperCase()}`} value={balance} onChange={setBalance} />
    </ActButton>
  )
}
