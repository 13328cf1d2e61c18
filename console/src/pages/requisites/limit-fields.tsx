import { NumberInput, TextInput } from '@mantine/core'
import { formatMinuteOfDay } from '../../../../src/rules/time.ts'
import type { HealthAnswer } from '../../../../src/operations/requisite-health.ts'

type Limits = HealthAnswer['limits']

/** Limits as a form has them: text, empty for no limit; windows in minutes. */
export type TypedLimits = Readonly<Record<Exclude<keyof Limits, 'workingMinutes'> | 'from' | 'until', string>>

const minutesOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5))

const text = (value: number | null): string => (value === null ? '' : String(value))

const minuteMs = 60_000

const minutesText = (ms: number | null): string => text(ms === null ? null : ms / minuteMs)

/** The form's fields, filled from limits. */
export const typeLimits = ({ workingMinutes, utcOffsetMinutes, ...limits }: Limits): TypedLimits => ({
  minAmount: text(limits.minAmount),
  maxAmount: text(limits.maxAmount),
  dayAmount: text(limits.dayAmount),
  dayCount: text(limits.dayCount),
  monthAmount: text(limits.monthAmount),
  monthCount: text(limits.monthCount),
  openPayments: text(limits.openPayments),
  pauseAfter: text(limits.pauseAfter),
  lateWindowMs: minutesText(limits.lateWindowMs),
  coolDownMs: minutesText(limits.coolDownMs),
  utcOffsetMinutes: String(utcOffsetMinutes),
  from: workingMinutes === null ? '' : formatMinuteOfDay(workingMinutes[0]),
  until: workingMinutes === null ? '' : formatMinuteOfDay(workingMinutes[1] % 1440),
})

const orNull = (typed: string): number | null => (typed === '' ? null : Number(typed))

const msOrNull = (typed: string): number | null => (typed === '' ? null : Math.round(Number(typed) * minuteMs))

/** Reads the form into limits for a request. */
export const readTypedLimits = ({ from, until, utcOffsetMinutes, ...typed }: TypedLimits): Limits => ({
  minAmount: orNull(typed.minAmount),
  maxAmount: orNull(typed.maxAmount),
  dayAmount: orNull(typed.dayAmount),
  dayCount: orNull(typed.dayCount),
  monthAmount: orNull(typed.monthAmount),
  monthCount: orNull(typed.monthCount),
  openPayments: orNull(typed.openPayments),
  pauseAfter: orNull(typed.pauseAfter),
  lateWindowMs: msOrNull(typed.lateWindowMs),
  coolDownMs: msOrNull(typed.coolDownMs),
  utcOffsetMinutes: Number(utcOffsetMinutes),
  workingMinutes: from === '' || until === '' ? null : [minutesOf(from), until === '00:00' ? 1440 : minutesOf(until)],
})

const fields: readonly (readonly [keyof TypedLimits, string])[] = [
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
]

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
      label="until"
      value={value.until}
      onChange={({ currentTarget }) => onChange({ ...value, until: currentTarget.value })}
    />
    <NumberInput
      size="xs"
      label="Its day begins, minutes from UTC"
      hideControls
      value={value.utcOffsetMinutes}
      onChange={(typed) => onChange({ ...value, utcOffsetMinutes: String(typed) })}
    />
  </div>
)
