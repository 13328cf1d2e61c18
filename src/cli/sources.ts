import type { SourceAnswer } from '../http/operator-api/statement-sources.ts'
import { type Group, list, request } from './commands.ts'
import { argument, option, required, resolvedBy } from './inputs.ts'
import { idArgument, idOption } from './named-inputs.ts'
import { type Printed, printAccount, printFields, printSections, printTime, printDetails } from './print-table.ts'
import { readDocument } from './read-arguments.ts'
import { resolveId } from './resolve-name.ts'
import type { Session } from './session.ts'

const id = idArgument('source')

const describe = (source: SourceAnswer): Printed =>
  printFields({
    Source: source.id,
    Name: source.name,
    Requisites: source.requisiteIds
      .map((requisiteId, index) => printAccount(source.requisites?.[index], requisiteId))
      .join('\n'),
    'Key of pushes': source.keyPrefix === undefined ? 'none' : `${source.keyPrefix}…`,
    'Waits for approval':
      source.unapproved &&
      `changed by ${source.unapproved.by} alone. Another operator compares the key and the rest, and runs:\npayin sources approve ${source.id} ${source.unapproved.version}`,
    Mapping: source.mapping === undefined ? undefined : printDetails(source.mapping),
    'Same money as': source.sameMoneyAs,
    Created: printTime(source.createdAt),
    'Last seen': printTime(source.lastSeenAt),
  })

const toIds = (session: Session, typed: readonly string[]): Promise<string[]> =>
  Promise.all(typed.map((each) => resolveId(session, 'requisite', each)))

const flags = '--requisite <requisite...>'
const requisitesDescription = 'labels, last digits or ids of the requisites that it reports money for'
const mapping = option('--mapping <path>', 'JSON document with the columns of its CSV files')

const bodyOf = async <Given extends { readonly mapping?: string | undefined }>(given: Given, session: Session) => ({
  ...given,
  mapping: given.mapping && (JSON.parse(await readDocument(session.surroundings, given.mapping, false)) as unknown),
})

export const sourceCommands: Group = {
  description: 'Sources of statements and pushes, such as a bank or its feed.',
  examples: [
    'payin sources list',
    'payin sources create "Sberbank feed" --requisite "Main account" "sberbank 4821"',
    'payin sources rotate "Sberbank feed"',
    'payin sources same-money "Sberbank feed" "Sberbank files"      (both report the money of one account)',
    'payin sources same-money "Sberbank feed" none',
  ],
  commands: {
    list: list('GET /statement-sources', {
      description: 'List the sources.',
      rows: ({ sources }: { sources: SourceAnswer[] }) =>
        sources.map((each) => ({
          ...each,
          sameMoneyAs: sources.find(({ id: other }) => other === each.sameMoneyAs)?.name ?? each.sameMoneyAs,
        })),
      empty: 'No sources yet. Create one: payin sources create "My bank" --requisite <requisite>',
      columns: {
        'NAME~': 'name',
        'REQUISITES~': ({ requisites = [] }) => requisites.map((each) => printAccount(each)).join(', '),
        KEY: 'keyPrefix',
        'LAST SEEN': ({ lastSeenAt }) => printTime(lastSeenAt),
        'SAME MONEY AS~': 'sameMoneyAs',
        'ID#': 'id',
      },
    }),
    create: request('POST /statement-sources', {
      description: 'Add a source; payin sources rotate gives it a key to push with.',
      inputs: {
        name: argument('<name>', 'your own name for it'),
        requisiteIds: resolvedBy(required<string[]>(flags, requisitesDescription), toIds),
        mapping,
        sameMoneyAs: idOption('--same-money-as <source>', 'source whose money it reports again', 'source'),
      },
      body: bodyOf,
      print: describe,
    }),
    update: request('PATCH /statement-sources/{id}', {
      description: 'Change the requisites of a source, or its column mapping.',
      inputs: {
        id,
        requisiteIds: resolvedBy(
          option<string[]>(flags, requisitesDescription),
          async (session, typed) => typed && toIds(session, typed),
        ),
        mapping,
      },
      body: ({ requisiteIds, mapping: path }, session) => bodyOf({ requisiteIds, mapping: path }, session),
      print: describe,
    }),
    rotate: request('POST /statement-sources/{id}/key', {
      description:
        'Give a source a new key to push with; it is shown only this once, and the previous key stops working immediately.',
      inputs: { id },
      body: () => ({}),
      print: ({ key }: { key: string }) =>
        printSections(printFields({ Key: key }), 'Keep the key now: it is not shown again.'),
    }),
    show: request<{ sources: SourceAnswer[] }, { id: typeof id }>('GET /statement-sources', {
      description: 'Show one source, and what waits for an approval.',
      inputs: { id },
      values: async () => ({}),
      print: ({ sources }, { id: shown }) =>
        printSections(...sources.filter((each) => each.id === shown).map(describe)),
    }),
    approve: request('POST /statement-sources/{id}/approve', {
      description:
        'Approve a source that another operator has changed, or made a key for: until then, what is pushed counts as reported by that operator alone. Compare first what payin sources show prints.',
      inputs: { id, version: argument('<version>', 'the version that payin sources show prints') },
      body: ({ version }) => ({ version }),
      print: describe,
    }),
    'end-key': request('POST /statement-sources/{id}/key/end', {
      description: 'Revoke the key of a source: it can no longer push.',
      inputs: { id },
      body: () => ({}),
      print: describe,
    }),
    'same-money': request('PATCH /statement-sources/{id}', {
      description:
        'Declare that a source reports the same money as another one: what both report counts as one transfer.',
      inputs: { id, sameMoneyAs: argument('<other>', 'name or id of the other source; none for no other') },
      body: async ({ sameMoneyAs }, session) => ({
        sameMoneyAs: sameMoneyAs === 'none' ? null : await resolveId(session, 'source', sameMoneyAs),
      }),
      print: ({ name, sameMoneyAs }: SourceAnswer, { sameMoneyAs: typed }) =>
        sameMoneyAs === undefined ? `${name} reports separate money.` : `${name} reports the same money as ${typed}.`,
    }),
  },
}
