import { Select, TextInput } from '@mantine/core'
import {
  type DestinationKind,
  destinationKinds,
  destinationRules,
  readAddress,
} from '../../../src/rules/money/destination.ts'
import { typedInto } from './typed.ts'

/** A destination that somebody types in. */
export type TypedDestination = { readonly kind: DestinationKind; readonly address: string; readonly label: string }

/** Nothing typed yet. */
export const noDestination: TypedDestination = { kind: 'tron', address: '', label: '' }

const kindOptions = destinationKinds.map((kind) => ({ value: kind, label: destinationRules[kind].name }))

const faultOf = ({ kind, address }: TypedDestination): string | undefined => {
  const read = readAddress(kind, address)
  return 'fault' in read ? read.fault : undefined
}

/** Whether everything is filled in, with a right checksum. */
export const isDestination = (given: TypedDestination): boolean =>
  faultOf(given) === undefined && given.label.trim() !== ''

type Props = { readonly given: TypedDestination; readonly onChange: (given: TypedDestination) => void }

/** The fields of a new destination, whose checksum is verified while it is typed. */
export const DestinationFields = ({ given, onChange }: Props) => {
  const field = typedInto(given, onChange)
  const { kind, address } = given
  const { name, example } = destinationRules[kind]
  const fault = faultOf(given)
  return (
    <>
      <Select
        label="Kind"
        data={kindOptions}
        value={kind}
        allowDeselect={false}
        onChange={(chosen) => onChange({ ...given, kind: destinationKinds.find((each) => each === chosen) ?? kind })}
        comboboxProps={{ zIndex: 400 }}
      />
      <TextInput
        label={`Address: ${name}`}
        description="Its checksum or check digits are verified. It is never changed: another address is another destination."
        placeholder={example}
        maxLength={200}
        error={address !== '' && fault !== undefined && `The address ${fault}`}
        data-autofocus
        {...field('address')}
      />
      <TextInput label="Your name for it" placeholder="Main wallet" maxLength={100} {...field('label')} />
    </>
  )
}
