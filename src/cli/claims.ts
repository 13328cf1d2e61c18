import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { addExamples, addPageOptions } from './describe-command.ts'
import { Failure } from './failure.ts'
import { findMerchantId, merchantArgument } from './merchants.ts'
import { printAmount, printNext, printTable, printTime } from './print-table.ts'
import { openSession } from './session.ts'

type Claim = {
  readonly merchantId: string
  readonly paymentId: string
  readonly orderId: string
  readonly status: string
  readonly currency: string
  readonly amount: number
  readonly paymentAmount: number
  readonly paidAt: string
  readonly receivedAt: string
  readonly receipts: readonly { readonly id: string }[]
}

/** Adds `payin claims`. */
export const addClaimCommands = (program: Command): void => {
  const claims = program.command('claims').description('What payers of closed payments claim to have paid.')
  addExamples(claims, [
    'payin claims list',
    'payin claims receipt "Demo Shop" <payment-id> <receipt-id> --output receipt.pdf',
  ])

  const list = claims.command('list').description('List the claims, the newest first.')
  addPageOptions(list).action(async ({ limit, cursor }: { limit: string; cursor?: string }, command: Command) => {
    const session = openSession(command)
    const answer = await session.get<{ claims: Claim[]; nextCursor?: string }>('/claims', { limit, cursor })
    session.show(answer, (body) => {
      if (body.claims.length === 0) return 'No claims.'
      const rows = body.claims.map((claim) => [
        ...[printTime(claim.receivedAt), claim.status, printAmount(claim.amount, claim.currency)],
        ...[printAmount(claim.paymentAmount, claim.currency), printTime(claim.paidAt), claim.orderId],
        ...[claim.paymentId, claim.receipts.map((receipt) => receipt.id).join('\n') || 'none'],
      ])
      const heads = ['RECEIVED', 'STATUS', 'CLAIMED>', 'AMOUNT>', 'PAID AT', 'ORDER', 'PAYMENT', 'RECEIPTS']
      return printTable(heads, rows) + printNext(body.nextCursor)
    })
  })

  claims
    .command('receipt')
    .description('Save a file that a payer sent; the reading is in the audit.')
    .argument('<merchant>', merchantArgument)
    .argument('<payment-id>', 'id of the payment')
    .argument('<receipt-id>', 'id of the receipt')
    .requiredOption('--output <path>', 'file to write')
    .action(async (named: string, paymentId: string, id: string, { output }: { output: string }, command: Command) => {
      const session = openSession(command)
      const merchantId = await findMerchantId(session, named)
      const [payment, receipt] = [paymentId, id].map(encodeURIComponent)
      const content = await session.download(`/payments/${merchantId}/${payment}/receipts/${receipt}`)
      await writeFile(output, content, { flag: 'wx', mode: 0o600 }).catch((error: Error) => {
        throw new Failure([`${output} cannot be written: ${error.message}`], 2)
      })
      process.stdout.write(`Saved ${content.length} bytes to ${output}.\n`)
    })
}
