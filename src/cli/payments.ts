import type { OperatorPayment, Timeline } from '../http/operator-api/payments.ts'
import { type Group, list, request } from './commands.ts'
import { argument, flag, merchant, ofMerchant, option, page } from './inputs.ts'
import { printAmount, type Printed, printFields, printRows, printSections, printTime } from './print-table.ts'

const describe = ({ events, entries, receipts, ...payment }: Timeline): Printed => {
  const { currency, finalAmount, total } = payment
  return printSections(
    printFields({
      Id: payment.id,
      Order: payment.orderId,
      Merchant: payment.merchantId,
      Status: `${payment.status} (${payment.statusReason})`,
      Amount: printAmount(payment.amount, currency),
      Received: printAmount(payment.receivedAmount, currency),
      'Final amount': finalAmount === undefined ? undefined : printAmount(finalAmount, currency),
      Total: `${printAmount(total.amount, total.currency)} at ${payment.rate.price}`,
      Method: `${payment.method}, ${payment.type}`,
      Requisite: payment.requisiteId,
      User: payment.userId,
      Payer: payment.sourcePan || undefined,
      Created: printTime(payment.createdAt),
      Expires: printTime(payment.expiredAt),
      Acknowledged: printTime(payment.acknowledgedAt),
      'Claim received': printTime(payment.claimReceivedAt),
      Receipts: receipts.map((receipt) => `${receipt.id} (${receipt.contentType})`).join(', ') || undefined,
    }),
    printRows(events, {
      AT: ({ at }) => printTime(at),
      '#>': 'sequence',
      STATUS: 'status',
      REASON: 'statusReason',
      BY: 'actor',
    }),
    entries.length === 0
      ? undefined
      : printRows(entries, {
          POSTED: ({ postedAt }) => printTime(postedAt),
          KIND: 'kind',
          'AMOUNT>': (entry) => printAmount(entry.amount, entry.currency),
          FROM: 'debit',
          TO: 'credit',
        }),
  )
}

const payment = { merchantId: merchant, id: argument('<payment-id>', 'id of the payment') }

/** `payin payments`. */
export const paymentCommands: Group = {
  description: 'Payments of all merchants.',
  examples: [
    'payin payments list --merchant "Demo Shop" --status new',
    'payin payments show "Demo Shop" 019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10',
    'payin payments cancel "Demo Shop" 019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10',
  ],
  commands: {
    list: list({
      description: 'List payments, the newest first.',
      request: 'GET /payments',
      inputs: {
        merchantId: ofMerchant(),
        status: option('--status <status>', 'only this status'),
        acknowledged: flag(
          '--unacknowledged',
          'only those that are paid and not acknowledged by their merchant',
          'false',
        ),
        ...page,
      },
      rows: (answer: { payments: OperatorPayment[] }) => answer.payments,
      empty: 'No such payments.',
      columns: {
        CREATED: ({ createdAt }) => printTime(createdAt),
        STATUS: 'status',
        REASON: 'statusReason',
        'AMOUNT>': ({ amount, currency }) => printAmount(amount, currency),
        METHOD: 'method',
        ORDER: 'orderId',
        MERCHANT: 'merchantId',
        ID: 'id',
      },
    }),
    show: request({
      description: 'Show a payment with its events and ledger entries.',
      request: 'GET /payments/{merchantId}/{id}',
      inputs: payment,
      print: describe,
    }),
    cancel: request({
      description: 'Cancel a payment before any money came.',
      request: 'POST /payments/{merchantId}/{id}/cancel',
      inputs: payment,
      print: ({ orderId, status }: OperatorPayment) => `${orderId} is ${status}.`,
    }),
  },
}
