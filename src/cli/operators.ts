import { members, type MembersAnswer } from '../operations/members.ts'
import { list } from './commands.ts'
import { nounCommands } from './noun-commands.ts'
import { printTime } from './print-table.ts'

const stateOf = ({ disabledAt, hasSecondFactor }: MembersAnswer['members'][number]): string => {
  if (disabledAt !== undefined) return `disabled since ${printTime(disabledAt)}`
  return hasSecondFactor ? 'active' : 'has no second factor yet'
}

const merchantOf = ({
  merchantName,
  grant,
}: MembersAnswer['members'][number] | MembersAnswer['invitations'][number]) =>
  merchantName === undefined ? undefined : `${merchantName} (${grant})`

const rowsOf = ({ members: people, invitations, tokens }: MembersAnswer) => [
  ...people.map((member) => ({
    ...member,
    merchant: merchantOf(member),
    state: stateOf(member),
    seen: printTime(member.lastSeenAt),
  })),
  ...invitations.map((each) => ({
    ...each,
    merchant: merchantOf(each),
    state: `invited until ${printTime(each.expiresAt)}`,
    seen: undefined,
  })),
  ...tokens.map(({ name, role, lastUsedAt }) => ({
    ...{ name, role, email: '', merchant: undefined, state: 'a token in the settings' },
    seen: printTime(lastUsedAt),
  })),
]

/** The list shows members, invitations and tokens of operators in one table. */
export const operatorCommands = nounCommands(members, {
  list: list('GET /members', {
    description: 'List people with an account, invitations, and tokens of operators.',
    rows: rowsOf,
    notes: ({ isCut }) => (isCut ? 'These are the first 5,000; the others are left out.' : undefined),
    empty: 'Nobody yet: payin operators invite <name> --email <address> --role owner',
    columns: {
      NAME: 'name',
      'E-MAIL~': 'email',
      ROLE: 'role',
      'MERCHANT~': 'merchant',
      'STATE~': 'state',
      'LAST SEEN': 'seen',
    },
  }),
})
