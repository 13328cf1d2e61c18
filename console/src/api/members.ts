import { queryOptions } from '@tanstack/react-query'
import type { MembersAnswer } from '../../../src/operations/members.ts'
import { api } from './client.ts'

/** A person with an account of the console or an invitation, or an operator's token. */
export type TeamRow = {
  readonly name: string
  readonly email: string
  readonly role: MembersAnswer['members'][number]['role']
  /** The merchant whose data a member of a merchant sees. */
  readonly merchant: string | undefined
  readonly grant: MembersAnswer['members'][number]['grant']
  readonly state: 'active' | 'disabled' | 'no second factor' | 'invited' | 'token'
  /** When the person was last seen, or until when the invitation is valid. */
  readonly at: string | undefined
}

const rowsOf = ({ members, invitations, tokens }: MembersAnswer): TeamRow[] => [
  ...members.map(
    ({ name, email, role, merchantName: merchant, grant, hasSecondFactor, disabledAt, lastSeenAt }): TeamRow => {
      const state = hasSecondFactor ? 'active' : 'no second factor'
      return {
        name,
        email,
        role,
        merchant,
        grant,
        state: disabledAt === undefined ? state : 'disabled',
        at: lastSeenAt,
      }
    },
  ),
  ...invitations.map(
    ({ name, email, role, merchantName: merchant, grant, expiresAt }): TeamRow => ({
      name,
      email,
      role,
      merchant,
      grant,
      state: 'invited',
      at: expiresAt,
    }),
  ),
  ...tokens.map(
    ({ name, role, lastUsedAt }): TeamRow => ({
      ...{
        name,
        role,
        email: '',
        merchant: undefined,
        grant: undefined,
        state: 'token',
        at: lastUsedAt,
      },
    }),
  ),
]

/** All members, open invitations and operators' tokens; without the link for the first owner, which names nobody. */
export const team = queryOptions({
  queryKey: ['team'],
  queryFn: async () => {
    const answer = await api.get<MembersAnswer>('/members')
    return { rows: rowsOf(answer).filter(({ name }) => name !== ''), isCut: answer.isCut === true }
  },
})
