import { merchantGrants, memberRoles, roles } from '../rules/members/access.ts'
import { Time, idOf, ofAnyMerchant } from './fields.ts'
import { type Noun, operation } from './operation.ts'
import { presented, type Static, Type } from './schema.ts'

export const MemberName = Type.Pattern(
  'must be a short name of small letters, digits, dots and hyphens, such as anna.',
  {
    pattern: '^[a-z0-9][a-z0-9.-]{0,39}$',
    description: 'The name by which events, notes and the audit call the member.',
    examples: ['anna'],
  },
)

export const MemberEmail = Type.Pattern('must be an e-mail address.', {
  pattern: '^[^@\\s<>"]{1,64}@[^@\\s<>"]{1,185}$',
  description: 'The address with which the member signs in.',
  examples: ['anna@example.com'],
})

const ofMember = { name: MemberName }

const OperatorRole = Type.OneOf(roles, {
  title: 'OperatorRole',
  description: 'What an operator may do.',
})

const Role = Type.OneOf(memberRoles, {
  title: 'MemberRole',
  description: 'What the person may do; `merchant`: a member of one merchant, who sees only its data.',
})

const Grant = Type.OneOf(merchantGrants, {
  title: 'MerchantGrant',
  description: 'What a member of a merchant may do: only read, or also change.',
})

const memberPosition = { role: Role, ...ofAnyMerchant('Only for a member of a merchant.'), 'grant?': Grant }

const OneTimeLinkAnswer = Type.Titled('OneTimeLink', {
  link: Type.String({ description: 'Works once. Shown only here; not stored.', format: 'uri' }),
  expiresAt: presented(Time, { heading: 'Good until' }),
})

const sendLink = 'It works once and is not shown again. Send it to the person through a channel that you trust.'

const MembersAnswer = Type.Object({
  members: Type.Array(
    Type.Object({
      name: Type.String(),
      email: Type.String(),
      ...memberPosition,
      hasSecondFactor: Type.Flag('Without one, a member can only set one up.'),
      'disabledAt?': Time,
      createdAt: Time,
      'lastSeenAt?': Type.String({
        format: 'date-time',
        description: 'When the member last used the console; absent once that session has ended.',
      }),
    }),
  ),
  invitations: Type.Array(
    Type.Object({
      name: Type.String(),
      email: Type.String(),
      ...memberPosition,
      invitedBy: Type.String(),
      createdAt: Time,
      expiresAt: Time,
    }),
  ),
  tokens: Type.Rows('Operators with tokens in the settings.', {
    name: Type.String(),
    role: OperatorRole,
    'lastUsedAt?': presented(Time, 'To the minute; absent: never.'),
  }),
  'isCut?': Type.Flag('Whether some are left out: at most 5,000 members and invitations are listed.'),
})
export type MembersAnswer = Static<typeof MembersAnswer>

export type OneTimeLinkAnswer = Static<typeof OneTimeLinkAnswer>

export const members = {
  about: 'People who sign in to the console: operators, with a role, and members of a merchant, who see only its data.',
  usual: 'list',
  examples: [
    'payin operators invite anna --email anna@example.com --role operator',
    'payin operators invite olga --email olga@shop.example --role merchant --merchant "Demo Shop" --grant write',
    'payin operators role anna finance',
    'payin operators disable anna',
  ],
  operations: {
    list: operation('GET /members', 'read', {
      id: 'listMembers',
      summary: 'List the members',
      description:
        'People with an account of the console, with their role and whether they have a second factor; also invitations, and tokens of operators.',
      answer: MembersAnswer,
      exports: 'members',
      command: {
        columns: ['name', 'email', 'role', 'merchantId', 'grant', 'hasSecondFactor', 'disabledAt', 'lastSeenAt'],
        empty: 'Nobody has an account yet: payin operators invite <name> --email <address> --role owner',
        note: ({ isCut }) => (isCut ? 'These are the first 5,000; the others are left out.' : undefined),
      },
    }),
    invite: operation('POST /members/invitations', 'configure', {
      id: 'inviteMember',
      summary: 'Invite somebody to create an account of the console',
      description:
        'Send the link to the person through a channel that you trust. Whoever opens it sets the password; the account then ' +
        'needs a second factor. An earlier link for the same name or address stops working. With the role `merchant` it is an ' +
        'account for the portal of the merchant `merchantId`. What each role may do is in `x-roles` of every operation.',
      body: {
        name: MemberName,
        email: MemberEmail,
        role: Role,
        'merchantId?': presented(idOf('merchant'), 'Whose data the person sees; only with `role=merchant`.'),
        'grant?': presented(Grant, 'What a member of a merchant may do; only with `role=merchant`. Default: `read`.'),
      },
      status: 201,
      answer: OneTimeLinkAnswer,
      refusals: ['already_exists'],
      command: {
        arguments: ['name'],
        note: sendLink,
      },
    }),
    uninvite: operation('DELETE /members/invitations/{name}', 'configure', {
      id: 'revokeInvitation',
      summary: 'Cancel an invitation',
      description: 'Its link no longer works.',
      params: ofMember,
      answer: {},
      command: { says: 'The link no longer works.' },
    }),
    update: operation('PATCH /members/{name}', 'configure', {
      id: 'updateMember',
      summary: 'Change what a member may do, or disable or enable the account',
      description:
        'All sessions of the member end, and all invitations and links that it has made. There must always be an owner. An operator cannot become a member of a merchant, or the reverse.',
      params: ofMember,
      body: {
        'role?': OperatorRole,
        'grant?': Grant,
        'isDisabled?': Type.Boolean(),
      },
      answer: {
        role: Role,
        'grant?': Grant,
        isDisabled: Type.Boolean({ heading: 'Disabled' }),
      },
      commands: {
        role: {
          about: "Change somebody's role; their sessions end.",
          arguments: ['role'],
          only: ['role'],
        },
        grant: {
          about: 'Change what a member of a merchant may do; their sessions end.',
          arguments: ['grant'],
          only: ['grant'],
        },
        disable: { about: 'Disable an account; its sessions end immediately.', only: [], fixed: { isDisabled: true } },
        enable: { about: 'Enable an account again.', only: [], fixed: { isDisabled: false } },
      },
    }),
    'reset-password': operation('POST /members/{name}/password-link', 'configure', {
      id: 'resetMemberPassword',
      summary: 'Create a link with which a member sets a new password',
      description: 'All sessions of the member end now. The second factor stays.',
      params: ofMember,
      status: 201,
      answer: OneTimeLinkAnswer,
      command: { note: sendLink },
    }),
    'remove-second-factor': operation('POST /members/{name}/remove-second-factor', 'configure', {
      id: 'removeSecondFactor',
      summary: 'Remove the second factor and the passkeys of a member who has lost them',
      description: 'All sessions of the member end. The next sign-in asks to set up a new second factor.',
      params: ofMember,
      answer: {},
      command: { says: 'The next sign-in asks to set up a new second factor.' },
    }),
  },
} satisfies Noun<unknown>
