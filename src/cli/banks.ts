import { BankIssuerAnswer, banks, type Guide } from '../operations/banks.ts'
import { Type } from '../operations/schema.ts'
import { command, request } from './commands.ts'
import { argument, option } from './inputs.ts'
import { inputsOfFields } from './field-inputs.ts'
import { nounCommands } from './noun-commands.ts'
import { type Printed, printTable } from './print-table.ts'
import { manyOrOne, readDocument } from './read-arguments.ts'

const describeGuide = ({ links, steps }: Guide): Printed => {
  const rows = [
    ...Object.entries(links).map(([method, link]) => [method, 'link', link]),
    ...Object.entries(steps).flatMap(([method, languages = {}]) =>
      Object.entries(languages).map(([language, each]) => [method, language, each.join('\n')]),
    ),
  ]
  return rows.length === 0 ? 'Without its own guide: the general steps.' : printTable(['METHOD', 'FOR', 'TEXT~'], rows)
}

export const bankCommands = nounCommands(banks, {
  set: request('PUT /bank-issuers', {
    description:
      'Add a bank issuer or change one; omitted options do not change. --file sets many, each exactly as in the file.',
    inputs: {
      ...inputsOfFields(Type.Partial(BankIssuerAnswer)),
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
})
