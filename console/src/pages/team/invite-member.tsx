import { Button, Modal, Select, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SyntheticEvent, useState } from 'react'
import type { OneTimeLinkAnswer } from '../../../../src/operations/members.ts'
import {
  type MerchantGrant,
  merchantGrants,
  type MemberRole,
  memberRoles,
} from '../../../../src/rules/members/access.ts'
import { ApiProblem, api } from '../../api/client.ts'
import { MerchantField } from '../../parts/merchant-field.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { OneTimeLink } from './one-time-link.tsx'
import { typedInto } from '../../parts/typed.ts'
import { choicesOf, say } from '../../language.ts'

/** What a role is for, in a few words; docs/roles.md has each operation. */
const aboutRoles: Readonly<Record<MemberRole, string>> = {
  owner: 'may do everything',
  operator: 'decides which payment money is for, and imports statements',
  finance: 'rates, settlements, adjustments and statements',
  support: 'helps payers and merchants; moves no money',
  auditor: 'sees everything and changes nothing',
  merchant: 'a person at one merchant, who sees only its payments and money',
}

const grantTexts: Readonly<Record<MerchantGrant, string>> = {
  read: 'Look',
  write: 'Look, and change: disputes, notifications, canceling',
}

type Given = {
  readonly name: string
  readonly email: string
  readonly role: MemberRole
  readonly merchantId?: string
  readonly grant?: MerchantGrant
}

type FieldsProps = { readonly given: Given; readonly onChange: (given: Given) => void }

/** The merchant whose data the person will see, and what the person may do with it. */
const MerchantFields = ({ given, onChange }: FieldsProps) => {
  return (
    <>
      <MerchantField
        label="Merchant"
        value={given.merchantId ?? null}
        onChange={(merchantId) => onChange({ ...given, ...(merchantId === null ? {} : { merchantId }) })}
        required
      />
      <Select
        label="May"
        data={merchantGrants.map((grant) => ({ value: grant, label: grantTexts[grant] }))}
        value={given.grant ?? 'read'}
        onChange={(grant) => onChange({ ...given, grant: grant ?? 'read' })}
        allowDeselect={false}
      />
    </>
  )
}

const roleOf = ({ name, email }: Given, role: MemberRole): Given => ({ name, email, role })

const Invite = ({ merchantId }: { readonly merchantId: string | undefined }) => {
  const [given, setGiven] = useState<Given>(
    merchantId === undefined
      ? { name: '', email: '', role: 'operator' }
      : { name: '', email: '', role: 'merchant', merchantId },
  )
  const field = typedInto(given, setGiven)
  const queries = useQueryClient()
  const invite = useMutation({
    mutationFn: () => api.post<OneTimeLinkAnswer>('/members/invitations', given),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['team'] }),
  })
  const give = useMutation({
    mutationFn: () => api.put(`/members/${given.name}/role`, { role: given.role, email: given.email }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['team'] }),
  })
  const onSubmit = (event: SyntheticEvent): void => {
    event.preventDefault()
    invite.mutate()
  }
  if (invite.data !== undefined) return <OneTimeLink link={invite.data} />
  if (give.isSuccess)
    return (
      <p role="status">
        {given.name} is {say(given.role)} now, and signs in as before.
      </p>
    )
  const isKnown = invite.error instanceof ApiProblem && invite.error.code === 'already_exists'
  return (
    <form className="sign-in-form" onSubmit={onSubmit}>
      <TextInput
        label="Short name"
        description="Notes and the audit use it, such as anna"
        pattern="[a-z0-9][a-z0-9.\-]{0,39}"
        {...field('name')}
        required
        withAsterisk={false}
        data-autofocus
      />
      <TextInput label="E-mail address" type="email" {...field('email')} required withAsterisk={false} />
      <Select
        label="Role"
        description={aboutRoles[given.role]}
        data={choicesOf(memberRoles)}
        value={given.role}
        onChange={(role) => setGiven(roleOf(given, role ?? 'operator'))}
        allowDeselect={false}
      />
      {given.role === 'merchant' && <MerchantFields given={given} onChange={setGiven} />}
      {invite.error !== null && <ProblemMessage error={invite.error} />}
      {isKnown && given.role !== 'merchant' && (
        <Button variant="default" loading={give.isPending} onClick={() => give.mutate()}>
          It is the same person: give the account this role
        </Button>
      )}
      {give.error !== null && <ProblemMessage error={give.error} />}
      <Button type="submit" loading={invite.isPending}>
        Make the link
      </Button>
    </form>
  )
}

type Props = {
  readonly opened: boolean
  readonly onClose: () => void
  /** The merchant that the person will be a member of. Default: the form asks. */
  readonly merchantId?: string | undefined
}

/** Asks whom to invite, and shows the link. */
export const InviteMember = ({ opened, onClose, merchantId }: Props) => (
  <Modal opened={opened} onClose={onClose} title="Invite somebody" closeButtonProps={{ 'aria-label': 'Close' }}>
    <Invite merchantId={merchantId} />
  </Modal>
)
