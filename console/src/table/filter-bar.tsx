import './table.css'
import { Button, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import type { Query } from '../api/client.ts'
import { Icon } from '../parts/icon.tsx'
import { language, sayWord } from '../language.ts'
import { readDecimal } from '../money.ts'

type Option = string | { readonly value: string; readonly label: string }

/** A filter of a list: one of some values, or a text. */
export type Filter = {
  /** Its name in the address and in the query of the list. */
  readonly name: string
  readonly label: string
  readonly width?: number
} & (
  | {
      readonly options: readonly Option[]
      readonly searchable?: boolean
      /**
       * The value that the list has without the filter; if it is chosen, the address leaves it out. Default: nothing is
       * chosen.
       */
      readonly usual?: string
    }
  | {
      /** What the service accepts; anything else is marked as wrong and not sent. */
      readonly pattern?: RegExp
      /** Other filters that this one changes, such as those that need it. */
      readonly alsoChanges?: (value: string) => Query
    }
)

type FieldProps<Kind = Filter> = {
  readonly filter: Kind
  readonly value: string | undefined
  readonly onChange: (changed: Query) => void
}

type TextFilter = Exclude<Filter, { readonly options: readonly Option[] }>
type ChoiceFilter = Extract<Filter, { readonly options: readonly Option[] }>

/** Other languages need more room than English. */
const roomFor = (width: number): number => (language === 'en' ? width : Math.round(width * 1.25))

/** A text that filters once the person stops typing. */
const TextField = ({ filter, value = '', onChange }: FieldProps<TextFilter>) => {
  const { name, label, pattern, alsoChanges, width = 110 } = filter
  const [text, setText] = useState(value)
  const change = useDebouncedCallback(
    (given: string) => onChange({ [name]: given || undefined, ...alsoChanges?.(given) }),
    350,
  )
  useEffect(() => setText(value), [value])
  const isWrong = text !== '' && pattern?.test(text) === false
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      value={text}
      w={roomFor(width)}
      error={isWrong}
      onChange={({ currentTarget }) => {
        const typed = pattern === undefined ? currentTarget.value : readDecimal(currentTarget.value)
        setText(typed)
        if (typed === '' || pattern?.test(typed) !== false) change(typed)
      }}
    />
  )
}

const ChoiceField = ({ filter, value, onChange }: FieldProps<ChoiceFilter>) => {
  const { name, label, options, searchable = false, usual, width = 140 } = filter
  const words = options.filter((each) => typeof each === 'string')
  return (
    <Select
      aria-label={label}
      placeholder={label}
      w={roomFor(width)}
      data={options.map((each) => (typeof each === 'string' ? { value: each, label: sayWord(each, words) } : each))}
      searchable={searchable}
      clearable={usual === undefined}
      allowDeselect={usual === undefined}
      value={value ?? usual ?? null}
      onChange={(chosen) => onChange({ [name]: chosen === usual ? undefined : (chosen ?? undefined) })}
    />
  )
}

type Props = {
  readonly filters: readonly Filter[]
  readonly values: Query
  readonly onChange: (changed: Query) => void
}

/** The filters of a list, kept in the address, with a button that clears all of them. */
export const FilterBar = ({ filters, values, onChange }: Props) => (
  <search className="filters" aria-label="Filters">
    {filters.map((filter) =>
      'options' in filter ? (
        <ChoiceField key={filter.name} filter={filter} value={values[filter.name]} onChange={onChange} />
      ) : (
        <TextField key={filter.name} filter={filter} value={values[filter.name]} onChange={onChange} />
      ),
    )}
    {Object.values(values).some(Boolean) ? (
      <Button
        variant="subtle"
        leftSection={<Icon name="close" size={14} />}
        onClick={() => onChange(Object.fromEntries(Object.keys(values).map((name) => [name, undefined])))}
      >
        Clear
      </Button>
    ) : (
      <span className="filters-hint">Filters stay in the address: bookmark it to keep them.</span>
    )}
  </search>
)
