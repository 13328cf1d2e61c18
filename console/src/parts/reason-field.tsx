import { TextInput } from '@mantine/core'

type Props = { readonly value: string; readonly onChange: (reason: string) => void; readonly label?: string }

/** Asks why: the service keeps it with what was done. */
export const ReasonField = ({ value, onChange, label = 'Why' }: Props) => (
  <TextInput
    label={label}
    value={value}
    maxLength={500}
    onChange={(event) => onChange(event.currentTarget.value)}
    required
    withAsterisk={false}
  />
)
