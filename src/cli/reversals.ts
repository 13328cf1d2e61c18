import type { OpenReversal, ResolvedReversal } from '../http/operator-api/reversals.ts'
import { type Group, list, request } from './commands.ts'
import { option, required, resolved } from './inputs.ts'
import { exportedPage } from './list-inputs.ts'
import { reversalKey } from './named-inputs.ts'
import { resolveId } from './resolve-name.ts'
import { shortenIds } from './short-ids.ts'
import { nameOf, printAccount, printAmount, printTime } from './print-table.ts'

const describe = ({ id, transferId }: ResolvedReversal): string =>
  transferId === undefined
    ? `Reversal ${id} took back nothing that was recorded.`
    : `Reversal ${id} took back transfer ${transferId}.`

/** `payin reversals`. */
export const reversalCommands: Group = {
  description: 'Money that banks took back, where the transfer is not clear.',
  examples: [
    'payin reversals list',
    'payin reversals assign 019a9c3e-7d5e --transfer 019a9c3e-7c11',
    'payin reversals ignore 019a9c3e-7d5e --reason "money from before the first statement"',
  ],
  commands: {
    list: list({
      description: 'List those that wait for a decision, the newest first.',
      request: 'GET /reversals',
      csv: 'GET /reversals.csv',
      inputs: exportedPage,
      rows: (answer: { reversals: OpenReversal[] }) => answer.reversals,
      empty: 'No reversal waits for a decision. What waits otherwise: payin today',
      columns: {
        'REVERSAL%': nameOf,
        'AMOUNT>': ({ amount, currency }) => printAmount(amount, currency),
        'CANDIDATES~': ({ candidates }) => shortenIds(candidates).join(' ') || 'none',
        BOOKED: ({ bookedAt }) => printTime(bookedAt),
        'SENDER~': 'sender',
        'REQUISITE~': ({ requisite, requisiteId }) => printAccount(requisite, requisiteId),
        'REFERENCE~': 'bankReference',
        'ID%': 'id',
      },
    }),
    assign: request({
      description: 'Say which transfer a reversal took back; its money leaves from where it went.',
      request: 'POST /reversals/{requisiteId}/{id}/assign',
      inputs: {
        ...reversalKey,
        transferId: resolved(
          required('--transfer <transfer>', 'bank reference or id of the transfer'),
          (session, typed) => resolveId(session, 'transfer', typed),
        ),
        note: option('--reason <text>', 'why'),
      },
      print: describe,
    }),
    ignore: request({
      description: 'Say that a reversal took back nothing that was recorded.',
      request: 'POST /reversals/{requisiteId}/{id}/ignore',
      inputs: { ...reversalKey, reason: required('--reason <text>', 'why') },
      print: describe,
    }),
  },
}
