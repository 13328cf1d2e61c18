import { Group, Select, Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import { rateSourceDefaults } from '../../../../src/rules/money/rate-source.ts'
import type { RateSourceAnswer } from '../../../../src/operations/rate-sources.ts'
import { api } from '../../api/client.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { formatSpan, parseSpan } from '../../span.ts'
import { typedInto } from '../../parts/typed.ts'

const changes = ['rates', 'overview']

/** The fields of a source as they were typed. */
type Given = {
  readonly kind: RateSourceAnswer['kind']
  readonly currency: string
  readonly name: string
  readonly rank: string
  readonly url: string
  readonly pointer: string
  readonly price: string
  readonly spread: string
  readonly step: string
  readonly day: string
  readonly every: string
  readonly age: string
  readonly enabled: boolean
}

const percentOf = (ppm: number): string => String(ppm / 10_000)

const ppmOf = (text: string): number | undefined =>
  /^-?\d{1,2}([.,]\d{1,4})?$/.test(text.trim()) ? Math.round(Number(text.trim().replace(',', '.')) * 10_000) : undefined

const givenOf = (source: Partial<RateSourceAnswer>): Given => {
  const { rank, spreadPpm, maxStepPpm, maxDayPpm, everyMs, maxAgeMs, ...rest } = { ...rateSourceDefaults, ...source }
  return {
    kind: rest.kind ?? 'json',
    currency: rest.currency ?? '',
    name: rest.name ?? '',
    rank: String(rank),
    url: rest.url ?? '',
    pointer: rest.pointer ?? '',
    // The response does not have the fixed price itself, only the one with the spread.
    price: '',
    spread: percentOf(spreadPpm),
    step: percentOf(maxStepPpm),
    day: percentOf(maxDayPpm),
    every: formatSpan(everyMs),
    age: formatSpan(maxAgeMs),
    enabled: rest.enabled ?? true,
  }
}

/** The settings as the API takes them; undefined if a field cannot be read. */
const settingsOf = (given: Given) => {
  const { kind, name, rank, url, pointer, price, enabled } = given
  const spreadPpm = ppmOf(given.spread)
  const [maxStepPpm, maxDayPpm] = [ppmOf(given.step), ppmOf(given.day)]
  const [everyMs, maxAgeMs] = [parseSpan(given.every), parseSpan(given.age)]
  const numbers = { spreadPpm, maxStepPpm, maxDayPpm, everyMs, maxAgeMs }
  if (Object.values(numbers).includes(undefined) || !/^\d{1,3}$/.test(rank) || name.trim() === '') return undefined
  const where =
    kind === 'json' ? { url: url.trim(), pointer: pointer.trim() } : price === '' ? {} : { price: Number(price) }
  return { name: name.trim(), rank: Number(rank), ...where, ...numbers, enabled }
}

type FieldsProps = { readonly given: Given; readonly onChange: (given: Given) => void; readonly isNew?: boolean }

const SourceFields = ({ given, onChange, isNew = false }: FieldsProps) => {
  const field = typedInto(given, onChange)
  const percent = (name: 'spread' | 'step' | 'day') => ({
    ...field(name),
    inputMode: 'decimal' as const,
    error: ppmOf(given[name]) === undefined,
  })
  const span = (name: 'every' | 'age') => ({ ...field(name), error: parseSpan(given[name]) === undefined })
  return (
    <>
      {isNew && (
        <Group grow align="end">
          <Select
            label="Kind"
            data={[
              { value: 'json', label: 'A JSON document' },
              { value: 'fixed', label: 'A fixed price' },
            ]}
            value={given.kind}
            onChange={(kind) => onChange({ ...given, kind: kind ?? 'json' })}
            allowDeselect={false}
          />
          <TextInput label="Currency" placeholder="rub" maxLength={3} {...field('currency')} />
        </Group>
      )}
      <Group grow align="end">
        <TextInput label="Name" placeholder="exchange" maxLength={100} data-autofocus {...field('name')} />
        <TextInput label="Rank; 1 is used first" inputMode="numeric" {...field('rank')} />
      </Group>
      {given.kind === 'json' ? (
        <>
          <TextInput label="Address" type="url" placeholder="https://rates.example.com/usdt-rub" {...field('url')} />
          <TextInput
            label="Where the price is"
            description="A JSON pointer, such as /data/0/price"
            {...field('pointer')}
          />
        </>
      ) : (
        <TextInput
          label="Price of 1 USDT"
          description={isNew ? 'Until somebody changes it' : 'Leave empty to keep it'}
          inputMode="decimal"
          {...field('price')}
        />
      )}
      <Group grow align="end">
        <TextInput label="Spread, %" {...percent('spread')} />
        <TextInput label="Held above a step of, %" {...percent('step')} />
        <TextInput label="… of a day, %" {...percent('day')} />
      </Group>
      <Group grow align="end">
        <TextInput label="Fetched every" {...span('every')} />
        <TextInput label="A price is used for" {...span('age')} />
      </Group>
      <Switch
        label="In use"
        checked={given.enabled}
        onChange={(event) => onChange({ ...given, enabled: event.currentTarget.checked })}
      />
    </>
  )
}

/** Adds a source of rates. */
export const AddRateSource = () => {
  const [given, setGiven] = useState(() => givenOf({}))
  const settings = settingsOf(given)
  const currency = given.currency.trim().toLowerCase()
  const isComplete = given.kind === 'json' ? given.url.trim() !== '' : /^\d{1,9}(\.\d{1,8})?$/.test(given.price)
  return (
    <ActButton
      text="Add a source"
      title="Add a source of rates"
      confirm="Add the source"
      size="lg"
      onOpen={() => setGiven(givenOf({}))}
      isReady={settings !== undefined && /^[a-z]{3}$/.test(currency) && isComplete}
      run={() => api.post('/rate-sources', { currency, kind: given.kind, ...settings })}
      changes={changes}
      done={`${given.name.trim()} is added`}
    >
      <p>A price that moves by more than a step waits until somebody accepts it. Existing payments keep their rate.</p>
      <SourceFields given={given} onChange={setGiven} isNew />
    </ActButton>
  )
}

/** Changes or removes a source of rates. */
export const RateSourceActs = ({ source }: { readonly source: RateSourceAnswer }) => {
  const [given, setGiven] = useState(() => givenOf(source))
  const settings = settingsOf(given)
  return (
    <>
      <ActButton
        text="Change…"
        title={`Change ${source.name}`}
        confirm="Save the source"
        size="lg"
        onOpen={() => setGiven(givenOf(source))}
        isReady={settings !== undefined}
        run={() => api.patch(`/rate-sources/${source.id}`, settings)}
        changes={changes}
        done={`${given.name.trim()} is changed`}
      >
        <SourceFields given={given} onChange={setGiven} />
      </ActButton>
      <ActButton
        text="Remove…"
        title={`Remove ${source.name}?`}
        confirm="Remove the source"
        run={() => api.delete(`/rate-sources/${source.id}`)}
        changes={changes}
        done={`${source.name} is removed`}
        isGrave
      >
        <p>The rate that it has set stays until it ends; then the next source sets it, if there is one.</p>
      </ActButton>
    </>
  )
}
