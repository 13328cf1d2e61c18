import type { Command } from 'commander'
import type { OpenReversal, ResolvedReversal } from '../http/operator-api/reversals.ts'
import { addGroup, addList, addRequest } from './commands.ts'
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

/** Adds `payin reversals`. */
export const addReversalCommands = (program: Command): void => {
  const reversals = addGroup(program, {
    name: 'reversals',
    description: 'Money that banks took back, where the transfer is not clear.',
    examples: [
      'payin reversals list',
      'payin reversals list --json      (with the ids of the transfers that each may mean)',
      'payin reversals assign <requisite-id> <reversal-id> --transfer <transfer-id>',
      'payin reversals ignore <requisite-id> <reversal-id> --reason "money from before the first statement"',
    ],
  })
  addList(reversals, {
    name: 'list',
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
  })
  addRequest(reversals, {
    name: 'assign',
    description: 'Say which transfer a reversal took back; its money leaves from where it went.',
    request: 'POST /reversals/{requisiteId}/{id}/assign',
    inputs: {
      ...reversal,
      transferId: required('--transfer <id>', 'the transfer, of the same amount'),
      note: option('--note <text>', 'why'),
    },
    print: describe,
  })
  addRequest(reversals, {
    name: 'ignore',
    description: 'Say that a reversal took back nothing that was recorded.',
    request: 'POST /reversals/{requisiteId}/{id}/ignore',
    inputs: { ...reversal, reason: required('--reason <text>', 'why') },
    print: describe,
  })
}
