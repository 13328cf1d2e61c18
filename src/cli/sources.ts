import { SourceAnswer } from '../operations/sources.ts'
import { type Commands, request } from './commands.ts'
import { idArgument } from './named-inputs.ts'
import { printSections } from './print-table.ts'
import { printRow } from './show-rows.ts'

const id = idArgument('source')

/** The API lists sources, but has no single one to read. */
export const sourceCommands: Commands = {
  show: request<{ sources: SourceAnswer[] }, { id: typeof id }>('GET /statement-sources', {
    description: 'Show one source, and what waits for an approval.',
    inputs: { id },
    values: async () => ({}),
    print: ({ sources }, { id: shown }) =>
      printSections(...sources.filter((each) => each.id === shown).map((each) => printRow(SourceAnswer, each))),
  }),
}
