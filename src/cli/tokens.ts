import { scopes } from '../rules/members/access.ts'
import type { IssuedAnswer, TokenAnswer } from '../http/operator-api/tokens.ts'
import { type Group, list, request } from './commands.ts'
import { option, optionOr, required } from './inputs.ts'
import { idArgumentOfMerchant, merchant } from './named-inputs.ts'
import { type Printed, printFields, printSections, printTime } from './print-table.ts'
import { span, time, words } from './read-arguments.ts'

/** A token that was just issued. */
export const printToken = (issued: IssuedAnswer): Printed =>
  printSections(
    printFields({
      Token: issued.token,
      Id: issued.id,
      Name: issued.name,
      Scopes: issued.scopes.join(', '),
      'Works from': issued.allowList.join(', ') || 'everywhere',
      Expires: printTime(issued.expiresAt) ?? 'never',
    }),
    'Keep the token now: it is not shown again.',
  )

const id = idArgumentOfMerchant('<token>', 'name, first characters or id of the token', 'token')

export const tokenCommands: Group = {
  description: 'Access tokens with which merchants call the API.',
  examples: [
    'payin tokens issue "Demo Shop" --name "shop server" --allow 203.0.113.7,198.51.100.0/24',
    'payin tokens list "Demo Shop"',
    'payin tokens rotate 019a9c3e-7d5e --overlap 1h',
  ],
  commands: {
    issue: request('POST /merchants/{merchantId}/tokens', {
      description: 'Issue a token; it is shown only this once.',
      inputs: {
        merchantId: merchant,
        name: required('--name <name>', 'what it is for'),
        scopes: option('--scopes <scopes>', `${scopes.join(', ')}, separated by commas; default: all`, words),
        allowList: option(
          '--allow <addresses>',
          'IP addresses and networks from which it works, separated by commas',
          words,
        ),
        expiresAt: option('--expires-at <time>', 'when it expires, such as 2026-12-31T00:00:00Z', time),
      },
      print: printToken,
    }),
    list: list('GET /merchants/{merchantId}/tokens', {
      description: 'List the tokens of a merchant, without their secret part.',
      inputs: { merchantId: merchant },
      rows: (answer: { tokens: TokenAnswer[] }) => answer.tokens,
      empty: 'No tokens yet. Issue one: payin tokens issue <merchant> --name "shop server"',
      columns: {
        'NAME~': 'name',
        'STARTS WITH': 'prefix',
        'WORKS FROM~': (token) => token.allowList.join(', ') || 'everywhere',
        EXPIRES: (token) => printTime(token.expiresAt),
        REVOKED: (token) => printTime(token.revokedAt),
        'LAST USED': (token) => printTime(token.lastUsedAt) ?? 'never',
        'SCOPES~': (token) => (token.scopes.length === scopes.length ? 'all' : token.scopes.join(', ')),
        CREATED: (token) => printTime(token.createdAt),
        'ID#': 'id',
      },
    }),
    rotate: request('POST /tokens/{id}/rotate', {
      description: 'Replace a token with a new one with the same rights; the old one keeps working for a while.',
      inputs: {
        id,
        overlapMs: optionOr('--overlap <span>', 'how long the old token keeps working; 0s: not at all', '24h', span),
      },
      print: printToken,
    }),
    revoke: request('POST /tokens/{id}/revoke', {
      description: 'Revoke a token immediately.',
      inputs: { id },
      print: () => 'The token is revoked.',
    }),
  },
}
