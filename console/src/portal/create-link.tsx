import { NumberInput, SegmentedControl, Select, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { currencyDecimals } from '../../../src/rules/values/currency.ts'
import { paymentMethods } from '../../../src/rules/values/payment-method.ts'
import type { LinkAnswer } from '../../../src/operations/links.ts'
import { api } from '../api/client.ts'
import { own, ownCurrencies } from '../api/portal.ts'
import { ActButton } from '../parts/act-button.tsx'
import { LinkAddress } from '../parts/link-drawer.tsx'
import { typed, typedInto } from '../parts/typed.ts'
import { choicesOf } from '../language.ts'

type Amount = number | string

const start = {
  title: '',
  description: '',
  currency: undefined as string | undefined,
  isFixed: true,
  amount: '' as Amount,
  minAmount: '' as Amount,
  maxAmount: '' as Amount,
  uses: 'once' as 'once' | 'many',
  maxUses: '' as Amount,
  method: null as string | null,
  endsAt: '',
  returnUrl: '',
}
type Given = typeof start

/** A typed value as a field of the request; no field if it is empty. */
const field = (name: string, given: Amount | null): Record<string, string | number> => {
  const value = typeof given === 'string' ? given.trim() : given
  return value === '' || value === null ? {} : { [name]: value }
}

const bodyOf = (given: Given, currency: string) => ({
  ...{ title: given.title.trim(), currency, uses: given.uses },
  ...field('description', given.description),
  ...field('method', given.method),
  ...field('returnUrl', given.returnUrl),
  ...(given.isFixed
    ? field('amount', given.amount)
    : { ...field('minAmount', given.minAmount), ...field('maxAmount', given.maxAmount) }),
  ...(given.uses === 'many' ? field('maxUses', given.maxUses) : {}),
  ...(given.endsAt === '' ? {} : { endsAt: new Date(given.endsAt).toISOString() }),
})

type FieldsProps = {
  readonly given: Given
  readonly currency: string | undefined
  readonly currencies: readonly string[]
  readonly onChange: (changed: Partial<Given>) => void
}

const Amounts = ({ given, currency, currencies, onChange }: FieldsProps) => {
  const money = { min: 0, decimalScale: currencyDecimals(currency ?? ''), hideControls: true }
  return (
    <>
      <SegmentedControl
        aria-label="Amount"
        fullWidth
        data={[
          { value: 'fixed', label: 'Fixed amount' },
          { value: 'entered', label: 'The payer enters it' },
        ]}
        value={given.isFixed ? 'fixed' : 'entered'}
        onChange={(chosen) => onChange({ isFixed: chosen === 'fixed' })}
      />
      <div className="link-fields">
        {given.isFixed ? (
          <NumberInput {...money} label="Amount" value={given.amount} onChange={(amount) => onChange({ amount })} />
        ) : (
          <>
            <NumberInput
              {...money}
              label="From"
              placeholder="your limit"
              value={given.minAmount}
              onChange={(minAmount) => onChange({ minAmount })}
            />
            <NumberInput
              {...money}
              label="Up to"
              placeholder="your limit"
              value={given.maxAmount}
              onChange={(maxAmount) => onChange({ maxAmount })}
            />
          </>
        )}
        <Select
          label="Currency"
          data={currencies.map((code) => ({ value: code, label: code.toUpperCase() }))}
          value={currency ?? null}
          allowDeselect={false}
          onChange={(chosen) => onChange({ currency: chosen ?? undefined })}
        />
      </div>
    </>
  )
}

const Limits = ({ given, onChange }: Pick<FieldsProps, 'given' | 'onChange'>) => (
  <>
    <SegmentedControl
      aria-label="Uses"
      fullWidth
      data={[
        { value: 'once', label: 'For one payment' },
        { value: 'many', label: 'For many' },
      ]}
      value={given.uses}
      onChange={(chosen) => onChange({ uses: chosen === 'many' ? 'many' : 'once' })}
    />
    <div className="link-fields">
      {given.uses === 'many' && (
        <NumberInput
          label="At most"
          placeholder="any number"
          min={2}
          max={10_000}
          allowDecimal={false}
          hideControls
          value={given.maxUses}
          onChange={(maxUses) => onChange({ maxUses })}
        />
      )}
      <TextInput label="Ends" type="datetime-local" {...typed(given.endsAt, (endsAt) => onChange({ endsAt }))} />
      <Select
        label="Method"
        placeholder="the payer chooses"
        data={choicesOf(paymentMethods)}
        value={given.method}
        clearable
        onChange={(method) => onChange({ method })}
      />
    </div>
  </>
)

/** Creates a payment link, and shows its address for payers. */
export const CreateLink = () => {
  const [given, setGiven] = useState(start)
  const { data: currencies = [] } = useQuery(ownCurrencies)
  const onChange = (changed: Partial<Given>): void => setGiven((before) => ({ ...before, ...changed }))
  const text = typedInto(given, onChange)
  const currency = given.currency ?? currencies[0]
  return (
    <ActButton
      text="Create a link…"
      variant="filled"
      title="Create a payment link"
      confirm="Create the link"
      onOpen={() => setGiven(start)}
      run={() => api.post<LinkAnswer>(own('/links'), bodyOf(given, currency ?? ''))}
      changes={['links']}
      isReady={given.title.trim() !== '' && currency !== undefined && (!given.isFixed || Number(given.amount) > 0)}
      result={({ url }) => (
        <div role="status">
          <p className="strong">The link is ready. Give it to your payers.</p>
          <LinkAddress url={url} />
        </div>
      )}
    >
      <TextInput
        label="What is paid for"
        placeholder="Pottery course"
        maxLength={100}
        data-autofocus
        {...text('title')}
      />
      <Textarea label="Description" maxLength={500} autosize {...text('description')} />
      <Amounts given={given} currency={currency} currencies={currencies} onChange={onChange} />
      <Limits given={given} onChange={onChange} />
      <TextInput
        label="Returns to"
        description="A page of your shop, on a host that the operator has registered"
        placeholder="https://shop.example.com/thanks"
        type="url"
        {...text('returnUrl')}
      />
    </ActButton>
  )
}
