import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Context, Tx } from '../../context.ts'
import type { Statement } from '../../domain/statement-import.ts'
import { confirmStatement } from '../../statements/confirm-statement.ts'
import { discardStatement } from '../../statements/discard-statement.ts'
import {
  getOutcomes,
  getStatement,
  type ListedRow,
  listStatementRows,
  listStatements,
  rowStates,
} from '../../statements/read.ts'
import { checkWithdrawal, withdrawStatement } from '../../statements/withdraw-statement.ts'
import { actOnBehalf, actorOf } from '../act-on-behalf.ts'
import { Id, IdParams, NoBody, NumberText, OneOf, Time, Titled, wireAmount, wireFields } from '../fields.ts'
import { pageOf, PageQuery, pageSize, readPage } from '../paging.ts'
import { routesForOperators } from '../routes.ts'
import { Reason } from './operator-fields.ts'
import { StatementAnswer, toStatementAnswer } from './statement-answer.ts'

const StatementRow = Titled('StatementRow', {
  position: Type.Integer(),
  line: Type.Integer({ description: 'Line of the file on which it begins.' }),
  state: OneOf(rowStates, {
    description:
      '`possible-duplicate` waits, or will wait, in the inbox; `duplicate` is the money of `duplicateOf` and moves nothing.',
  }),
  duplicateOf: Type.Optional({
    ...Id,
    description: 'The transfer that was reported before and is, or may be, the same money.',
  }),
  kind: OneOf(['booked', 'reversal', 'outgoing', 'outgoing-reversal'], {
    description:
      '`booked`: money in; `reversal`: such money taken back; `outgoing`: money out; `outgoing-reversal`: such money given back.',
  }),
  requisiteId: Id,
  currency: Type.String(),
  amount: Type.Number(),
  bookedAt: Time,
  bankReference: Type.Optional(Type.String()),
  sender: Type.Optional(Type.String({ description: 'Masked.' })),
  payerName: Type.Optional(Type.String()),
  text: Type.Optional(Type.String({ description: 'Long numbers in it are masked.' })),
  transferId: Type.Optional(Id),
})

/** A row of a statement that may move money. */
export type StatementRow = Static<typeof StatementRow>

const toRow = (row: ListedRow): StatementRow =>
  wireFields({
    ...row,
    amount: wireAmount(row.amount, row.currency),
    sender: row.sender === '' ? null : row.sender,
  })

const DetailedStatement = Titled('StatementDetails', {
  ...StatementAnswer.properties,
  outcomes: Type.Array(Type.Object({ outcome: Type.String(), kind: Type.String(), transfers: Type.Integer() }), {
    description:
      'How its transfers were matched, and where their money is. Empty while they are being recorded or withdrawn.',
  }),
})

/** A statement, and where its money is. */
export type DetailedStatement = Static<typeof DetailedStatement>

/** Runs a change of a statement with its audit entry, and answers the statement. */
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

statementRoutes.get('/statements', {
  id: 'listStatements',
  duty: 'read',
  summary: 'List uploaded statements',
  description: 'Newest first.',
  query: PageQuery,
  answer: pageOf('statements', StatementAnswer),
  handle: (context, { query }) =>
    readPage('statements', query, (span) => listStatements(context, span), toStatementAnswer),
})

statementRoutes.get('/statements/:id', {
  id: 'getStatement',
  duty: 'read',
  summary: 'Read an uploaded statement',
  description: 'With its progress while it is being imported.',
  params: IdParams,
  answer: DetailedStatement,
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const statement = await getStatement(context, request.params.id)
    // Counting takes long, and whoever waits for the end asks again and again.
    const isUnderWay = statement.state === 'importing' || statement.state === 'withdrawing'
    const outcomes = isUnderWay ? [] : await getOutcomes(context, statement.id)
    return { ...toStatementAnswer(statement), outcomes }
  },
})

statementRoutes.get('/statements/:id/rows', {
  id: 'listStatementRows',
  duty: 'read',
  summary: 'List the rows of a statement',
  description:
    'Rows that may move money, in the order of the file. Of a large file, a page of those in one `state` may have fewer than `limit`, or none, while `nextAfter` goes on.',
  params: IdParams,
  query: {
    limit: PageQuery.limit,
    after: Type.Optional(
      NumberText(
        'must be nextAfter of the page before.',
        { type: 'integer', minimum: 0 },
        { pattern: '^[0-9]{1,9}$', description: '`nextAfter` of the page before.' },
      ),
    ),
    state: Type.Optional(OneOf(rowStates, { description: 'Only those in this state.' })),
  },
  answer: { rows: Type.Array(StatementRow), nextAfter: Type.Optional(Type.Integer()) },
  refusals: ['resource_not_found'],
  handle: async (context, request) => {
    const { id } = await getStatement(context, request.params.id)
    const { limit, after = '0', state = null } = request.query
    const { rows, next } = await listStatementRows(context, id, { after: Number(after), limit: pageSize(limit), state })
    return { rows: rows.map(toRow), ...(next === null ? {} : { nextAfter: next }) }
  },
})

statementRoutes.post('/statements/:id/confirm', {
  id: 'confirmStatement',
  duty: 'reconcile',
  summary: 'Import a statement after its preview',
  description:
    'The whole file, and it cannot be stopped. Rows are recorded in the background; read the statement for its progress. Confirming again changes nothing.',
  params: IdParams,
  body: NoBody,
  answer: StatementAnswer,
  refusals: ['invalid_state', 'resource_not_found'],
  handle: (context, request) => change(context, request, 'confirm', confirmStatement),
})

statementRoutes.post('/statements/:id/discard', {
  id: 'discardStatement',
  duty: 'reconcile',
  summary: 'Discard a statement that was only previewed',
  description: 'Nothing of it was recorded; the same file may be uploaded again.',
  params: IdParams,
  body: NoBody,
  answer: StatementAnswer,
  refusals: ['invalid_state', 'resource_not_found'],
  handle: (context, request) => change(context, request, 'discard', discardStatement),
})

statementRoutes.post('/statements/:id/withdraw', {
  id: 'withdrawStatement',
  duty: 'reconcile',
  summary: 'Withdraw an import about which nothing was decided',
  description:
    'Only while each of its transfers waits in the inbox. From now on nobody decides about them; they are taken back in the background, by reversing entries, until the statement is `withdrawn` and the file may come again. If something was decided at the last moment it is `imported` as before, and `withdrawalFailure` says why. Withdrawing again changes nothing.',
  params: IdParams,
  body: {
    reason: Reason,
    dryRun: Type.Optional(
      Type.Boolean({ description: 'Only say whether it can be withdrawn, and change nothing. Default: false.' }),
    ),
  },
  answer: StatementAnswer,
  refusals: ['invalid_state', 'resource_not_found'],
  handle: async (context, request) => {
    const { reason, dryRun = false } = request.body
    await checkWithdrawal(context, request.params.id)
    if (dryRun) return toStatementAnswer(await getStatement(context, request.params.id))
    return change(context, request, 'withdraw', (tx, id, by) => withdrawStatement(tx, id, by, reason), { reason })
  },
})
