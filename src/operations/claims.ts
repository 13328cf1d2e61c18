import { receiptTypes } from '../rules/payments/receipt.ts'
import { Id, PaymentStatus, Time, ofMerchant } from './fields.ts'
import { pageOf, PageQuery } from './lists.ts'
import { type Noun, operation } from './operation.ts'
import { presented, type Static, Type } from './schema.ts'

export const ReceiptAnswer = Type.Titled('Receipt', {
  id: Id,
  contentType: Type.OneOf(receiptTypes, "Detected from the file's content."),
  size: Type.Whole('Bytes.'),
  receivedAt: Time,
})

export const ClaimAnswer = Type.Titled('PayerClaim', {
  id: Id,
  ...ofMerchant,
  paymentId: Id,
  orderId: Type.String(),
  status: PaymentStatus,
  currency: Type.String(),
  amount: Type.Number({ description: 'The amount that the payer claims to have sent.', heading: 'Claimed' }),
  paymentAmount: Type.Number({ heading: 'Amount' }),
  paidAt: presented(Time, { description: 'When the payer claims to have sent it.', heading: 'Paid at' }),
  receivedAt: Time,
  receipts: Type.Array(ReceiptAnswer),
})
export type ClaimAnswer = Static<typeof ClaimAnswer>

export const claims = {
  about: "Payers' claims that they paid closed payments.",
  examples: ['payin claims list', 'payin claims receipt order-42 --output receipt.pdf'],
  operations: {
    list: operation('GET /claims', 'read', {
      id: 'listClaims',
      summary: "List payers' claims to have paid closed payments",
      description: 'Newest first. A claim changes neither money nor status; late money is still matched automatically.',
      query: PageQuery,
      answer: pageOf('claims', ClaimAnswer),
      command: {
        columns: [
          ...(['orderId', 'status', 'amount', 'paymentAmount', 'receivedAt', 'merchantId'] as const),
          { heading: 'Files', show: ({ receipts }) => receipts.length, kind: 'number' },
          ...(['paidAt', 'paymentId'] as const),
          { heading: 'Receipts', show: ({ receipts }) => receipts.map(({ id }) => id).join('\n') || 'none' },
        ],
        empty:
          'No claims. Payers make them on the page of a closed payment. About a credited or closed payment: payin disputes open <payment>',
      },
    }),
  },
} satisfies Noun<unknown>
