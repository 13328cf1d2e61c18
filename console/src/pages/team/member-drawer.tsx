import { Button, Drawer, Select } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { OneTimeLinkAnswer } from '../../../../src/operations/members.ts'
import { roles } from '../../../../src/rules/members/access.ts'
import { api } from '../../api/client.ts'
import type { TeamRow } from '../../api/members.ts'
import { Moment } from '../../parts/moment.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { useMay } from '../../session.ts'
import { OneTimeLink } from './one-time-link.tsx'
import { choicesOf, say } from '../../language.ts'

type Act = {
  readonly text: string
  readonly about: string
  readonly run: () => Promise<unknown>
  readonly isGrave?: true
}

const actsOf = ({ name, state }: TeamRow): readonly Act[] => {
  const path = `/members/${name}`
  if (state === 'invited')
    return [
      {
        text: 'Cancel the invitation',
        about: 'Its link no longer works.',
        run: () => api.delete(`/members/invitations/${name}`),
      },
    ]
  const link: Act = {
    text: 'Link for a new password',
    about: 'Ends all sessions. The second factor stays.',
    run: () => api.post(`${path}/password-link`, null),
  }
  const factor: Act = {
    text: 'Remove the second factor',
    about: 'For somebody who has lost it; the next sign-in sets up a new one. Ends all sessions.',
    run: () => api.post(`${path}/remove-second-factor`, null),
    isGrave: true,
  }
  const isDisabled = state === 'disabled'
  const access: Act = isDisabled
    ? { text: 'Enable', about: 'Lets the person sign in again.', run: () => api.patch(path, { isDisabled: false }) }
    : {
        text: 'Disable',
        about: 'Ends all sessions; the person can no longer sign in.',
        run: () => api.patch(path, { isDisabled: true }),
        isGrave: true,
      }
  return [link, factor, access]
}

const Member = ({ member }: { readonly member: TeamRow }) => {
  const queries = useQueryClient()
  const mayChange = useMay('configure')
  const act = useMutation({
    mutationFn: (run: () => Promise<unknown>) => run(),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['team'] }),
  })
  const link = act.data as Partial<OneTimeLinkAnswer> | undefined
  if (member.state === 'token')
    return (
      <>
        <p>
          A token with the role {say(member.role)}, last used <Moment at={member.at} show="relative" />.
        </p>
        <p className="quiet">
          It is in the settings of the service (<code>PAYIN_OPERATOR_TOKENS</code>): whoever runs it changes or removes
          it there.
        </p>
      </>
    )
  return (
    <div className="sign-in-form">
      <p>
        {member.email}
        <br />
        <span className="quiet">{member.state}</span>
      </p>
      {member.merchant !== undefined && (
        <p>
          {member.merchant}: {member.grant === 'write' ? 'may change' : 'may look'}
        </p>
      )}
      {mayChange && member.state !== 'invited' && member.role === 'merchant' && (
        <Select
          label="May"
          description="A change ends all sessions."
          data={[
            { value: 'read', label: 'Look' },
            { value: 'write', label: 'Look and change' },
          ]}
          value={member.grant ?? 'read'}
          onChange={(grant) => act.mutate(() => api.patch(`/members/${member.name}`, { grant }))}
          allowDeselect={false}
        />
      )}
      {mayChange && member.state !== 'invited' && member.role !== 'merchant' && (
        <Select
          label="Role"
          description="A change ends all sessions."
          data={choicesOf(roles)}
          value={member.role}
          onChange={(role) => act.mutate(() => api.patch(`/members/${member.name}`, { role }))}
          allowDeselect={false}
        />
      )}
      {mayChange &&
        actsOf(member).map(({ text, about, run, isGrave }) => (
          <div key={text}>
            <Button
              variant={isGrave ? 'light' : 'default'}
              {...(isGrave ? { color: 'red' } : {})}
              onClick={() => act.mutate(run)}
            >
              {text}
            </Button>
            <p className="quiet small">{about}</p>
          </div>
        ))}
      {link?.link !== undefined && <OneTimeLink link={link as OneTimeLinkAnswer} />}
      {act.error !== null && <ProblemMessage error={act.error} />}
    </div>
  )
}

type Props = { readonly member: TeamRow | undefined; readonly onClose: () => void }

/** One person, and what an owner can do about the account. */
export const MemberDrawer = ({ member, onClose }: Props) => (
  <Drawer
    opened={member !== undefined}
    onClose={onClose}
    position="right"
    title={member?.name}
    closeButtonProps={{ 'aria-label': 'Close' }}
  >
    {member !== undefined && <Member key={member.name} member={member} />}
  </Drawer>
)
