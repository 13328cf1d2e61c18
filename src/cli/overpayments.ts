import type { Command } from 'commander'
import { addExamples, addPageOptions } from './describe-command.ts'
import { findMerchantId, merchantArgument } from './find-merchant-id.ts'
import { printAmount, printNext, printTable } from './print-table.ts'
import { exactNumber, time } from './read-arguments.ts'
import { openSession } from './session.ts'

type Overpayments = {
  readonly overpayments: readonly {
    readonly merchantId: string
    readonly paymentId: string
    readonly orderId: string
    readonly currency: string
    readonly amount: number
  }[]
  readonly nextCursor?: string
}

type Decision = { readonly decision: string; readonly amount: number; readonly currency: string }

type DecideOptions = {
  readonly reference: string
  readonly reason: string
  readonly amount?: object
  readonly requisite?: string
  readonly bookedAt?: string
}

/** Adds `payin overpayments`. */
export const addOverpaymentCommands = (program: Command): void => {
  const overpayments = program.command('overpayments').description('Money that payments could not take.')
  addExamples(overpayments, [
    'payin overpayments decide "Demo Shop" 019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10 assign --reference O-1 --reason "Agreed"',
  ])
  const list = overpayments
    .command('list')
    .description('List payments whose payers are owed money, the newest first.')
    .option('--merchant <merchant>', merchantArgument)
  addPageOptions(list).action(
    async (options: { merchant?: string; limit: string; cursor?: string }, command: Command) => {
      const session = openSession(command)
      const { merchant, ...page } = options
      const merchantId = merchant === undefined ? undefined : await findMerchantId(session, merchant)
      const answer = await session.get<Overpayments>('/overpayments', { ...page, merchantId })
      session.show(answer, (body) => {
        if (body.overpayments.length === 0) return 'Nobody is owed anything.'
        const rows = body.overpayments.map((row) => [
          ...[printAmount(row.amount, row.currency), row.orderId, row.merchantId, row.paymentId],
        ])
        return printTable(['AMOUNT>', 'ORDER', 'MERCHANT', 'PAYMENT'], rows) + printNext(body.nextCursor)
      })
    },
  )
  overpayments
    .command('decide <merchant> <payment> <decision>')
    .description(
      "assign credits it to the merchant at the payment's rate and fee, refund notes that a requisite paid it back, write-off makes it the operator's.",
    )
    .requiredOption('--reference <text>', 'your own name of the decision; the same again counts once')
    .requiredOption('--reason <text>', 'why')
    .option('--amount <amount>', 'exact amount; all that is owed unless told', exactNumber)
    .option('--requisite <id>', 'of a refund: the requisite that paid it')
    .option('--booked-at <time>', 'of a refund: when the bank booked it; now unless told', time)
    .action(async (named: string, payment: string, decision: string, options: DecideOptions, command: Command) => {
      const session = openSession(command)
      const path = `/overpayments/${await findMerchantId(session, named)}/${encodeURIComponent(payment)}/decisions`
      const { requisite, ...given } = options
      const body = { ...given, decision, requisiteId: requisite }
      session.show(
        await session.send<Decision>('POST', path, body),
        (made) => `Done: ${made.decision} ${printAmount(made.amount, made.currency)}.`,
      )
    })
}
