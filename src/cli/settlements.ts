import { type Command, Option } from 'commander'
import { addExamples, addPageOptions } from './describe-command.ts'
import { findMerchantId, merchantArgument } from './merchants.ts'
import { printAmount, printFields, printNext, printTable, printTime } from './print-table.ts'
import { exactNumber } from './read-arguments.ts'
import { openSession } from './session.ts'

type Settlement = {
  readonly id: string
  readonly merchantId: string
  readonly reference: string
  readonly status: string
  readonly currency: string
  readonly amount: number
  readonly destination: string
  readonly externalReference?: string
  readonly failure?: string
  readonly secondPerson: boolean
  readonly draftedBy: string
  readonly approvedBy?: string
  readonly changedAt: string
}

const tell = (row: Settlement): string =>
  printFields({
    Id: row.id,
    Merchant: row.merchantId,
    Reference: row.reference,
    Status: row.status,
    Amount: printAmount(row.amount, row.currency),
    Destination: row.destination,
    'Drafted by': row.draftedBy,
    'Approved by': row.approvedBy ?? (row.secondPerson ? 'nobody yet: another operator must' : 'nobody yet'),
    Payout: row.externalReference,
    Failure: row.failure,
    Changed: printTime(row.changedAt),
  })

const addSteps = (settlements: Command): void => {
  const step = (name: string, description: string) =>
    settlements.command(`${name} <merchant> <id>`).description(description)
  const take = async (named: string, id: string, verb: string, body: object, command: Command): Promise<void> => {
    const session = openSession(command)
    const path = `/settlements/${await findMerchantId(session, named)}/${encodeURIComponent(id)}/${verb}`
    session.show(await session.send<Settlement>('POST', path, body), tell)
  }

  step('approve', 'Approve a settlement; a large one as another operator than its author.').action(
    (named: string, id: string, _options: object, command: Command) => take(named, id, 'approve', {}, command),
  )
  step('pay', 'Note that a settlement was paid out; the merchant is told.')
    .requiredOption('--reference <text>', 'what identifies the payout, such as the hash of a transaction')
    .action((named: string, id: string, { reference }: { reference: string }, command: Command) =>
      take(named, id, 'pay', { externalReference: reference }, command),
    )
  step('fail', 'Fail a settlement; its amount is available again.')
    .requiredOption('--reason <text>', 'why')
    .action((named: string, id: string, { reason }: { reason: string }, command: Command) =>
      take(named, id, 'fail', { reason }, command),
    )
}

type DraftOptions = { readonly reference: string; readonly to: string; readonly amount?: object }

/** Adds `payin settlements`. */
export const addSettlementCommands = (program: Command): void => {
  const settlements = program.command('settlements').description('What merchants are paid out of their balances.')
  addExamples(settlements, [
    'payin settlements create "Demo Shop" --reference 2026-01 --to "TRC20 T…"      (all that is available)',
    'payin settlements approve "Demo Shop" 019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10',
    'payin settlements pay "Demo Shop" 019a9c3e-7d5e-7b52-9f0c-0d6f3f3c6a10 --reference 0x5f',
  ])
  settlements
    .command('create <merchant>')
    .description('Draft a settlement; its amount is held at once. The same reference again is the same settlement.')
    .requiredOption('--reference <text>', 'your own name of it')
    .requiredOption('--to <text>', 'where the money goes')
    .option('--amount <amount>', 'exact amount in USDT; all that is available unless told', exactNumber)
    .action(async (named: string, { reference, to, amount }: DraftOptions, command: Command) => {
      const session = openSession(command)
      const merchantId = await findMerchantId(session, named)
      const body = { merchantId, reference, amount, destination: to }
      session.show(await session.send<Settlement>('POST', '/settlements', body), tell)
    })
  addSteps(settlements)

  const list = settlements
    .command('list')
    .description('List settlements, the newest first.')
    .option('--merchant <merchant>', merchantArgument)
    .addOption(new Option('--status <status>', 'only these').choices(['draft', 'approved', 'paid', 'failed']))
  addPageOptions(list).action(
    async (
      options: { merchant?: string; status?: string; limit: string; cursor?: string },
      command: Command,
    ): Promise<void> => {
      const session = openSession(command)
      const { merchant, ...query } = options
      const merchantId = merchant === undefined ? undefined : await findMerchantId(session, merchant)
      const answer = await session.get<{ settlements: Settlement[]; nextCursor?: string }>('/settlements', {
        ...query,
        merchantId,
      })
      session.show(answer, (body) => {
        if (body.settlements.length === 0) return 'No settlements yet.'
        const heads = ['CHANGED', 'STATUS', 'AMOUNT>', 'REFERENCE', 'DRAFTED BY', 'MERCHANT', 'ID']
        const rows = body.settlements.map((row) => [
          ...[printTime(row.changedAt), row.status, printAmount(row.amount, row.currency), row.reference],
          ...[row.draftedBy, row.merchantId, row.id],
        ])
        return printTable(heads, rows) + printNext(body.nextCursor)
      })
    },
  )
}
