import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { MerchantField } from '../../parts/merchant-field.tsx'
import { api } from '../../api/client.ts'
import { limits } from '../../api/rates.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { CsvButton } from '../../parts/csv-button.tsx'
import { MoneyText } from '../../parts/money-text.tsx'
import { useMay } from '../../session.ts'
import { amountPattern, readDecimal } from '../../money.ts'

const empty = { currency: 'rub', min: '', max: '', merchantId: null as string | null }

const hasLimits = ({ currency, min, max }: typeof empty): boolean => {
  if (!/^[a-z]{3}$/.test(currency)) return false
  const amount = amountPattern(currency)
  return amount.test(min) && amount.test(max) && Number(min) <= Number(max)
}

const SetLimits = () => {
  const [given, setGiven] = useState(empty)
  const { currency, min, max, merchantId } = given
  return (
    <ActButton
      text="Set limits…"
      title="Limits of a payment's amount"
      confirm="Set the limits"
      onOpen={() => setGiven(empty)}
      run={() =>
        api.put(`/limits/${currency}`, {
          ...{ min: Number(min), max: Number(max) },
          ...(merchantId === null ? {} : { merchantId }),
        })
      }
      changes={['limits', 'merchants']}
      isReady={hasLimits(given)}
      done="The limits are set"
    >
      <p>New payments with a smaller or larger amount are refused. Setting limits makes a currency supported.</p>
      <div className="field-grid">
        <TextInput
          label="Currency"
          value={currency}
          maxLength={3}
          onChange={({ currentTarget }) => setGiven({ ...given, currency: currentTarget.value.toLowerCase() })}
        />
        <MerchantField
          label="Merchant"
          placeholder="All without limits of their own"
          value={merchantId}
          clearable
          onChange={(chosen) => setGiven({ ...given, merchantId: chosen })}
        />
        {(['min', 'max'] as const).map((name) => (
          <TextInput
            key={name}
            label={name === 'min' ? 'Smallest amount' : 'Largest amount'}
            inputMode="decimal"
            value={given[name]}
            onChange={({ currentTarget }) => setGiven({ ...given, [name]: readDecimal(currentTarget.value) })}
          />
        ))}
      </div>
    </ActButton>
  )
}

/** The bounds of payments' amounts, by currency and merchant. */
export const Limits = () => {
  const maySet = useMay('configure')
  const { data } = useQuery(limits)
  return (
    <section className="panel limits" aria-label="Limits">
      <header className="rate-head">
        <h2>Limits of a payment's amount</h2>
        <span className="rate-acts">
          {maySet && <SetLimits />}
          <CsvButton path="/limits" />
        </span>
      </header>
      {data?.length === 0 && <p className="quiet">None yet: a currency is supported once its limits are set.</p>}
      <ul>
        {data?.map(({ currency, merchantId, merchantName, min, max }) => (
          <li key={`${currency} ${merchantId ?? ''}`} className="card-line">
            <span>
              <span className="strong">{currency.toUpperCase()}</span>{' '}
              <span className="quiet">{merchantName ?? merchantId ?? 'all without limits of their own'}</span>
            </span>
            <span>
              <MoneyText amount={min} currency={currency} /> to <MoneyText amount={max} currency={currency} />
            </span>
          </li>
        ))}
      </ul>
      <p className="quiet small">
        How much a method may carry is set by the limits of its requisites; how long to wait for money, by a merchant's
        terms.
      </p>
    </section>
  )
}
