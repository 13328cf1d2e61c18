import { scopes } from '../rules/members/access.ts'
import { day } from '../rules/time.ts'
import { Id, OptionalBody, Time } from './fields.ts'
import { type Noun, operation } from './operation.ts'
import { presented, type Static, Type } from './schema.ts'

const tokenFields = {
  id: Id,
  merchantId: Id,
  name: Type.String(),
  prefix: presented(Type.Text('The beginning of the token.', 'payin_test_a1B2c'), { heading: 'Starts with' }),
  scopes: Type.Array(Type.OneOf(scopes)),
  allowList: Type.Array(Type.String(), { heading: 'Works from', absent: 'everywhere' }),
  'expiresAt?': presented(Time, { absent: 'never' }),
}

export const IssuedAnswer = Type.Titled('IssuedToken', {
  ...tokenFields,
  token: Type.Text('Shown only here; not stored.'),
})

const TokenAnswer = Type.Titled('Token', {
  ...tokenFields,
  createdAt: Time,
  'revokedAt?': Time,
  'lastUsedAt?': presented(Time, { description: 'To the minute; absent: never.', absent: 'never' }),
})
export type IssuedAnswer = Static<typeof IssuedAnswer>

export type TokenAnswer = Static<typeof TokenAnswer>

export const TokenName = Type.Printable(100, { description: 'What it is for.', examples: ['shop server'] })

/** What people must know of a token that was just issued. */
export const keepToken = 'Keep the token now: it is not shown again.'

export const tokens = {
  about: 'Access tokens with which merchants call the API.',
  examples: [
    'payin tokens issue "Demo Shop" --name "shop server" --allow 203.0.113.7,198.51.100.0/24',
    'payin tokens list "Demo Shop"',
    'payin tokens rotate 019a9c3e-7d5e --overlap 1h',
  ],
  operations: {
    issue: operation('POST /merchants/{id}/tokens', 'configure', {
      id: 'issueToken',
      summary: 'Issue an access token',
      description: 'It is shown only this once.',
      body: Type.Exact(
        {
          name: TokenName,
          'scopes?': Type.Array(Type.OneOf(scopes), {
            minItems: 1,
            uniqueItems: true,
            description:
              'What the token allows. Default: everything that the merchant may do, but `settlements:write` only in the sandbox.',
          }),
          'allowList?': Type.Array(Type.String({ maxLength: 43, examples: ['203.0.113.7', '2001:db8::/32'] }), {
            maxItems: 100,
            description: 'Addresses and networks from which the token works. Default: all.',
          }),
          'expiresAt?': presented(Time, 'When it expires. Default: never.'),
        },
        { examples: [{ name: 'shop server' }] },
      ),
      status: 201,
      answer: IssuedAnswer,
      command: {
        options: { allowList: '--allow' },
        note: keepToken,
      },
    }),
    rotate: operation('POST /tokens/{id}/rotate', 'configure', {
      id: 'rotateToken',
      summary: 'Replace a token with a new one with the same rights',
      description:
        'The new token is shown only this once. The old one keeps working for as long as the request allows.',
      body: OptionalBody({
        'overlapMs?': Type.Bounded(0, 90 * day, {
          description: 'How long the old token keeps working; 0 revokes it now. Default: 24 hours.',
          kind: 'span',
        }),
      }),
      status: 201,
      answer: IssuedAnswer,
      command: { note: keepToken },
    }),
    revoke: operation('POST /tokens/{id}/revoke', 'configure', {
      id: 'revokeToken',
      summary: 'Revoke a token immediately',
      description: 'Requests with it are refused with `token_revoked` from now on.',
      answer: { id: Id },
      command: { says: 'The token is revoked.' },
    }),
    list: operation('GET /merchants/{id}/tokens', 'read', {
      id: 'listTokens',
      summary: "List a merchant's tokens",
      description:
        'Their first characters, scopes, and when they were last used; the tokens themselves cannot be read again.',
      answer: { tokens: Type.Array(TokenAnswer) },
      exports: 'tokens',
      command: {
        columns: [
          ...(['name', 'prefix', 'allowList', 'expiresAt', 'revokedAt', 'lastUsedAt'] as const),
          {
            heading: 'Scopes',
            show: (token) => (token.scopes.length === scopes.length ? 'all' : token.scopes.join(', ')),
          },
          ...(['createdAt', 'id'] as const),
        ],
        empty: 'No tokens yet. Issue one: payin tokens issue <merchant> --name "shop server"',
      },
    }),
  },
} satisfies Noun<unknown>
