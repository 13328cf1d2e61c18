import { type Command, Option } from 'commander'
import type { SettlementAnswer } from '../http/operator-api/settlements.ts'
import { addExamples } from './describe-command.ts'
import { findMerchantId, merchantArgument } from './find-merchant-id.ts'
import { pagedList } from './paged-list.ts'
import { printAmount, printFields, printTime } from './print-table.ts'
import { exactNumber } from './read-arguments.ts'
import { inSession, path, type Session } from './session.ts'

const describe = (row: SettlementAnswer): string =>
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
  const take = async (session: Session, named: string, id: string, verb: string, body: object): Promise<void> => {
    const address = path`/settlements/${await findMerchantId(session, named)}/${id}/${verb}`
    session.show(await session.send<SettlementAnswer>('POST', address, body), describe)
  }

  step('approve', 'Approve a settlement; a large one as another operator than its author.').action(
    inSession((session, named: string, id: string) => take(session, named, id, 'approve', {})),
  )
  step('pay', 'Note that a settlement was paid out; the merchant is notified.')
    .requiredOption('--reference <text>', 'what identifies the payout, such as the hash of a transaction')
    .action(
      inSession((session, named: string, id: string, { reference }: { reference: string }) =>
        take(session, named, id, 'pay', { externalReference: reference }),
      ),
    )
  step('fail', 'Fail a settlement; its amount is available again.')
    .requiredOption('--reason <text>', 'why')
    .action(
      inSession((session, named: string, id: string, { reason }: { reason: string }) =>
        take(session, named, id, 'fail', { reason }),
      ),
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
    .requiredOption('--reference <text>', 'your own name for it')
    .requiredOption('--to <text>', 'where the money goes')
    .option('--amount <amount>', 'exact amount in USDT; default: all that is available', exactNumber)
    .action(
      inSession(async (session, named: string, { reference, to, amount }: DraftOptions) => {
        const body = { merchantId: await findMerchantId(session, named), reference, amount, destination: to }
        session.show(await session.send<SettlementAnswer>('POST', '/settlements', body), describe)
      }),
    )
  addSteps(settlements)

  const list = settlements
    .command('list')
    .description('List settlements, the newest first.')
    .option('--merchant <merchant>', merchantArgument)
    .addOption(new Option('--status <status>', 'only these').choices(['draft', 'approved', 'paid', 'failed']))
  pagedList<SettlementAnswer>(list, {
    path: '/settlements',
    field: 'settlements',
    none: 'No settlements yet.',
    columns: {
      CHANGED: ({ changedAt }) => printTime(changedAt),
      STATUS: ({ status }) => status,
      'AMOUNT>': ({ amount, currency }) => printAmount(amount, currency),
      REFERENCE: ({ reference }) => reference,
      'DRAFTED BY': ({ draftedBy }) => draftedBy,
      MERCHANT: ({ merchantId }) => merchantId,
      ID: ({ id }) => id,
    },
  })
}
