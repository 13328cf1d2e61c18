import { Button, Modal, Select, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SyntheticEvent, useState } from 'react'
import type { LinkAnswer } from '../../../../src/http/operator-api/members.ts'
import { type Role, roles } from '../../../../src/domain/role.ts'
import { api } from '../../api/client.ts'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { OneTimeLink } from './one-time-link.tsx'

/** What a role is for, in a few words; docs/roles.md has each operation. */
const aboutRoles: Readonly<Record<Role, string>> = {
  owner: 'may do everything',
  operator: 'decides which payment money is for, and brings in statements',
  finance: 'rates, settlements, adjustments and statements',
  support: 'cares for payers and merchants; moves no money',
  auditor: 'looks at everything and changes nothing',
}

const Invite = () => {
  const [given, setGiven] = useState({ name: '', email: '', role: 'operator' as Role })
  const queries = useQueryClient()
  const invite = useMutation({
    mutationFn: () => api.post<LinkAnswer>('/members/invitations', given),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['team'] }),
  })
  const onSubmit = (event: SyntheticEvent): void => {
    event.preventDefault()
    invite.mutate()
  }
  if (invite.data !== undefined) return <OneTimeLink link={invite.data} />
  return (
    <form className="sign-in-form" onSubmit={onSubmit}>
      <TextInput
        label="Short name"
        description="As notes and the audit name the person: anna"
        pattern="[a-z0-9][a-z0-9.\-]{0,39}"
        value={given.name}
        onChange={(event) => setGiven({ ...given, name: event.currentTarget.value })}
        required
        withAsterisk={false}
        data-autofocus
      />
      <TextInput
        label="E-mail address"
        type="email"
        value={given.email}
        onChange={(event) => setGiven({ ...given, email: event.currentTarget.value })}
        required
        withAsterisk={false}
      />
      <Select
        label="Role"
        description={aboutRoles[given.role]}
        data={roles.map((role) => ({ value: role, label: role }))}
        value={given.role}
        onChange={(role) => setGiven({ ...given, role: role ?? 'operator' })}
        allowDeselect={false}
      />
      {invite.error !== null && <ProblemMessage error={invite.error} />}
      <Button type="submit" loading={invite.isPending}>
        Make the link
      </Button>
    </form>
  )
}

/** Asks whom to invite, and gives the link. */
export const InviteMember = ({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) => (
  <Modal opened={opened} onClose={onClose} title="Invite somebody" closeButtonProps={{ 'aria-label': 'Close' }}>
    <Invite />
  </Modal>
)
