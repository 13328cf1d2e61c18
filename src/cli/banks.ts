import type { BankIssuerAnswer, Guide } from '../http/operator-api/bank-issuers.ts'
import { command, type Group, list, request } from './commands.ts'
import { argument, option } from './inputs.ts'
import { type Printed, printTable } from './print-table.ts'
import { manyOrOne, readDocument, wholeNumber, words } from './read-arguments.ts'

const describeGuide = ({ links, steps }: Guide): Printed => {
  const rows = [
    ...Object.entries(links).map(([method, link]) => [method, 'link', link]),
    ...Object.entries(steps).flatMap(([method, languages = {}]) =>
      Object.entries(languages).map(([language, each]) => [method, language, each.join('\n')]),
    ),
  ]
  return rows.length === 0 ? 'Without its own guide: the general steps.' : printTable(['METHOD', 'FOR', 'TEXT~'], rows)
}

export const bankCommands: Group = {
  description: 'Bank issuers: the banks of payers and requisites.',
  examples: [
    'payin banks set --code sberbank --name Sberbank --country RU',
    'payin banks set --code t-bank --aliases "Тинькофф,Tinkoff" --rank 2',
    'payin banks set --file banks.json',
    'payin banks guide sberbank --file guide.json',
  ],
  commands: {
    set: request('PUT /bank-issuers', {
      description:
        'Add a bank issuer or change one; omitted options do not change. --file sets many, each exactly as in the file.',
      inputs: {
        code: option('--code <code>', 'code on the wire, such as sberbank'),
        name: option('--name <name>', 'name that payers know'),
        country: option('--country <country>', 'two letters, such as RU'),
        sbpMemberId: option('--sbp-member-id <id>', 'identifier of the bank in SBP'),
        bic: option('--bic <bic>', 'nine digits of a Russian bank, for payment QR codes'),
        correspondentAccount: option(
          '--correspondent-account <number>',
          'twenty digits of a Russian bank, for payment QR codes',
        ),
        aliases: option('--aliases <names>', 'other names by which payers find it, separated by commas', words),
        rank: option('--rank <place>', "its rank among payers' banks, from 1", wholeNumber),
        file: option(
          '--file <path>',
          'JSON array of { code, name, country, sbpMemberId?, bic?, correspondentAccount?, aliases?, rank? }; - for standard input',
        ),
      },
      body: ({ file, ...bank }, session) => {
        const { code, name, country } = bank
        return manyOrOne(session.surroundings, 'bankIssuers', file, { code, name, country }, async () => {
          const { bankIssuers } = (await session.call<{ bankIssuers: BankIssuerAnswer[] }>('GET /bank-issuers')).body
          const given = Object.entries(bank).filter(([, value]) => value !== undefined)
          return { ...bankIssuers.find((each) => each.code === code), ...Object.fromEntries(given) }
        })
      },
      print: ({ bankIssuers }: { bankIssuers: BankIssuerAnswer[] }) =>
        `Set: ${bankIssuers.map(({ code }) => code).join(', ')}.`,
    }),
    list: list('GET /bank-issuers', {
      description: 'List the bank issuers.',
      rows: (answer: { bankIssuers: BankIssuerAnswer[] }) => answer.bankIssuers,
      empty: 'No bank issuers yet. Add one: payin banks set --code sberbank --name Sberbank --country RU',
      columns: {
        CODE: 'code',
        'NAME~': 'name',
        COUNTRY: 'country',
        'RANK>': 'rank',
        'ALIASES~': ({ aliases = [] }) => aliases.join(', '),
        'SBP MEMBER': 'sbpMemberId',
      },
    }),
    guide: command({
      description: "Show what the payer's page shows to customers of a bank, or set it from a file.",
      inputs: {
        code: argument('<code>', 'code of the bank issuer'),
        file: option('--file <path>', 'JSON of { links, steps } by method, as the API has it; - for standard input'),
      },
      run: async (session, { code, file }) => {
        const guide =
          file === undefined
            ? await session.call<Guide>('GET /bank-issuers/{code}/guide', { code })
            : await session.call<Guide>(
                'PUT /bank-issuers/{code}/guide',
                { code },
                { body: await readDocument(session.surroundings, file, false) },
              )
        session.show(guide, describeGuide)
      },
    }),
  },
}
