import { Type } from './schema.ts'

export const MemberName = Type.Pattern(
  'must be a short name of small letters, digits, dots and hyphens, such as anna.',
  {
    pattern: '^[a-z0-9][a-z0-9.-]{0,39}$',
    description: 'As events, notes and the audit name the member.',
    examples: ['anna'],
  },
)

/** The e-mail address of a member. */
export const MemberEmail = Type.Pattern('must be an e-mail address.', {
  pattern: '^[^@\\s<>"]{1,64}@[^@\\s<>"]{1,185}$',
  description: 'With which the member signs in.',
  examples: ['anna@example.com'],
})
