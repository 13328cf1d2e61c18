import type { Command } from 'commander'
import { addExamples, addPageOptions } from './describe-command.ts'
import { findMerchantId, merchantArgument } from './find-merchant-id.ts'
import { printAmount, printFields, printNext, printTable, printTime } from './print-table.ts'
import { openSession } from './session.ts'

type Payment = {
  readonly merchantId: string
  readonly id: string
  readonly orderId: string
  readonly status: string
  readonly statusReason: string
  readonly type: string
  readonly method: string
  readonly currency: string
  readonly amount: number
  readonly receivedAmount: number
  readonly finalAmount?: number
  readonly userId: string
  readonly sourcePan: string
  readonly createdAt: string
  readonly expiredAt: string
  readonly acknowledgedAt?: string
  readonly requisiteId: string
  readonly rate: { readonly price: number }
  readonly total: { readonly currency: string; readonly amount: number }
}

type Timeline = Payment & {
  readonly claimReceivedAt?: string
  readonly receipts: readonly { readonly id: string; readonly contentType: string; readonly receivedAt: string }[]
  readonly events: readonly {
    readonly sequence: number
    readonly status: string
    readonly statusReason: string
    readonly actor: string
    readonly at: string
  }[]
  readonly entries: readonly {
    readonly kind: string
    readonly debit: string
    readonly credit: string
    readonly currency: string
    readonly amount: number
    readonly postedAt: string
  }[]
}

const tell = ({ events, entries, receipts, ...payment }: Timeline): string => {
  const { currency, finalAmount, total } = payment
  return [
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
    printTable(
      ['AT', '#>', 'STATUS', 'REASON', 'BY'],
      events.map((event) => [printTime(event.at), event.sequence, event.status, event.statusReason, event.actor]),
    ),
    ...(entries.length === 0
      ? []
      : [
          printTable(
            ['POSTED', 'KIND', 'AMOUNT>', 'FROM', 'TO'],
            entries.map((entry) => [
              ...[printTime(entry.postedAt), entry.kind, printAmount(entry.amount, entry.currency)],
              ...[entry.debit, entry.credit],
            ]),
          ),
        ]),
  ].join('\n\n')
}

const addListCommand = (payments: Command): void => {
  const list = payments
    .command('list')
    .description('List payments, the newest first.')
    .option('--merchant <merchant>', merchantArgument)
    .option('--status <status>', 'only this status')
    .option('--unacknowledged', 'only those that are paid and not acknowledged by their merchant')
  addPageOptions(list).action(
    async (
      options: { merchant?: string; status?: string; unacknowledged?: true; limit: string; cursor?: string },
      command: Command,
    ) => {
      const session = openSession(command)
      const { merchant, status, limit, cursor } = options
      const merchantId = merchant === undefined ? undefined : await findMerchantId(session, merchant)
      const acknowledged = options.unacknowledged ? 'false' : undefined
      const query = { merchantId, status, acknowledged, limit, cursor }
      session.show(await session.get<{ payments: Payment[]; nextCursor?: string }>('/payments', query), (body) => {
        if (body.payments.length === 0) return 'No such payments.'
        const rows = body.payments.map((each) => [
          ...[printTime(each.createdAt), each.status, each.statusReason, printAmount(each.amount, each.currency)],
          ...[each.method, each.orderId, each.merchantId, each.id],
        ])
        const heads = ['CREATED', 'STATUS', 'REASON', 'AMOUNT>', 'METHOD', 'ORDER', 'MERCHANT', 'ID']
        return printTable(heads, rows) + printNext(body.nextCursor)
      })
    },
  )
}

/** Adds `payin payments`. */
export const addPaymentCommands = (program: Command): void => {
  const payments = program.command('payments').description('Payments of all merchants.')
  addExamples(payments, [
    'payin payments list --merchant "Demo Shop" --status new',
    'payin payments show "Demo Shop" 019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10',
    'payin payments cancel "Demo Shop" 019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10',
  ])
  addListCommand(payments)

  payments
    .command('show')
    .description('Show a payment with its events and ledger entries.')
    .argument('<merchant>', merchantArgument)
    .argument('<payment-id>', 'id of the payment')
    .action(async (named: string, id: string, _options: object, command: Command) => {
      const session = openSession(command)
      const merchantId = await findMerchantId(session, named)
      session.show(await session.get<Timeline>(`/payments/${merchantId}/${encodeURIComponent(id)}`), tell)
    })

  payments
    .command('cancel')
    .description('Cancel a payment before any money came.')
    .argument('<merchant>', merchantArgument)
    .argument('<payment-id>', 'id of the payment')
    .action(async (named: string, id: string, _options: object, command: Command) => {
      const session = openSession(command)
      const merchantId = await findMerchantId(session, named)
      const path = `/payments/${merchantId}/${encodeURIComponent(id)}/cancel`
      session.show(
        await session.send<Payment>('POST', path, {}),
        (payment) => `${payment.orderId} is ${payment.status}.`,
      )
    })
}
