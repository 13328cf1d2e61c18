import { merchantGrants } from '../rules/members/access.ts'
import { memberRoles, roles } from '../rules/members/role.ts'
import type { OneTimeLinkAnswer, MembersAnswer } from '../http/operator-api/members.ts'
import { type Group, list, request } from './commands.ts'
import { argument, option, required } from './inputs.ts'
import { ofMerchant } from './named-inputs.ts'
import { printFields, printSections, printTime } from './print-table.ts'

const stateOf = ({ disabledAt, hasSecondFactor }: MembersAnswer['members'][number]): string => {
  if (disabledAt !== undefined) return `disabled since ${printTime(disabledAt)}`
  return hasSecondFactor ? 'active' : 'has no second factor yet'
}

const merchantOf = ({
  merchantName,
  grant,
}: MembersAnswer['members'][number] | MembersAnswer['invitations'][number]) =>
  merchantName === undefined ? undefined : `${merchantName} (${grant})`

const rowsOf = ({ members, invitations, tokens }: MembersAnswer) => [
  ...members.map((member) => ({
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

const describeLink = ({ link, expiresAt }: OneTimeLinkAnswer) =>
  printSections(
    printFields({ Link: link, 'Good until': printTime(expiresAt) }),
    'It works once and is not shown again. Send it to the person through a channel that you trust.',
  )

const name = argument('<name>', 'short name, such as anna')
const done = (text: string) => () => text

export const operatorCommands: Group = {
  description:
    'People who sign in to the console: operators, with a role, and members of a merchant, who see only its data.',
  usual: 'list',
  examples: [
    'payin operators invite anna --email anna@example.com --role operator',
    'payin operators invite olga --email olga@shop.example --role merchant --merchant "Demo Shop" --grant write',
    'payin operators role anna finance',
    'payin operators disable anna',
  ],
  commands: {
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
    invite: request('POST /members/invitations', {
      description: 'Create a link with which somebody sets a password and a second factor.',
      inputs: {
        name,
        email: required('--email <address>', 'with which the person signs in'),
        role: required('--role <role>', `one of ${memberRoles.join(', ')}`),
        merchantId: ofMerchant(', with --role merchant: whose data the person sees'),
        grant: option('--grant <grant>', `with --role merchant: ${merchantGrants.join(' or ')}; default: read`),
      },
      print: describeLink,
    }),
    uninvite: request('DELETE /members/invitations/{name}', {
      description: 'Cancel an invitation.',
      inputs: { name },
      print: done('The link no longer works.'),
    }),
    role: request('PATCH /members/{name}', {
      description: "Change somebody's role; their sessions end.",
      inputs: { name, role: argument('<role>', `one of ${roles.join(', ')}`) },
      print: ({ role }: { role: string }) => `The role is ${role} from the next sign-in on.`,
    }),
    grant: request('PATCH /members/{name}', {
      description: 'Change what a member of a merchant may do; their sessions end.',
      inputs: { name, grant: argument('<grant>', merchantGrants.join(' or ')) },
      print: ({ grant }: { grant?: string }) => `The grant is ${grant} from the next sign-in on.`,
    }),
    disable: request('PATCH /members/{name}', {
      description: 'Disable an account; its sessions end immediately.',
      inputs: { name },
      body: () => ({ isDisabled: true }),
      print: done('The account is disabled, and its sessions have ended.'),
    }),
    enable: request('PATCH /members/{name}', {
      description: 'Enable an account again.',
      inputs: { name },
      body: () => ({ isDisabled: false }),
      print: done('The account is enabled.'),
    }),
    'reset-password': request('POST /members/{name}/password-link', {
      description: 'Create a link with which somebody sets a new password; their sessions end immediately.',
      inputs: { name },
      print: describeLink,
    }),
    'remove-second-factor': request('POST /members/{name}/remove-second-factor', {
      description: 'Remove the second factor and passkeys of somebody who has lost them; their sessions end.',
      inputs: { name },
      print: done('The next sign-in asks to set up a new second factor.'),
    }),
  },
}
