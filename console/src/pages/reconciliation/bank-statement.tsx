import { Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { type BankStatementFormat, bankStatementFormats } from '../../../../src/rules/statements/bank-statement.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ReasonField } from '../../parts/reason-field.tsx'
import { RequisiteField } from '../../parts/requisite-field.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { typed } from '../../parts/typed.ts'
import { dayText } from './set-balance.tsx'

const monthAgo = (): Date => {
  const now = new Date()
  return new Date(Date.UTC(now.getFullYear(), now.getMonth() - 1))
}

const dayOf = (date: Date): string => date.toISOString().slice(0, 10)

const names: Readonly<Record<BankStatementFormat, string>> = { '1c': '1C', 'camt.053': 'camt.053', csv: 'CSV' }

/** Saves what the bank of an account has booked, for an accounting program. */
export const BankStatement = () => {
  const [requisiteId, setRequisite] = useState('')
  const [from, setFrom] = useState(() => dayOf(monthAgo()))
  const [to, setTo] = useState(() =>
    dayOf(new Date(Date.UTC(monthAgo().getUTCFullYear(), monthAgo().getUTCMonth() + 1, 0))),
  )
  const [format, setFormat] = useState<BankStatementFormat>('1c')
  const [reason, setReason] = useState('')
  const days = [
    ['First day', from, setFrom],
    ['Last day', to, setTo],
  ] as const
  return (
    <ActButton
      text="Bank statement…"
      title="Statement for an accounting program"
      confirm="Save the file"
      leftSection={<Icon name="download" size={14} />}
      changes={['audit']}
      isReady={requisiteId !== '' && dayText.test(from) && dayText.test(to) && reason.trim() !== ''}
      run={() => saveFile(`/requisites/${requisiteId}/bank-statement`, { from, to, format, reason: reason.trim() })}
    >
      <p>All that the bank has booked, with whole names and numbers. The audit records who saved it and why.</p>
      <RequisiteField label="Account" value={requisiteId} onChange={setRequisite} required />
      {days.map(([label, value, set]) => (
        <TextInput
          key={label}
          label={label}
          placeholder="2026-01-31"
          error={!dayText.test(value)}
          {...typed(value, set)}
        />
      ))}
      <Select
        label="Format"
        data={bankStatementFormats.map((each) => ({ value: each, label: names[each] }))}
        value={format}
        allowDeselect={false}
        comboboxProps={{ zIndex: 400 }}
        onChange={(chosen) => setFormat(chosen ?? '1c')}
      />
      <ReasonField value={reason} onChange={setReason} />
    </ActButton>
  )
}
