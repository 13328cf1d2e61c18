import type { Command } from 'commander'
import { scopes as allScopes } from '../domain/access.ts'
import { addExamples } from './describe-command.ts'
import { findMerchantId, merchantArgument } from './merchants.ts'
import { printFields, printTable, printTime } from './print-table.ts'
import { span, time, words } from './read-arguments.ts'
import { openSession } from './session.ts'

type Token = {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly scopes: readonly string[]
  readonly allowList: readonly string[]
  readonly expiresAt?: string
}
type Issued = Token & { readonly token: string }
type Listed = Token & { readonly createdAt: string; readonly revokedAt?: string }

type IssueOptions = {
  readonly name: string
  readonly scopes?: string[]
  readonly allow?: string[]
  readonly expiresAt?: string
}

const tell = (issued: Issued): string =>
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
    .action(async (id: string, { overlap }: { overlap: number }, command: Command) => {
      const session = openSession(command)
      const path = `/tokens/${encodeURIComponent(id)}/rotate`
      session.show(await session.send<Issued>('POST', path, { overlapMs: overlap }), tell)
    })

  tokens
    .command('revoke <token-id>')
    .description('Make a token useless at once.')
    .action(async (id: string, _options: object, command: Command) => {
      const session = openSession(command)
      const answer = await session.send('POST', `/tokens/${encodeURIComponent(id)}/revoke`, {})
      session.show(answer, () => 'The token is revoked.')
    })
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
    .option('--scopes <scopes>', `${allScopes.join(', ')}, between commas; all unless told`, words)
    .option('--allow <addresses>', 'IP addresses and networks that it works from, between commas', words)
    .option('--expires-at <time>', 'until when it works, such as 2026-12-31T00:00:00Z', time)
    .action(async (named: string, { name, scopes, allow, expiresAt }: IssueOptions, command: Command) => {
      const session = openSession(command)
      const id = await findMerchantId(session, named)
      const body = { name, scopes, allowList: allow, expiresAt }
      session.show(await session.send<Issued>('POST', `/merchants/${id}/tokens`, body), tell)
    })

  tokens
    .command('list')
    .description('List the tokens of a merchant, without their secret part.')
    .argument('<merchant>', merchantArgument)
    .action(async (named: string, _options: object, command: Command) => {
      const session = openSession(command)
      const id = await findMerchantId(session, named)
      session.show(await session.get<{ tokens: Listed[] }>(`/merchants/${id}/tokens`), (body) =>
        body.tokens.length === 0
          ? 'No tokens yet. Issue one: payin tokens issue <merchant> --name "shop server"'
          : printTable(
              ['ID', 'NAME', 'STARTS WITH', 'SCOPES', 'WORKS FROM', 'CREATED', 'EXPIRES', 'REVOKED'],
              body.tokens.map((token) => [
                token.id,
                token.name,
                token.prefix,
                token.scopes.join(', '),
                token.allowList.join(', ') || 'everywhere',
                printTime(token.createdAt),
                printTime(token.expiresAt),
                printTime(token.revokedAt),
              ]),
            ),
      )
    })

  addEndCommands(tokens)
}
