import { type Group, list, request } from './commands.ts'
import { argument } from './inputs.ts'
import { printTime } from './print-table.ts'

type Source = {
  readonly id: string
  readonly name: string
  readonly keyPrefix?: string
  readonly sameMoneyAs?: string
  readonly lastSeenAt?: string
}

/** `payin sources`. */
export const sourceCommands: Group = {
  description: 'Sources of statements and pushes.',
  examples: [
    'payin sources list',
    'payin sources same-money <source-id> <other-id>      (both report the money of one account)',
    'payin sources same-money <source-id> none',
  ],
  commands: {
    list: list({
      description: 'List the sources.',
      request: 'GET /statement-sources',
      rows: (answer: { sources: Source[] }) => answer.sources,
      empty: 'No sources yet.',
      columns: {
        NAME: 'name',
        KEY: 'keyPrefix',
        'LAST SEEN': ({ lastSeenAt }) => printTime(lastSeenAt),
        'SAME MONEY AS': 'sameMoneyAs',
        ID: 'id',
      },
    }),
    'same-money': request({
      description: 'Declare that a source reports the same money as another one: what both report is one transfer.',
      request: 'PATCH /statement-sources/{id}',
      inputs: {
        id: argument('<source-id>', 'id of the source'),
        sameMoneyAs: argument('<other-id>', 'id of the other source; none for no other'),
      },
      body: ({ sameMoneyAs }) => ({ sameMoneyAs: sameMoneyAs === 'none' ? null : sameMoneyAs }),
      print: ({ name, sameMoneyAs }: Source) =>
        sameMoneyAs === undefined
          ? `${name} reports money of its own.`
          : `${name} reports the same money as ${sameMoneyAs}.`,
    }),
  },
}
