import { isIP } from 'node:net'
import { type Scope, scopes } from '../../rules/members/access.ts'
import { day } from '../../rules/time.ts'
import { endToken, type IssuedToken, issueToken, rotateToken } from '../../engine/merchants/tokens.ts'
import { findMerchant, listTokens } from '../../engine/merchants/read.ts'
import type { Tx } from '../../engine/context.ts'
import { getProfile } from '../../engine/merchants/merchant-directory.ts'
import { readTokenUses } from '../../engine/token-uses/read.ts'
import { tokens } from '../../operations/tokens.ts'
import { actOnBehalf, actOnNamed } from '../access/act-on-behalf.ts'
import { requests } from '../../operations/requests.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { readBody } from '../routes/read-body.ts'
import { Refusal } from '../../rules/refusal.ts'
import { findRequest } from '../../engine/request-log/read.ts'
import { readRequestPage } from '../answers/logged-request.ts'

/** How long a replaced token keeps working by default. */
const usualOverlapMs = day

const isNetwork = (entry: string): boolean => {
  const [address = '', bits, ...rest] = entry.split('/')
  const family = address.includes('%') ? 0 : isIP(address)
  if (family === 0 || rest.length > 0) return false
  return bits === undefined || (/^(0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32))
}

/** What the audit records about a new token: everything but the token itself. */
export const withoutToken = ({ token, ...rest }: IssuedToken): Omit<IssuedToken, 'token'> => rest

/** Issues a token. Default scopes: everything that the merchant may do, but to ask for settlements only in the sandbox. */
export const issueUsual = async (
  tx: Tx,
  {
    scopes: wanted,
    ...given
  }: Omit<Parameters<typeof issueToken>[1], 'scopes'> & { scopes?: readonly Scope[] | undefined },
): Promise<IssuedToken> => {
  const { mode } = await findMerchant(tx, given.merchantId)
  const usual = scopes.filter(
    (scope) => mode === 'sandbox' || (scope !== 'sandbox:simulate' && scope !== 'settlements:write'),
  )
  return issueToken(tx, { ...given, scopes: wanted ?? usual })
}

/** Access tokens of merchants, and the latest requests of their programs. */
export const tokenRoutes = bindOperations(tokens.operations, {
  issue: async (context, request) => {
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
    return actOnBehalf(context, request, (tx) => issueUsual(tx, given), {
      action: 'token.issue',
      subject: (made) => `token:${made.id}`,
      details: withoutToken,
    })
  },
  list: async (context, request) => {
    const { id } = request.params
    const { merchant } = await getProfile(context, id)
    const rows = await listTokens(context, merchant.id)
    const uses = await readTokenUses(
      context,
      rows.map((row) => row.id),
    )
    return { tokens: rows.map((row) => ({ ...row, lastUsedAt: uses.get(row.id) })) }
  },
  rotate: async (context, request) => {
    const { id } = request.params
    const overlapMs = request.body?.overlapMs ?? usualOverlapMs
    const detailsOf = (made: IssuedToken) => ({ overlapMs, successor: withoutToken(made) })
    return actOnNamed(context, request, 'token.rotate', (tx) => rotateToken(tx, id, overlapMs), detailsOf)
  },
  revoke: async (context, request) => {
    const { id } = request.params
    await actOnNamed(context, request, 'token.revoke', (tx) => endToken(tx, id, 0))
    return { id }
  },
})

/** The requests of merchants' programs. */
export const requestRoutes = bindOperations(requests, {
  requests: async (context, { params, query }) =>
    readRequestPage(context, (await getProfile(context, params.id)).merchant.id, query),
  request: async (context, { params }) => {
    const found = await findRequest(context, params.id, params.requestId)
    if (!found) throw new Refusal('resource_not_found', 'There is no such request, or it has been deleted.')
    return found
  },
})
