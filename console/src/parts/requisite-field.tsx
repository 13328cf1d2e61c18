import { MultiSelect, Select, type SelectProps } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { requisiteChoices, requisiteName } from '../api/requisites.ts'

type Props = Pick<SelectProps, 'label' | 'description' | 'placeholder' | 'clearable' | 'required'> & {
  readonly value: string
  readonly onChange: (requisiteId: string) => void
}

/** Chooses a requisite by its name for operators; empty for none. */
export const RequisiteField = ({ value, onChange, ...field }: Props) => {
  const { data = [] } = useQuery(requisiteChoices)
  return (
    <Select
      {...field}
      data={data.map((each) => ({ value: each.id, label: requisiteName(each) }))}
      value={value === '' ? null : value}
      onChange={(chosen) => onChange(chosen ?? '')}
      searchable
      limit={50}
      withAsterisk={false}
      nothingFoundMessage="No such requisite"
      comboboxProps={{ zIndex: 400 }}
    />
  )
}

type ManyProps = {
  readonly about: string
  readonly value: readonly string[]
  readonly onChange: (requisiteIds: string[]) => void
}

/** Chooses several requisites by their names for operators. */
export const RequisitesField = ({ about, value, onChange }: ManyProps) => {
  const { data = [] } = useQuery(requisiteChoices)
  return (
    <MultiSelect
      label="Requisites"
      description={about}
      data={data.map((each) => ({ value: each.id, label: requisiteName(each) }))}
      value={[...value]}
      onChange={onChange}
      searchable
      limit={50}
      size="xs"
      nothingFoundMessage="No such requisite"
      comboboxProps={{ zIndex: 400 }}
    />
  )
}
