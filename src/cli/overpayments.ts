import type { Decision, Overpayment } from '../http/operator-api/overpayments.ts'
import { type Group, list, request } from './commands.ts'
import { argument, option, required } from './inputs.ts'
import { exportedPage } from './list-inputs.ts'
import { ofMerchant, ofRequisite, paymentAs } from './named-inputs.ts'
import { printAmount } from './print-table.ts'
import { exactNumber, time } from './read-arguments.ts'

/** `payin overpayments`. */
export const overpaymentCommands: Group = {
  description: 'Money that payments could not take.',
  examples: [
    'payin overpayments list --merchant "Demo Shop"',
    'payin overpayments decide order-42 assign --reference O-1 --reason "Agreed"',
  ],
  commands: {
    list: list({
      description: 'List payments whose payers are owed money, the newest first.',
      request: 'GET /overpayments',
      csv: 'GET /overpayments.csv',
      inputs: { merchantId: ofMerchant(), ...exportedPage },
      rows: (answer: { overpayments: Overpayment[] }) => answer.overpayments,
      empty: 'Nobody is owed anything. What waits otherwise: payin today',
      columns: {
        'ORDER~': 'orderId',
        'AMOUNT>': ({ amount, currency }) => printAmount(amount, currency),
        'MERCHANT~': ({ merchantName, merchantId }) => merchantName ?? merchantId,
        'PAYMENT#': 'paymentId',
      },
    }),
    decide: request({
      description: 'Decide what becomes of money that a payment could not take.',
      request: 'POST /overpayments/{merchantId}/{paymentId}/decisions',
      inputs: {
        ...paymentAs('paymentId'),
        decision: argument(
          '<decision>',
          "assign: credit the merchant at the payment's rate and fee; refund: a requisite has paid it back; write-off: the operator keeps it",
        ),
        reference: required('--reference <text>', 'your own name for the decision; the same again counts once'),
        reason: required('--reason <text>', 'why'),
        amount: option('--amount <amount>', 'exact amount; default: all that is owed', exactNumber),
        requisiteId: ofRequisite(', of a refund: the one that paid it'),
        bookedAt: option('--booked-at <time>', 'of a refund: when the bank booked it; default: now', time),
      },
      print: ({ decision, amount, currency }: Decision) => `Done: ${decision} ${printAmount(amount, currency)}.`,
    }),
  },
}
