import type { TransferDecisionAnswer, DecisionDetails, RevokedItem } from '../http/operator-api/decide-transfers.ts'
import { type Group, list } from './commands.ts'
import { argument, option, page, required, resolved, resolvedBy, several } from './inputs.ts'
import { resolveTransfers } from './named-inputs.ts'
import { pickListed } from './resolve-name.ts'
import { printAccount, printTime } from './print-table.ts'
import type { Session } from './session.ts'

/** The id of the decision of the last 24 hours that part of an id names, or of the latest one for `last`. */
const findDecision = async (session: Session, typed: string): Promise<string> => {
  const { decisions } = (
    await session.call<{ decisions: TransferDecisionAnswer[] }>('GET /decisions', { limit: '500' })
  ).body
  const listed = decisions.map(({ id: each, at, by, done }) => ({
    ...{ id: each, names: [] },
    about: `${printTime(at)} by ${by}, ${done} done`,
  }))
  return pickListed(listed, typed, { kind: 'decision of the last 24 hours', shownBy: 'payin decisions list' })
}

const id = resolved(argument('<decision>', 'id of the decision, or last'), findDecision)

export const decisionCommands: Group = {
  description: 'Decisions of operators about transfers, and revoking them.',
  examples: [
    'payin decisions list',
    'payin decisions show last',
    'payin decisions revoke last --reason "the wrong file"',
    'payin decisions revoke last --transfer bank-77 --reason "another order"',
  ],
  commands: {
    list: list('GET /decisions', {
      description: 'List the decisions of the last 24 hours, newest first; a file is one decision.',
      inputs: page,
      rows: (answer: { decisions: TransferDecisionAnswer[] }) => answer.decisions,
      empty: 'Nothing was decided in the last 24 hours. To decide about many: payin transfers decide --file <path>',
      columns: {
        'ID%': 'id',
        AT: ({ at }) => printTime(at),
        'BY~': 'by',
        'DONE>': 'done',
        'REFUSED>': 'refused',
        'REVOKED>': 'revoked',
      },
    }),
    show: list('GET /decisions/{id}', {
      csvOf: null,
      description: 'Show a decision: its transfers, and which of them can still be revoked.',
      inputs: { id },
      rows: (answer: DecisionDetails) => answer.transfers,
      columns: {
        'ID%': 'id',
        'REQUISITE~': ({ requisite, requisiteId }) => printAccount(requisite, requisiteId),
        DECISION: 'decision',
        STATE: 'state',
        'WHY~': 'message',
      },
      patient: true,
    }),
    revoke: list('POST /decisions/{id}/revoke', {
      description: 'Return the transfers of a decision, or those named, to the inbox. Exits with 1 if one was refused.',
      inputs: {
        id,
        transfers: resolvedBy(
          option('--transfer <transfer>', 'bank reference or id of a transfer; repeat for more', several),
          async (session, typed) => typed && resolveTransfers(session, typed),
        ),
        reason: required('--reason <text>', 'why'),
      },
      rows: (answer: { transfers: RevokedItem[] }) => answer.transfers,
      empty: 'Nothing is left to revoke.',
      columns: {
        'ID%': 'id',
        'REQUISITE~': ({ requisite, requisiteId }) => printAccount(requisite, requisiteId),
        STATE: 'state',
        'WHY~': 'message',
      },
      failed: ({ transfers }) => transfers.some(({ state }) => state === 'refused'),
      patient: true,
    }),
  },
}
