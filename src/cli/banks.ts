import { type BankIssuerAnswer, banks, type Guide, GuideTable } from '../operations/banks.ts'
import { fieldsOf } from '../operations/field.ts'
import { command } from './commands.ts'
import { argument, onlyGiven, option } from './inputs.ts'
import { commandOf, nounCommands } from './noun-commands.ts'
import type { Printed } from './print-table.ts'
import { readDocument } from './read-arguments.ts'
import { printTables } from './show-rows.ts'

const describeGuide = ({ links, steps }: Guide): Printed => {
  const texts = [
    ...Object.entries(links).map(([method, text]) => ({ method, for: 'link', text })),
    ...Object.entries(steps).flatMap(([method, languages = {}]) =>
      Object.entries(languages).map(([language, each]) => ({ method, for: language, text: each.join('\n') })),
    ),
  ]
  return printTables(fieldsOf(GuideTable), { texts })[0] ?? 'Without its own guide: the general steps.'
}

export const bankCommands = nounCommands(banks, {
  set: commandOf(banks.operations.set, {
    complete: async (given, session) => {
      const { bankIssuers } = (await session.call<{ bankIssuers: BankIssuerAnswer[] }>('GET /bank-issuers')).body
      return { ...bankIssuers.find(({ code }) => code === given['code']), ...onlyGiven(given) }
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
              { body: await readDocument(session.surroundings, file) },
            )
      session.show(guide, describeGuide)
    },
  }),
})
