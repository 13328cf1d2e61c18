import { queryOptions } from '@tanstack/react-query'
import type { MembersAnswer } from '../../../src/http/operator-api/members.ts'
import { api } from './client.ts'

/** A person with an account of the console or an invitation, or an operator's token. */
export type TeamRow = {
  readonly name: string
  readonly email: string
  /** In this tenant; undefined for an account that has roles in other tenants only. */
  readonly role: MembersAnswer['members'][number]['role'] | undefined
  /** The merchant whose data a member of a merchant sees. */
  readonly merchant: string | undefined
  readonly grant: MembersAnswer['members'][number]['grant']
  /** Roles in other tenants, which only owners of `main` see. */
  readonly elsewhere: string | undefined
  readonly state: 'active' | 'disabled' | 'no second factor' | 'invited' | 'token'
  /** When the person was last seen, or until when the invitation is valid. */
  readonly at: string | undefined
}

const inOthers = (list: MembersAnswer['members'][number]['elsewhere'] = []): string | undefined =>
  list.map(({ tenant, role }) => `${role} in ${tenant}`).join(', ') || undefined

const rowsOf = ({ members, invitations, tokens }: MembersAnswer): TeamRow[] => [
  ...members.map(
    ({
      name,
      email,
      role,
      merchantName: merchant,
      grant,
      elsewhere,
      hasSecondFactor,
      disabledAt,
      lastSeenAt,
    }): TeamRow => {
      const state = hasSecondFactor ? 'active' : 'no second factor'
      return {
        name,
        email,
        role,
        merchant,
        grant,
        elsewhere: inOthers(elsewhere),
        state: disabledAt === undefined ? state : 'disabled',
        at: lastSeenAt,
      }
    },
  ),
  ...invitations.map(
    ({ name, email, role, tenant, merchantName: merchant, grant, expiresAt }): TeamRow => ({
      name,
      email,
      role: tenant === undefined ? role : undefined,
      merchant,
      grant,
      elsewhere: tenant === undefined ? undefined : inOthers([{ tenant, role }]),
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
        elsewhere: undefined,
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
