import { Select, type SelectProps } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { merchants } from '../api/merchants.ts'

type Props = Pick<SelectProps, 'label' | 'placeholder' | 'clearable' | 'required'> & {
  readonly value: string | null
  readonly onChange: (merchantId: string | null) => void
}

/** Chooses a merchant by its name. */
export const MerchantField = (field: Props) => {
  const { data = [] } = useQuery(merchants)
  return (
    <Select
      {...field}
      data={data.map(({ id, name }) => ({ value: id, label: name }))}
      searchable
      withAsterisk={false}
      comboboxProps={{ zIndex: 400 }}
    />
  )
}
