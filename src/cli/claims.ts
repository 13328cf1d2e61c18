import type { ClaimAnswer } from '../http/operator-api/claims.ts'
import { command, type Group, list } from './commands.ts'
import { argument, merchant, page, required } from './inputs.ts'
import { printAmount, printTime } from './print-table.ts'

/** `payin claims`. */
export const claimCommands: Group = {
  description: 'What payers of closed payments claim to have paid.',
  examples: ['payin claims list', 'payin claims receipt "Demo Shop" <payment-id> <receipt-id> --output receipt.pdf'],
  commands: {
    list: list({
      description: 'List the claims, the newest first.',
      request: 'GET /claims',
      inputs: page,
      rows: (answer: { claims: ClaimAnswer[] }) => answer.claims,
      empty: 'No claims.',
      columns: {
        RECEIVED: ({ receivedAt }) => printTime(receivedAt),
        STATUS: 'status',
        'CLAIMED>': ({ amount, currency }) => printAmount(amount, currency),
        'AMOUNT>': ({ paymentAmount, currency }) => printAmount(paymentAmount, currency),
        'PAID AT': ({ paidAt }) => printTime(paidAt),
        ORDER: 'orderId',
        PAYMENT: 'paymentId',
        RECEIPTS: ({ receipts }) => receipts.map(({ id }) => id).join('\n') || 'none',
      },
    }),
    receipt: command({
      description: 'Save a file that a payer sent; the audit records that you read it.',
      inputs: {
        merchantId: merchant,
        paymentId: argument('<payment-id>', 'id of the payment'),
        id: argument('<receipt-id>', 'id of the receipt'),
        output: required('--output <path>', 'file to write'),
      },
      run: (session, given) => session.save('GET /payments/{merchantId}/{paymentId}/receipts/{id}', given),
    }),
  },
}
