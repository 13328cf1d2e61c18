import { type Static, Type } from '../../operations/schema.ts'
import { isIP } from 'node:net'
import { type Scope, scopes } from '../../rules/members/access.ts'
import { day } from '../../rules/time.ts'
import { endToken, type IssuedToken, issueToken, rotateToken } from '../../engine/merchants/tokens.ts'
import { findMerchant, listTokens } from '../../engine/merchants/read.ts'
import type { Tx } from '../../engine/context.ts'
import { getProfile } from '../../engine/merchants/merchant-directory.ts'
import { readTokenUses } from '../../engine/token-uses/read.ts'
import { Id, IdParams, NoBody, OptionalBody, Time, wire } from '../../operations/fields.ts'
import { actOnBehalf } from '../act-on-behalf.ts'
import { readBody } from '../read-body.ts'
import { routesForOperators } from '../routes.ts'
import { Refusal } from '../../rules/refusal.ts'
import { findRequest } from '../../engine/request-log/read.ts'
import { readRequestPage, RequestAnswer, RequestPage, RequestQuery, toRequestAnswer } from '../logged-request.ts'

const tokenFields = {
  id: Id,
  merchantId: Id,
  name: Type.String(),
  prefix: Type.Text('The beginning of the token.', 'payin_test_a1B2c'),
  scopes: Type.Array(Type.OneOf(scopes)),
  allowList: Type.Array(Type.String()),
  expiresAt: Type.Optional(Time),
}

/** Schema of a token that was just issued. */
export const IssuedAnswer = Type.Titled('IssuedToken', {
  ...tokenFields,
  token: Type.Text('Shown only here; not stored.'),
})
const TokenAnswer = Type.Titled('Token', {
  ...tokenFields,
  createdAt: Time,
  revokedAt: Type.Optional(Time),
  lastUsedAt: Type.Optional(Time, 'To the minute; absent: never.'),
})

/** A token that was just issued. */
export type IssuedAnswer = Static<typeof IssuedAnswer>
/** A token without its secret part. */
export type TokenAnswer = Static<typeof TokenAnswer>

/** How long a replaced token keeps working by default. */
const usualOverlapMs = day
const longestOverlapMs = 90 * day

const isNetwork = (entry: string): boolean => {
  const [address = '', bits, ...rest] = entry.split('/')
  const family = address.includes('%') ? 0 : isIP(address)
  if (family === 0 || rest.length > 0) return false
  return bits === undefined || (/^(0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32))
}

/** The wire form of a token that was just issued. */
export const toIssued = (issued: IssuedToken): IssuedAnswer =>
  wire.fields({ ...issued, scopes: [...issued.scopes], allowList: [...issued.allowList] })

/** What the audit records about a new token: everything but the token itself. */
export const withoutToken = ({ token, ...rest }: IssuedToken): Omit<IssuedToken, 'token'> => rest

/** Issues a token. Default scopes: everything that the merchant may do. */
export const issueUsual = async (
  tx: Tx,
  {
    scopes: wanted,
    ...given
  }: Omit<Parameters<typeof issueToken>[1], 'scopes'> & { scopes?: readonly Scope[] | undefined },
): Promise<IssuedToken> => {
  const { mode } = await findMerchant(tx, given.merchantId)
  const usual = scopes.filter((scope) => mode === 'sandbox' || scope !== 'sandbox:simulate')
  return issueToken(tx, { ...given, scopes: wanted ?? usual })
}

export const TokenName = Type.Printable(100, { description: 'What it is for.', examples: ['shop server'] })

/** Access tokens of merchants, and the latest requests of their programs. */
export const tokenRoutes = routesForOperators()

tokenRoutes.post('/merchants/:id/tokens', 'configure', {
  id: 'issueToken',
  summary: 'Issue an access token',
  description: 'The token is in this response only.',
  params: IdParams,
  body: Type.Exact(
    {
      name: TokenName,
      scopes: Type.Optional(
        Type.Array(Type.OneOf(scopes), {
          minItems: 1,
          uniqueItems: true,
          description: 'What the token allows. Default: everything that the merchant may do.',
        }),
      ),
      allowList: Type.Optional(
        Type.Array(Type.String({ maxLength: 43, examples: ['203.0.113.7', '2001:db8::/32'] }), {
          maxItems: 100,
          description: 'Addresses and networks from which the token works; empty for all.',
        }),
      ),
      expiresAt: Type.Optional(Time),
    },
    { examples: [{ name: 'shop server' }] },
  ),
  status: 201,
  answer: IssuedAnswer,
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const { id } = request.params
    const { name, allowList = [], expiresAt, scopes: wanted } = request.body
    const end = readBody((read) => {
      for (const [index, entry] of allowList.entries()) {
        if (!isNetwork(entry)) read.wrong(`allowList.${index}`, 'is not an IP address or a CIDR network.')
      }
      const at = expiresAt === undefined ? null : read.instant(expiresAt, 'expiresAt')
      if (at !== null && at <= context.clock()) read.wrong('expiresAt', 'must be in the future.')
      return at
    })
    const given = { merchantId: id, name, scopes: wanted, allowList, expiresAt: end }
    const issued = await actOnBehalf(context, request, (tx) => issueUsual(tx, given), {
      action: 'token.issue',
      subject: (made) => `token:${made.id}`,
      details: withoutToken,
    })
    return toIssued(issued)
  },
})

tokenRoutes.post('/tokens/:id/rotate', 'configure', {
  id: 'rotateToken',
  summary: 'Replace a token with a new one with the same rights',
  description: 'The new token is in this response only. The old one keeps working for as long as the request allows.',
  params: IdParams,
  body: OptionalBody({
    overlapMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: longestOverlapMs,
        description: 'How long the old token keeps working; 0 revokes it now. Default: 24 hours.',
      }),
    ),
  }),
  status: 201,
  answer: IssuedAnswer,
  refusals: ['invalid_state', 'resource_not_found'],
  handle: async (context, request) => {
    const { id } = request.params
    const overlapMs = request.body?.overlapMs ?? usualOverlapMs
    const issued = await actOnBehalf(context, request, (tx) => rotateToken(tx, id, overlapMs), {
      action: 'token.rotate',
      subject: `token:${id}`,
      details: (made) => ({ overlapMs, successor: withoutToken(made) }),
    })
    return toIssued(issued)
  },
})

tokenRoutes.post('/tokens/:id/revoke', 'configure', {
  id: 'revokeToken',
  summary: 'Revoke a token immediately',
  description: 'Requests with it are refused with `token_revoked` from now on.',
  params: IdParams,
  body: NoBody,
  answer: { id: Id },
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const { id } = request.params
    const act = { action: 'token.revoke', subject: `token:${id}`, details: {} }
    await actOnBehalf(context, request, (tx) => endToken(tx, id, 0), act)
    return { id }
  },
})

tokenRoutes.get('/merchants/:id/tokens', 'read', {
  id: 'listTokens',
  summary: "List a merchant's tokens",
  description:
    'Their first characters, scopes, and when they were last used; the tokens themselves cannot be read again.',
  params: IdParams,
  answer: { tokens: Type.Array(TokenAnswer) },
  exports: 'tokens',
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const { id } = request.params
    const { merchant } = await getProfile(context, id)
    const rows = await listTokens(context, merchant.id)
    const uses = await readTokenUses(
      context,
      rows.map((row) => row.id),
    )
    return {
      tokens: rows.map((row) =>
        wire.fields({
          ...row,
          scopes: [...row.scopes],
          allowList: [...row.allowList],
          lastUsedAt: uses.get(row.id) ?? null,
        }),
      ),
    }
  },
})

tokenRoutes.get('/merchants/:id/requests', 'read', {
  id: 'listMerchantRequests',
  summary: 'List the latest requests of a merchant and their outcomes',
  description: 'The same as the merchant reads with `GET /api/v1/merchant/requests`.',
  params: IdParams,
  query: RequestQuery,
  answer: RequestPage,
  exports: 'requests',
  handle: (context, { params, query }) => readRequestPage(context, params.id, query),
})

tokenRoutes.get('/merchants/:id/requests/:requestId', 'read', {
  id: 'getMerchantRequest',
  summary: 'Read a request of a merchant with its bodies',
  description: 'Tokens, links of payers, and full phone, card and account numbers are removed from the bodies.',
  params: Type.Object({ id: Id, requestId: Id }),
  answer: RequestAnswer,
  refusals: ['resource_not_found'],
  handle: async (context, { params }) => {
    const found = await findRequest(context, params.id, params.requestId)
    if (!found) throw new Refusal('resource_not_found', 'There is no such request, or it has been deleted.')
    return toRequestAnswer(found)
  },
})
