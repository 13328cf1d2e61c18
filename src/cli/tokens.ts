import type { Command } from 'commander'
import { scopes as allScopes } from '../domain/access.ts'
import type { IssuedAnswer, TokenAnswer } from '../http/operator-api/tokens.ts'
import { addExamples } from './describe-command.ts'
import { findMerchantId, merchantArgument } from './find-merchant-id.ts'
import { printFields, printRows, printTime } from './print-table.ts'
import { span, time, words } from './read-arguments.ts'
import { inSession, path } from './session.ts'

type IssueOptions = {
  readonly name: string
  readonly scopes?: string[]
  readonly allow?: string[]
  readonly expiresAt?: string
}

const describe = (issued: IssuedAnswer): string =>
  [
    printFields({
      Token: issued.token,
      Id: issued.id,
      Name: issued.name,
      Scopes: issued.scopes.join(', '),
      'Works from': issued.allowList.join(', ') || 'everywhere',
      Expires: printTime(issued.expiresAt) ?? 'never',
    }),
    'Keep the token now: it is not shown again.',
  ].join('\n\n')

const addEndCommands = (tokens: Command): void => {
  tokens
    .command('rotate <token-id>')
    .description('Replace a token by a new one with the same rights; the old one goes on working for a while.')
    .option(
      '--overlap <span>',
      'how long the old token goes on working, such as 1h; 0s revokes it now',
      span,
      span('24h'),
    )
    .action(
      inSession(async (session, id: string, { overlap }: { overlap: number }) => {
        const answer = await session.send<IssuedAnswer>('POST', path`/tokens/${id}/rotate`, { overlapMs: overlap })
        session.show(answer, describe)
      }),
    )

  tokens
    .command('revoke <token-id>')
    .description('Make a token useless at once.')
    .action(
      inSession(async (session, id: string) =>
        session.show(await session.send('POST', path`/tokens/${id}/revoke`, {}), () => 'The token is revoked.'),
      ),
    )
}

/** Adds `payin tokens`. */
export const addTokenCommands = (program: Command): void => {
  const tokens = program.command('tokens').description('Access tokens with which merchants call the API.')
  addExamples(tokens, [
    'payin tokens issue "Demo Shop" --name "shop server" --allow 203.0.113.7,198.51.100.0/24',
    'payin tokens list "Demo Shop"',
    'payin tokens rotate 019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10 --overlap 1h',
  ])

  tokens
    .command('issue')
    .description('Issue a token; it is shown this once.')
    .argument('<merchant>', merchantArgument)
    .requiredOption('--name <name>', 'what it is for')
    .option('--scopes <scopes>', `${allScopes.join(', ')}, separated by commas; default: all`, words)
    .option('--allow <addresses>', 'IP addresses and networks that it works from, separated by commas', words)
    .option('--expires-at <time>', 'until when it works, such as 2026-12-31T00:00:00Z', time)
    .action(
      inSession(async (session, named: string, { name, scopes, allow, expiresAt }: IssueOptions) => {
        const id = await findMerchantId(session, named)
        const body = { name, scopes, allowList: allow, expiresAt }
        session.show(await session.send<IssuedAnswer>('POST', path`/merchants/${id}/tokens`, body), describe)
      }),
    )

  tokens
    .command('list')
    .description('List the tokens of a merchant, without their secret part.')
    .argument('<merchant>', merchantArgument)
    .action(
      inSession(async (session, named: string) => {
        const id = await findMerchantId(session, named)
        session.show(await session.get<{ tokens: TokenAnswer[] }>(path`/merchants/${id}/tokens`), (body) =>
          body.tokens.length === 0
            ? 'No tokens yet. Issue one: payin tokens issue <merchant> --name "shop server"'
            : printRows(body.tokens, {
                ID: (token) => token.id,
                NAME: (token) => token.name,
                'STARTS WITH': (token) => token.prefix,
                SCOPES: (token) => token.scopes.join(', '),
                'WORKS FROM': (token) => token.allowList.join(', ') || 'everywhere',
                CREATED: (token) => printTime(token.createdAt),
                EXPIRES: (token) => printTime(token.expiresAt),
                REVOKED: (token) => printTime(token.revokedAt),
              }),
        )
      }),
    )

  addEndCommands(tokens)
}
