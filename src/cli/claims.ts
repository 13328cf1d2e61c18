import type { ClaimAnswer } from '../http/operator-api/claims.ts'
import type { Timeline } from '../http/operator-api/payments.ts'
import { command, type Group, list } from './commands.ts'
import { option, required } from './inputs.ts'
import { exportedPage } from './list-inputs.ts'
import { paymentAs } from './named-inputs.ts'
import { pickFile } from './pick-file.ts'
import { printAmount, printTime } from './print-table.ts'

/** `payin claims`. */
export const claimCommands: Group = {
  description: 'What payers of closed payments claim to have paid.',
  examples: ['payin claims list', 'payin claims receipt order-42 --output receipt.pdf'],
  commands: {
    list: list({
      description: 'List the claims, the newest first.',
      request: 'GET /claims',
      csv: 'GET /claims.csv',
      inputs: exportedPage,
      rows: (answer: { claims: ClaimAnswer[] }) => answer.claims,
      empty:
        'No claims. Payers of closed payments make them on their page; about a credited or closed one: payin disputes open <payment>',
      columns: {
        'ORDER~': 'orderId',
        STATUS: 'status',
        'CLAIMED>': ({ amount, currency }) => printAmount(amount, currency),
        'AMOUNT>': ({ paymentAmount, currency }) => printAmount(paymentAmount, currency),
        RECEIVED: ({ receivedAt }) => printTime(receivedAt),
        'MERCHANT~': ({ merchantName, merchantId }) => merchantName ?? merchantId,
        'FILES>': ({ receipts }) => receipts.length,
        'PAID AT': ({ paidAt }) => printTime(paidAt),
        'PAYMENT#': 'paymentId',
        RECEIPTS: ({ receipts }) => receipts.map(({ id }) => id).join('\n') || 'none',
      },
    }),
    receipt: command({
      description: 'Save a file that a payer sent; the audit records that you read it.',
      inputs: {
        ...paymentAs('paymentId'),
        receipt: option('--receipt <id>', 'beginning or end of the id of the file; default: the only one'),
        output: required('--output <path>', 'file to write'),
      },
      run: async (session, { receipt, ...given }) => {
        const { body } = await session.call<Timeline>('GET /payments/{merchantId}/{paymentId}', given)
        const id = pickFile(body.receipts, receipt, `payment ${body.orderId}`, '--receipt')
        await session.save('GET /payments/{merchantId}/{paymentId}/receipts/{id}', { ...given, id })
      },
    }),
  },
}
