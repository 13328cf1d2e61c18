import { directionBases, statementFormats } from 'bank-files/pure'
import { statementStates } from '../rules/statements/statement-import.ts'
import { partKinds } from '../rules/transfers/transfer.ts'
import {
  bookedColumn,
  BookedOn,
  Id,
  Time,
  idOf,
  ofAnyMerchant,
  ofRequisite,
  OrderOf,
  Person,
  Reason,
} from './fields.ts'
import { pageOf, PageQuery } from './lists.ts'
import { type Noun, operation } from './operation.ts'
import { type Static, presented, Type } from './schema.ts'
import { destinationOf } from './transfers.ts'
import { Mapping } from './statement-mapping.ts'

const rowStates = ['new', 'duplicate', 'possible-duplicate', 'already-known', 'recorded'] as const

/** Amounts are in the currency of the account. */
const Account = Type.Titled('StatementAccount', {
  number: Type.Text('Masked.', '•••• 4821'),
  ...ofRequisite,
  currency: Type.String(),
  'opening?': Type.Number(),
  'closing?': Type.Number(),
  credits: Type.Number({ description: 'Sum of incoming money.' }),
  debits: Type.Number({ description: 'Sum of outgoing money.' }),
  creditRows: Type.Whole('Number of incoming rows.'),
  debitRows: Type.Whole('Number of outgoing rows.'),
  'utcOffsetMinutes?': Type.Integer({
    description: 'Offset from UTC of the time zone by which its times are read, in minutes: that of its requisite.',
    examples: [180],
  }),
  'difference?': Type.Number({
    description:
      'After the import: how much more the books have received on its days than its rows say. Automatic crediting is then held on the requisite until a person has looked.',
  }),
})

export const StatementState = Type.OneOf(statementStates, {
  description: 'State of the import.',
  examples: ['ready'],
  tones: {
    ...{ reading: 'live', ready: 'wait', refused: 'bad', discarded: 'over' },
    ...{ importing: 'live', imported: 'good', withdrawing: 'live', withdrawn: 'over' },
  },
})

export const StatementAnswer = Type.Titled('Statement', {
  id: Id,
  state: StatementState,
  fileName: Type.String(),
  'sourceId?': Id,
  'size?': Type.Whole('Bytes.'),
  'format?': Type.OneOf(statementFormats, "Recognised from the file's content."),
  'charset?': Type.String(),
  'mapping?': Mapping,
  'direction?': presented(
    Type.Group('How credits and debits were distinguished.', {
      decidedBy: Type.OneOf(
        directionBases,
        '`format`: the format says it for every row. `columns`: credits and debits have separate columns. `words`: by the words in a column. `sign`: by the sign of the amount. `operator`: `allCredits` for amounts without a sign.',
      ),
      columns: Type.Array(Type.Union([Type.String(), Type.Integer()])),
    }),
    { heading: 'Credits and debits' },
  ),
  accounts: Type.Array(Account),
  counts: Type.Object(
    {
      rows: Type.Integer(),
      new: Type.Integer(),
      alreadyKnown: Type.Whole('Reported before; they change nothing.'),
      duplicates: Type.Whole('The same money as transfers that another channel reported; they move nothing.'),
      possibleDuplicates: Type.Whole(
        'New rows that may be the same money as transfers that were reported before: they wait in the inbox.',
      ),
      replaced: Type.Whole(
        'Transfers that an earlier file reported as a sum, and whose payments are rows of this one: they leave the books.',
      ),
      replacing: Type.Whole(
        'Rows among the known ones and duplicates that only one person has reported so far, and that wait: if another operator confirms the file, they are new money in place of those reports.',
      ),
      reversals: Type.Integer(),
      pending: Type.Whole('Not booked yet; ignored.'),
      zero: Type.Whole('Rows of 0.00; ignored.'),
      notes: Type.Whole('Lines that are not rows, such as a footer; not counted.'),
      beforeOpening: Type.Whole(
        'Booked before the opening balance of their account, which includes their money; not recorded.',
      ),
      outgoing: Type.Whole('Outgoing money, including money that the bank gave back.'),
      errors: Type.Integer(),
    },
    {
      description:
        'Numbers of rows. Before the import, new rows, known rows and duplicates are counted as they were when the file was read; afterwards as recorded and decided since.',
      heading: 'Counts',
    },
  ),
  faults: Type.Rows('Why it was refused.', { line: Type.Integer(), reason: Type.String() }),
  progress: Type.Whole('The last row that was recorded or, during a withdrawal, taken back.'),
  uploadedBy: Person,
  uploadedAt: Time,
  'confirmedBy?': Person,
  'reportedBy?': presented(
    Person,
    'Who alone has confirmed it, if two people move money: it then proves nothing of what phones have reported.',
  ),
  'confirmedAt?': Time,
  'importedAt?': Time,
  'withdrawnBy?': Person,
  'withdrawnAt?': Time,
  'withdrawalProposedBy?': presented(Person, {
    description: 'Who would withdraw it; another operator must do the same.',
    heading: 'Needs another person than',
  }),
  'withdrawalReason?': Type.String(),
  'withdrawalFailure?': Type.Text('Why the last withdrawal failed.'),
})
export type StatementAnswer = Static<typeof StatementAnswer>

const StatementRowAnswer = Type.Titled('StatementRow', {
  position: Type.Integer(),
  line: Type.Whole('Line of the file where it begins.'),
  state: Type.OneOf(rowStates, {
    description:
      '`possible-duplicate`: waits, or will wait, in the inbox; `duplicate`: is the money of `duplicateOf` and moves nothing.',
    tones: {
      ...{ new: 'live', recorded: 'good', 'already-known': 'over', duplicate: 'over' },
      'possible-duplicate': 'wait',
    },
  }),
  'duplicateOf?': presented(
    idOf('transfer'),
    'The transfer that was reported before and is, or may be, the same money.',
  ),
  kind: Type.OneOf(
    ['booked', 'reversal', 'outgoing', 'outgoing-reversal'],
    '`booked`: money in; `reversal`: money in that was taken back; `outgoing`: money out; `outgoing-reversal`: money out that was given back.',
  ),
  requisiteId: Id,
  currency: Type.String(),
  amount: Type.Number(),
  bookedAt: Time,
  'bookedOn?': BookedOn,
  'bankReference?': Type.String(),
  'sender?': Type.Text('Masked.'),
  'payerName?': Type.String({
    description: 'Initials for roles that may not reveal numbers; for an organisation, the whole name.',
    heading: 'Name',
  }),
  'number?': Type.Text('Of the document or payment, not given by the bank; with its date in 1C.', '481555 26.11.2026'),
  'text?': Type.Text('Long numbers in it are masked.'),
  'transferId?': Id,
  'went?': Type.OneOf(partKinds, 'Where its money is, once it was recorded; of a split transfer, its first part.'),
  ...ofAnyMerchant(),
  'paymentId?': Id,
  'orderId?': OrderOf,
})
export type StatementRowAnswer = Static<typeof StatementRowAnswer>

export const DetailedStatement = Type.Titled('StatementDetails', {
  ...StatementAnswer.properties,
  outcomes: Type.Array(Type.Object({ outcome: Type.String(), kind: Type.String(), transfers: Type.Integer() }), {
    description:
      'How its transfers were matched, and where their money is. Empty while they are being recorded or withdrawn.',
  }),
})
export type DetailedStatement = Static<typeof DetailedStatement>

const rowKinds: Readonly<Record<StatementRowAnswer['kind'], { readonly direction: string; readonly note: string }>> = {
  booked: { direction: 'credit', note: '' },
  reversal: { direction: 'debit', note: ', taken back' },
  outgoing: { direction: 'debit', note: '' },
  'outgoing-reversal': { direction: 'credit', note: ', given back' },
}

export const statements = {
  about: 'Bank files: preview, import and withdraw them.',
  examples: [
    'payin statements import january.xml --preview',
    'payin statements import kl_to_1c.txt',
    'payin statements import monday.xml tuesday.xml --preview',
    'payin statements bind --number 40702810900000000001 --requisite "Main phone"',
    'payin statements bind --file accounts.csv --dry-run',
    'payin statements withdraw 019a9c3e-7d5e --reason "wrong account"',
  ],
  operations: {
    list: operation('GET /statements', 'read', {
      id: 'listStatements',
      summary: 'List uploaded statements',
      description: 'Newest first.',
      query: PageQuery,
      answer: pageOf('statements', StatementAnswer),
      command: {
        columns: [
          ...(['id', 'state'] as const),
          { heading: 'Rows', show: ({ counts }) => counts.rows, kind: 'number' },
          ...(['fileName', 'uploadedAt', 'format', 'uploadedBy'] as const),
        ],
        empty: 'No statements yet. Preview a file first: payin statements import <file> --preview',
      },
    }),
    show: operation('GET /statements/{id}', 'read', {
      id: 'getStatement',
      summary: 'Read an uploaded statement',
      description: 'With its progress while it is being imported.',
      answer: DetailedStatement,
    }),
    rows: operation('GET /statements/{id}/rows', 'read', {
      id: 'listStatementRows',
      summary: 'Show the rows of a statement',
      description:
        'Rows that may move money, in file order. In a large file, a page of rows in one `state` may have fewer than `limit`, or none, and still a `nextAfter`.',
      query: {
        'limit?': PageQuery['limit?'],
        'after?': Type.NumberText(
          'must be nextAfter of the previous page.',
          { type: 'integer', minimum: 0 },
          { pattern: '^[0-9]{1,9}$', description: 'Where the page starts, as the previous one says (`nextAfter`).' },
        ),
        'state?': Type.OneOf(rowStates, 'Only those in this state.'),
      },
      answer: { rows: Type.Array(StatementRowAnswer), 'nextAfter?': Type.Integer() },
      exports: 'rows',
      command: {
        columns: [
          'line',
          { heading: 'State', show: ({ kind, state }) => `${state}${rowKinds[kind].note}` },
          bookedColumn,
          'amount',
          { heading: 'Direction', show: ({ kind }) => rowKinds[kind].direction },
          {
            heading: 'Went to',
            show: ({ went, ...row }) => (went === undefined ? undefined : destinationOf({ ...row, kind: went })),
          },
          ...(['payerName', 'sender', 'text', 'number', 'duplicateOf'] as const),
        ],
        empty: 'No rows that may move money.',
      },
    }),
    confirm: operation('POST /statements/{id}/confirm', 'reconcile', {
      id: 'confirmStatement',
      summary: 'Import a statement after its preview',
      description:
        'Imports the whole file; this cannot be stopped. Rows are recorded in the background; read the statement for progress. Confirming again changes nothing. A file with more new money, in and out, than one person may report within 24 hours (`PAYIN_LONE_REPORTS_ABOVE`) must be confirmed by another operator than the one who uploaded it, changed how its source is read, or bound its account and has not seen others confirm a file of it since.',
      answer: StatementAnswer,
      refusals: ['second_person_required'],
    }),
    discard: operation('POST /statements/{id}/discard', 'reconcile', {
      id: 'discardStatement',
      summary: 'Discard a statement that was only previewed, or refused',
      description: 'Nothing of it was recorded; the same file may be uploaded again.',
      answer: StatementAnswer,
    }),
    withdraw: operation('POST /statements/{id}/withdraw', 'reconcile', {
      id: 'withdrawStatement',
      summary: 'Withdraw an import about which nothing has been decided',
      description:
        'Only while all of its transfers wait in the inbox. From now on nobody can decide about them; they are taken back in the background, by reversing entries, until the statement is `withdrawn` and the file may be uploaded again. If something was decided at the last moment, it becomes `imported` again, and `withdrawalFailure` says why. Withdrawing again changes nothing. Where two people may decide, a statement with more outgoing money than one operator may explain within 24 hours (`PAYIN_SECOND_PERSON_ABOVE`) stays `imported`, with `withdrawalProposedBy`, until another operator withdraws it, too.',
      body: {
        reason: Reason,
        'dryRun?': Type.Flag('Only check whether it can be withdrawn; nothing changes.'),
      },
      answer: StatementAnswer,
      refusals: ['second_person_required'],
    }),
  },
} satisfies Noun<unknown>
