import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { team, type TeamRow } from '../../api/members.ts'
import { CsvButton } from '../../parts/csv-button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Moment } from '../../parts/moment.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { useMay } from '../../session.ts'
import { type Column, DataTable } from '../../table/data-table.tsx'
import { InviteMember } from './invite-member.tsx'
import { MemberDrawer } from './member-drawer.tsx'
import '../sign-in/sign-in.css'
import { say } from '../../language.ts'

const route = getRouteApi('/inside/team')

/** A token and a member may have the same name. */
const keyOf = ({ name, state }: TeamRow): string => (state === 'token' ? `token:${name}` : name)

const columns: readonly Column<TeamRow>[] = [
  { name: 'Name', width: 80, grows: 1, cell: ({ name }) => <strong>{name}</strong> },
  { name: 'E-mail', width: 180, grows: 2, rank: 620, cell: ({ email }) => email },
  {
    name: 'Role',
    width: 76,
    grows: 1,
    cell: ({ role, merchant }) => merchant ?? say(role),
  },
  { name: 'State', width: 76, grows: 1, cell: ({ state }) => say(state) },
  {
    name: 'Last seen',
    width: 150,
    rank: 760,
    cell: ({ state, at }) => (state === 'invited' ? '' : <Moment at={at} show="relative" />),
  },
]

/** People with an account of the console. */
export const Team = () => {
  const { open, invite } = route.useSearch()
  const navigate = useNavigate({ from: '/team' })
  // A merchant's page leads here to invite a member of that merchant.
  const [isInviting, setInviting] = useState(invite !== undefined)
  const mayInvite = useMay('configure')
  const { data: found, error, refetch } = useQuery(team)
  const data = found?.rows
  const show = (name: string | undefined): void => void navigate({ search: () => ({ open: name }), replace: true })
  return (
    <>
      <PageHead title="Team" about={data && `${data.length}`}>
        <CsvButton path="/members" />
        {mayInvite && <Button onClick={() => setInviting(true)}>Invite</Button>}
      </PageHead>
      <DataTable
        label="Team"
        columns={columns}
        rows={data}
        keyOf={keyOf}
        onOpen={(row) => show(keyOf(row))}
        openKey={open}
        error={data === undefined ? error : null}
        onRetry={() => void refetch()}
        empty={
          <EmptyState title="Nobody has an account yet">
            Tokens of operators are in the settings; people who use the console are invited here.
          </EmptyState>
        }
        foot={
          <span>
            {found?.isCut === true && 'These are the first 5,000; the others are left out. '}
            Owners invite people and manage their roles.
          </span>
        }
      />
      <InviteMember
        key={String(isInviting)}
        opened={isInviting}
        onClose={() => setInviting(false)}
        merchantId={invite}
      />
      <MemberDrawer member={data?.find((row) => keyOf(row) === open)} onClose={() => show(undefined)} />
    </>
  )
}
