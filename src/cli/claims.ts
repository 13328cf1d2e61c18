import type { Command } from 'commander'
import type { ClaimAnswer } from '../http/operator-api/claims.ts'
import { addExamples } from './describe-command.ts'
import { findMerchantId, merchantArgument } from './find-merchant-id.ts'
import { pagedList } from './paged-list.ts'
import { printAmount, printTime } from './print-table.ts'
import { inSession, path } from './session.ts'

/** Adds `payin claims`. */
export const addClaimCommands = (program: Command): void => {
  const claims = program.command('claims').description('What payers of closed payments claim to have paid.')
  addExamples(claims, [
    'payin claims list',
    'payin claims receipt "Demo Shop" <payment-id> <receipt-id> --output receipt.pdf',
  ])

  pagedList<ClaimAnswer>(claims.command('list').description('List the claims, the newest first.'), {
    path: '/claims',
    field: 'claims',
    none: 'No claims.',
    columns: {
      RECEIVED: ({ receivedAt }) => printTime(receivedAt),
      STATUS: ({ status }) => status,
      'CLAIMED>': ({ amount, currency }) => printAmount(amount, currency),
      'AMOUNT>': ({ paymentAmount, currency }) => printAmount(paymentAmount, currency),
      'PAID AT': ({ paidAt }) => printTime(paidAt),
      ORDER: ({ orderId }) => orderId,
      PAYMENT: ({ paymentId }) => paymentId,
      RECEIPTS: ({ receipts }) => receipts.map(({ id }) => id).join('\n') || 'none',
    },
  })

  claims
    .command('receipt')
    .description('Save a file that a payer sent; the audit records that you read it.')
    .argument('<merchant>', merchantArgument)
    .argument('<payment-id>', 'id of the payment')
    .argument('<receipt-id>', 'id of the receipt')
    .requiredOption('--output <path>', 'file to write')
    .action(
      inSession(async (session, named: string, paymentId: string, id: string, { output }: { output: string }) => {
        const merchantId = await findMerchantId(session, named)
        await session.save(path`/payments/${merchantId}/${paymentId}/receipts/${id}`, output)
      }),
    )
}
