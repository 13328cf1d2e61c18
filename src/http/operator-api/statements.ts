import type { FastifyRequest } from 'fastify'
import type { Context, Tx } from '../../engine/context.ts'
import { mayDo } from '../../rules/members/access.ts'
import { maskIfKnown, maskPayer } from '../../rules/values/masking.ts'
import { noCounts, type StatementAccount } from '../../rules/statements/statement-import.ts'
import { minute } from '../../rules/time.ts'
import { explainerOf } from './outgoing.ts'
import { asLoneReport, isToken } from '../../engine/members/refuse-one-person.ts'
import { confirmStatement, discardStatement } from '../../engine/statements/confirm-or-discard.ts'
import {
  getOutcomes,
  getStatement,
  listStatementRows,
  listStatements,
  rowStates,
  type Statement,
} from '../../engine/statements/read.ts'
import { checkWithdrawal, withdrawStatement } from '../../engine/statements/withdraw-statement.ts'
import { actOnNamed, actorOf } from '../access/act-on-behalf.ts'
import { pageSize, readPage } from '../routes/lists.ts'
import { statements } from '../../operations/statements.ts'
import { bindOperations } from '../routes/bind-operations.ts'
import { directionBasis } from 'bank-files/pure'

const toAccount = (account: StatementAccount) => ({
  ...account,
  utcOffsetMinutes: account.offsetMs === undefined ? null : account.offsetMs / minute,
  opening: account.opening === null ? null : BigInt(account.opening),
  closing: account.closing === null ? null : BigInt(account.closing),
  credits: BigInt(account.credits),
  debits: BigInt(account.debits),
  difference: account.difference === undefined || account.difference === null ? null : BigInt(account.difference),
})

const toDirection = (statement: Pick<Statement, 'mapping'>) => {
  const { by, columns } = directionBasis(statement.mapping)
  return { decidedBy: by, columns }
}

/** A statement as operators see it. */
export const toStatementAnswer = (statement: Statement) => ({
  ...statement,
  direction: statement.format === null ? null : toDirection(statement),
  accounts: statement.accounts.map(toAccount),
  // Earlier versions did not count everything.
  counts: { ...noCounts, ...statement.counts, errors: statement.faults.length },
  ...(statement.state === 'imported' && { withdrawnBy: null, withdrawalProposedBy: statement.withdrawnBy }),
  progress: statement.state === 'withdrawing' ? statement.withdrawnTo : statement.importedTo,
})

/** Runs a change of a statement with its audit entry, and returns the wire form of the statement. */
const changeStatement = async (
  context: Context,
  request: FastifyRequest<{ Params: { id: string } }>,
  verb: string,
  work: (tx: Tx, id: string, by: string) => Promise<Statement>,
  details: object = {},
) => {
  const change = (tx: Tx) => work(tx, request.params.id, actorOf(request))
  const detailsOf = ({ state, counts }: Statement) => ({ state, counts, ...details })
  return toStatementAnswer(await actOnNamed(context, request, `statement.${verb}`, change, detailsOf))
}

export const statementRoutes = bindOperations(statements.operations, {
  list: (context, { query }) =>
    readPage('statements', query, (span) => listStatements(context, span), toStatementAnswer),
  show: async (context, request) => {
    const statement = await getStatement(context, request.params.id)
    // Counting takes long, and clients poll until the end.
    const isUnderWay = statement.state === 'importing' || statement.state === 'withdrawing'
    const outcomes = isUnderWay ? [] : await getOutcomes(context, statement.id)
    return { ...toStatementAnswer(statement), outcomes }
  },
  rows: async (context, request) => {
    const { id } = await getStatement(context, request.params.id)
    const { limit, after = '0', state: wanted } = request.query
    const state = rowStates.find((each) => each === wanted) ?? null
    const { rows, next } = await listStatementRows(context, id, { after: Number(after), limit: pageSize(limit), state })
    const nameOf = mayDo(request.role, 'reveal') ? (name: string) => name : maskPayer
    return {
      rows: rows.map(({ sender, payerName, ...row }) => ({
        ...{ ...row, sender: maskIfKnown(sender) || null },
        payerName: payerName === null ? null : nameOf(payerName),
      })),
      nextAfter: next,
    }
  },
  confirm: (context, request) =>
    changeStatement(context, request, 'confirm', (tx, id, by) =>
      confirmStatement(tx, id, by, {
        judge: (author) => asLoneReport(context, tx, by, author),
        isToken: (actor) => isToken(tx, actor),
      }),
    ),
  discard: (context, request) => changeStatement(context, request, 'discard', discardStatement),
  withdraw: async (context, request) => {
    const { reason, dryRun = false } = request.body
    await checkWithdrawal(context, request.params.id)
    if (dryRun) return toStatementAnswer(await getStatement(context, request.params.id))
    return changeStatement(
      context,
      request,
      'withdraw',
      (tx, id) => withdrawStatement(tx, id, { ...explainerOf(context, request), reason }),
      { reason },
    )
  },
})
