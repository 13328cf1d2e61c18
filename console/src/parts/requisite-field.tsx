import { Select, type SelectProps } from '@mantine/core'
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
