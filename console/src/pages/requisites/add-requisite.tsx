import { Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { MerchantField } from '../../parts/merchant-field.tsx'
import { useState } from 'react'
import { type PaymentMethod, methodRules, paymentMethods } from '../../../../src/rules/values/payment-method.ts'
import { addRequisites, bankIssuers } from '../../api/requisites.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { emptyRecipient, RecipientFields, toRecipient } from './recipient-fields.tsx'
import { amountPattern } from '../../money.ts'
import { typedInto } from '../../parts/typed.ts'
import { choicesOf } from '../../language.ts'

const empty = {
  method: 'sbp' as PaymentMethod,
  currency: 'rub',
  bankIssuer: null as string | null,
  holder: '',
  number: '',
  label: '',
  merchantId: null as string | null,
  dayAmount: '',
  recipient: emptyRecipient,
}

type Given = typeof empty

type FieldsProps = { readonly given: Given; readonly onChange: (changed: Given) => void }

/** Digits of a number, without what people write between them. */
const digitsOf = (number: string): string => number.replaceAll(/[\s()+-]/g, '')

const toWanted = (given: Given) => {
  const { method, currency, bankIssuer, holder, number, label, merchantId, dayAmount } = given
  const { transferScope } = methodRules[method]
  const recipient = toRecipient(given.recipient)
  return {
    ...{ method, currency, bankIssuer, holder: holder.trim(), number: digitsOf(number) },
    ...(transferScope === null ? {} : { transferScope }),
    ...(Object.keys(recipient).length === 0 ? {} : { recipient }),
    ...(label.trim() === '' ? {} : { label: label.trim() }),
    ...(merchantId === null ? {} : { merchantId }),
    ...(dayAmount === '' ? {} : { limits: { dayAmount: Number(dayAmount) } }),
  }
}

const RequisiteFields = ({ given, onChange: setGiven }: FieldsProps) => {
  const { data: banks = [] } = useQuery(bankIssuers)
  const { method, currency, bankIssuer, number, merchantId, dayAmount } = given
  const { numberKind, fits, form } = methodRules[method]
  const field = typedInto(given, setGiven)
  const digits = digitsOf(number)
  const isNumberWrong = digits !== '' && !fits(digits)
  return (
    <div className="field-grid">
      <Select
        label="Method"
        data={choicesOf(paymentMethods)}
        value={method}
        allowDeselect={false}
        onChange={(chosen) => setGiven({ ...given, method: chosen ?? method, recipient: emptyRecipient })}
      />
      <Select
        label="Bank"
        data={banks.map(({ code, name }) => ({ value: code, label: name }))}
        value={bankIssuer}
        searchable
        data-autofocus
        onChange={(chosen) => setGiven({ ...given, bankIssuer: chosen })}
      />
      <TextInput
        label={`${numberKind.charAt(0).toUpperCase()}${numberKind.slice(1)} number`}
        description={`Must be ${form}`}
        inputMode="numeric"
        error={isNumberWrong}
        {...field('number')}
      />
      <TextInput label="Holder" description="Full name of the legal owner" maxLength={200} {...field('holder')} />
      <TextInput
        label="Currency"
        value={currency}
        maxLength={3}
        onChange={({ currentTarget }) => setGiven({ ...given, currency: currentTarget.value.toLowerCase() })}
      />
      <TextInput
        label="Sum per day"
        placeholder="no limit"
        inputMode="decimal"
        error={dayAmount !== '' && !amountPattern().test(dayAmount)}
        {...field('dayAmount')}
      />
      <TextInput label="Label" placeholder="Your name for it" maxLength={60} {...field('label')} />
      <MerchantField
        label="Owner"
        placeholder="Shared by all merchants"
        value={merchantId}
        clearable
        onChange={(chosen) => setGiven({ ...given, merchantId: chosen })}
      />
    </div>
  )
}

/** Adds one requisite, with the fields that its method needs. */
export const AddRequisite = () => {
  const [given, setGiven] = useState(empty)
  const { method, currency, bankIssuer, holder, number } = given
  const { fits, transferScope } = methodRules[method]
  return (
    <ActButton
      text="Add a requisite"
      variant="filled"
      title="Add a requisite"
      confirm="Add it"
      size="lg"
      onOpen={() => setGiven(empty)}
      run={() => addRequisites([toWanted(given)])}
      changes={['requisites']}
      done="The requisite is added, and new payments get it"
      isReady={fits(digitsOf(number)) && holder.trim() !== '' && bankIssuer !== null && /^[a-z]{3}$/.test(currency)}
    >
      <RequisiteFields given={given} onChange={setGiven} />
      <RecipientFields
        method={method}
        currency={currency}
        holder={holder}
        typed={given.recipient}
        onChange={(changed) => setGiven({ ...given, recipient: changed })}
      />
      {transferScope !== null && <p className="quiet small">Takes {transferScope} transfers only.</p>}
    </ActButton>
  )
}
