import { type Command, Option } from 'commander'
import type { AdjustmentAnswer } from '../http/operator-api/adjustments.ts'
import { addExamples } from './describe-command.ts'
import { findOptionalMerchantId } from './find-merchant-id.ts'
import { pagedList } from './paged-list.ts'
import { printAmount } from './print-table.ts'
import { exactNumber, time } from './read-arguments.ts'
import { inSession, path, type Session } from './session.ts'

const describe = (row: AdjustmentAnswer): string =>
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
  const act = async (session: Session, book: string, id: string, verb: string, body: object): Promise<void> => {
    const address = path`/ledger/adjustments/${book}/${id}/${verb}`
    session.show(await session.send<AdjustmentAnswer>('POST', address, body), describe)
  }
  adjustments
    .command('post <book> <id>')
    .description('Post a draft, as another operator than its author.')
    .action(inSession((session, book: string, id: string) => act(session, book, id, 'post', {})))
  adjustments
    .command('reject <book> <id>')
    .description('Reject a draft; nothing is posted.')
    .action(inSession((session, book: string, id: string) => act(session, book, id, 'reject', {})))
  adjustments
    .command('reverse <book> <id>')
    .description('Draft the reversing entry of what was posted.')
    .requiredOption('--reference <text>', 'your own name for it')
    .requiredOption('--reason <text>', 'why')
    .action(
      inSession((session, book: string, id: string, options: object) => act(session, book, id, 'reverse', options)),
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
    .requiredOption('--reference <text>', 'your own name for it; the same again is the same one')
    .requiredOption('--reason <text>', 'why')
    .requiredOption('--debit <account>', 'account that is debited')
    .requiredOption('--credit <account>', 'account that is credited')
    .requiredOption('--amount <amount>', 'exact amount', exactNumber)
    .requiredOption('--currency <currency>', 'code, such as rub or USDT')
    .option('--merchant <merchant>', "merchant whose book it is for; default: the service's book")
    .option('--booked-at <time>', 'when the bank booked it; default: now', time)
    .action(
      inSession(async (session, { merchant, debit, credit, ...given }: DraftOptions) => {
        const merchantId = await findOptionalMerchantId(session, merchant)
        const body = { ...given, merchantId, debitAccount: debit, creditAccount: credit }
        session.show(await session.send<AdjustmentAnswer>('POST', '/ledger/adjustments', body), describe)
      }),
    )
  addDecisions(adjustments)
  const list = adjustments
    .command('list')
    .description('List adjustments, the newest first.')
    .addOption(new Option('--status <status>', 'only these').choices(['draft', 'posted', 'rejected']))
  pagedList<AdjustmentAnswer>(list, {
    path: '/ledger/adjustments',
    field: 'adjustments',
    none: 'No adjustments yet.',
    columns: {
      STATUS: ({ status }) => status,
      'AMOUNT>': ({ amount, currency }) => printAmount(amount, currency),
      DEBIT: ({ debitAccount }) => debitAccount,
      CREDIT: ({ creditAccount }) => creditAccount,
      REFERENCE: ({ reference }) => reference,
      'DRAFTED BY': ({ draftedBy }) => draftedBy,
      BOOK: ({ book }) => book,
      ID: ({ id }) => id,
    },
  })
}
