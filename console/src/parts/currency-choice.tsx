import { Select } from '@mantine/core'

type Props = {
  readonly label: string
  readonly currencies: readonly string[]
  readonly value: string | undefined
  readonly onChange: (currency: string) => void
}

/** A choice among the currencies of balances; nothing if there is only one. */
export const CurrencyChoice = ({ label, currencies, value, onChange }: Props) =>
  currencies.length < 2 ? null : (
    <Select
      aria-label={label}
      data={currencies.map((each) => ({ value: each, label: each.toUpperCase() }))}
      value={value ?? null}
      w={110}
      allowDeselect={false}
      onChange={(chosen) => chosen !== null && onChange(chosen)}
      comboboxProps={{ zIndex: 400 }}
    />
  )
