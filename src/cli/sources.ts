import { sources, SourceAnswer } from '../operations/sources.ts'
import { nounCommands } from './noun-commands.ts'
import { type Commands, request } from './commands.ts'
import { idArgument } from './named-inputs.ts'
import { printSections } from './print-table.ts'
import { printRow } from './show-rows.ts'

const id = idArgument('source')

/** The API lists sources, but has no single one to read. */
const own: Commands = {
  show: request<{ sources: SourceAnswer[] }, { id: typeof id }>('GET /statement-sources', {
    description: 'Show one source, and what waits for an approval.',
    inputs: { id },
    values: async () => ({}),
    print: ({ sources: listed }, { id: shown }) =>
      printSections(...listed.filter((each) => each.id === shown).map((each) => printRow(SourceAnswer, each))),
  }),
}

export const sourceCommands = nounCommands(sources, own)
