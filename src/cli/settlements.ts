import { settlementStatuses } from '../rules/money/settlement.ts'
import type { SettlementAnswer } from '../http/operator-api/settlements.ts'
import { type Group, list, request } from './commands.ts'
import { choice, option, required, page } from './inputs.ts'
import { merchant, ofMerchant, ofMode, settlementKey } from './named-inputs.ts'
import { printAmount, type Printed, printFields, printTime } from './print-table.ts'
import { exactNumber } from './read-arguments.ts'
import { resolveId } from './resolve-name.ts'

const describe = (row: SettlementAnswer): Printed =>
  printFields({
    Id: row.id,
    Merchant: row.merchantName ?? row.merchantId,
    Reference: row.reference,
    Status: row.status,
    Amount: printAmount(row.amount, row.currency),
    Destination: row.destination,
    'Drafted by': row.draftedBy,
    'Approved by': row.approvedBy ?? (row.secondPerson ? 'nobody yet: another operator must' : 'nobody yet'),
    Payout: row.externalReference,
    Failure:
      row.failure ??
      (row.failingBy && `proposed by ${row.failingBy.replace(/^operator:/, '')}: another operator must fail it, too`),
    Changed: printTime(row.changedAt),
  })

export const settlementCommands: Group = {
  description: 'Payouts to merchants from their balances.',
  examples: [
    'payin settlements create "Demo Shop" --reference 2026-01 --to "Main wallet"      (all that is available)',
    'payin settlements approve 2026-01 --merchant "Demo Shop"',
    'payin settlements pay 2026-01 --merchant "Demo Shop" --reference 0x5f',
  ],
  commands: {
    create: request('POST /settlements', {
      description:
        'Draft a settlement; its amount is held immediately. The same reference always means the same settlement.',
      inputs: {
        merchantId: merchant,
        reference: required('--reference <text>', 'your own name for it'),
        destinationId: required('--to <destination>', 'label, address or id of a destination of the merchant'),
        amount: option('--amount <amount>', 'exact amount in USDT; default: everything available', exactNumber),
      },
      body: async ({ destinationId, ...given }, session) => ({
        ...given,
        destinationId: await resolveId(session, 'destination', destinationId, { merchantId: given.merchantId }),
      }),
      print: describe,
    }),
    approve: request('POST /settlements/{merchantId}/{id}/approve', {
      description: 'Approve a settlement; a large one as another operator than its author.',
      inputs: settlementKey,
      print: describe,
    }),
    pay: request('POST /settlements/{merchantId}/{id}/pay', {
      description: 'Record that a settlement was paid out; the merchant is notified.',
      inputs: {
        ...settlementKey,
        externalReference: required(
          '--reference <text>',
          'what identifies the payout, such as the hash of a transaction',
        ),
      },
      print: describe,
    }),
    fail: request('POST /settlements/{merchantId}/{id}/fail', {
      description: 'Fail a settlement; its amount is available again.',
      inputs: { ...settlementKey, reason: required('--reason <text>', 'why') },
      print: describe,
    }),
    list: list('GET /settlements', {
      description: 'List settlements, newest first.',
      inputs: {
        merchantId: ofMerchant(),
        mode: ofMode,
        status: choice('--status <status>', 'only these', settlementStatuses),
        ...page,
      },
      rows: (answer: { settlements: SettlementAnswer[] }) => answer.settlements,
      empty:
        'No such settlements. Draft one: payin settlements create <merchant> --reference 2026-01 --to "Main wallet"',
      columns: {
        'REFERENCE~': 'reference',
        STATUS: 'status',
        'AMOUNT>': ({ amount, currency }) => printAmount(amount, currency),
        'MERCHANT~': ({ merchantName, merchantId }) => merchantName ?? merchantId,
        CHANGED: ({ changedAt }) => printTime(changedAt),
        'DRAFTED BY': 'draftedBy',
        'ID#': 'id',
      },
    }),
  },
}
