import { TextInput } from '@mantine/core'
import { typed } from './typed.ts'

type Props = {
  readonly value: string
  readonly onChange: (reason: string) => void
  readonly label?: string
  /** Whether the dialog begins in it. */
  readonly isFirst?: boolean
}

/** Asks for the reason, which the service records with the act. */
export const ReasonField = ({ value, onChange, label = 'Reason', isFirst = false }: Props) => (
  <TextInput
    label={label}
    maxLength={500}
    {...typed(value, onChange)}
    required
    withAsterisk={false}
    data-autofocus={isFirst || undefined}
  />
)
