import { NumberInput, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ProfileAnswer } from '../../../../src/operations/merchants.ts'
import { settlementSpans } from '../../../../src/rules/merchants/merchant.ts'
import { api } from '../../api/client.ts'
import { destinationsOf } from '../../api/settlements.ts'
import { ActButton } from '../../parts/act-button.tsx'

const numberOf = (typed: number | string): number | null => (typed === '' ? null : Number(typed))

const spanNames: Readonly<Record<(typeof settlementSpans)[number], string>> = {
  day: 'Each day',
  week: 'Each Monday',
  month: 'Each month',
}

/** What a merchant may ask for its balance, and when Payin asks for it. */
export const SettlementSettings = ({ merchant }: { readonly merchant: ProfileAnswer }) => {
  const { settings } = merchant
  const start = () => ({
    minSettlement: settings.minSettlement ?? ('' as number | string),
    maxSettlementPerDay: settings.maxSettlementPerDay ?? ('' as number | string),
    settlementEvery: settings.settlementEvery,
    settlementTo: settings.settlementTo,
  })
  const [given, setGiven] = useState(start)
  const { data: destinations = [] } = useQuery(destinationsOf(merchant.id))
  const usable = destinations.filter(({ status }) => status === 'ready' || status === 'cooling')
  const bounds = [
    ['minSettlement', 'Least settlement that it may ask for'],
    ['maxSettlementPerDay', 'Most that it may ask for within 24 hours'],
  ] as const
  return (
    <ActButton
      text="Settlements…"
      title={`Settlements that ${merchant.name} asks for`}
      confirm="Save the settings"
      onOpen={() => setGiven(start())}
      run={() =>
        api.patch(`/merchants/${merchant.id}`, {
          settings: {
            ...given,
            minSettlement: numberOf(given.minSettlement),
            maxSettlementPerDay: numberOf(given.maxSettlementPerDay),
          },
        })
      }
      changes={['merchants', 'audit']}
      isReady={given.settlementEvery === null || given.settlementTo !== null}
      done="The settings are saved"
    >
      {bounds.map(([field, label]) => (
        <NumberInput
          key={field}
          label={label}
          description="In whole units of its quote currency"
          placeholder="no limit"
          allowDecimal={false}
          hideControls
          min={1}
          value={given[field]}
          onChange={(typed) => setGiven({ ...given, [field]: typed })}
        />
      ))}
      <Select
        label="Ask for all that is available"
        description="At the beginning of the day, in UTC; operators approve and pay it like any other settlement"
        data={settlementSpans.map((value) => ({ value, label: spanNames[value] }))}
        placeholder="Never"
        clearable
        value={given.settlementEvery}
        onChange={(chosen) =>
          setGiven({ ...given, settlementEvery: settlementSpans.find((each) => each === chosen) ?? null })
        }
        comboboxProps={{ zIndex: 400 }}
      />
      {given.settlementEvery !== null && (
        <Select
          label="Where the money goes"
          data={usable.map(({ id, label, address }) => ({ value: id, label: `${label}: ${address}` }))}
          value={given.settlementTo}
          onChange={(settlementTo) => setGiven({ ...given, settlementTo })}
          placeholder={usable.length === 0 ? 'It has no approved destination' : ''}
          comboboxProps={{ zIndex: 400 }}
        />
      )}
    </ActButton>
  )
}
