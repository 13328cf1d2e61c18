import { type Command, Option } from 'commander'
import { addExamples, addPageOptions } from './describe-command.ts'
import { findMerchantId, merchantArgument } from './merchants.ts'
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

type Adjustment = {
  readonly id: string
  readonly book: string
  readonly reference: string
  readonly status: string
  readonly debitAccount: string
  readonly creditAccount: string
  readonly currency: string
  readonly amount: number
  readonly draftedBy: string
}

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

const tell = (row: Adjustment): string =>
  `${row.id} is ${row.status}: ${printAmount(row.amount, row.currency)}, ${row.debitAccount} → ${row.creditAccount}, in the book ${row.book}.`

type DraftOptions = {
  readonly reference: string
  readonly reason: string
  readonly debit: string
  readonly credit: string
  readonly amount: object
  readonly currency: string
  readonly merchant?: string
  readonly bookedAt?: string
}

const addDecisions = (adjustments: Command): void => {
  const act = async (book: string, id: string, verb: string, body: object, command: Command): Promise<void> => {
    const session = openSession(command)
    const path = `/ledger/adjustments/${encodeURIComponent(book)}/${encodeURIComponent(id)}/${verb}`
    session.show(await session.send<Adjustment>('POST', path, body), tell)
  }
  adjustments
    .command('post <book> <id>')
    .description('Post a draft, as another operator than its author.')
    .action((book: string, id: string, _options: object, command: Command) => act(book, id, 'post', {}, command))
  adjustments
    .command('reject <book> <id>')
    .description('Reject a draft; nothing is posted.')
    .action((book: string, id: string, _options: object, command: Command) => act(book, id, 'reject', {}, command))
  adjustments
    .command('reverse <book> <id>')
    .description('Draft the reversing entry of what was posted.')
    .requiredOption('--reference <text>', 'your own name of it')
    .requiredOption('--reason <text>', 'why')
    .action((book: string, id: string, options: { reference: string; reason: string }, command: Command) =>
      act(book, id, 'reverse', options, command),
    )
}

/** Adds `payin adjustments`. */
export const addAdjustmentCommands = (program: Command): void => {
  const adjustments = program
    .command('adjustments')
    .description('Postings by hand: one operator drafts, another posts.')
  addExamples(adjustments, [
    'payin adjustments draft --reference SALE-7 --debit fx:rub --credit bank:019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10 --amount 300000 --currency rub --reason "Sold"',
    'payin adjustments post 00000000-0000-0000-0000-000000000000 019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10',
  ])
  adjustments
    .command('draft')
    .description('Draft a posting between bank:{requisite}, fx:{currency}, fees, rounding and merchant:available.')
    .requiredOption('--reference <text>', 'your own name of it; the same again is the same one')
    .requiredOption('--reason <text>', 'why')
    .requiredOption('--debit <account>', 'account that is debited')
    .requiredOption('--credit <account>', 'account that is credited')
    .requiredOption('--amount <amount>', 'exact amount', exactNumber)
    .requiredOption('--currency <currency>', 'code, such as rub or USDT')
    .option('--merchant <merchant>', "of this merchant's book; the service's unless told")
    .option('--booked-at <time>', 'when the bank booked it; now unless told', time)
    .action(async (options: DraftOptions, command: Command) => {
      const session = openSession(command)
      const { merchant, debit, credit, ...given } = options
      const merchantId = merchant === undefined ? undefined : await findMerchantId(session, merchant)
      const body = { ...given, merchantId, debitAccount: debit, creditAccount: credit }
      session.show(await session.send<Adjustment>('POST', '/ledger/adjustments', body), tell)
    })
  addDecisions(adjustments)
  const list = adjustments
    .command('list')
    .description('List adjustments, the newest first.')
    .addOption(new Option('--status <status>', 'only these').choices(['draft', 'posted', 'rejected']))
  addPageOptions(list).action(
    async (options: { status?: string; limit: string; cursor?: string }, command: Command) => {
      const session = openSession(command)
      const answer = await session.get<{ adjustments: Adjustment[]; nextCursor?: string }>(
        '/ledger/adjustments',
        options,
      )
      session.show(answer, (body) => {
        if (body.adjustments.length === 0) return 'No adjustments yet.'
        const heads = ['STATUS', 'AMOUNT>', 'DEBIT', 'CREDIT', 'REFERENCE', 'DRAFTED BY', 'BOOK', 'ID']
        const rows = body.adjustments.map((row) => [
          ...[row.status, printAmount(row.amount, row.currency), row.debitAccount, row.creditAccount, row.reference],
          ...[row.draftedBy, row.book, row.id],
        ])
        return printTable(heads, rows) + printNext(body.nextCursor)
      })
    },
  )
}
