import { type Static, Type } from '../../operations/schema.ts'
import type { FastifyRequest } from 'fastify'
import type { Context, Tx } from '../../engine/context.ts'
import {
  noCounts,
  type Statement,
  type StatementAccount,
  statementStates,
} from '../../rules/statements/statement-import.ts'
import { explainerOf } from './outgoing.ts'
import { asLoneReport } from '../../engine/members/refuse-one-person.ts'
import { confirmStatement, discardStatement } from '../../engine/statements/confirm-or-discard.ts'
import {
  getOutcomes,
  getStatement,
  type ListedStatementRow,
  listStatementRows,
  listStatements,
  rowStates,
} from '../../engine/statements/read.ts'
import { checkWithdrawal, withdrawStatement } from '../../engine/statements/withdraw-statement.ts'
import { actOnBehalf, actorOf } from '../act-on-behalf.ts'
import { Id, IdParams, NoBody, Time, wire } from '../../operations/fields.ts'
import { pageSize, readPage } from '../lists.ts'
import { pageOf, PageQuery } from '../../operations/lists.ts'
import { routesForOperators } from '../routes.ts'
import { ofRequisite, Reason } from '../../operations/operator-fields.ts'
import { Mapping } from '../../operations/statement-mapping.ts'
import { directionBases, directionBasis, type GivenMapping, statementFormats } from 'bank-files/pure'

const Account = Type.Titled('StatementAccount', {
  number: Type.Text('Masked.', '•••• 4821'),
  ...ofRequisite,
  currency: Type.String(),
  opening: Type.Optional(Type.Number()),
  closing: Type.Optional(Type.Number()),
  credits: Type.Number({ description: 'Sum of incoming money.' }),
  debits: Type.Number({ description: 'Sum of outgoing money.' }),
  creditRows: Type.Whole('Number of incoming rows.'),
  debitRows: Type.Whole('Number of outgoing rows.'),
  difference: Type.Optional(
    Type.Number({
      description:
        'After the import: how much more the books have received on its days than its rows say. Automatic crediting is then held on the requisite until a person has looked.',
    }),
  ),
})

/** Schema of an uploaded statement. */
export const StatementAnswer = Type.Titled('Statement', {
  id: Id,
  state: Type.OneOf(statementStates, { description: 'State of the import.', examples: ['ready'] }),
  fileName: Type.String(),
  sourceId: Type.Optional(Id),
  size: Type.Optional(Type.Whole('Bytes.')),
  format: Type.Optional(Type.OneOf(statementFormats, "Recognised from the file's content.")),
  charset: Type.Optional(Type.String()),
  mapping: Type.Optional(Mapping),
  direction: Type.Optional(
    Type.Group('How credits and debits were distinguished.', {
      decidedBy: Type.OneOf(
        directionBases,
        '`format`: the format says it for every row. `columns`: credits and debits have separate columns. `words`: by the words in a column. `sign`: by the sign of the amount. `operator`: `allCredits` for amounts without a sign.',
      ),
      columns: Type.Array(Type.Union([Type.String(), Type.Integer()])),
    }),
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
    },
  ),
  faults: Type.Array(Type.Object({ line: Type.Integer(), reason: Type.String() }), {
    description: 'Why it was refused.',
  }),
  progress: Type.Whole('The last row that was recorded or, during a withdrawal, taken back.'),
  uploadedBy: Type.String(),
  uploadedAt: Time,
  confirmedBy: Type.Optional(Type.String()),
  confirmedAt: Type.Optional(Time),
  importedAt: Type.Optional(Time),
  withdrawnBy: Type.Optional(Type.String()),
  withdrawnAt: Type.Optional(Time),
  withdrawalProposedBy: Type.Optional(Type.Text('Who would withdraw it; another operator must do the same.')),
  withdrawalReason: Type.Optional(Type.String()),
  withdrawalFailure: Type.Optional(Type.Text('Why the last withdrawal failed.')),
})

const toAccount = ({ currency, ...account }: StatementAccount): Static<typeof Account> => {
  const amount = (minor: string | null): number | null => (minor === null ? null : wire.amount(BigInt(minor), currency))
  return wire.fields({
    ...account,
    currency,
    opening: amount(account.opening),
    closing: amount(account.closing),
    credits: wire.amount(BigInt(account.credits), currency),
    debits: wire.amount(BigInt(account.debits), currency),
    difference: amount(account.difference ?? null),
  })
}

export type StatementAnswer = Static<typeof StatementAnswer>

/** The wire form of a mapping. */
export const toWireMapping = (mapping: GivenMapping): Mapping =>
  wire.fields({
    charset: mapping.charset ?? null,
    delimiter: mapping.delimiter ?? null,
    headerLine: mapping.headerLine ?? null,
    columns: mapping.columns ? { ...mapping.columns } : null,
    dateOrder: mapping.dateOrder ?? null,
    decimalMark: mapping.decimalMark ?? null,
    directions: mapping.directions
      ? { credit: [...mapping.directions.credit], debit: [...mapping.directions.debit] }
      : null,
    allCredits: mapping.allCredits ?? null,
  })

const toDirection = (statement: Pick<Statement, 'mapping'>): NonNullable<StatementAnswer['direction']> => {
  const { by, columns } = directionBasis(statement.mapping)
  return { decidedBy: by, columns: [...columns] }
}

/** The wire form of a statement. */
export const toStatementAnswer = ({ contentHash: _hash, ...statement }: Statement): StatementAnswer =>
  wire.fields({
    ...statement,
    size: statement.size === null ? null : Number(statement.size),
    mapping: statement.mapping === null ? null : toWireMapping(statement.mapping),
    direction: statement.format === null ? null : toDirection(statement),
    accounts: statement.accounts.map(toAccount),
    // Earlier versions did not count everything.
    counts: { ...noCounts, ...statement.counts, errors: statement.faults.length },
    faults: [...statement.faults],
    ...(statement.state === 'imported' && { withdrawnBy: null, withdrawalProposedBy: statement.withdrawnBy }),
    progress: statement.state === 'withdrawing' ? statement.withdrawnTo : statement.importedTo,
  })

const StatementRowAnswer = Type.Titled('StatementRow', {
  position: Type.Integer(),
  line: Type.Whole('Line of the file where it begins.'),
  state: Type.OneOf(
    rowStates,
    '`possible-duplicate`: waits, or will wait, in the inbox; `duplicate`: is the money of `duplicateOf` and moves nothing.',
  ),
  duplicateOf: Type.Optional(Id, 'The transfer that was reported before and is, or may be, the same money.'),
  kind: Type.OneOf(
    ['booked', 'reversal', 'outgoing', 'outgoing-reversal'],
    '`booked`: money in; `reversal`: money in that was taken back; `outgoing`: money out; `outgoing-reversal`: money out that was given back.',
  ),
  requisiteId: Id,
  currency: Type.String(),
  amount: Type.Number(),
  bookedAt: Time,
  bankReference: Type.Optional(Type.String()),
  sender: Type.Optional(Type.Text('Masked.')),
  payerName: Type.Optional(Type.String()),
  number: Type.Optional(
    Type.Text('Of the document or payment, not given by the bank; with its date in 1C.', '481555 26.11.2026'),
  ),
  text: Type.Optional(Type.Text('Long numbers in it are masked.')),
  transferId: Type.Optional(Id),
})

/** A row of a statement that may move money. */
export type StatementRowAnswer = Static<typeof StatementRowAnswer>

const toRow = (row: ListedStatementRow): StatementRowAnswer =>
  wire.fields({
    ...row,
    amount: wire.amount(row.amount, row.currency),
    sender: row.sender === '' ? null : row.sender,
  })

const DetailedStatement = Type.Titled('StatementDetails', {
  ...StatementAnswer.properties,
  outcomes: Type.Array(Type.Object({ outcome: Type.String(), kind: Type.String(), transfers: Type.Integer() }), {
    description:
      'How its transfers were matched, and where their money is. Empty while they are being recorded or withdrawn.',
  }),
})

/** A statement, and where its money is. */
export type DetailedStatement = Static<typeof DetailedStatement>

/** Runs a change of a statement with its audit entry, and returns the wire form of the statement. */
const change = async (
  context: Context,
  request: FastifyRequest<{ Params: { id: string } }>,
  verb: string,
  work: (tx: Tx, id: string, by: string) => Promise<Statement>,
  details: object = {},
): Promise<StatementAnswer> => {
  const { id } = request.params
  return toStatementAnswer(
    await actOnBehalf(context, request, (tx) => work(tx, id, actorOf(request)), {
      action: `statement.${verb}`,
      subject: `statement:${id}`,
      details: (after) => ({ state: after.state, counts: after.counts, ...details }),
    }),
  )
}

/** Uploaded statements. */
export const statementRoutes = routesForOperators()

statementRoutes.get('/statements', 'read', {
  id: 'listStatements',
  summary: 'List uploaded statements',
  description: 'Newest first.',
  query: PageQuery,
  answer: pageOf('statements', StatementAnswer),
  exports: 'statements',
  handle: (context, { query }) =>
    readPage('statements', query, (span) => listStatements(context, span), toStatementAnswer),
})

statementRoutes.get('/statements/:id', 'read', {
  id: 'getStatement',
  summary: 'Read an uploaded statement',
  description: 'With its progress while it is being imported.',
  params: IdParams,
  answer: DetailedStatement,
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const statement = await getStatement(context, request.params.id)
    // Counting takes long, and clients poll until the end.
    const isUnderWay = statement.state === 'importing' || statement.state === 'withdrawing'
    const outcomes = isUnderWay ? [] : await getOutcomes(context, statement.id)
    return { ...toStatementAnswer(statement), outcomes }
  },
})

statementRoutes.get('/statements/:id/rows', 'read', {
  id: 'listStatementRows',
  summary: 'List the rows of a statement',
  description:
    'Rows that may move money, in file order. In a large file, a page of rows in one `state` may have fewer than `limit`, or none, and still a `nextAfter`.',
  params: IdParams,
  query: {
    limit: PageQuery.limit,
    after: Type.Optional(
      Type.NumberText(
        'must be nextAfter of the previous page.',
        { type: 'integer', minimum: 0 },
        { pattern: '^[0-9]{1,9}$', description: '`nextAfter` of the previous page.' },
      ),
    ),
    state: Type.Optional(Type.OneOf(rowStates, 'Only those in this state.')),
  },
  answer: { rows: Type.Array(StatementRowAnswer), nextAfter: Type.Optional(Type.Integer()) },
  exports: 'rows',
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const { id } = await getStatement(context, request.params.id)
    const { limit, after = '0', state = null } = request.query
    const { rows, next } = await listStatementRows(context, id, { after: Number(after), limit: pageSize(limit), state })
    return { rows: rows.map(toRow), ...(next === null ? {} : { nextAfter: next }) }
  },
})

statementRoutes.post('/statements/:id/confirm', 'reconcile', {
  id: 'confirmStatement',
  summary: 'Import a statement after its preview',
  description:
    'Imports the whole file; this cannot be stopped. Rows are recorded in the background; read the statement for progress. Confirming again changes nothing. A file with more new money, in and out, than one person may report within 24 hours (`PAYIN_LONE_REPORTS_ABOVE`) must be confirmed by another operator than the one who uploaded it, changed how its source is read, or bound its account and has not seen others confirm a file of it since.',
  params: IdParams,
  body: NoBody,
  answer: StatementAnswer,
  refusals: ['invalid_state', 'resource_not_found', 'second_person_required'],
  handle: (context, request) =>
    change(context, request, 'confirm', (tx, id, by) =>
      confirmStatement(tx, id, by, (author) => asLoneReport(context, tx, by, author)),
    ),
})

statementRoutes.post('/statements/:id/discard', 'reconcile', {
  id: 'discardStatement',
  summary: 'Discard a statement that was only previewed',
  description: 'Nothing of it was recorded; the same file may be uploaded again.',
  params: IdParams,
  body: NoBody,
  answer: StatementAnswer,
  refusals: ['invalid_state', 'resource_not_found'],
  handle: (context, request) => change(context, request, 'discard', discardStatement),
})

statementRoutes.post('/statements/:id/withdraw', 'reconcile', {
  id: 'withdrawStatement',
  summary: 'Withdraw an import about which nothing has been decided',
  description:
    'Only while all of its transfers wait in the inbox. From now on nobody can decide about them; they are taken back in the background, by reversing entries, until the statement is `withdrawn` and the file may be uploaded again. If something was decided at the last moment, it becomes `imported` again, and `withdrawalFailure` says why. Withdrawing again changes nothing. Where two people may decide, a statement with more outgoing money than one operator may explain within 24 hours (`PAYIN_SECOND_PERSON_ABOVE`) stays `imported`, with `withdrawalProposedBy`, until another operator withdraws it, too.',
  params: IdParams,
  body: {
    reason: Reason,
    dryRun: Type.Optional(Type.Flag('Only check whether it can be withdrawn; nothing changes. Default: false.')),
  },
  answer: StatementAnswer,
  refusals: ['invalid_state', 'resource_not_found', 'second_person_required'],
  handle: async (context, request) => {
    const { reason, dryRun = false } = request.body
    await checkWithdrawal(context, request.params.id)
    if (dryRun) return toStatementAnswer(await getStatement(context, request.params.id))
    return change(
      context,
      request,
      'withdraw',
      (tx, id) => withdrawStatement(tx, id, { ...explainerOf(context, request), reason }),
      { reason },
    )
  },
})
