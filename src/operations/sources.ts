import { type Approved, Id, Time, AccountName, howToApprove, idOf, seenVersion, unapproved } from './fields.ts'
import { pageOf, PageQuery } from './lists.ts'
import { type Noun, operation } from './operation.ts'
import { type Forms, type Static, presented, Type } from './schema.ts'
import { Mapping, sayMapping } from './statement-mapping.ts'

const RequisiteIds = Type.Array(Id, {
  minItems: 1,
  maxItems: 1000,
  description: 'Those for which it may report money.',
  of: 'requisite',
})

const SameMoney = {
  ...idOf('source'),
  description:
    'The source whose money this one reports again. What both report counts as one transfer, without asking an operator, while no change of either waits for an approval.',
}

const Pickup = {
  address: Type.Printable(500, {
    description:
      'Where its files appear: `folder:<folder>` in the folder of `PAYIN_PICKUP_FOLDER`, `imaps://<user>@<host>/<mailbox>` or `sftp://<user>@<host>/<folder>`.',
    examples: ['sftp://payin@files.bank.example/out'],
  }),
  'senders?': Type.Array(Type.Printable(320), {
    maxItems: 20,
    description: 'Of a mailbox: whose mails are read, each a whole address or a domain with its `@`.',
    examples: [['statements@bank.example', '@bank.example']],
  }),
  'checkedBy?': Type.Printable(253, {
    description:
      'Of a mailbox: the name under which its own server says whether a sender is real, the first word of the header `Authentication-Results`. Mails that do not pass are not taken.',
    examples: ['mx.example.com'],
  }),
  'hostKey?': Type.Pattern('must be a fingerprint such as ssh-keygen -l writes: SHA256:…', {
    pattern: '^SHA256:[A-Za-z0-9+/]{43}$',
    description: 'Of an SFTP server: the fingerprint of its key, as the bank states it.',
    examples: ['SHA256:mVPwvezndPv/ARoIadVY98vAC0g+P/5633yTC4d/wXE'],
  }),
  'importsAlone?': Type.Flag(
    'Whether files are imported without a person where there is no doubt: nothing of the source waits for an approval, the mapping of a table is kept, all accounts are its own, a mailed file names them, and no row may have been reported before. Default: false, a person imports each.',
  ),
}

const PickedFrom = Type.Group('Where its files are picked up.', Pickup)

export const SourceAnswer = Type.Titled('StatementSource', {
  id: Id,
  name: Type.String(),
  requisiteIds: Type.Array(Id, { shownAs: 'requisites', heading: 'Requisites' }),
  'requisites?': Type.Array(AccountName, { description: 'How operators know them, in the same order.' }),
  'mapping?': Mapping,
  'keyPrefix?': presented(Type.Text('First characters of the key for its pushes.'), {
    heading: 'Key starts with',
    absent: 'no key',
  }),
  'unapproved?': unapproved(
    'source',
    'key',
    'Who alone made the key or changed the source, if another operator has not approved it yet.',
  ),
  'sameMoneyAs?': presented(SameMoney, { absent: 'no other source' }),
  createdAt: Time,
  'lastSeenAt?': Time,
  'pickup?': presented(PickedFrom, { absent: 'nowhere: upload its files' }),
  'pickedUpAt?': presented(Time, { description: 'When its place was last looked at.', heading: 'Last looked at' }),
  'pickupProblem?': presented(Type.Text('Why the last look failed, or what is wrong with the place.'), {
    heading: 'Problem of the pickup',
  }),
})
export type SourceAnswer = Static<typeof SourceAnswer>

export const PickedFile = Type.Titled('PickedFile', {
  id: Id,
  name: Type.String(),
  origin: Type.Text('Where it came from.', 'mail of statements@bank.example, 2026-11-30'),
  pickedAt: Time,
  'statementId?': presented(idOf('statement'), 'What it became; absent if it was not taken.'),
  'problem?': Type.Text('Why it was not taken, or waited for a person.'),
})
export type PickedFile = Static<typeof PickedFile>

const sayPickup = ({ address, senders = [], checkedBy, hostKey, importsAlone = false }: Static<typeof PickedFrom>) => [
  address,
  ...(senders.length > 0 ? [`mails of ${senders.join(', ')}`] : []),
  ...(checkedBy === undefined ? [] : [`senders checked by ${checkedBy}`]),
  ...(hostKey === undefined ? [] : [`key of the server ${hostKey}`]),
  importsAlone ? 'imported without a person' : 'imported by a person',
]

/** All that the approval of a source approves: what its version is made of. */
export const approvedOfSource = (
  { requisites = [], requisiteIds, keyPrefix, sameMoneyAs, mapping, pickup }: SourceAnswer,
  known: readonly SourceAnswer[],
  account: Forms['account'],
): Approved[] => [
  { name: 'Requisites', says: requisiteIds.map((id, at) => account(requisites[at], id)).join(', ') },
  { name: 'Key starts with', says: keyPrefix ?? 'no key' },
  { name: 'Same money as', says: known.find(({ id }) => id === sameMoneyAs)?.name ?? sameMoneyAs ?? 'no other source' },
  { name: 'Files are read by', says: mapping === undefined ? 'what each says' : sayMapping(mapping).join(' · ') },
  { name: 'Files come from', says: pickup === undefined ? 'uploads only' : sayPickup(pickup).join(' · ') },
]

export const sources = {
  about: 'Sources of statements and pushes, such as a bank or its feed.',
  examples: [
    'payin sources list      (with the versions that wait for an approval)',
    'payin sources create "Sberbank feed" --requisite "Main account" "sberbank 4821"',
    'payin sources rotate "Sberbank feed"',
    'payin sources same-money "Sberbank feed" "Sberbank files"      (both report the money of one account)',
    'payin sources same-money "Sberbank feed" none',
    'payin sources pickup "Sberbank files" sftp://payin@files.bank.example/out --host-key SHA256:… --imports-alone',
    'payin sources files "Sberbank files"      (what was picked up, and what waits)',
    'payin sources approve "Sberbank feed" 3f9a2b70c41d58e6b0dd7f2415a9c3e86f20d4817be95a3c02e6f91d58b7a410',
  ],
  operations: {
    create: operation('POST /statement-sources', 'configure', {
      id: 'addStatementSource',
      summary: 'Add a source of statements or pushes',
      description: 'A source remembers how its files are read, and may push transfers with a key of its own.',
      body: {
        name: Type.Printable(100, 'Your own name for it.'),
        requisiteIds: RequisiteIds,
        'mapping?': Mapping,
        'sameMoneyAs?': SameMoney,
      },
      status: 201,
      answer: SourceAnswer,
      refusals: ['already_exists'],
      command: { arguments: ['name'], note: 'payin sources rotate gives it a key to push with.' },
    }),
    list: operation('GET /statement-sources', 'read', {
      id: 'listStatementSources',
      summary: 'List sources of statements and pushes',
      description: 'Each with the time when something was last received from it.',
      answer: { sources: Type.Array(SourceAnswer) },
      exports: 'sources',
      command: {
        columns: [
          ...(['name', 'requisiteIds', 'keyPrefix', 'lastSeenAt'] as const),
          { heading: 'Picked up from', show: ({ pickup }) => pickup?.address },
          ...(['pickupProblem', 'sameMoneyAs', 'id'] as const),
        ],
        empty: 'No sources yet. Create one: payin sources create "My bank" --requisite <requisite>',
        note: ({ sources: rows }, { account, person }) =>
          howToApprove('sources', rows, person, (row) => approvedOfSource(row, rows, account)),
      },
    }),
    update: operation('PATCH /statement-sources/{id}', 'configure', {
      id: 'updateStatementSource',
      summary: "Change a source's requisites, column mapping, or the source whose money it reports again",
      description:
        'Omitted fields do not change. Where two people move money, what it pushes, and a file that you confirm, counts as reported by you alone until another operator approves the source.',
      body: Type.Exact(
        {
          'requisiteIds?': RequisiteIds,
          'mapping?': Type.OrNull(Mapping),
          'sameMoneyAs?': Type.OrNull(SameMoney, SameMoney.description),
        },
        { minProperties: 1 },
      ),
      answer: SourceAnswer,
      commands: {
        update: {
          about: 'Change the requisites of a source, or its column mapping; omitted options do not change.',
          only: ['requisiteIds', 'mapping'],
        },
        'same-money': {
          about:
            'Declare that a source reports the same money as another one: what both report counts as one transfer.',
          only: ['sameMoneyAs'],
          arguments: ['sameMoneyAs'],
        },
      },
    }),
    rotate: operation('POST /statement-sources/{id}/key', 'configure', {
      id: 'renewSourceKey',
      summary: 'Give a source a key to push with',
      description:
        'Shown only this once; the previous key stops working immediately. Where two people may configure, money that is pushed with it counts as reported by you alone (`PAYIN_LONE_REPORTS_ABOVE`) until another operator approves the source.',
      answer: { key: Type.String() },
      command: { note: 'Keep the key now: it is not shown again.' },
    }),
    approve: operation('POST /statement-sources/{id}/approve', 'reconcile', {
      id: 'approveSource',
      summary: 'Approve a source that another operator has changed, or made a key for',
      description:
        'Compare the first characters of its key with those that the bank, or the system in between, uses, and make sure that nobody else has the key: what it signs is then the report of the bank. Compare its requisites and its mapping, too.',
      body: seenVersion('source'),
      answer: SourceAnswer,
      refusals: ['second_person_required', 'status_changed'],
      command: { arguments: ['version'] },
    }),
    pickup: operation('PUT /statement-sources/{id}/pickup', 'configure', {
      id: 'setPickup',
      summary: 'Let the files of a source come by themselves',
      description:
        'From a folder, a mailbox or an SFTP server, which is looked at every minute. Each file is taken once, and nothing there is changed. Replaces an earlier pickup. Where two people move money, its files count as reported by you alone until another operator approves the source.',
      body: {
        ...Pickup,
        'secret?': Type.String({
          ...{ minLength: 1, maxLength: 8000, kind: 'secret' },
          description: 'The password of the mailbox or the SFTP user, or its private key (PEM).',
        }),
      },
      answer: SourceAnswer,
      command: { arguments: ['address'] },
    }),
    'end-pickup': operation('POST /statement-sources/{id}/pickup/end', 'configure', {
      id: 'endPickup',
      summary: 'End the pickup of a source',
      description: 'What was picked up stays.',
      answer: SourceAnswer,
    }),
    look: operation('POST /statement-sources/{id}/pickup/look', 'reconcile', {
      id: 'lookForFiles',
      summary: 'Look for new files of a source now',
      description:
        'In the background, but no sooner than 20 seconds after the last look: a file in a folder is taken once it has not changed between two looks.',
      status: 202,
      answer: SourceAnswer,
      command: { says: 'Looking within 20 seconds. What came: payin sources files' },
    }),
    files: operation('GET /statement-sources/{id}/files', 'read', {
      id: 'listPickedFiles',
      summary: 'List the files of a source that were picked up, or refused',
      description: 'Newest first.',
      query: PageQuery,
      answer: pageOf('files', PickedFile),
      command: {
        columns: ['name', 'origin', 'pickedAt', 'problem', 'statementId'],
        empty: 'Nothing was picked up yet.',
      },
    }),
    'end-key': operation('POST /statement-sources/{id}/key/end', 'configure', {
      id: 'endSourceKey',
      summary: 'End the key of a source',
      description: 'Pushes that are signed with it are refused from now on.',
      answer: SourceAnswer,
    }),
  },
} satisfies Noun<unknown>

export const statementAccounts = {
  bind: operation('PUT /statement-accounts', 'reconcile', {
    id: 'bindStatementAccounts',
    summary: 'Bind accounts in statements to their requisites',
    description:
      'All or none. For requisites whose number, such as a phone or a card, is not the account number in the files; if several share an account, its money is booked on the first and pays the payments of all. Replaces earlier bindings of the account; refused if money of the account was booked on another first requisite (a feed does not say which account it reports), or on this one since a requisite that you leave out was bound.',
    bodyLimit: 512 * 1024,
    body: {
      accounts: Type.Array(
        Type.Exact({
          number: Type.Printable(64, {
            description: 'Account number or IBAN as in the files.',
            examples: ['40702810000000000001'],
          }),
          requisiteIds: Type.Array(Id, {
            minItems: 1,
            maxItems: 20,
            description: 'Those that receive its money.',
            of: 'requisite',
          }),
        }),
        { minItems: 1, maxItems: 500 },
      ),
      'dryRun?': Type.Flag('Only check them and bind none.'),
    },
    answer: {
      accounts: Type.Rows('In the order of the request.', {
        number: Type.Text('Masked.', '•••• 4821'),
        requisiteIds: Type.Array(Id, { heading: 'Requisites', of: 'requisite' }),
      }),
    },
    refusals: ['already_exists', 'invalid_state'],
    command: {
      about: 'Bind one account in statements to its requisites, or many of a file, all or none.',
      list: 'accounts',
      cells: { requisiteIds: 'requisite' },
      columns: ['number', 'requisiteIds'],
      note: (_, __, { dryRun }) => (dryRun === true ? 'Nothing was bound.' : undefined),
    },
  }),
}
