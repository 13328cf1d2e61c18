import { NumberInput, TextInput } from '@mantine/core'
import { formatMinuteOfDay } from '../../../../src/rules/time.ts'
import type { HealthAnswer } from '../../../../src/operations/requisite-health.ts'
import { say } from '../../language.ts'

type Limits = HealthAnswer['limits']

/** Limits as a form has them: text, empty for no limit; windows in minutes. */
export type TypedLimits = Readonly<Record<Exclude<keyof Limits, 'workingMinutes'> | 'from' | 'until', string>>

const fields = [
  ['minAmount', 'Smallest transfer'],
  ['maxAmount', 'Largest transfer'],
  ['dayAmount', 'Sum per day'],
  ['dayCount', 'Payments per day'],
  ['monthAmount', 'Sum per month'],
  ['monthCount', 'Payments per month'],
  ['openPayments', 'Open payments'],
  ['pauseAfter', 'Pause after consecutive failures'],
  ['lateWindowMs', 'Late window, minutes'],
  ['coolDownMs', 'Cool-down, minutes'],
] as const

const minutesOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5))

/** How many of the service's units make one of the form's: spans are typed in minutes. */
const unitOf = (name: string): number => (name.endsWith('Ms') ? 60_000 : 1)

const textOf = (name: string, value: number | null): string => (value === null ? '' : String(value / unitOf(name)))

const valueOf = (name: string, typed: string): number | null => {
  if (typed === '') return null
  return name.endsWith('Ms') ? Math.round(Number(typed) * unitOf(name)) : Number(typed)
}

/** The form's fields, filled from limits. */
export const typeLimits = ({ workingMinutes, utcOffsetMinutes, ...limits }: Limits): TypedLimits => ({
  ...(Object.fromEntries(fields.map(([name]) => [name, textOf(name, limits[name])])) as TypedLimits),
  utcOffsetMinutes: String(utcOffsetMinutes),
  from: workingMinutes === null ? '' : formatMinuteOfDay(workingMinutes[0]),
  until: workingMinutes === null ? '' : formatMinuteOfDay(workingMinutes[1] % 1440),
})

/** Reads the form into limits for a request. */
export const readTypedLimits = ({ from, until, utcOffsetMinutes, ...typed }: TypedLimits): Limits => ({
  ...(Object.fromEntries(fields.map(([name]) => [name, valueOf(name, typed[name])])) as Limits),
  utcOffsetMinutes: Number(utcOffsetMinutes),
  workingMinutes: from === '' || until === '' ? null : [minutesOf(from), until === '00:00' ? 1440 : minutesOf(until)],
})

type Props = { readonly value: TypedLimits; readonly onChange: (value: TypedLimits) => void }

/** Fields for all limits of a requisite. */
export const LimitFields = ({ value, onChange }: Props) => (
  <div className="field-grid">
    {fields.map(([name, label]) => (
      <NumberInput
        key={name}
        size="xs"
        label={label}
        placeholder={name.endsWith('Ms') ? "the merchant's" : 'no limit'}
        min={name === 'pauseAfter' ? 1 : 0}
        allowNegative={false}
        allowDecimal={name.endsWith('Amount') || name.endsWith('Ms')}
        thousandSeparator=" "
        hideControls
        value={value[name]}
        onChange={(typed) => onChange({ ...value, [name]: String(typed) })}
      />
    ))}
    <TextInput
      type="time"
      label="Allocated from"
      value={value.from}
      onChange={({ currentTarget }) => onChange({ ...value, from: currentTarget.value })}
    />
    <TextInput
      type="time"
      label={say('until')}
      value={value.until}
      onChange={({ currentTarget }) => onChange({ ...value, until: currentTarget.value })}
    />
    <NumberInput
      size="xs"
      label="Time zone, minutes from UTC"
      hideControls
      value={value.utcOffsetMinutes}
      onChange={(typed) => onChange({ ...value, utcOffsetMinutes: String(typed) })}
    />
  </div>
)
