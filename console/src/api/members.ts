import { queryOptions } from '@tanstack/react-query'
import type { MembersAnswer } from '../../../src/http/operator-api/members.ts'
import { api } from './client.ts'

/** Somebody with an account of the console, or invited to make one, or a token of an operator. */
export type TeamRow = {
  readonly name: string
  readonly email: string
  /** In this tenant; undefined for an account that is something in others only. */
  readonly role: MembersAnswer['members'][number]['role'] | undefined
  /** Whose data a member of a merchant sees. */
  readonly merchant: string | undefined
  readonly grant: MembersAnswer['members'][number]['grant']
  /** What it is in other tenants, as owners of `main` see it. */
  readonly elsewhere: string | undefined
  readonly state: 'active' | 'disabled' | 'no second factor' | 'invited' | 'token'
  /** When they were last seen, or until when the invitation is good. */
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

/** All members, who is invited, and the tokens of operators; without the link of the first owner, which names nobody. */
export const team = queryOptions({
  queryKey: ['team'],
  queryFn: async () => {
    const answer = await api.get<MembersAnswer>('/members')
    return { rows: rowsOf(answer).filter(({ name }) => name !== ''), isCut: answer.isCut === true }
  },
})
