import type { ChangeEvent } from 'react'
import { readDecimal } from '../money.ts'

type Event = ChangeEvent<HTMLInputElement | HTMLTextAreaElement>

/** The value of a text field, and what is done when somebody types another one. */
export const typed = (value: string, onChange: (value: string) => void) => ({
  value,
  onChange: ({ currentTarget }: Event): void =>
    onChange(currentTarget.inputMode === 'decimal' ? readDecimal(currentTarget.value) : currentTarget.value),
})

/** The fields of a form that are texts, by their names. */
export const typedInto =
  <Given extends object>(given: Given, onChange: (given: Given) => void) =>
  <Name extends keyof Given>(name: Name & (Given[Name] extends string ? unknown : never)) =>
    typed(given[name] as string, (value) => onChange({ ...given, [name]: value }))
