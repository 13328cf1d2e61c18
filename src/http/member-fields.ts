import { Type } from '../operations/schema.ts'

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
