import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Context, Tx } from '../../context.ts'
import type { Statement } from '../../domain/statement-import.ts'
import { formatInstant } from '../../domain/time.ts'
import { confirmStatement } from '../../statements/confirm-statement.ts'
import { discardStatement } from '../../statements/discard-statement.ts'
import { getOutcomes } from '../../statements/get-outcomes.ts'
import { getStatement } from '../../statements/get-statement.ts'
import { listStatementRows } from '../../statements/list-statement-rows.ts'
import { listStatements } from '../../statements/list-statements.ts'
import { checkUndo, undoStatement } from '../../statements/undo-statement.ts'
import type { App } from '../app.ts'
import { wireAmount } from '../amounts.ts'
import { NoBody, OneOf, PatternText, PrintableText, Time } from '../fields.ts'
import { Id, IdParams } from '../ids.ts'
import { cutPage, NextCursor, PageQuery, pageSize } from '../paging.ts'
import { problems } from '../problems.ts'
import { operation } from './operation.ts'
import { actOnBehalf, actorOf } from '../act-on-behalf.ts'
import { StatementAnswer, toStatementAnswer } from './statement-answer.ts'

const Row = Type.Object({
  position: Type.Integer(),
  line: Type.Integer({ description: 'Where it begins in the file.' }),
  state: OneOf(['new', 'duplicate', 'recorded', 'possible-repeat'], {
    description: '`possible-repeat` is new, too, and will wait in the inbox.',
  }),
  mayRepeat: Type.Optional({
    ...Id,
    description: 'The transfer that came another way and may be the same money, as it was when the file was read.',
  }),
  kind: OneOf(['booked', 'reversal']),
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

const Detailed = Type.Object({
  ...StatementAnswer.properties,
  outcomes: Type.Array(Type.Object({ outcome: Type.String(), kind: Type.String(), transfers: Type.Integer() }), {
    description:
      'What its transfers were taken for, and where their money went; empty while they are recorded or undone.',
  }),
})

type Change = (tx: Tx, id: string, by: string) => Promise<Statement>

/** Runs a change of a statement with its audit entry. */
const change = (
  context: Context,
  request: FastifyRequest<{ Params: { id: string } }>,
  word: string,
  work: Change,
  details: object = {},
): Promise<Statement> => {
  const { id } = request.params
  const act = {
    action: `statement.${word}`,
    subject: `statement:${id}`,
    details: (after: Statement) => ({ state: after.state, counts: after.counts, ...details }),
  }
  return actOnBehalf<Statement>(context, request, act, (tx) => work(tx, id, actorOf(request)))
}

const registerChanges = (app: App, context: Context): void => {
  const response = { 200: StatementAnswer, ...problems(409) }
  app.post(
    '/statements/:id/confirm',
    {
      schema: {
        ...operation(
          'confirmStatement',
          'Import a statement that was looked at',
          'As a whole: from now on nothing stops it. Its rows are recorded in the background; read the statement for the progress. Confirming again changes nothing.',
        ),
        params: IdParams,
        body: NoBody,
        response,
      },
    },
    async (request) => toStatementAnswer(await change(context, request, 'confirm', confirmStatement)),
  )
  app.post(
    '/statements/:id/discard',
    {
      schema: {
        ...operation('discardStatement', 'Give up a statement that was only looked at'),
        params: IdParams,
        body: NoBody,
        response,
      },
    },
    async (request) =>
      toStatementAnswer(await change(context, request, 'discard', (tx, id) => discardStatement(tx, id))),
  )
  app.post(
    '/statements/:id/undo',
    {
      schema: {
        ...operation(
          'undoStatement',
          'Undo an import of which nothing was decided',
          'Only while each of its transfers waits in the inbox. From now on nobody decides about them; they are taken back in the background, by reversing entries, until it is `undone` and the file may come again. Where something was decided at the last moment it is `imported` as before and `undoFailure` says why. Again it changes nothing.',
        ),
        params: IdParams,
        body: Type.Object({ reason: PrintableText(500) }, { additionalProperties: false }),
        response,
      },
    },
    async (request) => {
      const { reason } = request.body
      await checkUndo(context, request.params.id)
      const undo: Change = (tx, id, by) => undoStatement(tx, id, by, reason)
      return toStatementAnswer(await change(context, request, 'undo', undo, { reason }))
    },
  )
}

const registerRows = (app: App, context: Context): void => {
  app.get(
    '/statements/:id/rows',
    {
      schema: {
        ...operation('listStatementRows', 'List the rows of a statement', 'Those that may move money, as in the file.'),
        params: IdParams,
        querystring: Type.Object(
          {
            limit: PageQuery.limit,
            after: Type.Optional(PatternText('must be nextAfter of the page before.', { pattern: '^[0-9]{1,9}$' })),
          },
          { additionalProperties: false },
        ),
        response: {
          200: Type.Object({ rows: Type.Array(Row), nextAfter: Type.Optional(Type.Integer()) }),
          ...problems(),
        },
      },
    },
    async (request) => {
      const { id } = await getStatement(context, request.params.id)
      const size = pageSize(request.query.limit)
      const rows = await listStatementRows(context, id, { after: Number(request.query.after ?? 0), limit: size + 1 })
      const page = rows.slice(0, size)
      return {
        rows: page.map((row) => ({
          position: row.position,
          line: row.line,
          state: row.state,
          kind: row.kind,
          requisiteId: row.requisiteId,
          currency: row.currency,
          amount: wireAmount(row.amount, row.currency),
          bookedAt: formatInstant(row.bookedAt),
          ...(row.bankReference === null ? {} : { bankReference: row.bankReference }),
          ...(row.sender === '' ? {} : { sender: row.sender }),
          ...(row.payerName === null ? {} : { payerName: row.payerName }),
          ...(row.text === null ? {} : { text: row.text }),
          ...(row.transferId === null ? {} : { transferId: row.transferId }),
          ...(row.repeatOf === null ? {} : { mayRepeat: row.repeatOf }),
        })),
        ...(rows.length > size ? { nextAfter: page.at(-1)?.position ?? 0 } : {}),
      }
    },
  )
}

/** `GET /statements`, `GET /statements/{id}` and its rows; confirm, discard and undo. */
export const registerStatements = (app: App, context: Context): void => {
  app.get(
    '/statements',
    {
      schema: {
        ...operation('listStatements', 'List uploaded statements', 'The newest first, with who and when.'),
        querystring: Type.Object(PageQuery, { additionalProperties: false }),
        response: {
          200: Type.Object({ statements: Type.Array(StatementAnswer), nextCursor: NextCursor }),
          ...problems(),
        },
      },
    },
    async (request) => {
      const { cursor = null, limit } = request.query
      const size = pageSize(limit)
      const { page, next } = cutPage(await listStatements(context, { before: cursor, limit: size + 1 }), size)
      return { statements: page.map(toStatementAnswer), ...next }
    },
  )
  app.get(
    '/statements/:id',
    {
      schema: {
        ...operation('getStatement', 'Read an uploaded statement'),
        params: IdParams,
        response: { 200: Detailed, ...problems() },
      },
    },
    async (request) => {
      const statement = await getStatement(context, request.params.id)
      // They are counted anew each time, and whoever waits for the end asks again and again.
      const isUnderWay = statement.state === 'importing' || statement.state === 'undoing'
      const outcomes = isUnderWay ? [] : await getOutcomes(context, statement.id)
      return { ...toStatementAnswer(statement), outcomes }
    },
  )
  registerRows(app, context)
  registerChanges(app, context)
}
