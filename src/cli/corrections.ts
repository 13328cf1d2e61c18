import type { OpenReversal, ResolvedReversal } from '../http/operator-api/reversals.ts'
import { type Group, list, request } from './commands.ts'
import { option, page, required, resolved, argument } from './inputs.ts'
import { reversalKey, ofMerchant, ofMode, ofRequisite, paymentAs } from './named-inputs.ts'
import { resolveId } from './resolve-name.ts'
import { shortenIds } from './short-ids.ts'
import { nameOf, printAccount, printAmount, printTime } from './print-table.ts'
import type { OverpaymentDecisionAnswer, Overpayment } from '../http/operator-api/overpayments.ts'
import { exactNumber, time } from './read-arguments.ts'

const describe = ({ id, transferId, proposedBy }: ResolvedReversal): string => {
  if (transferId !== undefined) return `Reversal ${id} took back transfer ${transferId}.`
  return proposedBy === undefined
    ? `Reversal ${id} took back nothing that was recorded.`
    : `Reversal ${id} goes on waiting: it is more than one operator may set aside. Another one must do the same.`
}

export const reversalCommands: Group = {
  description: 'Money that banks took back, if it is not clear from which transfer.',
  examples: [
    'payin reversals list',
    'payin reversals assign 019a9c3e-7d5e --transfer 019a9c3e-7c11',
    'payin reversals ignore 019a9c3e-7d5e --reason "money from before the first statement"',
  ],
  commands: {
    list: list('GET /reversals', {
      description: 'List those that wait for a decision, newest first.',
      inputs: page,
      rows: (answer: { reversals: OpenReversal[] }) => answer.reversals,
      empty: 'No reversal waits for a decision. Everything that waits: payin today',
      columns: {
        'REVERSAL%': nameOf,
        'AMOUNT>': ({ amount, currency }) => printAmount(amount, currency),
        'CANDIDATES~': ({ candidates }) => shortenIds(candidates).join(' ') || 'none',
        BOOKED: ({ bookedAt }) => printTime(bookedAt),
        'SENDER~': 'sender',
        'REQUISITE~': ({ requisite, requisiteId }) => printAccount(requisite, requisiteId),
        'REFERENCE~': 'bankReference',
        'PROPOSED BY': ({ proposedBy = '' }) => proposedBy.replace(/^operator:/, ''),
        'ID%': 'id',
      },
    }),
    assign: request('POST /reversals/{requisiteId}/{id}/assign', {
      description: 'Say which transfer a reversal took back; its money is taken from where it went.',
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
    ignore: request('POST /reversals/{requisiteId}/{id}/ignore', {
      description: 'Say that a reversal took back nothing that was recorded.',
      inputs: { ...reversalKey, reason: required('--reason <text>', 'why') },
      print: describe,
    }),
  },
}

export const overpaymentCommands: Group = {
  description: 'Money beyond what a payment may credit, owed to its payer.',
  examples: [
    'payin overpayments list --merchant "Demo Shop"',
    'payin overpayments decide order-42 assign --reference O-1 --reason "Agreed"',
  ],
  commands: {
    list: list('GET /overpayments', {
      description: 'List payments whose payers are owed money, newest first.',
      inputs: { merchantId: ofMerchant(), mode: ofMode, ...page },
      rows: (answer: { overpayments: Overpayment[] }) => answer.overpayments,
      empty: 'Nobody is owed anything. Everything that waits: payin today',
      columns: {
        'ORDER~': 'orderId',
        'AMOUNT>': ({ amount, currency }) => printAmount(amount, currency),
        'MERCHANT~': ({ merchantName, merchantId }) => merchantName ?? merchantId,
        'PAYMENT#': 'paymentId',
      },
    }),
    decide: request('POST /overpayments/{merchantId}/{paymentId}/decisions', {
      description: 'Decide about an overpayment.',
      inputs: {
        ...paymentAs('paymentId'),
        decision: argument(
          '<decision>',
          "assign: credit the merchant at the payment's rate and fee; refund: a requisite has paid it back; write-off: the operator keeps it (large sums: payin adjustments draft)",
        ),
        reference: required('--reference <text>', 'your own name for the decision; the same name counts once'),
        reason: required('--reason <text>', 'why'),
        amount: option('--amount <amount>', 'exact amount; default: everything owed', exactNumber),
        requisiteId: ofRequisite(', for a refund: the one that paid it'),
        bookedAt: option('--booked-at <time>', 'for a refund: when the bank booked it; default: now', time),
      },
      print: ({ decision, amount, currency }: OverpaymentDecisionAnswer) =>
        `Done: ${decision} ${printAmount(amount, currency)}.`,
    }),
  },
}
