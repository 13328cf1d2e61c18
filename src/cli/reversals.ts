import type { OpenReversal, ResolvedReversal } from '../http/operator-api/reversals.ts'
import { type Group, list, request } from './commands.ts'
import { argument, option, page, required } from './inputs.ts'
import { printAmount, printTime } from './print-table.ts'

const describe = ({ id, transferId }: ResolvedReversal): string =>
  transferId === undefined
    ? `Reversal ${id} took back nothing that was recorded.`
    : `Reversal ${id} took back transfer ${transferId}.`

const reversal = {
  requisiteId: argument('<requisite-id>', 'requisite whose bank took it back'),
  id: argument('<reversal-id>', 'id of the reversal'),
}

/** `payin reversals`. */
export const reversalCommands: Group = {
  description: 'Money that banks took back, where the transfer is not clear.',
  examples: [
    'payin reversals list',
    'payin reversals list --json      (with the ids of the transfers that each may mean)',
    'payin reversals assign <requisite-id> <reversal-id> --transfer <transfer-id>',
    'payin reversals ignore <requisite-id> <reversal-id> --reason "money from before the first statement"',
  ],
  commands: {
    list: list({
      description: 'List those that wait for a decision, the newest first.',
      request: 'GET /reversals',
      inputs: page,
      rows: (answer: { reversals: OpenReversal[] }) => answer.reversals,
      empty: 'No reversal waits for a decision.',
      columns: {
        BOOKED: ({ bookedAt }) => printTime(bookedAt),
        'AMOUNT>': ({ amount, currency }) => printAmount(amount, currency),
        SENDER: 'sender',
        'CANDIDATES>': ({ candidates }) => candidates.length,
        REQUISITE: 'requisiteId',
        REVERSAL: 'id',
      },
    }),
    assign: request({
      description: 'Say which transfer a reversal took back; its money leaves from where it went.',
      request: 'POST /reversals/{requisiteId}/{id}/assign',
      inputs: {
        ...reversal,
        transferId: required('--transfer <id>', 'the transfer, of the same amount'),
        note: option('--note <text>', 'why'),
      },
      print: describe,
    }),
    ignore: request({
      description: 'Say that a reversal took back nothing that was recorded.',
      request: 'POST /reversals/{requisiteId}/{id}/ignore',
      inputs: { ...reversal, reason: required('--reason <text>', 'why') },
      print: describe,
    }),
  },
}
