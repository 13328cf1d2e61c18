import type { FastifyRequest } from 'fastify'
import type { Context, Tx } from '../../engine/context.ts'
import { noCounts, type StatementAccount } from '../../rules/statements/statement-import.ts'
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
  type Statement,
} from '../../engine/statements/read.ts'
import { checkWithdrawal, withdrawStatement } from '../../engine/statements/withdraw-statement.ts'
import { actOnBehalf, actorOf } from '../access/act-on-behalf.ts'
import { wire } from '../../operations/fields.ts'
import { pageSize, readPage } from '../routes/lists.ts'
import {
  type StatementAccount as AccountAnswer,
  type StatementAnswer,
  type StatementRowAnswer,
  statements,
} from '../../operations/statements.ts'
import { bindNoun } from '../routes/bind-noun.ts'
import type { Mapping } from '../../operations/statement-mapping.ts'
import { directionBasis, type GivenMapping } from 'bank-files/pure'

const toAccount = ({ currency, ...account }: StatementAccount): AccountAnswer => {
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

const toRow = (row: ListedStatementRow): StatementRowAnswer =>
  wire.fields({
    ...row,
    amount: wire.amount(row.amount, row.currency),
    sender: row.sender === '' ? null : row.sender,
  })

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

export const statementRoutes = bindNoun(statements, {
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
    return { rows: rows.map(toRow), ...(next === null ? {} : { nextAfter: next }) }
  },
  confirm: (context, request) =>
    change(context, request, 'confirm', (tx, id, by) =>
      confirmStatement(tx, id, by, (author) => asLoneReport(context, tx, by, author)),
    ),
  discard: (context, request) => change(context, request, 'discard', discardStatement),
  withdraw: async (context, request) => {
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
