import { Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { MerchantAnswer } from '../../../../src/operations/merchants.ts'
import type { SettlementAnswer } from '../../../../src/operations/settlements.ts'
import { quoteCurrency } from '../../../../src/rules/values/currency.ts'
import { api } from '../../api/client.ts'
import { merchants } from '../../api/merchants.ts'
import { availableOf, destinationsOf } from '../../api/settlements.ts'
import { amountPattern, formatMoney, readDecimal } from '../../money.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { SettlementEntries } from './settlement-entries.tsx'
import { typedInto } from '../../parts/typed.ts'

const amountText = amountPattern(quoteCurrency)
const none = { merchantId: '', amount: '', destinationId: '', reference: '' }

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

type Balance = { readonly unproven: string | undefined; readonly waiting: string | undefined }

/** What of the balance only phones have reported, and what the settlement leaves because of that. */
const Unproven = ({ of }: { readonly of: Balance | undefined }) => (
  <>
    {of?.unproven !== undefined && ` Not proven yet: ${formatMoney(of.unproven, quoteCurrency)}.`}
    {of?.waiting !== undefined && ` Waits for the statement: ${formatMoney(of.waiting, quoteCurrency)}.`}
  </>
)

/** Drafts a settlement, which holds the amount for it. */
export const DraftSettlement = ({ onDrafted }: { readonly onDrafted: (settlement: SettlementAnswer) => void }) => {
  const [given, setGiven] = useState(none)
  const { merchantId, amount, destinationId, reference } = given
  const { data = [] } = useQuery(merchants)
  const { data: balance } = useQuery(availableOf(merchantId))
  const available = balance?.most
  const set = (changed: Partial<typeof none>): void => setGiven({ ...given, ...changed })
  const field = typedInto(given, set)
  const merchant = data.find(({ id }) => id === merchantId)
  const isReady =
    merchantId !== '' &&
    (amount === '' ? Number(available) > 0 : amountText.test(amount) && Number(amount) > 0) &&
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
            ...{ merchantId, reference: reference.trim(), destinationId },
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
        onChange={(chosen) => set({ merchantId: chosen ?? '', destinationId: '' })}
        searchable
        data-autofocus
        comboboxProps={{ zIndex: 400 }}
      />
      <TextInput
        label={`Amount in ${quoteCurrency}`}
        description={
          <>
            {available === undefined
              ? 'Leave empty for everything available.'
              : `${formatMoney(available, quoteCurrency)} available; leave empty for all of it.`}
            <Unproven of={balance} />
          </>
        }
        placeholder={available}
        value={amount}
        inputMode="decimal"
        error={amount !== '' && !amountText.test(amount)}
        onChange={(event) => set({ amount: readDecimal(event.currentTarget.value.trim()) })}
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
          settlement={{ merchantId, merchantName: merchant?.name, amount: amount || available || '0' }}
          kind="hold"
        />
      )}
    </ActButton>
  )
}
