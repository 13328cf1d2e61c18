import { Button, NumberInput, SegmentedControl, Select } from '@mantine/core'
import { useState } from 'react'
import { defaultTerms } from '../../../../src/rules/merchants/merchant.ts'
import { quoteCode } from '../../../../src/rules/values/currency.ts'
import { type PaymentMethod, paymentMethods } from '../../../../src/rules/values/payment-method.ts'
import type { ProfileAnswer } from '../../../../src/operations/merchants.ts'
import type { TermsAnswer } from '../../../../src/operations/terms.ts'
import { api } from '../../api/client.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { useMay } from '../../session.ts'
import { policyFields, readTerms, type TypedTerms, typeTerms, windowFields, feeFields } from './terms-fields.ts'
import { choicesOf, say } from '../../language.ts'

type NumberField = readonly [keyof TypedTerms, string, string]

const Numbers = ({
  fields,
  value,
  onChange,
  isReadOnly,
}: {
  readonly fields: readonly NumberField[]
  readonly value: TypedTerms
  readonly onChange: (value: TypedTerms) => void
  readonly isReadOnly: boolean
}) => (
  <div className="field-grid">
    {fields.map(([name, label, unit]) => (
      <NumberInput
        key={name}
        size="xs"
        label={label}
        placeholder={name === 'feeMax' ? 'no bound' : undefined}
        min={0}
        hideControls
        readOnly={isReadOnly}
        suffix={value[name] === '' ? '' : ` ${say(unit)}`}
        thousandSeparator=" "
        value={value[name]}
        onValueChange={({ value: typed }, { source }) => {
          if ((source as string) === 'event') onChange({ ...value, [name]: typed })
        }}
      />
    ))}
  </div>
)

const Form = ({ merchant, method }: { readonly merchant: ProfileAnswer; readonly method: PaymentMethod }) => {
  const inForce = merchant.terms[method] as TermsAnswer
  const [given, setGiven] = useState(() => typeTerms(inForce))
  const mayChange = useMay('configure')
  const terms = readTerms(given, method)
  const isReadOnly = !mayChange
  return (
    <div className="terms">
      <section className="panel">
        <h2>Fee</h2>
        <Numbers
          fields={feeFields(quoteCode(merchant.settings.quoteCurrency))}
          value={given}
          onChange={setGiven}
          isReadOnly={isReadOnly}
        />
      </section>
      <section className="panel">
        <h2>Times</h2>
        <Numbers fields={windowFields} value={given} onChange={setGiven} isReadOnly={isReadOnly} />
      </section>
      <section className="panel">
        <h2>Policies</h2>
        <div className="field-grid">
          {policyFields.map(({ name, label, options }) => (
            <Select
              key={name}
              label={label}
              data={[...options]}
              value={given[name]}
              readOnly={isReadOnly}
              allowDeselect={false}
              onChange={(chosen) => setGiven({ ...given, [name]: chosen ?? '' })}
            />
          ))}
        </div>
      </section>
      <div className="drawer-actions">
        {mayChange && (
          <ActButton
            text="Set the terms…"
            variant="filled"
            title={`Set the terms of ${merchant.name} for ${say(method)}?`}
            confirm="Set the terms"
            run={() => api.patch(`/merchants/${merchant.id}/terms/${method}`, terms)}
            changes={['merchants']}
            done="The terms are set"
          >
            <p>
              New payments by {say(method)} have these terms from now on. Existing payments keep theirs. Terms left at
              the default follow the service's defaults, even when those change.
            </p>
          </ActButton>
        )}
        <Button variant="subtle" onClick={() => setGiven(typeTerms(defaultTermsAnswer(method)))}>
          Fill in the defaults
        </Button>
      </div>
    </div>
  )
}

const defaultTermsAnswer = (method: PaymentMethod) =>
  Object.fromEntries(
    Object.entries(defaultTerms(method)).map(([name, value]) => [
      name,
      typeof value === 'bigint' ? Number(value) : value,
    ]),
  ) as TermsAnswer

/** A merchant's terms and fees by method. */
export const MerchantTerms = ({ merchant }: { readonly merchant: ProfileAnswer }) => {
  const [method, setMethod] = useState<PaymentMethod>('sbp')
  return (
    <>
      <SegmentedControl aria-label="Method" data={choicesOf(paymentMethods)} value={method} onChange={setMethod} />
      <Form key={method} merchant={merchant} method={method} />
    </>
  )
}
