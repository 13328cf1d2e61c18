import { Button, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { paymentStatuses } from '../../../../src/domain/payment.ts'
import type { Query } from '../../api/client.ts'
import { merchants } from '../../api/merchants.ts'
import { Icon } from '../../parts/icon.tsx'

type Props = { readonly filters: Query; readonly onChange: (changed: Query) => void }

const spans = [
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
  { value: '31d', label: 'Last 31 days' },
]
const methods = ['card-to-card', 'sbp', 'account-to-account']
const sorts = [
  { value: 'newest', label: 'Newest first' },
  { value: 'oldest', label: 'Oldest first' },
  { value: '-amount', label: 'Largest first' },
  { value: 'amount', label: 'Smallest first' },
]
const oddities = [
  { value: 'amount', label: 'Another amount came' },
  { value: 'late', label: 'Came late' },
  { value: 'disputed', label: 'Disputed' },
]

type FieldProps = {
  readonly label: string
  readonly value: string | undefined
  readonly onChange: (value: string) => void
  readonly width?: number
  readonly pattern?: RegExp
}

/** A text that filters when the person stops typing. */
const TextFilter = ({ label, value = '', onChange, width = 96, pattern }: FieldProps) => {
  const [text, setText] = useState(value)
  const change = useDebouncedCallback(onChange, 350)
  useEffect(() => setText(value), [value])
  const isWrong = text !== '' && pattern?.test(text) === false
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      value={text}
      w={width}
      error={isWrong}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value)
        if (currentTarget.value === '' || pattern?.test(currentTarget.value) !== false) change(currentTarget.value)
      }}
    />
  )
}

const amount = /^(0|[1-9]\d{0,12})(\.\d{1,4})?$/

/** The filters of the list. Those by amount need a currency. */
export const PaymentFilters = ({ filters, onChange }: Props) => {
  const { data = [] } = useQuery(merchants)
  const choose = (name: string) => (value: string | null) => onChange({ [name]: value ?? undefined })
  const hasAny = Object.values(filters).some(Boolean)
  const { currency } = filters
  return (
    <search className="filters" aria-label="Filters">
      <Select
        {...{ 'aria-label': 'Status', placeholder: 'Any status', data: [...paymentStatuses], clearable: true, w: 124 }}
        value={filters['status'] ?? null}
        onChange={choose('status')}
      />
      <Select
        {...{ 'aria-label': 'Time', placeholder: 'Any time', data: spans, clearable: true, w: 132 }}
        value={filters['within'] ?? null}
        onChange={choose('within')}
      />
      <Select
        {...{ 'aria-label': 'Merchant', placeholder: 'Any merchant', clearable: true, searchable: true, w: 150 }}
        data={data.map(({ id, name }) => ({ value: id, label: name }))}
        value={filters['merchantId'] ?? null}
        onChange={choose('merchantId')}
      />
      <Select
        {...{ 'aria-label': 'Method', placeholder: 'Any method', data: methods, clearable: true, w: 144 }}
        value={filters['method'] ?? null}
        onChange={choose('method')}
      />
      <Select
        {...{ 'aria-label': 'Unusual', placeholder: 'Unusual', data: oddities, clearable: true, w: 150 }}
        value={filters['unusual'] ?? null}
        onChange={choose('unusual')}
      />
      <Select
        {...{ 'aria-label': 'Acknowledged', placeholder: 'Acknowledged', clearable: true, w: 142 }}
        data={[
          { value: 'true', label: 'Acknowledged' },
          { value: 'false', label: 'Not acknowledged' },
        ]}
        value={filters['acknowledged'] ?? null}
        onChange={choose('acknowledged')}
      />
      <TextFilter
        {...{ label: 'Payer ····', pattern: /^\d{4}$/, width: 88 }}
        value={filters['payerDigits']}
        onChange={choose('payerDigits')}
      />
      <TextFilter
        {...{ label: 'Currency', pattern: /^[a-z]{3}$/, width: 84 }}
        value={currency}
        onChange={(value) =>
          onChange(value === '' ? { currency: '', amountFrom: '', amountTo: '', sort: '' } : { currency: value })
        }
      />
      {currency !== undefined && (
        <>
          <TextFilter
            {...{ label: 'From', pattern: amount }}
            value={filters['amountFrom']}
            onChange={choose('amountFrom')}
          />
          <TextFilter {...{ label: 'To', pattern: amount }} value={filters['amountTo']} onChange={choose('amountTo')} />
        </>
      )}
      <Select
        {...{ 'aria-label': 'Order', w: 132, allowDeselect: false }}
        data={currency === undefined ? sorts.slice(0, 2) : sorts}
        value={filters['sort'] ?? 'newest'}
        onChange={(value) => onChange({ sort: value === 'newest' ? undefined : (value ?? undefined) })}
      />
      {hasAny && (
        <Button
          variant="subtle"
          leftSection={<Icon name="close" size={14} />}
          onClick={() => onChange(Object.fromEntries(Object.keys(filters).map((name) => [name, undefined])))}
        >
          Clear
        </Button>
      )}
    </search>
  )
}
