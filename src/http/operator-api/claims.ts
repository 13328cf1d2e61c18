import { claims } from '../../operations/claims.ts'
import { openFile } from '../../engine/disputes/claims/seal-file.ts'
import { getReceipt, type ListedClaim, listClaims } from '../../engine/disputes/read.ts'
import { getPaymentById } from '../../engine/payments/read.ts'
import type { Context } from '../../engine/context.ts'
import { fileAnswer, sendFile } from '../answers/receipt-files.ts'
import { readPage } from '../routes/lists.ts'
import { actOnBehalf } from '../access/act-on-behalf.ts'
import { bindOperations } from '../routes/bind-operations.ts'

const toAnswer = async (context: Context, claim: ListedClaim) => {
  const payment = await getPaymentById(context, claim.merchantId, claim.paymentId)
  const { orderId, status, currency, amount: paymentAmount } = payment
  return { ...claim, orderId, status, currency, paymentAmount }
}

/** Claims of payers, and the files that they sent. */
export const claimRoutes = bindOperations(claims.operations, {
  list: (context, { query }) =>
    readPage(
      'claims',
      query,
      ({ before, limit }) => listClaims(context, before, limit),
      (claim) => toAnswer(context, claim),
    ),
})

claimRoutes.get('/payments/:merchantId/:paymentId/receipts/:id', 'read', {
  id: 'getReceipt',
  summary: 'Read a file that a payer sent',
  description: 'Each read is recorded in the audit.',
  answerContent: fileAnswer,
  handle: async (context, request, reply) => {
    const key = request.params
    const subject = `payment:${key.merchantId}/${key.paymentId}`
    const act = { action: 'receipt.read', subject, details: { receipt: key.id } }
    const receipt = await actOnBehalf(context, request, (tx) => getReceipt(tx, key), act)
    const content = await openFile(context, 'payer_receipts', receipt)
    return sendFile(reply, `receipt-${receipt.id}`, { contentType: receipt.contentType, content })
  },
})
