import type { Command } from 'commander'
import { addExamples } from './describe-command.ts'
import { Failure } from './failure.ts'
import { printTable } from './print-table.ts'
import { readArray, readDocument } from './read-arguments.ts'
import { openSession } from './session.ts'

type Bank = {
  readonly code: string
  readonly name: string
  readonly country: string
  readonly sbpMemberId?: string
  readonly bic?: string
  readonly correspondentAccount?: string
}
type Guide = {
  readonly links: Readonly<Record<string, string>>
  readonly steps: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
}
type SetOptions = Partial<Bank> & { readonly file?: string }

const bodyOf = async ({ file, ...bank }: SetOptions): Promise<string> => {
  if (file !== undefined) return `{"bankIssuers":${await readArray(file)}}`
  if (bank.code === undefined || bank.name === undefined || bank.country === undefined) {
    throw new Failure(['Give --code, --name and --country, or --file.'], 2)
  }
  return JSON.stringify({ bankIssuers: [bank] })
}

/** Adds `payin banks`. */
export const addBankCommands = (program: Command): void => {
  const banks = program.command('banks').description('Bank issuers: the banks of payers and requisites.')
  addExamples(banks, [
    'payin banks set --code sberbank --name Sberbank --country RU',
    'payin banks set --file banks.json',
    'payin banks guide sberbank --file guide.json',
  ])

  banks
    .command('set')
    .description('Add bank issuers, or change those with the same codes.')
    .option('--code <code>', 'code on the wire, such as sberbank')
    .option('--name <name>', 'name that payers know')
    .option('--country <country>', 'two letters, such as RU')
    .option('--sbp-member-id <id>', 'identifier of the bank in SBP')
    .option('--bic <bic>', 'nine digits of a Russian bank, for payment QR codes')
    .option('--correspondent-account <number>', 'twenty digits of a Russian bank, for payment QR codes')
    .option(
      '--file <path>',
      'JSON array of { code, name, country, sbpMemberId?, bic?, correspondentAccount? }; - for standard input',
    )
    .action(async (options: SetOptions, command: Command) => {
      const session = openSession(command)
      const answer = await session.send<{ bankIssuers: Bank[] }>('PUT', '/bank-issuers', await bodyOf(options))
      session.show(answer, (body) => `Set: ${body.bankIssuers.map((bank) => bank.code).join(', ')}.`)
    })

  banks
    .command('list')
    .description('List the bank issuers.')
    .action(async (_options: object, command: Command) => {
      const session = openSession(command)
      session.show(await session.get<{ bankIssuers: Bank[] }>('/bank-issuers'), (body) =>
        body.bankIssuers.length === 0
          ? 'No bank issuers yet. Add one: payin banks set --code sberbank --name Sberbank --country RU'
          : printTable(
              ['CODE', 'NAME', 'COUNTRY', 'SBP MEMBER'],
              body.bankIssuers.map(({ code, name, country, sbpMemberId }) => [code, name, country, sbpMemberId]),
            ),
      )
    })

  banks
    .command('guide <code>')
    .description("Show what the payer's page tells customers of a bank, or set it from a file.")
    .option('--file <path>', 'JSON of { links, steps } by method, as the API has it; - for standard input')
    .action(async (code: string, { file }: { file?: string }, command: Command) => {
      const session = openSession(command)
      const path = `/bank-issuers/${encodeURIComponent(code)}/guide`
      const answer =
        file === undefined
          ? await session.get<Guide>(path)
          : await session.send<Guide>('PUT', path, await readDocument(file, false))
      session.show(answer, ({ links, steps }) => {
        const lines = [
          ...Object.entries(links).map(([method, link]) => [method, 'link', link]),
          ...Object.entries(steps).flatMap(([method, languages]) =>
            Object.entries(languages).map(([language, each]) => [method, language, each.join('\n')]),
          ),
        ]
        return lines.length === 0 ? 'Nothing of its own: the general steps.' : printTable(['METHOD', '', 'TEXT'], lines)
      })
    })
}
