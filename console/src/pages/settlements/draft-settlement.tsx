import { Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { MerchantAnswer } from '../../../../src/operations/merchants.ts'
import type { SettlementAnswer } from '../../../../src/operations/settlements.ts'
import { usdt } from '../../../../src/rules/values/currency.ts'
import { api } from '../../api/client.ts'
import { merchants } from '../../api/merchants.ts'
import { availableOf, destinationsOf } from '../../api/settlements.ts'
import { amountPattern, formatMoney, readDecimal } from '../../money.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { SettlementEntries } from './settlement-entries.tsx'
import { CurrencyChoice } from '../../parts/currency-choice.tsx'
import { typedInto } from '../../parts/typed.ts'

const none = { merchantId: '', currency: '', amount: '', destinationId: '', reference: '' }

type FieldProps = {
  readonly merchant: MerchantAnswer | undefined
  readonly value: string
  readonly onChange: (id: string) => void
}

/** The destinations of a merchant that are ready. */
const DestinationField = ({ merchant, value, onChange }: FieldProps) => {
  const { data } = useQuery(destinationsOf(merchant?.id ?? ''))
  const ready = data?.filter(({ status }) => status === 'ready') ?? []
  return (
    <Select
      label="Where the money goes"
      description={
        merchant && (
          <>
            Approved{' '}
            <Link to="/merchants/$merchantId" params={{ merchantId: merchant.id }} search={{ tab: 'destinations' }}>
              destinations of {merchant.name}
            </Link>{' '}
            whose cooling time is over
          </>
        )
      }
      data={ready.map(({ id, label, address }) => ({ value: id, label: `${label}: ${address}` }))}
      value={value === '' ? null : value}
      onChange={(chosen) => onChange(chosen ?? '')}
      placeholder={data && ready.length === 0 ? 'None is ready' : ''}
      disabled={ready.length === 0}
      comboboxProps={{ zIndex: 400 }}
    />
  )
}

type Balance = {
  readonly currency: string
  readonly most: string | undefined
  readonly unproven?: string | undefined
  readonly waiting?: string | undefined
}

const isAmount = (typed: string, currency: string): boolean => amountPattern(currency).test(typed) && Number(typed) > 0

/** How much; says what of the balance only phones have reported, and what the settlement leaves because of that. */
const AmountField = ({
  balance: { currency, most, unproven, waiting },
  value,
  onChange,
}: {
  readonly balance: Balance
  readonly value: string
  readonly onChange: (typed: string) => void
}) => (
  <TextInput
    label={`Amount in ${currency.toUpperCase()}`}
    description={
      <>
        {most === undefined
          ? 'Leave empty for everything available.'
          : `${formatMoney(most, currency)} available; leave empty for all of it.`}
        {unproven !== undefined && ` Not proven yet: ${formatMoney(unproven, currency)}.`}
        {waiting !== undefined && ` Must wait, for the statement or a dispute: ${formatMoney(waiting, currency)}.`}
      </>
    }
    placeholder={most}
    value={value}
    inputMode="decimal"
    error={value !== '' && !isAmount(value, currency)}
    onChange={(event) => onChange(readDecimal(event.currentTarget.value.trim()))}
  />
)

/** Drafts a settlement, which holds the amount for it. */
export const DraftSettlement = ({ onDrafted }: { readonly onDrafted: (settlement: SettlementAnswer) => void }) => {
  const [given, setGiven] = useState(none)
  const { merchantId, amount, destinationId, reference } = given
  const { data = [] } = useQuery(merchants)
  const { data: balances } = useQuery(availableOf(merchantId))
  const set = (changed: Partial<typeof none>): void => setGiven({ ...given, ...changed })
  const field = typedInto(given, set)
  const merchant = data.find(({ id }) => id === merchantId)
  const quoteCurrency = merchant?.settings.quoteCurrency ?? usdt
  const currency = given.currency || quoteCurrency
  const currencies = [...new Set([quoteCurrency, ...(balances ?? []).map((each) => each.currency)])]
  const balance = balances?.find((each) => each.currency === currency)
  const available = balances && (balance?.most ?? '0')
  const isReady =
    merchantId !== '' &&
    (amount === '' ? Number(available) > 0 : isAmount(amount, currency)) &&
    destinationId !== '' &&
    reference.trim() !== ''
  return (
    <ActButton
      text="Draft a settlement…"
      variant="filled"
      title="Draft a settlement"
      confirm="Draft it"
      run={async () =>
        onDrafted(
          await api.post<SettlementAnswer>('/settlements', {
            ...{ merchantId, reference: reference.trim(), currency, destinationId },
            ...(amount === '' ? {} : { amount: Number(amount) }),
          }),
        )
      }
      changes={['settlements', 'ledger', 'overview']}
      isReady={isReady}
      onOpen={() => setGiven(none)}
    >
      <Select
        label="Merchant"
        data={data.filter(({ mode }) => mode === 'live').map(({ id, name }) => ({ value: id, label: name }))}
        value={merchantId === '' ? null : merchantId}
        onChange={(chosen) => set({ merchantId: chosen ?? '', currency: '', destinationId: '' })}
        searchable
        data-autofocus
        comboboxProps={{ zIndex: 400 }}
      />
      <CurrencyChoice
        label="Currency of the balance"
        currencies={currencies}
        value={currency}
        onChange={(chosen) => set({ currency: chosen, amount: '' })}
      />
      <AmountField
        balance={balance ?? { currency, most: balances && '0' }}
        value={amount}
        onChange={(typed) => set({ amount: typed })}
      />
      <DestinationField
        merchant={merchant}
        value={destinationId}
        onChange={(chosen) => set({ destinationId: chosen })}
      />
      <TextInput
        label="Reference"
        description="Your own name for it: the same reference always means the same settlement."
        placeholder="2026-01-31/1"
        maxLength={128}
        {...field('reference')}
      />
      {isReady && (
        <SettlementEntries
          settlement={{ merchantId, merchantName: merchant?.name, currency, amount: amount || available || '0' }}
          kind="hold"
        />
      )}
    </ActButton>
  )
}
